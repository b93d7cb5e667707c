// Naming a cheat: evidence is made, checked once more as a third party would, kept, told to all, and is a reason for the
// next epoch.

import { type Evidence, encodeEvidence, verifyEvidence } from './evidence.ts'
import { sameBytes } from './proofs.ts'
import { recordHash, votersOf } from './record.ts'
import { saveCheat } from './saved.ts'
import { saidBy, sendToVoters, statementOf } from './saying.ts'
import type { MemberState, SlotsTurn, Surroundings } from './state.ts'
import type { Accuse, Step } from './wire.ts'

export function accuse(around: Surroundings, state: MemberState, evidence: Evidence, turn: SlotsTurn): void {
  if (state.cheats.has(evidence.statement.author)) return
  convict(around, state, encodeEvidence(evidence), turn)
}

/** The keys of the epoch and the accused's signature under them. */
export function agreement(state: MemberState, accused: number) {
  const { epoch } = state
  return { record: epoch.record, keys: epoch.keys, ready: saidBy(epoch, 'ready', accused)! }
}

/** Also from others: whoever brings it, the evidence speaks for itself, if it is of an epoch that we know. */
export function convict(around: Surroundings, state: MemberState, evidence: Uint8Array, turn: SlotsTurn): void {
  const verdict = verifyEvidence(evidence, around)
  if (!verdict.ok || state.cheats.has(verdict.cheat) || !isKnownEpoch(around, state, verdict.epoch)) return
  const { cheat, what } = verdict
  state.cheats.set(cheat, evidence)
  saveCheat(cheat, what, turn)
  turn.do({ kind: 'emit', event: { kind: 'cheat', member: cheat, what, evidence } })
  tellAll(around, state, evidence, turn)
}

function tellAll(around: Surroundings, state: MemberState, evidence: Uint8Array, turn: SlotsTurn): void {
  sendToVoters(around, state, statementOf<Accuse>(around, state, { kind: 'accuse', round: 0, evidence }), turn)
}

/** Evidence is large, and everybody needs it once. */
const REPEAT_BEATS = 10

/** While the cheat is a member: whoever did not get the evidence would keep it, and nobody would agree on the next epoch. */
export function repeatAccusations(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  if (state.beats % REPEAT_BEATS !== 0) return
  for (const { name } of votersOf(state.epoch.record)) {
    const evidence = state.cheats.get(name)
    if (evidence !== undefined && evidence.length > 0) tellAll(around, state, evidence, turn)
  }
}

// Anybody can write a record with keys of its own and sign as everybody in it.
function isKnownEpoch(around: Surroundings, state: MemberState, hash: Uint8Array): boolean {
  if (sameBytes(hash, state.epoch.hash) || sameBytes(hash, recordHash(around.first))) return true
  return state.chain.some(link => sameBytes(hash, recordHash(link.record)))
}

export function accuseVersions(
  around: Surroundings,
  state: MemberState,
  statement: Step,
  other: Step,
  turn: SlotsTurn,
): void {
  accuse(around, state, { kind: 'versions', record: state.epoch.record, statement, other }, turn)
}
