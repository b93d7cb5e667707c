// Naming a cheat: evidence is made, checked once more as a third party would, kept, told to all, and is a reason for the
// next epoch.

import { sameBytes } from '../../core/index.ts'
import { accusedBy, type Evidence, encodeEvidence, verifyEvidence } from './evidence.ts'
import { recordHash, votersOf } from './record.ts'
import { saveCheat } from './saved.ts'
import { saidBy, sendToVoters, statementOf } from './saying.ts'
import type { MemberState, SlotsScene } from './state.ts'
import type { Accuse, Step } from './wire.ts'

export function accuse(scene: SlotsScene, evidence: Evidence): void {
  const { state } = scene
  if (state.cheats.has(evidence.statement.author)) return
  convict(scene, encodeEvidence(evidence))
}

/** The keys of the epoch and the accused's signature under them. */
export function agreement(state: MemberState, accused: number) {
  const { epoch } = state
  return { record: epoch.record, keys: epoch.keys, ready: saidBy(epoch, 'ready', accused)! }
}

/**
 * The evidence speaks for itself, also from others, if it is of an epoch that we know. To check it takes half a second where it is
 * about 64 members, and everybody finds the same: who brought some that proves nothing, which nobody honest passes on, is heard in
 * this epoch no more.
 */
export function onAccuse(scene: SlotsScene, { author, evidence }: Accuse): void {
  const { falseAccusers } = scene.state.epoch
  if (!falseAccusers.has(author) && !convict(scene, evidence)) falseAccusers.add(author)
}

/** False for evidence that proves nothing. What is known, or of another epoch, is not looked at. */
function convict(scene: SlotsScene, evidence: Uint8Array): boolean {
  const { state, turn } = scene
  const accused = accusedBy(evidence)
  if (accused === undefined) return false
  if (state.cheats.has(accused.cheat) || !isKnownEpoch(scene, accused.epoch)) return true
  const verdict = verifyEvidence(evidence, scene)
  if (!verdict.ok) return false
  const { cheat, what } = verdict
  state.cheats.set(cheat, evidence)
  saveCheat(scene, cheat, what)
  turn.do({ kind: 'emit', event: { kind: 'cheat', member: cheat, what, evidence } })
  tellAll(scene, evidence)
  return true
}

function tellAll(scene: SlotsScene, evidence: Uint8Array): void {
  sendToVoters(scene, statementOf<Accuse>(scene, { kind: 'accuse', round: 0, evidence }))
}

/** Evidence is large, and everybody needs it once. */
const REPEAT_BEATS = 10

/** While the cheat is a member: those who lack the evidence would keep it in, and there would be no next epoch. */
export function repeatAccusations(scene: SlotsScene): void {
  const { state } = scene
  if (state.beats % REPEAT_BEATS !== 0) return
  for (const { name } of votersOf(state.epoch.record)) {
    const evidence = state.cheats.get(name)
    if (evidence !== undefined && evidence.length > 0) tellAll(scene, evidence)
  }
}

// Anybody can write a record with keys of its own and sign as everybody in it.
function isKnownEpoch(scene: SlotsScene, hash: Uint8Array): boolean {
  const { state } = scene
  if (sameBytes(hash, state.epoch.hash) || sameBytes(hash, recordHash(scene.first))) return true
  return state.chain.some(link => sameBytes(hash, recordHash(link.record)))
}

export function accuseVersions(scene: SlotsScene, statement: Step, other: Step): void {
  const { state } = scene
  accuse(scene, { kind: 'versions', record: state.epoch.record, statement, other })
}
