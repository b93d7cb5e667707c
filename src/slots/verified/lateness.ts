// How late a member is: what it holds up in one round adds up, and so does what it holds up in one round after the other.
//
// Nobody has to be blamed for a lie here, and nobody may be for another's: a member that shows its word to all but one makes that
// one late, until the others have shown it the word, which they do when it asks. So what is charged is only what exceeds that.

import type { Millis } from '../../core/index.ts'
import { patienceMin } from '../settings.ts'
import { driftOf } from './record.ts'
import { isOnProbation } from './returning.ts'
import type { Round, SlotsScene } from './state.ts'
import type { Need, StepKind } from './wire.ts'

/** A word that is missing. */
export interface Owed extends Need {
  readonly round: number
  /** So few say that it was said that all may lie: it is asked for, and nobody is late with it. */
  readonly isHearsay?: boolean
}

/** The part of the patience after which an owner complains, and that the accused has at least to post the share. */
export const COMPLAIN_AFTER = 1 / 3

// Pass, seal and share of one round share one patience, and so do vote and opening of one check: else a member holds up each
// round by a patience for each of its words. And our lease runs from our own seal on, as does that of an owner that
// complains: what it complains of is as late as if it were ours, once there was time to post it.
export function latenessOf(scene: SlotsScene, need: Owed, age: number): number {
  const { epoch } = scene.state
  const { rules, settings } = scene
  const { now } = scene.turn
  const round = epoch.rounds.get(need.round)
  if (round === undefined) return age
  const before = waitedBefore(round, need)
  round.waited.set(waitName(need.kind, need.author), age)
  if (need.kind !== 'share' || need.index === epoch.position) return rules.lateness(before, age)
  return age > settings.patience * COMPLAIN_AFTER ? rules.complaintLateness(before, age, now - round.sharedAt) : age
}

/** Whose waits add up to that for this word. */
const WAITED_BEFORE: Readonly<Partial<Record<StepKind, readonly StepKind[]>>> = {
  seal: ['pass'],
  share: ['pass', 'seal'],
  opening: ['vote'],
}

function waitName(kind: StepKind, author: number): string {
  return `${kind}:${author}`
}

function waitedBefore({ waited }: Round, { kind, author }: Need): number {
  const kinds = WAITED_BEFORE[kind] ?? []
  return kinds.reduce((sum, one) => sum + (waited.get(waitName(one, author)) ?? 0), 0)
}

/** A check is over: the next one is waited for anew. */
export function forgetWaits({ waited }: Round): void {
  for (const name of waited.keys()) if (name.startsWith('vote') || name.startsWith('opening')) waited.delete(name)
}

/** In beats: how long a word may be missing because its author had to ask for another one first, and was answered. */
const EXCUSED_BEATS = 4
/** Of the time that goes by: so much may a member hold up for ever. */
const DRAINED = 1 / 8
/** Of the patience: what a member may hold up in all, and what one may that went before and is back. */
const HELD_UP = 1 / 2
const PROBATION = 1 / 4

/**
 * On the beat: charges those who alone keep us waiting, and says who held up too much. Where more are missing than may lie, the
 * network is slow, or we are.
 */
export function heldUpTooMuch(scene: SlotsScene, owed: readonly Owed[]): number[] {
  const { epoch } = scene.state
  const { beat, patience } = scene.settings
  const { now } = scene.turn
  const isLate = (need: Owed) => now - (epoch.owed.get(owedName(need)) ?? now) >= excusedFor(scene, need)
  const sure = owed.filter(need => !need.isHearsay)
  const late = new Set(sure.filter(isLate).map(need => need.author))
  const missing = new Set(sure.map(need => need.author))
  for (const [author, charged] of epoch.heldUp) {
    const left = charged - DRAINED * beat
    if (left > 0) epoch.heldUp.set(author, left)
    else epoch.heldUp.delete(author)
  }
  if (missing.size > epoch.record.liars || !scene.rules.addsUp()) return []
  for (const author of late) epoch.heldUp.set(author, (epoch.heldUp.get(author) ?? 0) + beat)
  const most = (author: number) =>
    isOnProbation(scene, epoch.record.members[author]!.name) ? patience * PROBATION : patience * HELD_UP
  return [...late].filter(author => (epoch.heldUp.get(author) ?? 0) > most(author))
}

/** What was hearsay until now is owed from now on. */
export function owedName({ round, kind, author, index, isHearsay }: Owed): string {
  return `${round}/${kind}:${author}:${index}${isHearsay ? '?' : ''}`
}

// Who misses a share complains of it after a while, and cannot vote before. Whose clock is slow waits longer for old leases.
function excusedFor({ settings, state }: SlotsScene, { kind, index }: Need): Millis {
  const { record } = state.epoch
  const complains = kind === 'vote' && index === 0 ? settings.patience * COMPLAIN_AFTER : 0
  const waits = kind === 'header' || kind === 'seal' ? patienceMin(record.lease, driftOf(record)) : 0
  return EXCUSED_BEATS * settings.beat + complains + waits
}
