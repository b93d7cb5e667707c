// Succession (PROTOCOLS A 10): an epoch has at most one successor, also in a partition, and gets one whenever a quorum of
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

import type { NodeId } from '../../core/index.ts'
import { endEpoch, newEpoch, quietFor } from './epoch.ts'
import { sameBytes } from './proofs.ts'
import { type EpochRecord, isVoter, positionOf, recordHash, votersOf } from './record.ts'
import { saveAdopted, saveFavoured, saveLocked } from './saved.ts'
import { send, sendToAll, sendToVoters, statementOf } from './saying.ts'
import { type Epoch, type MemberState, NEVER, type SlotsTurn, type Succession, type Surroundings } from './state.ts'
import { hasReason, isAcceptable, quorum, seesReason, wishedRecord } from './successor.ts'
import {
  type Favour,
  type Favoured,
  type Link,
  type Petition,
  type Propose,
  type Refuse,
  type Sign,
  type Signature,
  type SlotsMessage,
  type Succeeded,
  signedBytes,
} from './wire.ts'

/** Links that are kept for members that are behind; whoever is further behind has to be set up anew. */
const CHAIN_MAX = 256
/** Ballots last longer and longer, up to so many times the first: a slow network gets through in the end. */
const BALLOT_GROWTH_MAX = 8
/** Ballots far ahead of ours are a liar's: nobody gets there without time-outs. */
const BALLOTS_AHEAD_MAX = 1_000
/** Who restarted cannot judge what it is shown, and goes less far: the others must still follow it, when it leads. */
const BALLOTS_AHEAD_BLINDLY = BALLOTS_AHEAD_MAX / 2
/** Of its own turn, at the end of everybody's: so much may be early, since clocks differ. */
const EARLY = 1 / 2

/** On the beat: begins, repeats what may be lost, goes to the next ballot. */
export function advanceSuccession(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch } = state
  const { succession } = epoch
  // Whoever is absent follows: it sees nothing of the epoch, and proposes nothing.
  if (epoch.position < 0) return succession.active ? repeat(around, state, turn) : undefined
  if (!hasReason(around, state, turn.now)) {
    succession.active = false
    return
  }
  if (!succession.active) {
    succession.active = true
    return nextBallot(around, state, turn)
  }
  const lasts = ballotLasts(around, succession)
  if (turn.now < succession.startedAt + lasts) return repeat(around, state, turn)
  nextBallot(around, state, turn)
}

// Also where a reason came back: the leader of the ballot before may be the very one that comes and goes.
function nextBallot(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { succession } = state.epoch
  succession.ballot++
  succession.tries++
  succession.startedAt = turn.now
  propose(around, state, turn)
}

// By how many we saw begin, and not by their number: a liar may take us to any number.
function ballotLasts({ settings }: Surroundings, { tries }: Succession): number {
  return (settings.patience / 2) * Math.min(1 + tries / 4, BALLOT_GROWTH_MAX)
}

function leads(epoch: Epoch, ballot: number, position: number): boolean {
  return ballot % epoch.record.members.length === position
}

function propose(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch } = state
  const { succession } = epoch
  if (!leads(epoch, succession.ballot, epoch.position) || succession.favouredIn >= succession.ballot) return
  const favourite = epoch.barred ? favouriteOf(state) : undefined
  const record = succession.valid?.record ?? favourite ?? wishedRecord(around, state, turn.now)
  if (record === undefined) return
  const words = { round: 0, ballot: succession.ballot, record, favoured: succession.valid?.favoured }
  const said = statementOf<Propose>(around, state, { kind: 'propose', ...words })
  sendToVoters(around, state, said, turn)
  heardPropose(around, state, said, turn)
}

