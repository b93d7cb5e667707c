// A run while it is played: in slices, so that whoever shows it stays alive, and ended after so much time of its own. What was
// reached can be looked at. The clock is an argument: a page's is the browser's.

import type { Play } from '../simulator/index.ts'

/** A run may take so long, in milliseconds of its own. */
export const RUN_MS_MAX = 5_000
/** So many events between two looks at the clock: of the slowest machines one takes some milliseconds. */
const EVENTS_A_LOOK = 8

/** A run and the time that it has taken. */
export class Running {
  readonly play: Play
  private readonly clock: () => number
  private readonly msMax: number
  private taken = 0

  constructor(play: Play, clock: () => number, msMax: number = RUN_MS_MAX) {
    this.play = play
    this.clock = clock
    this.msMax = msMax
  }

  get ended(): boolean {
    return this.play.status !== 'on'
  }

  /** Goes on for so many milliseconds at most. Whether it has ended. */
  slice(ms: number): boolean {
    const begin = this.clock()
    for (let passed = 0; !this.ended && passed < ms; passed = this.clock() - begin) {
      this.play.toEnd(EVENTS_A_LOOK)
      if (this.taken + this.clock() - begin >= this.msMax) this.play.stopHere()
    }
    this.taken += this.clock() - begin
    return this.ended
  }
}
