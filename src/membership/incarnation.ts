// Incarnation numbers: which of two claims of one member about itself is the newer.
//
// A boot number, saved before anything is said in a life, and a counter that a member raises to refute a suspicion.
// With a counter alone, a member that crashed and came back would have to guess above its former life: guessing too low,
// everybody takes its first words for old ones, and it stays dead.

/** Boot number and counter in one number, so that newer is larger. */
export type Incarnation = number

const COUNTERS = 2 ** 32
/** A restart every second for twelve days; what is saved stays below it. */
export const BOOT_MAX = 2 ** 20

export function incarnationOf(boot: number, counter: number): Incarnation {
  return boot * COUNTERS + counter
}

/** Which of a member's lives an incarnation belongs to. */
export function bootOf(incarnation: Incarnation): number {
  return Math.floor(incarnation / COUNTERS)
}