/**
 * What others favoured last, if one of them is honest. Whoever restarted has seen nothing, and may be alone in ballots that a
 * liar led it to: it must then propose what it cannot favour in theirs.
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
function repeat(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch, self } = state
  const { ballot, proposals, favours, signs, lock, startedAt } = epoch.succession
  if (Math.floor((turn.now - startedAt) / around.settings.beat) % 3 !== 2) return
  const proposal = proposals.get(ballot)
  if (proposal?.author === self) sendToVoters(around, state, proposal, turn)
  if (proposal !== undefined) {
    const record = recordHash(proposal.record)
    const signature = favours.get(tallyName(ballot, record))?.get(self)
    if (signature !== undefined) {
      sendToVoters(
        around,
        state,
        { kind: 'favour', author: self, epoch: epoch.hash, round: 0, ballot, record, signature },
        turn,
      )
    }
  }
  if (lock === undefined) return
  const record = recordHash(lock.record)
  const signature = signs.get(tallyName(lock.favoured.ballot, record))?.get(self)
  if (signature === undefined) return
  const said = { author: self, epoch: epoch.hash, round: 0, ballot: lock.favoured.ballot, record, signature }
  sendToVoters(around, state, { kind: 'sign', ...said }, turn)
}

function tallyName(ballot: number, record: Uint8Array): string {
  return `${ballot}:${record.join()}`
}

export function heardPropose(around: Surroundings, state: MemberState, said: Propose, turn: SlotsTurn): void {
  const { epoch } = state
  const { succession } = epoch
  const { ballot, record } = said
  // Its favour would count for nobody else, and must not for itself.
  if (!isVoter(epoch.record, state.self)) return
  if (!leads(epoch, ballot, positionOf(epoch.record, said.author))) return
  if (ballot > succession.ballot + (epoch.barred ? BALLOTS_AHEAD_BLINDLY : BALLOTS_AHEAD_MAX)) return
  learn(around, epoch, record, said.favoured)
  // Also a ballot that our own clock is past: if only one member can propose, the others must not run ahead of it for
  // ever (seed 70126). What binds us is what we favoured.
  if (!isHeard(around, state, said, turn) || succession.favouredIn >= ballot) return
  // A liar could lead it to ballots where it is alone, and whoever is absent does not lead itself back.
  if (epoch.position < 0 && favoursOf(state, said) <= epoch.record.liars) return
  const refused = refusal(state, around, said, turn)
  if (refused !== undefined) {
    if (refused !== 'unacceptable') send(around, state, said.author, refused, turn)
    return
  }
  moveTo(epoch, ballot, turn)
  succession.favouredIn = ballot
  succession.led.set(said.author, turn.now)
  saveFavoured(epoch.hash, ballot, turn)
  const favour = statementOf<Favour>(around, state, { kind: 'favour', round: 0, ballot, record: recordHash(record) })
  // Passed on, so that nobody can propose to some only, or one thing to some and another to others.
  if (said.author !== state.self) sendToVoters(around, state, said, turn)
  sendToVoters(around, state, favour, turn)
  heardFavour(around, state, favour, turn)
}

/** Keeps the proposal. Whoever proposed another in this ballot, or led a moment ago, is not heard: let others lead. */
function isHeard(around: Surroundings, state: MemberState, said: Propose, turn: SlotsTurn): boolean {
  const { epoch, self } = state
  const { proposals, torn, led } = epoch.succession
  const { author, ballot, record } = said
  const known = proposals.get(ballot) ?? said
  proposals.set(ballot, known)
  if (author === self || epoch.record.liars === 0 || around.rules.hearsHasty()) return true
  if (!torn.has(author) && !sameBytes(recordHash(known.record), recordHash(record))) {
    torn.add(author)
    for (const version of [known, said]) sendToVoters(around, state, version, turn)
  }
  const turns = (epoch.record.members.length - EARLY) * ballotLasts(around, epoch.succession)
  return !torn.has(author) && turn.now >= (led.get(author) ?? NEVER) + turns
}

function moveTo({ succession }: Epoch, ballot: number, turn: SlotsTurn): void {
  if (succession.active && succession.ballot === ballot) return
  succession.active = true
  succession.ballot = ballot
  succession.startedAt = turn.now
}

