// Succession (protocols/slots 10): an epoch has at most one successor, also in a partition, and gets one whenever a quorum of
// its members can talk. "Each signs one only" alone would let two proposals split the signatures for ever; so the
// members vote in ballots, each led by the next position of the ring:
//
// - `propose`: the ballot's leader names a record.
// - `favour`: a member that finds it acceptable says so, once a ballot. Nothing is promised yet.
// - `sign`: with a quorum of favours of this ballot, a member locks on the record (saved first, with the favours) and
//   signs. From then on it gives no share in the old epoch. A quorum of signatures of one ballot makes the successor.
// - A locked member favours another record only if it is shown a quorum of favours for it of a ballot no earlier than
//   its lock; if it refuses, it says what it is locked on, so that the next leader can propose that.
//
// Who leads: each in its turn. A liar may lead as fast as it likes, and say one thing to some and another to others; so a
// proposal that is favoured is passed on, a leader of two records in one ballot is not heard any more, and none is heard
// again before the others had their turns. Where b + 1 are, the others follow.
//
// Who votes: the members, and those that are absent (successor.ts), who have seen nothing and favour what b + 1 favour, one
// of them honest. Two quorums share an honest one. If a quorum signed R in ballot r, take the first ballot r' ≥ r with a
// quorum of favours for another record: one honest member both signed R in r and favoured the other in r'. r' = r is
// impossible (one favour a ballot); and for r' > r it needed favours of a ballot from r to r' - 1 for that record: there
// are none.

import { kthLargest, type NodeId, sameBytes } from '../../core/index.ts'
import { adopt, countSigned } from './links.ts'
import { type EpochRecord, isVoter, positionOf, recordHash, votersOf } from './record.ts'
import { saveFavoured, saveLocked } from './saved.ts'
import { send, sendToVoters, statementOf } from './saying.ts'
import { type Epoch, type MemberState, NEVER, type SlotsScene } from './state.ts'
import { hasFirmReason, hasReason, isAcceptable, quorum, seesReason, wishedRecord } from './successor.ts'
import type { Favour, Favoured, Propose, Refuse, Sign, Signature, Succeeded } from './wire.ts'

/** Ballots last longer and longer, up to this many times the first: a slow network gets through in the end. */
const BALLOT_GROWTH_MAX = 8
/** Ballots far ahead of ours are a liar's: nobody gets there without time-outs. */
const BALLOTS_AHEAD_MAX = 1_000
/** Who restarted cannot judge what it is shown, and goes less far: the others must still follow it, when it leads. */
const BALLOTS_AHEAD_BLINDLY = BALLOTS_AHEAD_MAX / 2
/** Proposals of one leader that are kept, the latest: nobody signs what was proposed so many turns ago. */
export const PROPOSALS_KEPT = 8
/** Favours of one member that are kept, and signatures: those of its latest ballots. One that favours everything crowds out itself. */
export const BALLOTS_KEPT = 64
/** How much of a turn a leader may be early when its turn comes again: clocks differ. */
const EARLY = 1 / 2

/** On the beat: begins, repeats what may be lost, goes to the next ballot. */
export function advanceSuccession(scene: SlotsScene): void {
  const { epoch } = scene.state
  const { succession } = epoch
  // An absent member follows: it sees nothing of the epoch, and proposes nothing.
  if (epoch.position < 0) return succession.active ? repeat(scene) : undefined
  if (!hasReason(scene)) {
    succession.active = false
    return
  }
  if (!succession.active) {
    succession.active = true
    return nextBallot(scene)
  }
  const lasts = scene.turn.now < succession.startedAt + ballotLasts(scene)
  return lasts || isAloneAhead(scene) ? repeat(scene) : nextBallot(scene)
}

/**
 * What was brought to us alone is a reason for nobody else, for as long as the epoch lives: we stay with a ballot that we lead, not
 * far from the others', or nobody could follow us, nor we them, when they have a reason (`BALLOTS_AHEAD_MAX`).
 */
function isAloneAhead(scene: SlotsScene): boolean {
  const { epoch, self } = scene.state
  const { record, position, succession } = epoch
  const { ballot, reached } = succession
  if (scene.rules.bindsAlone() || hasFirmReason(scene) || !leads(epoch, ballot, position)) return false
  const others = [...reached].filter(([name]) => name !== self).map(([, theirs]) => theirs)
  return ballot >= Math.max(0, kthLargest(others, record.liars + 1)) + record.members.length
}

