import { describe, expect, it } from 'vitest'
import { seededRandom } from '../core/index.ts'
import { batchOf, playOpen, type Source, sequentialHalving, successiveRejects, ucb2Open } from './open.ts'
import { thompson, ucb1 } from './policies/index.ts'

const coins = (means: readonly number[], seed: number): Source[] =>
  means.map((mean, arm) => {
    const random = seededRandom(seed, arm)
    return () => (random.unit() < mean ? 1 : 0)
  })

describe('reward (THESIS §7.4.5, figure 7.3)', () => {
  // Scenario 1 of the thesis: one arm of 0.9, nine of 0.8. The thesis measures 88,487.7 (sd 116.5) over 100 runs at
  // N = 100,000; here five runs, so four standard errors of the difference are 4 · 116.5 · √(1/5 + 1/100) = 214.
  it('UCB1 earns what the thesis says on scenario 1', () => {
    const means = [0.9, ...new Array(9).fill(0.8)]
    const sums = [1, 2, 3, 4, 5].map(seed => playOpen(ucb1, coins(means, seed), 100_000).sum)
    expect(Math.abs(sums.reduce((a, b) => a + b, 0) / 5 - 88_487.7)).toBeLessThan(214)
  })
})

it.each([
  ['ucb1', (sources: Source[], budget: number) => playOpen(ucb1, sources, budget)],
  [
    'thompson',
    (sources: Source[], budget: number) =>
      playOpen(thompson, sources, budget, { chance: (arm, all) => seededRandom(arm, all).unit }),
  ],
  ['ucb2', (sources: Source[], budget: number) => ucb2Open(sources, budget)],
  ['ucb1 in batches', (sources: Source[], budget: number) => playOpen(ucb1, sources, budget, { batch: 0.01 })],
] as const)('%s spends the budget exactly, mostly on the best arm', (_, run) => {
  const { arms, spent, sum } = run(coins([0.2, 0.8, 0.5], 3), 3_000)
  expect(spent).toBe(3_000)
  expect(arms.reduce((all, { pulls }) => all + pulls, 0)).toBe(3_000)
  expect(arms[1]!.pulls).toBeGreaterThan(2_000)
  expect(sum).toBeGreaterThan(0.7 * 3_000)
})

it.each([successiveRejects, sequentialHalving])('%O finds the best arm nearly always', run => {
  const found = Array.from({ length: 50 }, (_, seed) => run(coins([0.3, 0.5, 0.9, 0.5], seed), 400).best)
  expect(found.filter(best => best === 2).length).toBeGreaterThanOrEqual(48)
})

it('ties are broken in the order that is asked for', () => {
  const same = (): Source[] => [() => 1, () => 1, () => 1]
  expect(playOpen(ucb1, same(), 4, { record: true }).order).toEqual([0, 1, 2, 0])
  expect(playOpen(ucb1, same(), 4, { record: true, ties: arm => arm }).order).toEqual([0, 1, 2, 2])
  expect(successiveRejects(same(), 30, { ties: arm => arm }).best).toBe(2)
})

it('batches grow with the pulls, and end with the budget', () => {
  expect([
    batchOf(0, 500, 1_000),
    batchOf(0.01, 99, 1_000),
    batchOf(0.01, 500, 1_000),
    batchOf(0.01, 998, 1_000),
  ]).toEqual([1, 1, 5, 2])
})

it('rewards of any range, and a reward outside it is refused', () => {
  const { sum } = playOpen(ucb1, [() => -5, () => 20], 10, { rewards: [-10, 30] })
  expect(sum).toBeGreaterThan(-5 * 9)
  expect(() => playOpen(ucb1, [() => 2, () => 1], 4)).toThrow('a reward is a number from 0 to 1, not 2.')
  expect(() => playOpen(ucb1, [() => Number.NaN, () => 1], 4)).toThrow('not NaN')
  expect(() => playOpen(ucb1, [() => 1, () => 1], 4, { rewards: [1, 1] })).toThrow('the smaller first')
})
