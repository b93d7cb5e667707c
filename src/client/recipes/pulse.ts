// Whether this process has stood still: stopped by a signal or a debugger, asleep, or blocked by its own work. What it
// believes was true before; the timers that would have told it otherwise have not run yet.

import { type Clock, holderClock } from '../../runtime/clock.ts'
import { inBackground, soon } from '../../runtime/platform.ts'

const BEAT_MS = 50
/** Without a beat for longer than this, nothing is believed until the timers that were due have run. */
export const STILL_MS = 250

export class Pulse {
  private readonly clock: Clock
  private last: number
  private beating: NodeJS.Timeout | undefined
  private users = 0

  constructor(clock: Clock = holderClock()) {
    this.clock = clock
    this.last = clock()
  }

  /** True where the process ran without a long stop until this moment, and so has heard what there was to hear. */
  isSteady(): boolean {
    return this.clock() - this.last <= STILL_MS
  }

  /** While somebody uses it, it beats. */
  use(): void {
    if (this.users++ > 0) return
    this.last = this.clock()
    // Behind all timers that are due in the same turn: they must have spoken first.
    const beat = () => soon(() => (this.last = this.clock()))
    this.beating = inBackground(setInterval(beat, BEAT_MS))
  }

  leave(): void {
    if (--this.users === 0) clearInterval(this.beating)
  }
}

/** One for the process. */
export const pulse = new Pulse()
