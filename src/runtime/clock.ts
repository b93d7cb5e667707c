// Two clocks, each wrong on the safe side.
//
// A granter (a server) must not end a lease early: it counts with the monotonic clock, which stops while the machine
// sleeps, and never jumps. A holder (a client) must not believe too long: a process that slept through its lease must
// know it, so it also counts what the wall clock says has passed, where that is more.

import type { Millis } from '../core/index.ts'

export type Clock = () => Millis

export const granterClock: Clock = () => performance.now()

/** Less than this is rounding and the slewing of a time service, which the drift bound covers. */
const JUMP_MS = 20

export function holderClock(monotonic: Clock = () => performance.now(), wall: Clock = () => Date.now()): Clock {
  let lead = wall() - monotonic()
  let slept = 0
  return () => {
    const now = monotonic()
    const gained = wall() - now - lead
    if (Math.abs(gained) > JUMP_MS) {
      lead += gained
      // The wall clock was set back: that says nothing about time that passed.
      if (gained > 0) slept += gained
    }
    return now + slept
  }
}
