// Rewards on their grid: each is rounded once, when it comes, and from then on everything is whole numbers.

import { SettingsError } from '../core/index.ts'
import { GRID } from './policies/policy.ts'

/** Between which numbers rewards lie. */
export type RewardRange = readonly [min: number, max: number]

/** The range that is meant where none is said. */
export const UNIT_RANGE: RewardRange = [0, 1]

/** Turns rewards into steps of the grid, and sums of steps into sums of rewards. */
export interface RewardGrid {
  /** From 0 to 2^20; throws a sentence for what is no reward of this range. */
  steps(reward: number): number
  /** The sum of rewards of which this is the sum of steps. */
  sum(steps: number, pulls: number): number
}

/** The grid of a range. */
export function rewardGrid(range: RewardRange = UNIT_RANGE): RewardGrid {
  const [min, max] = range
  if (!(Number.isFinite(min) && Number.isFinite(max) && min < max)) {
    throw new SettingsError(`rewards lie between two numbers, the smaller first, not [${min}, ${max}].`)
  }
  const width = max - min
  return {
    steps(reward) {
      if (typeof reward !== 'number' || !(reward >= min && reward <= max)) {
        throw new SettingsError(`a reward is a number from ${min} to ${max}, not ${String(reward)}.`)
      }
      return Math.round(((reward - min) / width) * GRID)
    },
    sum: (steps, pulls) => (steps / GRID) * width + min * pulls,
  }
}