function refusal(
  state: MemberState,
  around: Surroundings,
  { record, ballot, favoured }: Propose,
  turn: SlotsTurn,
): Refuse | 'unacceptable' | undefined {
  const { epoch } = state
  const { lock } = epoch.succession
  const shown = favoured !== undefined && isFavoured(around, epoch, record, favoured) ? favoured.ballot : undefined
  if (lock !== undefined && sameBytes(recordHash(lock.record), recordHash(record))) return undefined
  if (lock === undefined) {
    const welcome = around.rules.needsReason() ? seesReason(around, state, turn.now) : true
    const acceptable = welcome && isAcceptable(around, state, record, turn.now)
    return shown !== undefined || acceptable ? undefined : 'unacceptable'
  }
  if (around.rules.mayLetGo(lock.favoured.ballot, shown)) return undefined
  const words = { round: 0, ballot, record: lock.record, favoured: lock.favoured }
  return statementOf<Refuse>(around, state, { kind: 'refuse', ...words })
}

/** Whether a quorum favoured this record in that ballot. */
function isFavoured(
  around: Surroundings,
  epoch: Epoch,
  record: EpochRecord,
  { ballot, signatures }: Favoured,
): boolean {
  const said = { kind: 'favour', round: 0, epoch: epoch.hash, ballot, record: recordHash(record) } as const
  return countSigned(around, epoch.record, signatures, said) >= quorum(around, epoch.record)
}

function countSigned(
  around: Surroundings,
  record: EpochRecord,
  signatures: readonly Signature[],
  said: Omit<Favour, 'author' | 'signature'> | Omit<Sign, 'author' | 'signature'>,
): number {
  const signed = new Set<NodeId>()
  for (const { author, signature } of signatures) {
    const member = votersOf(record).find(({ name }) => name === author)
    const statement = { ...said, author, signature } as SlotsMessage
    if (member === undefined || signed.has(author)) continue
    if (around.signatures.verify(member.identity, signedBytes(statement), signature)) signed.add(author)
  }
  return signed.size
}

/** Keeps the latest record that a quorum favoured: it is what we propose when it is our turn. */
function learn(around: Surroundings, epoch: Epoch, record: EpochRecord, favoured: Favoured | undefined): void {
  const { succession } = epoch
  if (favoured === undefined || favoured.ballot <= (succession.valid?.favoured.ballot ?? -1)) return
  if (isFavoured(around, epoch, record, favoured)) succession.valid = { record, favoured }
}

export function heardRefuse(around: Surroundings, { epoch }: MemberState, { record, favoured }: Refuse): void {
  learn(around, epoch, record, favoured)
}

function count(
  tallies: Map<string, Map<NodeId, Uint8Array>>,
  epoch: Epoch,
  { ballot, record, author, signature }: Favour | Sign,
): Map<NodeId, Uint8Array> | undefined {
  if (ballot > epoch.succession.ballot + BALLOTS_AHEAD_MAX || tallies.size > 4 * BALLOTS_AHEAD_MAX) return undefined
  const name = tallyName(ballot, record)
  const tally = tallies.get(name) ?? new Map<NodeId, Uint8Array>()
  tallies.set(name, tally)
  if (!tally.has(author)) tally.set(author, signature)
  return tally
}

function listed(tally: ReadonlyMap<NodeId, Uint8Array>): Signature[] {
  return [...tally].map(([author, signature]) => ({ author, signature }))
}

/** Where b + 1 are, one of them honest, we are too: else our turns would come in ballots that the others are past. */
function catchUp(epoch: Epoch, { author, ballot }: Favour, turn: SlotsTurn): void {
  const { reached, ballot: ours } = epoch.succession
  reached.set(author, Math.max(ballot, reached.get(author) ?? 0))
  const theirs = [...reached.values()].sort((left, right) => right - left)[epoch.record.liars] ?? 0
  if (theirs > ours) moveTo(epoch, theirs, turn)
}

