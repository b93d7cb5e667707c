// How a member listens. Anybody may bring a statement; it counts only if its author signed it and it is bound to our
// epoch. A step is then kept under its place, and a second, different one for the same place is evidence. Nothing that
// arrives may throw.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { accuseVersions } from './accusing.ts'
import { compareVotes, fits, oldestCheck } from './checks.ts'
import { compareKeys } from './epoch.ts'
import { isSameStep } from './evidence.ts'
import { compareLaps } from './lap.ts'
import { linkAfter } from './links.ts'
import { leaderOf, passerAt } from './proofs.ts'
import { type EpochMember, positionOf, votersOf } from './record.ts'
import { roundFor } from './rounds.ts'
import { answer, nameOf, statementOf } from './saying.ts'
import type { Epoch, Round, SlotsScene } from './state.ts'
import { type Ask, type SlotsMessage, type Step, type Succeeded, signedBytes } from './wire.ts'

/** Checks of one round that may be said ahead of ours: all members are within one. */
export const CHECKS_AHEAD_MAX = 2

/**
 * Bytes of one member's words that are kept for rounds whose header we do not have: it may say them for as many rounds ahead
 * as there are members. What is refused is asked for when it is missed.
 */
export const EARLY_BYTES_MAX = 4 * 2 ** 20

/** What an absent member may say: it has a voice in what comes next, and none in what is dealt now. */
const VOICES: ReadonlySet<SlotsMessage['kind']> = new Set(['propose', 'favour', 'sign', 'refuse', 'accuse'])

/** A link is signed by a quorum, whatever epoch its bringer is in; everything else must be said in ours. */
export function isOfOurEpoch({ state }: SlotsScene, said: SlotsMessage): boolean {
  return said.kind === 'succeeded' || sameBytes(said.epoch, state.epoch.hash)
}

/** Whether its author may say this in our epoch, and signed it. */
export function isAuthentic(scene: SlotsScene, said: SlotsMessage): boolean {
  if (said.kind === 'succeeded') return true
  const author = authorOf(scene, said)
  if (author === undefined || said.author === scene.state.self) return false
  return scene.signatures.verify(author.identity, signedBytes(said), said.signature)
}

const FORGED = 'brought a word that its author did not sign'

/**
 * Nobody honest passes on what it has not checked: whoever brings such a word lies. It did not sign what it brought, so
 * that we cannot show it to others, and each goes by what it was brought itself.
 */
export function noteForgery(scene: SlotsScene, from: NodeId, said: SlotsMessage): void {
  const { state, turn } = scene
  const { epoch } = state
  const bringer = positionOf(epoch.record, from)
  // Somebody in no record may have another key in its bringer's list than in ours.
  const isListed = votersOf(epoch.record).some(({ name }) => name === said.author)
  if (bringer < 0 || !isListed || said.author === state.self || epoch.forgers.has(bringer)) return
  epoch.forgers.add(bringer)
  turn.do({ kind: 'emit', event: { kind: 'forged', member: from, what: FORGED } })
}

function authorOf({ state, directory }: SlotsScene, said: SlotsMessage): EpochMember | undefined {
  const { record } = state.epoch
  const voter = votersOf(record).find(({ name }) => name === said.author)
  if (said.kind === 'petition') return voter ?? directory.find(({ name }) => name === said.author)
  return positionOf(record, said.author) >= 0 || VOICES.has(said.kind) ? voter : undefined
}

/** A member in an older epoch gets its successor; one in an epoch that we do not know hears where we are, and helps us. */
export function answerElsewhere(scene: SlotsScene, from: NodeId, said: SlotsMessage): void {
  // Two that know nothing of each other's epochs must not answer each other for ever.
  const silentIfUnknown = said.kind === 'ask' && said.needs.length === 0
  answerEpoch(scene, from, said.epoch, silentIfUnknown)
}

/** The successor of that epoch, or our question for it. */
export function answerEpoch(scene: SlotsScene, from: NodeId, epoch: Uint8Array, silentIfUnknown: boolean): void {
  const link = linkAfter(scene.state, epoch)
  if (link !== undefined) {
    return answer(scene, from, statementOf<Succeeded>(scene, { kind: 'succeeded', round: 0, link }))
  }
  if (!silentIfUnknown) answer(scene, from, statementOf<Ask>(scene, { kind: 'ask', round: 0, needs: [] }))
}

/** Where a step belongs: in the epoch itself, in one of its rounds, or nowhere (now). */
export function holderOf({ state }: SlotsScene, said: Step): Epoch | Round | undefined {
  const { epoch } = state
  if (epoch.position < 0 || epoch.barred) return undefined
  const ofEpoch = said.kind === 'key' || said.kind === 'ready'
  if (ofEpoch !== (said.round === 0)) return undefined
  if (ofEpoch) return epoch
  const round = roundFor(epoch, said.round)
  return round !== undefined && belongs(epoch, round, said) ? round : undefined
}

/** Whether this author may say this at all, now: a bound on what is kept. */
function belongs({ record }: Epoch, round: Round, said: Step): boolean {
  const author = positionOf(record, said.author)
  const n = record.members.length
  switch (said.kind) {
    case 'header':
      return author === leaderOf(record, round.number)
    case 'pass':
      return said.place < n && author === passerAt(record, round.number, said.place)
    case 'share':
      return said.owner < n && said.owner !== author
    case 'complaint':
      return said.accused < n
    case 'vote':
      return isNear(round, said.check) && fits(round, said.ballots)
    case 'opening':
      return isNear(round, said.check) && fits(round, said.parts)
    default:
      return true
  }
}

/** A round that is over has no check after its last: what is said of one would be looked at by nobody, and kept. */
function isNear(round: Round, check: number): boolean {
  const latest = round.phase === 'over' ? round.check : round.check + CHECKS_AHEAD_MAX
  return check >= oldestCheck(round) && check <= latest
}

/** Keeps a step in its place. False if something was there: the same, or evidence. */
export function keepStep(scene: SlotsScene, holder: Epoch | Round, said: Step): boolean {
  const name = nameOf(scene.state.epoch, said)
  const known = holder.said.get(name)
  if (known === undefined) {
    if ('phase' in holder && !keepsEarly(scene.state.epoch, holder, said)) return false
    holder.said.set(name, said)
    return true
  }
  if (!isSameStep(known, said)) accuseVersions(scene, known, said)
  // Asked for again, because it does not fit to what we have: what we showed may be lost (seed 300367).
  else compareStep(scene, holder, said)
  return false
}

/** Whether there is room for a word of a round that we do not know to have begun. */
function keepsEarly(epoch: Epoch, round: Round, said: Step): boolean {
  if (round.slots.length > 0 || said.kind === 'header') return true
  const author = positionOf(epoch.record, said.author)
  const size = signedBytes(said).length
  let kept = size
  for (const { slots, early } of epoch.rounds.values()) if (slots.length === 0) kept += early.get(author) ?? 0
  if (kept > EARLY_BYTES_MAX) return false
  round.early.set(author, (round.early.get(author) ?? 0) + size)
  return true
}

/** Where others go on from other words than ours: shows them ours, and a member that signed two versions is found out. */
export function compareStep(scene: SlotsScene, holder: Epoch | Round, said: Step): void {
  if (said.kind === 'ready') return compareKeys(scene, said)
  if (!('phase' in holder)) return
  if (said.kind === 'pass' || said.kind === 'seal') compareLaps(scene, holder, said)
  if (said.kind === 'opening') compareVotes(scene, holder, said)
}
