// The checker of how fast tokens are spent: they follow the wall clock, whatever a liar says, so that they last for ever.

import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import { CLOCKS_APART } from '../rules.ts'

/** Those who come after a token that is ahead of the clock go above it one by one. */
const STEPS_MAX = 100_000

export class TokenChecker implements Checker {
  readonly name = 'tokens'
  private readonly broken: Violation[] = []

  /** `clock`: in microseconds, the one that is farthest ahead. */
  acquired(lock: string, token: number, clock: number, at: Micros): void {
    if (token <= clock + CLOCKS_APART + STEPS_MAX) return
    const ahead = Math.round((token - clock) / 1_000_000)
    this.broken.push({ what: `'${lock}': token ${token} is ${ahead} s ahead of every clock`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