export function heardFavour(around: Surroundings, state: MemberState, said: Favour, turn: SlotsTurn): void {
  const { epoch } = state
  const { succession } = epoch
  catchUp(epoch, said, turn)
  const tally = count(succession.favours, epoch, said)
  const proposal = succession.proposals.get(said.ballot)
  if (epoch.position < 0 && proposal !== undefined && said.author !== state.self) {
    heardPropose(around, state, proposal, turn)
  }
  if (tally === undefined || tally.size < quorum(around, epoch.record) || proposal === undefined) return
  if (!sameBytes(recordHash(proposal.record), said.record)) return
  const { record } = proposal
  const favoured = { ballot: said.ballot, signatures: listed(tally) }
  if (said.ballot > (succession.valid?.favoured.ballot ?? -1)) succession.valid = { record, favoured }
  if (said.ballot !== succession.ballot || said.ballot <= (succession.lock?.favoured.ballot ?? -1)) return
  // Saved before it is said: whoever counts on our signature counts on our memory.
  succession.lock = { record, favoured }
  saveLocked(epoch.hash, record, favoured, turn)
  epoch.closed = true
  succession.signedAt = turn.now
  const sign = statementOf<Sign>(around, state, { kind: 'sign', round: 0, ballot: said.ballot, record: said.record })
  sendToVoters(around, state, sign, turn)
  heardSign(around, state, sign, turn)
}

export function heardSign(around: Surroundings, state: MemberState, said: Sign, turn: SlotsTurn): void {
  const { epoch } = state
  const { proposals, signs } = epoch.succession
  const tally = count(signs, epoch, said)
  const record = proposals.get(said.ballot)?.record
  if (tally === undefined || record === undefined || !sameBytes(recordHash(record), said.record)) return
  if (tally.size < quorum(around, epoch.record)) return
  const old = epoch.record
  const link = { record, ballot: said.ballot, signatures: listed(tally) }
  adopt(around, state, link, turn)
  const words = statementOf<Succeeded>(around, state, { kind: 'succeeded', round: 0, link })
  for (const name of new Set([...votersOf(old), ...votersOf(record)].map(member => member.name))) {
    send(around, state, name, words, turn)
  }
}

/** The successor is there: the old epoch ends here. */
function adopt(around: Surroundings, state: MemberState, link: Link, turn: SlotsTurn): void {
  const { epoch } = state
  const { signedAt } = epoch.succession
  // A member gives no share since it signed. Whoever was outside counts from now, when a quorum has signed: an honest
  // member of the old ring is among them.
  const since = signedAt === NEVER || epoch.position < 0 ? turn.now : signedAt
  endEpoch(epoch)
  saveAdopted(link, turn)
  state.chain.push(link)
  if (state.chain.length > CHAIN_MAX) state.chain.shift()
  state.petitions.clear()
  state.working.clear()
  const quietUntil = Math.max(epoch.quietUntil, since + quietFor(around, link.record))
  state.epoch = newEpoch(state.self, link.record, false, turn.now, quietUntil)
}

/** A successor that somebody shows us. True if it was ours to adopt. */
export function heardLink(around: Surroundings, state: MemberState, link: Link, turn: SlotsTurn): boolean {
  const { epoch } = state
  const { record, ballot, signatures } = link
  if (!sameBytes(record.previous, epoch.hash) || record.number !== epoch.record.number + 1) return false
  const said = { kind: 'sign', round: 0, epoch: epoch.hash, ballot, record: recordHash(record) } as const
  if (countSigned(around, epoch.record, signatures, said) < quorum(around, epoch.record)) return false
  adopt(around, state, link, turn)
  return true
}

/** For a member that is behind: the successor of the epoch that it speaks of. */
export function linkAfter({ chain }: MemberState, hash: Uint8Array): Link | undefined {
  return chain.find(link => sameBytes(link.record.previous, hash))
}

/** Those who are asked to go along must know who waits: petitions are passed on every so many beats. */
const PASSED_ON_BEATS = 10

/** From outside, after a restart, or on the way out: asks for the next epoch. */
export function petition(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch, leaving } = state
  const inside = epoch.position >= 0
  if (inside && state.beats % PASSED_ON_BEATS === 0) {
    for (const known of state.petitions.values()) sendToAll(around, state, known, turn)
  }
  if (inside ? !(epoch.barred || leaving) : leaving) return
  const words = { round: 0, number: epoch.record.number, leaving }
  const said = statementOf<Petition>(around, state, { kind: 'petition', ...words })
  const names = inside ? epoch.record.members : around.directory
  for (const { name } of names) send(around, state, name, said, turn)
}

export function heardPetition(state: MemberState, said: Petition): void {
  state.petitions.set(said.author, said)
}
