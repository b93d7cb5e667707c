// What a guard's user can meet: a token that came too late, and a write that may or may not have happened.

import { CoterieError } from '../core/index.ts'
import type { Decision } from './decision.ts'

/** A larger token was seen: the lease that gave this one has ended, and somebody else has written since. */
export class StaleToken extends CoterieError {
  override readonly name = 'StaleToken'
  readonly outcome = 'did not happen'
  readonly resource: string
  readonly token: bigint
  /** The larger token that was let pass before. */
  readonly seen: bigint

  constructor(resource: string, token: bigint, seen: bigint) {
    super(
      `'${resource}' has seen token ${seen}, and ${token} is smaller: the lease behind it has ended, and somebody else ` +
        'has written since. Nothing was written. Take the lock again, read afresh, and write with the new token.',
    )
    this.resource = resource
    this.token = token
    this.seen = seen
  }
}

/** The write was on its way when something failed. Nothing stale got through; whether this write did, a look will tell. */
export class WriteUncertain extends CoterieError {
  override readonly name = 'WriteUncertain'
  readonly outcome = 'may have happened'

  constructor(resource: string, why: string, cause: unknown) {
    super(`the write to '${resource}' may or may not have happened: ${why}. Read before you write again.`)
    this.cause = cause
  }
}

/** Throws StaleToken unless the decision is to pass. */
export function demandPass(resource: string, token: bigint, decision: Decision): void {
  if (!decision.pass) throw new StaleToken(resource, token, decision.seen)
}