// Also where a reason came back: the leader of the ballot before may be the very one that comes and goes.
function nextBallot(scene: SlotsScene): void {
  const { state, turn } = scene
  const { succession } = state.epoch
  succession.ballot++
  if (scene.rules.bindsAlone() || hasFirmReason(scene)) succession.tries++
  succession.startedAt = turn.now
  propose(scene)
}

// By how many we saw begin, and not by their number: a liar may take us to any number.
function ballotLasts(scene: SlotsScene): number {
  const { tries } = scene.state.epoch.succession
  return (scene.settings.patience / 2) * Math.min(1 + tries / 4, BALLOT_GROWTH_MAX)
}

function leads(epoch: Epoch, ballot: number, position: number): boolean {
  return ballot % epoch.record.members.length === position
}

function propose(scene: SlotsScene): void {
  const { state } = scene
  const { epoch } = state
  const { succession } = epoch
  if (!leads(epoch, succession.ballot, epoch.position) || succession.favouredIn >= succession.ballot) return
  const favourite = epoch.barred ? favouriteOf(state) : undefined
  const record = succession.valid?.record ?? favourite ?? wishedRecord(scene)
  if (record === undefined) return
  const words = { round: 0, ballot: succession.ballot, record, favoured: succession.valid?.favoured }
  const said = statementOf<Propose>(scene, { kind: 'propose', ...words })
  sendToVoters(scene, said)
  // Where nobody else may see the reason, our favour waits for theirs: it would keep us from favouring what they propose.
  if (scene.rules.bindsAlone() || hasFirmReason(scene)) onPropose(scene, said)
  else keepProposal(succession.proposals, said)
}

/**
 * What others favoured last, if one of them is honest. A member that restarted has seen nothing, and may be alone in ballots
 * that a liar led it to: it must then propose what it cannot favour in theirs.
 */
function favouriteOf(state: MemberState): EpochRecord | undefined {
  const { record: old, succession } = state.epoch
  let last: EpochRecord | undefined
  for (const [ballot, { record }] of succession.proposals) {
    if (favoursOf(state, { ballot, record }) > old.liars) last = record
  }
  return last
}

/** How many others favoured this. */
function favoursOf({ epoch, self }: MemberState, { ballot, record }: Pick<Propose, 'ballot' | 'record'>): number {
  const tally = epoch.succession.favours.get(tallyName(ballot, recordHash(record)))
  return (tally?.size ?? 0) - Number(tally?.has(self) ?? false)
}

/** Messages may be lost: what we said in this ballot is said again. */
function repeat(scene: SlotsScene): void {
  const { epoch, self } = scene.state
  const { ballot, proposals, favours, signs, lock, startedAt } = epoch.succession
  if (Math.floor((scene.turn.now - startedAt) / scene.settings.beat) % 3 !== 2) return
  const proposal = proposals.get(ballot)
  if (proposal?.author === self) sendToVoters(scene, proposal)
  if (proposal !== undefined) {
    const record = recordHash(proposal.record)
    const signature = favours.get(tallyName(ballot, record))?.get(self)
    if (signature !== undefined) {
      sendToVoters(scene, { kind: 'favour', author: self, epoch: epoch.hash, round: 0, ballot, record, signature })
    }
  }
  if (lock === undefined) return
  const record = recordHash(lock.record)
  const signature = signs.get(tallyName(lock.favoured.ballot, record))?.get(self)
  if (signature === undefined) return
  const said = { author: self, epoch: epoch.hash, round: 0, ballot: lock.favoured.ballot, record, signature }
  sendToVoters(scene, { kind: 'sign', ...said })
}

function tallyName(ballot: number, record: Uint8Array): string {
  return `${ballot}:${record.join()}`
}

function ballotOf(name: string): number {
  return Number.parseInt(name, 10)
}

