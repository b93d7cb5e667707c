// Asking an arm's function for a reward: again with the same number where it throws, and refused where it is no reward.

import { type RewardGrid, rewardGrid } from '../../bandits/index.ts'
import { because } from '../../core/index.ts'
import { ArmFailed } from './errors.ts'
import type { Asked } from './options.ts'

const RETRIES_DEFAULT = 3

/** Pulls arms, and gives rewards as steps of the grid. */
export class Sources {
  readonly grid: RewardGrid
  private readonly asked: Asked
  private readonly signal: AbortSignal

  constructor(asked: Asked, signal: AbortSignal) {
    this.asked = asked
    this.signal = signal
    this.grid = rewardGrid(asked.options.rewards)
  }

  async pull(arm: number, pull: number): Promise<number> {
    const name = this.asked.names[arm]!
    return this.steps(name, await this.reward(name, pull))
  }

  private async reward(name: string, pull: number): Promise<number> {
    const { arms, pullRetries = RETRIES_DEFAULT } = this.asked.options
    for (let tries = 0; ; tries++) {
      try {
        return await arms[name]!({ pull, signal: this.signal })
      } catch (error) {
        if (tries < pullRetries && !this.signal.aborted) continue
        throw because(new ArmFailed(`arm '${name}' gave no reward for pull ${pull}, in ${tries + 1} tries.`), error)
      }
    }
  }

  private steps(name: string, reward: number): number {
    try {
      return this.grid.steps(reward)
    } catch (error) {
      throw new ArmFailed(`arm '${name}': ${(error as Error).message}`)
    }
  }
}
