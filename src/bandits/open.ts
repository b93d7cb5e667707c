// The open algorithms, as plain functions on sources: for comparison, and for those who need no privacy. They compare the
// same whole numbers as the private ones do, and break ties in the same order.

import { type Chance, ln } from './arithmetic.ts'
import { halvingPhases, type Phase, rejectPhases } from './phases.ts'
import { type ArmRecord, GRID, type Policy } from './policies/index.ts'
import { type RewardRange, rewardGrid } from './rewards.ts'

/** Gives the reward of an arm's next pull. `pull` counts the pulls of this arm from 1. */
export type Source = (pull: number) => number

/** Of two arms with equal indices the one with the larger rank is pulled; the rank may change with the pulls so far. */
export type TieOrder = (arm: number, all: number) => number

/** The order of ties where nothing else is said: the first arm wins. */
export const firstWins: TieOrder = arm => -arm

/** What a run of an open algorithm did. */
export interface OpenRun {
  /** For each arm: its pulls, and the sum of its steps on the grid. */
  readonly arms: readonly ArmRecord[]
  /** The sum of all rewards. */
  readonly sum: number
  /** All pulls. */
  readonly spent: number
  /** The arm pulled at each pull, where asked for. */
  readonly order: readonly number[]
}

/** A search's run: which arm is best, too. */
export interface OpenSearch extends OpenRun {
  readonly best: number
}

/** What may be said besides the sources and the budget. */
export interface OpenOptions {
  readonly rewards?: RewardRange
  readonly ties?: TieOrder
  /** The chance of arm i before pull t of all; only Thompson sampling draws. */
  readonly chance?: (arm: number, all: number) => Chance
  /** The chosen arm is pulled ⌊batch · t⌋ times at once, at least once. */
  readonly batch?: number
  /** Keeps the order of pulls. */
  readonly record?: boolean
}

class Play {
  readonly pulls: Float64Array
  readonly steps: Float64Array
  readonly order: number[] = []
  spent = 0
  private readonly sources: readonly Source[]
  private readonly options: OpenOptions
  private readonly grid

  constructor(sources: readonly Source[], options: OpenOptions) {
    this.sources = sources
    this.options = options
    this.grid = rewardGrid(options.rewards)
    this.pulls = new Float64Array(sources.length)
    this.steps = new Float64Array(sources.length)
  }

  pull(arm: number, times = 1): void {
    for (let time = 0; time < times; time++) {
      const number = ++this.pulls[arm]!
      this.steps[arm]! += this.grid.steps(this.sources[arm]!(number))
      this.spent++
      if (this.options.record) this.order.push(arm)
    }
  }

  armRecord(arm: number): ArmRecord {
    return { pulls: this.pulls[arm]!, sum: this.steps[arm]! }
  }

  result(): OpenRun {
    const arms = this.sources.map((_, arm) => this.armRecord(arm))
    const sum = arms.reduce((total, { sum: steps, pulls }) => total + this.grid.sum(steps, pulls), 0)
    return { arms, sum, spent: this.spent, order: this.order }
  }

  /** The arm with the largest index; ties by their order. */
  largest(index: (arm: number) => number): number {
    const ties = this.options.ties ?? firstWins
    let best = 0
    let bestIndex = index(0)
    for (let arm = 1; arm < this.sources.length; arm++) {
      const found = index(arm)
      if (found > bestIndex || (found === bestIndex && ties(arm, this.spent) > ties(best, this.spent))) {
        best = arm
        bestIndex = found
      }
    }
    return best
  }
}

/** How often the chosen arm is pulled after t pulls of all: public, since it depends on t alone. */
export function batchOf(batch: number, all: number, budget: number): number {
  return Math.min(Math.max(1, Math.floor(batch * all)), budget - all)
}

/** Every arm once, then the largest index, until the budget is spent (THESIS algorithm 2 for UCB1). */
export function playOpen(
  policy: Policy,
  sources: readonly Source[],
  budget: number,
  options: OpenOptions = {},
): OpenRun {
  const play = new Play(sources, options)
  for (const arm of sources.keys()) play.pull(arm)
  const noChance: Chance = () => 0.5
  while (play.spent < budget) {
    const all = play.spent
    const chosen = play.largest(arm => policy.index(play.armRecord(arm), all, options.chance?.(arm, all) ?? noChance))
    play.pull(chosen, batchOf(options.batch ?? 0, all, budget))
  }
  return play.result()
}

/** UCB2 (Auer, Cesa-Bianchi, Fischer 2002): epochs of growing length. Open only: an epoch's length would name its arm. */
export function ucb2Open(sources: readonly Source[], budget: number, alpha = 0.1, options: OpenOptions = {}): OpenRun {
  const play = new Play(sources, options)
  const epochs = sources.map(() => 0)
  const length = (epoch: number): number => Math.ceil((1 + alpha) ** epoch)
  for (const arm of sources.keys()) play.pull(arm)
  while (play.spent < budget) {
    const chosen = play.largest(arm => {
      const { pulls, sum } = play.armRecord(arm)
      const span = length(epochs[arm]!)
      return sum / (GRID * pulls) + Math.sqrt(((1 + alpha) * (1 + ln(play.spent / span))) / (2 * span))
    })
    const epoch = epochs[chosen]!++
    play.pull(chosen, Math.min(Math.max(1, length(epoch + 1) - length(epoch)), budget - play.spent))
  }
  return play.result()
}

function search(phases: readonly Phase[], sources: readonly Source[], options: OpenOptions): OpenSearch {
  const play = new Play(sources, options)
  const ties = options.ties ?? firstWins
  let left = [...sources.keys()]
  for (const { pulls, stay } of phases) {
    for (const arm of left) play.pull(arm, pulls)
    const rank = (arm: number) => ties(arm, play.spent)
    left = left.sort((a, b) => play.steps[b]! - play.steps[a]! || rank(b) - rank(a)).slice(0, stay)
    left.sort((a, b) => a - b)
  }
  return { ...play.result(), best: left[0]! }
}

/** Finds the best arm: the worst leaves after each phase (THESIS §2.2.2, algorithm 1). */
export function successiveRejects(sources: readonly Source[], budget: number, options: OpenOptions = {}): OpenSearch {
  return search(rejectPhases(sources.length, budget), sources, options)
}

/** Finds the best arm: the worse half leaves after each phase. */
export function sequentialHalving(sources: readonly Source[], budget: number, options: OpenOptions = {}): OpenSearch {
  return search(halvingPhases(sources.length, budget), sources, options)
}