export function onPropose(scene: SlotsScene, said: Propose): void {
  const { state, turn } = scene
  const { epoch } = state
  const { succession } = epoch
  const { ballot, record } = said
  // Its favour would count for nobody else, and must not for itself.
  if (!isVoter(epoch.record, state.self)) return
  if (!leads(epoch, ballot, positionOf(epoch.record, said.author))) return
  if (ballot > succession.ballot + (epoch.barred ? BALLOTS_AHEAD_BLINDLY : BALLOTS_AHEAD_MAX)) return
  learn(scene, record, said.favoured)
  // Also a ballot that our own clock is past: if only one member can propose, the others must not run ahead of it for
  // ever (seed 70126). What binds us is what we favoured.
  if (!isHeard(scene, said) || succession.favouredIn >= ballot) return
  // A liar could lead it to ballots where it is alone, and an absent member does not lead itself back.
  if (epoch.position < 0 && favoursOf(state, said) <= epoch.record.liars) return
  const refused = refusal(scene, said)
  if (refused !== undefined) {
    if (refused !== 'unacceptable') send(scene, said.author, refused)
    return
  }
  moveTo(scene, ballot)
  succession.favouredIn = ballot
  succession.led.set(said.author, turn.now)
  saveFavoured(scene, epoch.hash, ballot)
  const favour = statementOf<Favour>(scene, { kind: 'favour', round: 0, ballot, record: recordHash(record) })
  // Passed on, so that nobody can propose to some only, or one thing to some and another to others.
  if (said.author !== state.self) sendToVoters(scene, said)
  sendToVoters(scene, favour)
  onFavour(scene, favour)
}

/** Keeps the proposal. A leader that proposed another in this ballot, or led a moment ago, is not heard: let others lead. */
function isHeard(scene: SlotsScene, said: Propose): boolean {
  const { epoch, self } = scene.state
  const { proposals, torn, led } = epoch.succession
  const { author, record } = said
  const known = keepProposal(proposals, said)
  if (author === self || epoch.record.liars === 0 || scene.rules.hearsHasty()) return true
  if (!torn.has(author) && !sameBytes(recordHash(known.record), recordHash(record))) {
    torn.add(author)
    for (const version of [known, said]) sendToVoters(scene, version)
  }
  const turns = (epoch.record.members.length - EARLY) * ballotLasts(scene)
  return !torn.has(author) && scene.turn.now >= (led.get(author) ?? NEVER) + turns
}

/** The first of a ballot is kept, and of each leader the latest ones. */
function keepProposal(proposals: Map<number, Propose>, said: Propose): Propose {
  const known = proposals.get(said.ballot) ?? said
  proposals.set(said.ballot, known)
  const own = [...proposals].filter(([, { author }]) => author === said.author).map(([ballot]) => ballot)
  if (own.length > PROPOSALS_KEPT) proposals.delete(Math.min(...own))
  return known
}

function moveTo(scene: SlotsScene, ballot: number): void {
  const { succession } = scene.state.epoch
  if (succession.active && succession.ballot === ballot) return
  succession.active = true
  succession.ballot = ballot
  succession.startedAt = scene.turn.now
}

function refusal(scene: SlotsScene, { record, ballot, favoured }: Propose): Refuse | 'unacceptable' | undefined {
  const { epoch } = scene.state
  const { lock } = epoch.succession
  const shown = favoured !== undefined && isFavoured(scene, record, favoured) ? favoured.ballot : undefined
  if (lock !== undefined && sameBytes(recordHash(lock.record), recordHash(record))) return undefined
  if (lock === undefined) {
    const welcome = scene.rules.needsReason() ? seesReason(scene, record) : true
    const acceptable = welcome && isAcceptable(scene, record)
    return shown !== undefined || acceptable ? undefined : 'unacceptable'
  }
  if (scene.rules.mayLetGo(lock.favoured.ballot, shown)) return undefined
  const words = { round: 0, ballot, record: lock.record, favoured: lock.favoured }
  return statementOf<Refuse>(scene, { kind: 'refuse', ...words })
}

/** Whether a quorum favoured this record in that ballot. */
function isFavoured(scene: SlotsScene, record: EpochRecord, { ballot, signatures }: Favoured): boolean {
  const { epoch } = scene.state
  const said = { kind: 'favour', round: 0, epoch: epoch.hash, ballot, record: recordHash(record) } as const
  return countSigned(scene, epoch.record, signatures, said) >= quorum(scene, epoch.record)
}

/** Keeps the latest record that a quorum favoured: it is what we propose when it is our turn. */
function learn(scene: SlotsScene, record: EpochRecord, favoured: Favoured | undefined): void {
  const { epoch } = scene.state
  const { succession } = epoch
  if (favoured === undefined || favoured.ballot <= (succession.valid?.favoured.ballot ?? -1)) return
  if (isFavoured(scene, record, favoured)) succession.valid = { record, favoured }
}

