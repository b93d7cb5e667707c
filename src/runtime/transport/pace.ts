// How fast a peer is listened to: so much at once, then so much a second. What is beyond waits in the peer's own machine.
//
// Frames cost their reader more than their sender: bytes are decrypted, copied and judged. Without a pace one peer takes
// a processor of everybody who listens to it, and its rubbish all their memory's time. Nobody honest comes near.

import type { Limits } from './limits.ts'

/** Shorter pauses are not worth a timer. */
const PAUSE_MS_MIN = 20

export class Pace {
  private readonly burst: number
  private readonly bytesPerMs: number
  private credit: number
  private at: number

  constructor({ inBytesBurst, inBytesPerSecond }: Pick<Limits, 'inBytesBurst' | 'inBytesPerSecond'>, now: number) {
    this.burst = inBytesBurst
    this.bytesPerMs = inBytesPerSecond / 1_000
    this.credit = inBytesBurst
    this.at = now
  }

  /** Counts what came. How long to read nothing more; 0 where all is well. */
  spend(bytes: number, now: number): number {
    this.credit = Math.min(this.burst, this.credit + (now - this.at) * this.bytesPerMs) - bytes
    this.at = now
    return this.credit >= 0 ? 0 : Math.max(PAUSE_MS_MIN, -this.credit / this.bytesPerMs)
  }
}
