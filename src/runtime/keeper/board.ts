// The memory that a holder's thread and its keeper's thread share: a board with a slot for each lease.
//
// Neither thread ever waits for the other. A slot belongs to one of them at a time, and its state says to whom:
//
//   free ── holder writes the lease ──▶ offered ── keeper looks ──▶ taken ── holder lets go ──▶ dropped ── keeper looks ──▶ free
//                                          └──── holder lets go before the keeper has looked ────────────────────────▶ free
//
// So the keeper can never write the deadline of one lease into the slot of the next, and a lease that is released
// at once costs two writes, and the keeper nothing.

import { NAME_BYTES_MAX } from '../../lock/wire.ts'

export const FREE = 0
export const OFFERED = 1
export const TAKEN = 2
export const DROPPED = 3

/** Leases that the keeper can renew at once, in a megabyte; the main thread renews what is beyond. */
export const SLOTS_MAX = 4_096

/** Places in `marks`. */
export const ALIVE = 0
export const NEWS = 1

export interface Board {
  readonly buffer: SharedArrayBuffer
  /** When the holder last showed life, in nanoseconds of the holder clock; how many deadlines the keeper has moved. */
  readonly marks: BigInt64Array
  /** In nanoseconds of the holder clock; the keeper and the holder both raise it, nobody lowers it. */
  readonly deadlines: BigInt64Array
  readonly ids: Float64Array
  readonly tokens: Float64Array
  readonly states: Int32Array
  /** Milliseconds. The holder may change it at any time. */
  readonly ttls: Int32Array
  /** The slots whose deadlines the keeper moved last, in a ring. */
  readonly moved: Int32Array
  readonly nameLengths: Int32Array
  readonly names: Uint8Array
  /** In its only place: slots from here on were never used. */
  readonly used: Int32Array
}

/** Both threads lay the same views over the same bytes. */
export function openBoard(buffer?: SharedArrayBuffer): Board {
  const wide = 8
  const narrow = 4
  let at = 0
  const take = (bytes: number) => {
    const start = at
    at += bytes
    return start
  }
  const marks = take(2 * wide)
  const deadlines = take(SLOTS_MAX * wide)
  const ids = take(SLOTS_MAX * wide)
  const tokens = take(SLOTS_MAX * wide)
  const states = take(SLOTS_MAX * narrow)
  const ttls = take(SLOTS_MAX * narrow)
  const moved = take(SLOTS_MAX * narrow)
  const nameLengths = take(SLOTS_MAX * narrow)
  const used = take(narrow)
  const names = take(SLOTS_MAX * NAME_BYTES_MAX)
  const bytes = buffer ?? new SharedArrayBuffer(at)
  return {
    buffer: bytes,
    marks: new BigInt64Array(bytes, marks, 2),
    deadlines: new BigInt64Array(bytes, deadlines, SLOTS_MAX),
    ids: new Float64Array(bytes, ids, SLOTS_MAX),
    tokens: new Float64Array(bytes, tokens, SLOTS_MAX),
    states: new Int32Array(bytes, states, SLOTS_MAX),
    ttls: new Int32Array(bytes, ttls, SLOTS_MAX),
    moved: new Int32Array(bytes, moved, SLOTS_MAX),
    nameLengths: new Int32Array(bytes, nameLengths, SLOTS_MAX),
    used: new Int32Array(bytes, used, 1),
    names: new Uint8Array(bytes, names, SLOTS_MAX * NAME_BYTES_MAX),
  }
}

/** Moves a deadline forward, and says whether it did. Not where `now` is past it: what is over stays over. */
export function raiseDeadline(board: Board, slot: number, deadline: bigint, now: () => bigint): boolean {
  for (;;) {
    const known = Atomics.load(board.deadlines, slot)
    if (deadline <= known || now() >= known) return false
    if (Atomics.compareExchange(board.deadlines, slot, known, deadline) === known) return true
  }
}
