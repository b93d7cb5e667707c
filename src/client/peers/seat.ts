// A seat: one slot, for one lease, known to this process alone. `signal` fires when the lease ends, by a clock that also
// counts what the machine slept. There is no renewal: it would tell who holds.

import { CoterieError, type Millis } from '../../core/index.ts'
import type { Clock } from '../../runtime/clock.ts'

/** The reason with which a seat's `signal` fires. */
export class SeatLost extends CoterieError {
  override readonly name = 'SeatLost'
  readonly outcome = 'may have happened'

  constructor(slots: string, why: string) {
    super(`the seat in '${slots}' is over: ${why}. Stop using the slot; somebody else may be given it now.`)
  }
}

/** A seat, held until its lease ends or it is given back. Which slot it is, this process alone knows. */
export class Seat {
  /** Tell nobody: it is what the others must not learn. */
  readonly slot: string
  private readonly slots: string
  private readonly clock: Clock
  private readonly deadline: Millis
  private readonly letGo: () => void
  private readonly controller = new AbortController()
  private readonly watchdog: NodeJS.Timeout
  private released = false

  /** @internal `remaining` counts from the moment at which the node below knew. */
  constructor(slots: string, slot: string, remaining: Millis, clock: Clock, letGo: () => void) {
    this.slots = slots
    this.slot = slot
    this.clock = clock
    this.deadline = clock() + remaining
    this.letGo = letGo
    this.watchdog = setTimeout(() => this.lost('its lease has ended'), Math.max(0, remaining)).unref()
  }

  /** Fires when the lease ends, with a `SeatLost` as its reason; not on release. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** By the local clock. False is certain. */
  held(): boolean {
    return !this.released && !this.signal.aborted && this.clock() < this.deadline
  }

  /** Milliseconds until the lease ends. After `signal` has fired: what is left for stopping. */
  remaining(): Millis {
    return this.released ? 0 : Math.max(0, this.deadline - this.clock())
  }

  /** Lets go. Doing it twice, or late, does no harm. When it becomes free again, nobody learns whose it was. */
  async release(): Promise<void> {
    if (this.released) return
    this.released = true
    clearTimeout(this.watchdog)
    if (!this.signal.aborted) this.letGo()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  /** @internal */
  lost(why: string): void {
    clearTimeout(this.watchdog)
    if (!this.released && !this.signal.aborted) this.controller.abort(new SeatLost(this.slots, why))
  }
}
