// Rewards that are drawn before the run: the same pull of the same arm always gives the same. Few values, so that ties
// are common.

import { seededRandom } from '../../core/index.ts'
import type { Source } from '../open.ts'

/** For each arm a source whose reward at a pull depends on the seed alone. */
export function tapes(seed: number, arms: number, values: number): Source[] {
  return Array.from({ length: arms }, (_, arm) => {
    const bias = seededRandom(seed, arm).unit()
    return pull => {
      const random = seededRandom(seed * 64 + arm, pull)
      return random.unit() < bias ? Math.max(1, random.below(values)) / (values - 1) : 0
    }
  })
}
