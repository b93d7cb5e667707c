// What the user sees: requests that wait, and the seat that one of them got. Requests outlive rounds and epochs
// (readings OMA 4); a seat lasts to its lease's end, also into the next epoch, and is not renewed.
//
// A seat dies with its process and rests on nothing that is saved: its user is told in a lane that no save holds back.

import type { Millis } from '../../core/index.ts'
import { driftOf } from './record.ts'
import { type Round, type SlotsEvent, type SlotsScene, slotsTimers } from './state.ts'

/** Requests of one process that may wait: each is a caller's promise. */
export const WAITING_MAX = 10_000
/** The loss is told a little before the deadline: timers are late on a busy machine. At most a tenth of the lease. */
const WARNING_MS = 50

function warning(lease: number): number {
  return Math.min(WARNING_MS, lease / 10)
}

/** Whether a ticket that is opened now is worth a seat: there is time before its loss is told. */
export function isInTime(deadline: Millis, openedAt: Millis, lease: Millis): boolean {
  return openedAt < deadline - warning(lease)
}

function tellUser({ turn, rules }: SlotsScene, event: SlotsEvent): void {
  turn.do({ kind: 'emit', event, ...rules.userLane() })
}

function wakeAfter({ turn, rules }: SlotsScene, millis: Millis): void {
  turn.do({ kind: 'timer', name: slotsTimers.name('lease'), after: Math.max(0, millis), ...rules.userLane() })
}

export function onRequest(scene: SlotsScene, id: number): void {
  const { state } = scene
  const known = state.waiting.includes(id) || state.seat?.id === id
  if (known || state.waiting.length >= WAITING_MAX) {
    return tellUser(scene, { kind: 'refused', id, why: 'crowded' })
  }
  state.waiting.push(id)
}

/** `cancel` and `release`: the request no longer waits, or its seat is let go. */
export function onLetGo(scene: SlotsScene, id: number): void {
  const { state } = scene
  const place = state.waiting.indexOf(id)
  if (place >= 0) state.waiting.splice(place, 1)
  else if (state.seat?.id === id) state.seat = undefined
  else return tellUser(scene, { kind: 'refused', id, why: 'unknown' })
  tellUser(scene, { kind: 'released', id })
}

/** Our ticket is open: `slot` is what it says, or nothing. A slot that nobody here wants is declared free at the check. */
export function takeSeat(scene: SlotsScene, round: Round, slot: number | undefined): void {
  const { state, turn } = scene
  const { record } = state.epoch
  const id = state.waiting[0]
  const deadline = scene.rules.deadline(round.sealedAt, turn.now, record.lease, driftOf(record))
  const usable = slot !== undefined && state.seat === undefined && isInTime(deadline, turn.now, record.lease)
  if (id !== undefined && usable) {
    state.waiting.shift()
    state.seat = { id, epoch: record.number, round: round.number, slot, deadline }
    tellUser(scene, { kind: 'seat', id, slot: record.slots[slot]!, deadline })
    wakeAfter(scene, deadline - turn.now - warning(record.lease))
  }
  if (!scene.rules.keepsRequests()) state.waiting.length = 0
}

/** The lease of our seat may be over. */
export function onLease(scene: SlotsScene): void {
  const { state, turn } = scene
  const { seat } = state
  if (seat === undefined) return
  // The timer of an earlier seat that was let go.
  const left = seat.deadline - turn.now - warning(state.epoch.record.lease)
  if (left > 0) return wakeAfter(scene, left)
  state.seat = undefined
  tellUser(scene, { kind: 'lost', id: seat.id })
}
