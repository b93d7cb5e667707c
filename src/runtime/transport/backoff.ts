// How long to wait before a peer is dialled again: doubling, up to a limit, with half of it left to chance.
// Without chance, a hundred clients that lost one server would all come back in the same millisecond, again and again.

/** A server that was restarted is back within this or little more. */
export const BACKOFF_FIRST_MS = 50

/** A peer that comes back after an hour is found within this. */
export const BACKOFF_MAX_MS = 5_000

/** A connection that lasted this long was a real one: the next attempt begins with the shortest delay again. */
export const STABLE_MS = 5_000

/** The delay before attempt number `failures` + 1. `chance` is uniform in [0, 1). */
export function backoffMs(failures: number, chance: number): number {
  const whole = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.max(0, failures - 1))
  return whole * (0.5 + 0.5 * chance)
}
