// What the user sees: requests that wait, and the seat that one of them got. Requests outlive rounds and epochs
// (READINGS OMA 4); a seat lasts to its lease's end, also into the next epoch, and is not renewed.
//
// A seat dies with its process and rests on nothing that is saved: its user is told in a lane that no save holds back.

import type { Millis } from '../../core/index.ts'
import { driftOf } from './record.ts'
import type { MemberState, Round, SlotsCommand, SlotsEvent, SlotsTurn, Surroundings } from './state.ts'

/** Requests of one process that may wait: each is a caller's promise. */
const WAITING_MAX = 10_000
export const LEASE_TIMER = 'lease'
/** The loss is told a little before the deadline: timers are late on a busy machine. At most a tenth of the lease. */
const WARNING_MS = 50

function warning(lease: number): number {
  return Math.min(WARNING_MS, lease / 10)
}

/** Whether a ticket that is opened now is worth a seat: there is time before its loss is told. */
export function isInTime(deadline: Millis, openedAt: Millis, lease: Millis): boolean {
  return openedAt < deadline - warning(lease)
}

function tellUser({ rules }: Surroundings, event: SlotsEvent, turn: SlotsTurn): void {
  turn.do({ kind: 'emit', event, ...rules.userLane() })
}

function wakeAfter({ rules }: Surroundings, millis: Millis, turn: SlotsTurn): void {
  turn.do({ kind: 'timer', name: LEASE_TIMER, after: Math.max(0, millis), ...rules.userLane() })
}

type About = SlotsCommand & { kind: 'request' | 'cancel' | 'release' }

export function seatCommand(around: Surroundings, state: MemberState, { kind, id }: About, turn: SlotsTurn): void {
  if (kind === 'request') {
    const known = state.waiting.includes(id) || state.seat?.id === id
    if (known || state.waiting.length >= WAITING_MAX) {
      return tellUser(around, { kind: 'refused', id, why: 'crowded' }, turn)
    }
    state.waiting.push(id)
    return
  }
  const place = state.waiting.indexOf(id)
  if (place >= 0) state.waiting.splice(place, 1)
  else if (state.seat?.id === id) state.seat = undefined
  else return tellUser(around, { kind: 'refused', id, why: 'unknown' }, turn)
  tellUser(around, { kind: 'released', id }, turn)
}

/** Our ticket is open: `slot` is what it says, or nothing. A slot that nobody here wants is declared free at the check. */
export function takeSeat(
  around: Surroundings,
  state: MemberState,
  round: Round,
  slot: number | undefined,
  turn: SlotsTurn,
): void {
  const { record } = state.epoch
  const id = state.waiting[0]
  const deadline = around.rules.deadline(round.sealedAt, turn.now, record.lease, driftOf(record))
  const usable = slot !== undefined && state.seat === undefined && isInTime(deadline, turn.now, record.lease)
  if (id !== undefined && usable) {
    state.waiting.shift()
    state.seat = { id, epoch: record.number, round: round.number, slot, deadline }
    tellUser(around, { kind: 'seat', id, slot: record.slots[slot]!, deadline }, turn)
    wakeAfter(around, deadline - turn.now - warning(record.lease), turn)
  }
  if (!around.rules.keepsRequests()) state.waiting.length = 0
}

export function leaseEnded(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { seat } = state
  if (seat === undefined) return
  // The timer of an earlier seat that was let go.
  const left = seat.deadline - turn.now - warning(state.epoch.record.lease)
  if (left > 0) return wakeAfter(around, left, turn)
  state.seat = undefined
  tellUser(around, { kind: 'lost', id: seat.id }, turn)
}
