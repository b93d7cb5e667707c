// How a member listens: whoever speaks, the statement must be signed by its author and bound to the epoch; then it is
// kept under its place. A second, different one for the same place is evidence. Nothing that arrives may throw.

import { accuseVersions, convict } from './accusing.ts'
import { heardAsk } from './asking.ts'
import { compareVotes } from './checks.ts'
import { advanceEpoch, beginEpoch, compareKeys, heardKey } from './epoch.ts'
import { isSameStep } from './evidence.ts'
import { leaderOf, passerAt, sameBytes } from './proofs.ts'
import { positionOf, votersOf } from './record.ts'
import { advanceRound, compareLaps, heardComplaint, roundFor } from './rounds.ts'
import { nameOf, send, statementOf } from './saying.ts'
import type { MemberState, Round, SlotsTurn, Surroundings } from './state.ts'
import { heardFavour, heardLink, heardPetition, heardPropose, heardRefuse, heardSign, linkAfter } from './succession.ts'
import { type Ask, isStep, type Petition, type SlotsMessage, type Step, type Succeeded, signedBytes } from './wire.ts'

/** Checks of one round that may be said ahead of ours: all members are within one. */
const CHECKS_AHEAD_MAX = 2

const VOICES: ReadonlySet<SlotsMessage['kind']> = new Set(['propose', 'favour', 'sign', 'refuse', 'accuse'])

export function hear(
  around: Surroundings,
  state: MemberState,
  from: string,
  said: SlotsMessage,
  turn: SlotsTurn,
): void {
  if (said.kind === 'succeeded') return heardSucceeded(around, state, said, turn)
  if (!sameBytes(said.epoch, state.epoch.hash)) return heardElsewhere(around, state, from, said, turn)
  if (said.kind === 'petition') return heardPetitioner(around, state, said)
  const { record } = state.epoch
  const member = votersOf(record).find(({ name }) => name === said.author)
  if (member === undefined || said.author === state.self) return
  // Whoever is absent has a voice in what comes next, and none in what is dealt now.
  if (positionOf(record, said.author) < 0 && !VOICES.has(said.kind)) return
  if (!around.signatures.verify(member.identity, signedBytes(said), said.signature)) return
  if (isStep(said)) return heardStep(around, state, said, turn)
  switch (said.kind) {
    case 'ask':
      return heardAsk(around, state, said, turn)
    case 'want':
      if (said.round === state.epoch.next) state.epoch.wanted = true
      return
    case 'propose':
      return begun(around, state, turn, () => heardPropose(around, state, said, turn))
    case 'favour':
      return begun(around, state, turn, () => heardFavour(around, state, said, turn))
    case 'sign':
      return begun(around, state, turn, () => heardSign(around, state, said, turn))
    case 'refuse':
      return heardRefuse(around, state, said)
    case 'accuse':
      return convict(around, state, said.evidence, turn)
  }
}

/** What may bring the next epoch: if it does, our key is posted. */
export function begun(around: Surroundings, state: MemberState, turn: SlotsTurn, act: () => void): void {
  const before = state.epoch
  act()
  if (state.epoch !== before) beginEpoch(around, state, turn)
}

// The link needs no trust in who brings it: the quorum's signatures are inside.
function heardSucceeded(around: Surroundings, state: MemberState, { link }: Succeeded, turn: SlotsTurn): void {
  begun(around, state, turn, () => heardLink(around, state, link, turn))
}

/** Who speaks of an older epoch gets its successor; of one we do not know, hears where we are, and helps us. */
function heardElsewhere(
  around: Surroundings,
  state: MemberState,
  from: string,
  said: SlotsMessage,
  turn: SlotsTurn,
): void {
  const link = linkAfter(state, said.epoch)
  if (link !== undefined) {
    return send(around, state, from, statementOf<Succeeded>(around, state, { kind: 'succeeded', round: 0, link }), turn)
  }
  // Two that know nothing of each other's epochs must not answer each other for ever.
  if (said.kind === 'ask' && said.needs.length === 0) return
  send(around, state, from, statementOf<Ask>(around, state, { kind: 'ask', round: 0, needs: [] }), turn)
}

function heardPetitioner(around: Surroundings, state: MemberState, said: Petition): void {
  const listed = votersOf(state.epoch.record).find(({ name }) => name === said.author)
  const known = listed ?? around.directory.find(({ name }) => name === said.author)
  if (known === undefined || said.author === state.self) return
  if (around.signatures.verify(known.identity, signedBytes(said), said.signature)) heardPetition(state, said)
}

function heardStep(around: Surroundings, state: MemberState, said: Step, turn: SlotsTurn): void {
  const { epoch } = state
  if (epoch.position < 0 || epoch.barred) return
  const ofEpoch = said.kind === 'key' || said.kind === 'ready'
  if (ofEpoch !== (said.round === 0)) return
  const round = ofEpoch ? undefined : roundFor(epoch, said.round)
  if (!ofEpoch && (round === undefined || !belongs(state, round, said))) return
  const shelf = round?.said ?? epoch.said
  const known = shelf.get(nameOf(epoch, said))
  if (known !== undefined) {
    if (!isSameStep(known, said)) return accuseVersions(around, state, known, said, turn)
    // Asked for again, because it does not fit to what we have: what we showed may be lost (seed 300367).
    return compare(around, state, round, said, turn)
  }
  shelf.set(nameOf(epoch, said), said)
  if (said.kind === 'key') return heardKey(around, state, said, turn)
  compare(around, state, round, said, turn)
  if (said.kind === 'ready') return advanceEpoch(around, state, turn)
  heardInRound(around, state, round!, said, turn)
}

/** Where others go on from other words than ours: shows them ours, and whoever signed two versions is found out. */
function compare(
  around: Surroundings,
  state: MemberState,
  round: Round | undefined,
  said: Step,
  turn: SlotsTurn,
): void {
  if (said.kind === 'ready') return compareKeys(around, state, said, turn)
  if (round === undefined) return
  if (said.kind === 'pass' || said.kind === 'seal') compareLaps(around, state, round, said, turn)
  if (said.kind === 'opening') compareVotes(around, state, round, said, turn)
}

/** Whether this author may say this at all, now: a bound on what is kept. */
function belongs({ epoch }: MemberState, round: Round, said: Step): boolean {
  const { record } = epoch
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
    case 'opening':
      return said.check <= round.check + CHECKS_AHEAD_MAX
    default:
      return true
  }
}

function heardInRound(around: Surroundings, state: MemberState, round: Round, said: Step, turn: SlotsTurn): void {
  if (said.kind === 'complaint') heardComplaint(around, state, round, said, turn)
  advanceRound(around, state, round, turn)
}
