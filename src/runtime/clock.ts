// Two clocks, each wrong on the safe side.
//
// A granter (a server) must not end a lease early: it counts with the monotonic clock, which stops while the machine
// sleeps, and never jumps. A holder (a client) must not believe too long: a process that slept through its lease must
// know it, so it also counts what the wall clock says has passed, where that is more.

import type { Millis } from '../core/index.ts'

export type Clock = () => Millis

export const granterClock: Clock = () => performance.now()

/** The same in every thread of a process; `performance.now()` counts from when its thread began. */
export const threadsClock: Clock =
  typeof process === 'undefined' ? granterClock : () => Number(process.hrtime.bigint()) / NANOS_PER_MS

const NANOS_PER_MS = 1e6
/** Less than this is rounding and the slewing of a time service, which the drift bound covers. */
const JUMP_MS = 20

/** In nanoseconds: by how much the wall clock leads the monotonic one, and for how long the machine has slept. */
const LEAD = 0
const SLEPT = 1

/** What the holder clocks of several threads have in common: a sleep that one has seen, all have seen. */
export type ClockMemory = BigInt64Array<ArrayBufferLike>

export function clockMemory(monotonic: Clock = threadsClock, wall: Clock = Date.now): ClockMemory {
  const bytes = 2 * BigInt64Array.BYTES_PER_ELEMENT
  // A tab shares memory only where its page asked for isolation; it has one thread here.
  const memory = new BigInt64Array(
    typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes),
  )
  memory[LEAD] = toNanos(wall() - monotonic())
  return memory
}

/**
 * The clock of a holder. Two threads may see the same sleep at once and both add it: then more time seems to have
 * passed than has, which is the safe side. The sleep is added before the lead is moved: the other way round, a thread
 * that reads in between would see neither.
 */
export function holderClock(
  memory: ClockMemory = clockMemory(),
  monotonic: Clock = threadsClock,
  wall: Clock = Date.now,
): Clock {
  return () => {
    const now = monotonic()
    const lead = Atomics.load(memory, LEAD)
    const gained = wall() - now - toMillis(lead)
    if (Math.abs(gained) > JUMP_MS) {
      const moved = toNanos(gained)
      // The wall clock was set back: that says nothing about time that passed.
      if (moved > 0n) Atomics.add(memory, SLEPT, moved)
      Atomics.compareExchange(memory, LEAD, lead, lead + moved)
    }
    return now + toMillis(Atomics.load(memory, SLEPT))
  }
}

/** Rounded down: a deadline must not become later. */
export function toNanos(millis: Millis): bigint {
  return BigInt(Math.floor(millis * NANOS_PER_MS))
}

export function toMillis(nanos: bigint): Millis {
  return Number(nanos) / NANOS_PER_MS
}

/** The wall clock in microseconds; the part below a millisecond comes from the monotonic clock, to tell calls apart. */
export function wallMicros(): number {
  return Date.now() * 1000 + (Math.floor(performance.now() * 1000) % 1000)
}

/** The clock may be set while a node runs, and the monotonic one stops while the machine sleeps. */
const TELL_EVERY_MS = 30_000

/** Tells the wall clock now and then; the answer ends it. */
export function tellTime(tell: (micros: number) => void): () => void {
  tell(wallMicros())
  const timer = setInterval(() => tell(wallMicros()), TELL_EVERY_MS)
  timer.unref?.()
  return () => clearInterval(timer)
}
