// A broken assertion is a bug of ours, never somebody's bad message: it stops the node.

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new AssertionError(`broken invariant: ${what}`)
}

export function unreachable(value: never, what: string): never {
  throw new AssertionError(`unreachable: ${what} ${String(value)}`)
}
