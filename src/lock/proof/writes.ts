// A resource outside the protocol, behind a guard that knows nothing but tokens (protocols/lock 3), and the checker that
// watches it: a write that comes after one with a larger token is always refused, and a client that believes that it
// holds is never refused.

import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { LockRules } from '../rules.ts'

/** What a lock protects, with a guard before it: a checker. */
export class GuardedResource implements Checker {
  readonly name = 'fencing'
  private readonly admits: LockRules['admits']
  /** What the guard remembers, by resource: one for each lock. */
  private readonly seen = new Map<string, bigint>()
  /** What the checker knows by itself. */
  private readonly largest = new Map<string, number>()
  private readonly broken: Violation[] = []

  constructor(rules: LockRules) {
    this.admits = rules.admits
  }

  /** A write arrives. `believes`: its writer believes at this moment that it holds the lock. */
  write(resource: string, token: number, at: Micros, believes: boolean): void {
    const { pass, seen } = this.admits(this.seen.get(resource), BigInt(token))
    this.seen.set(resource, seen)
    const largest = this.largest.get(resource) ?? 0
    if (pass && token < largest) this.violation(`'${resource}' took a write of token ${token} after ${largest}`, at)
    if (!pass && believes) this.violation(`'${resource}' refused its holder's token ${token}`, at)
    if (pass) this.largest.set(resource, Math.max(token, largest))
  }

  violations(): readonly Violation[] {
    return this.broken
  }

  private violation(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }
}
