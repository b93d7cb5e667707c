// Streams that are not uniform. The real one of the thesis (URLs met by a crawler) is not available; these have the skew
// that their names state, so that a reader can repeat them.

import type { Random } from '../../src/core/index.ts'

/** Fresh draws from the alphabet, but a given share repeats one of the last `reach` elements, as neighbours do. */
export function bursts(alphabet: number, share: number, reach: number): (random: Random) => () => number {
  return random => {
    const recent = new Int32Array(reach)
    let position = 0
    return () => {
      const again = position >= reach && random.chance(share)
      const element = again ? recent[random.below(reach)]! : random.below(alphabet)
      recent[position++ % reach] = element
      return element
    }
  }
}

/** Element x with a chance in proportion to 1/x: Zipf's law with exponent one. */
export function zipf(alphabet: number): (random: Random) => () => number {
  const reach = Math.log(alphabet + 1)
  return random => () => Math.min(alphabet - 1, Math.floor(Math.exp(random.unit() * reach)) - 1)
}