export function onRefuse(scene: SlotsScene, { record, favoured }: Refuse): void {
  learn(scene, record, favoured)
}

function count(
  tallies: Map<string, Map<NodeId, Uint8Array>>,
  epoch: Epoch,
  { ballot, record, author, signature }: Favour | Sign,
): Map<NodeId, Uint8Array> | undefined {
  if (ballot > epoch.succession.ballot + BALLOTS_AHEAD_MAX) return undefined
  const name = tallyName(ballot, record)
  if (!tallies.get(name)?.has(author) && !makesRoom(tallies, author, ballot)) return undefined
  const tally = tallies.get(name) ?? new Map<NodeId, Uint8Array>()
  tallies.set(name, tally)
  if (!tally.has(author)) tally.set(author, signature)
  return tally
}

/** Of each member the latest ballots are kept. False if this one is older than all of them. */
function makesRoom(tallies: Map<string, Map<NodeId, Uint8Array>>, author: NodeId, ballot: number): boolean {
  const own = [...tallies].filter(([, tally]) => tally.has(author))
  if (own.length < BALLOTS_KEPT) return true
  const oldest = Math.min(...own.map(([name]) => ballotOf(name)))
  if (ballot <= oldest) return false
  const [name, tally] = own.find(([one]) => ballotOf(one) === oldest)!
  tally.delete(author)
  if (tally.size === 0) tallies.delete(name)
  return true
}

function listed(tally: ReadonlyMap<NodeId, Uint8Array>): Signature[] {
  return [...tally].map(([author, signature]) => ({ author, signature }))
}

/** Where b + 1 are, one of them honest, we are too: else our turns would come in ballots that the others are past. */
function catchUp(scene: SlotsScene, { author, ballot }: Favour): void {
  const { epoch } = scene.state
  const { reached, ballot: ours } = epoch.succession
  reached.set(author, Math.max(ballot, reached.get(author) ?? 0))
  const theirs = kthLargest(reached.values(), epoch.record.liars + 1)
  if (theirs > ours) moveTo(scene, theirs)
}

/** An absent member favours what one honest member favours at least; and so does who alone saw why, of what it proposed itself. */
function followOthers(scene: SlotsScene, proposal: Propose): void {
  const { epoch, self } = scene.state
  const waits = proposal.author === self && favoursOf(scene.state, proposal) > epoch.record.liars
  if (epoch.position < 0 || waits) onPropose(scene, proposal)
}

export function onFavour(scene: SlotsScene, said: Favour): void {
  const { state, turn } = scene
  const { epoch } = state
  const { succession } = epoch
  catchUp(scene, said)
  const tally = count(succession.favours, epoch, said)
  const proposal = succession.proposals.get(said.ballot)
  if (proposal !== undefined && said.author !== state.self) followOthers(scene, proposal)
  if (tally === undefined || tally.size < quorum(scene, epoch.record) || proposal === undefined) return
  if (!sameBytes(recordHash(proposal.record), said.record)) return
  const { record } = proposal
  const favoured = { ballot: said.ballot, signatures: listed(tally) }
  if (said.ballot > (succession.valid?.favoured.ballot ?? -1)) succession.valid = { record, favoured }
  if (said.ballot !== succession.ballot || said.ballot <= (succession.lock?.favoured.ballot ?? -1)) return
  // Saved before it is said: those who count on our signature count on our memory.
  succession.lock = { record, favoured }
  saveLocked(scene, epoch.hash, record, favoured)
  epoch.closed = true
  succession.signedAt = turn.now
  const sign = statementOf<Sign>(scene, { kind: 'sign', round: 0, ballot: said.ballot, record: said.record })
  sendToVoters(scene, sign)
  onSign(scene, sign)
}

export function onSign(scene: SlotsScene, said: Sign): void {
  const { epoch } = scene.state
  const { proposals, signs } = epoch.succession
  const tally = count(signs, epoch, said)
  const record = proposals.get(said.ballot)?.record
  if (tally === undefined || record === undefined || !sameBytes(recordHash(record), said.record)) return
  if (tally.size < quorum(scene, epoch.record)) return
  const old = epoch.record
  const link = { record, ballot: said.ballot, signatures: listed(tally) }
  adopt(scene, link)
  const words = statementOf<Succeeded>(scene, { kind: 'succeeded', round: 0, link })
  for (const name of new Set([...votersOf(old), ...votersOf(record)].map(member => member.name))) {
    send(scene, name, words)
  }
}
