// A broken assertion is a bug of ours, never somebody's bad message: it stops the node.

/** A bug of ours was found: the node stops. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws where what must hold does not; `what` says it in words. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new AssertionError(`broken invariant: ${what}`)
}

/** For the default of a switch that names every case: the compiler checks that nothing is left. */
export function unreachable(value: never, what: string): never {
  throw new AssertionError(`unreachable: ${what} ${String(value)}`)
}
