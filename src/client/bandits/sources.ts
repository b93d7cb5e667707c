// Asking an arm's function for a reward: again with the same number where it throws, and refused where it is no reward.

import { type RewardGrid, rewardGrid } from '../../bandits/index.ts'
import { because } from '../../core/index.ts'
import { ArmFailed } from './errors.ts'
import type { ArmSource, Asked } from './options.ts'

export const RETRIES_DEFAULT = 3

/** An arm with what is needed to pull it. */
export interface Pulling {
  readonly name: string
  readonly source: ArmSource
  readonly grid: RewardGrid
  readonly retries: number
  readonly signal: AbortSignal
}

/** One pull, in steps of the grid; rejects with `ArmFailed`. */
export async function pullOnce({ name, source, grid, retries, signal }: Pulling, pull: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    let reward: number
    try {
      reward = await source({ pull, signal })
    } catch (error) {
      if (tries < retries && !signal.aborted) continue
      // For its owner alone: the user is told of "an arm".
      const why = error instanceof Error && error.message !== '' ? `: ${error.message.replace(/\.$/, '')}` : ''
      throw because(new ArmFailed(`arm '${name}' gave no reward for pull ${pull}, in ${tries + 1} tries${why}.`), error)
    }
    try {
      return grid.steps(reward)
    } catch (error) {
      throw new ArmFailed(`arm '${name}': ${(error as Error).message}`)
    }
  }
}

/** Pulls arms of this process, and gives rewards as steps of the grid. */
export class Sources {
  readonly grid: RewardGrid
  private readonly asked: Asked
  private readonly signal: AbortSignal

  constructor(asked: Asked, signal: AbortSignal) {
    this.asked = asked
    this.signal = signal
    this.grid = rewardGrid(asked.options.rewards)
  }

  pull(arm: number, pull: number): Promise<number> {
    const { names, options } = this.asked
    const name = names[arm]!
    const { grid, signal } = this
    const retries = options.pullRetries ?? RETRIES_DEFAULT
    return pullOnce({ name, source: options.arms[name]!, grid, retries, signal }, pull)
  }
}
