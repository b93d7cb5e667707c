// Chance for evictions: a counter through murmur's finaliser, started from the filter's key.
// The same key and the same stream give the same evictions, so a run replays; without the key they cannot be foretold
// from the code alone. One word of state, in a typed array so that a snapshot can carry it and nothing is allocated.

import { finalise } from '../hashing/unkeyed.ts'

/** 2^32 divided by the golden ratio: an odd step that visits every counter value. */
const STEP = 0x9e3779b9

export class Draws {
  readonly state = new Int32Array(1)

  constructor(seed: number) {
    this.state[0] = seed
  }

  /** Uniform in [0, bound), to within bound / 2^32. */
  below(bound: number): number {
    this.state[0] = (this.state[0]! + STEP) | 0
    return scale(finalise(this.state[0]!), bound)
  }
}

/** Maps a 32-bit word onto [0, bound) for any bound up to 2^32: the upper bits decide, no division, no power of two. */
export function scale(word: number, bound: number): number {
  return ((word >>> 0) * bound * 2 ** -32) >>> 0
}
