// How often a client that waits says so, and after how long a server takes it for gone. Both sides count on the other's.

import type { Millis } from '../core/index.ts'

/** The time between two pings of a waiter. */
export const PING_EVERY: Millis = 400
/** A waiter that has been silent for longer is gone, or cut off: it is passed over and forgotten. */
export const SILENT_MAX: Millis = 2.5 * PING_EVERY

/** Pings of a short lease must come more often, or its first grant would be over when it is given. */
export function pingEvery(ttl: Millis): Millis {
  return Math.max(1, Math.min(PING_EVERY, Math.floor(ttl / 4)))
}
