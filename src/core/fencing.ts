// The one decision of every guard. A guard stands before a resource, remembers the largest token it has let pass, and
// refuses a smaller one: always, and atomically with the write that it protects.
//
// Why: a lease ends by the clock, and a process can stand still between looking at the clock and writing (a full
// garbage collection, a suspended laptop, a slow disk). When it wakes, somebody else holds the lock. Only the
// resource itself can refuse the late write, and it needs nothing but the number (protocols/lock 3, 7).
//
// Equal tokens pass: the same holder writes again. Nothing here asks who holds the lock now, or what time it is.

/** Whether a token passes, and what is remembered. */
export interface Decision {
  readonly pass: boolean
  /** The largest token let pass so far, this one included. */
  readonly seen: bigint
}

/** May a write with `token` pass where `seen` is the largest that did? `undefined`: none did yet. */
export function decide(seen: bigint | undefined, token: bigint): Decision {
  return seen === undefined || token >= seen ? { pass: true, seen: token } : { pass: false, seen }
}
