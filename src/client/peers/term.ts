// One term of a coordinator. `signal` fires before anybody else can lead, while the process runs; a process that was stopped or
// blocked through its end knows at its next look at the clock, and what it does with `number` can be refused.

import type { Millis } from '../../core/index.ts'
import type { Clock } from '../../runtime/clock.ts'

/** One term of a coordinator: its number fences, its signal fires before another can lead. */
export class Term {
  /** Larger than the number of every coordinator of this name before: a fencing token. */
  readonly number: number
  readonly name: string
  private readonly controller = new AbortController()
  private readonly clock: Clock
  private deadline: Millis

  /** @internal `remaining` counts from the moment at which the node below knew. */
  constructor(name: string, number: number, remaining: Millis, clock: Clock) {
    this.name = name
    this.number = number
    this.clock = clock
    this.deadline = clock() + remaining
  }

  /** The number as guards take it, as a lease has it. */
  get token(): bigint {
    return BigInt(this.number)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** By the local clock. False is certain. */
  leads(): boolean {
    return !this.signal.aborted && this.clock() < this.deadline
  }

  /** Milliseconds until the term ends unless it is renewed. After `signal` has fired: what is left for stopping. */
  remaining(): Millis {
    return Math.max(0, this.deadline - this.clock())
  }

  /** @internal */
  extended(remaining: Millis): void {
    this.deadline = Math.max(this.deadline, this.clock() + remaining)
  }

  /** @internal */
  ended(why: string): void {
    if (!this.signal.aborted) this.controller.abort(new Error(`term ${this.number} of '${this.name}' is over: ${why}`))
  }
}
