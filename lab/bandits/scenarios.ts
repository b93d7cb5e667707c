// The thesis's scenarios, and coins that come down as they say (THESIS §7.4.5, figures 7.3 to 7.5).

import type { Source } from '../../src/bandits/index.ts'
import { seededRandom } from '../../src/core/index.ts'
import { jesterLarge, jesterSmall, movieLens } from './ratings.ts'

/** A scenario, and the mean reward of 100 runs at N = 100,000 as the thesis's authors measured it. */
export interface Scenario {
  readonly name: string
  readonly means: readonly number[]
  readonly reward: number
  /** Standard deviation of one run. */
  readonly deviation: number
}

const others = (count: number, mean: number): number[] => new Array<number>(count).fill(mean)

/** Figure 7.3, a to f. */
export const figure73: readonly Scenario[] = [
  { name: 'scenario 1', means: [0.9, ...others(9, 0.8)], reward: 88_487.7, deviation: 116.5 },
  { name: 'scenario 2', means: [0.9, 0.6], reward: 89_934.3, deviation: 92.3 },
  { name: 'scenario 3', means: [0.9, 0.8], reward: 89_829.2, deviation: 95.8 },
  {
    name: 'scenario 4',
    means: [0.9, ...others(3, 0.8), ...others(3, 0.7), ...others(3, 0.6)],
    reward: 88_981.8,
    deviation: 104.8,
  },
  { name: 'scenario 5', means: [0.9, ...others(9, 0.6)], reward: 89_380.2, deviation: 102.4 },
  { name: 'scenario 6', means: [0.55, 0.2, ...others(8, 0.1)], reward: 54_545.1, deviation: 153.3 },
]

/** Figure 7.4: scenario 1 with more and fewer arms. */
export const figure74: readonly Scenario[] = [
  { name: 'K = 5', means: [0.9, ...others(4, 0.8)], reward: 89_325.1, deviation: 109.6 },
  { name: 'K = 10', means: [0.9, ...others(9, 0.8)], reward: 88_487.7, deviation: 116.5 },
  { name: 'K = 15', means: [0.9, ...others(14, 0.8)], reward: 87_667.3, deviation: 130.2 },
  { name: 'K = 20', means: [0.9, ...others(19, 0.8)], reward: 86_895.1, deviation: 134.7 },
]

/** Figure 7.5: what people laughed at, and what they watched. */
export const figure75: readonly Scenario[] = [
  { name: 'Jester, 10 jokes', means: jesterSmall, reward: 30_527.6, deviation: 171.3 },
  { name: 'Jester, 100 jokes', means: jesterLarge, reward: 15_489.1, deviation: 194.2 },
  { name: 'MovieLens, 100 films', means: movieLens, reward: 47_934.6, deviation: 196.1 },
]

/** Runs behind each of the authors' figures. */
export const AUTHORS_RUNS = 100

/** An arm that pays 1 with the given chance, and else 0. The same seed gives the same tape. */
export function coin(mean: number, seed: number, arm: number): Source {
  const random = seededRandom(seed, arm + 1)
  return () => (random.unit() < mean ? 1 : 0)
}

/** A coin for each arm. */
export function coins(means: readonly number[], seed: number): Source[] {
  return means.map((mean, arm) => coin(mean, seed, arm))
}
