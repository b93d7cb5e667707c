// Open, thesis and blind pull the same arms, pull by pull, on random tapes with many ties (K from 2 to 12, N to 500): as arithmetic, so
// that ten thousand tapes take minutes (test/long/bandits.sh). That parties compute just this: together.test.ts.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seededRandom } from '../core/index.ts'
import { playOpen, sequentialHalving, successiveRejects } from './open.ts'
import { ucb1 } from './policies/index.ts'
import { playRing, type RingLevel, type RingPull, type RingResult } from './printed/ring.ts'
import { playArithmetic, quickTools, tapes } from './proof/index.ts'
import { rewardGrid } from './rewards.ts'

const TAPES = Number(process.env.BANDIT_TAPES_QUICK ?? 200)

const shapes = fc
  .record({
    arms: fc.integer({ min: 2, max: 12 }),
    length: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.nat(10_000_000),
    // With two values and few pulls nearly every round has a tie.
    values: fc.integer({ min: 2, max: 4 }),
  })
  .map(({ length, ...rest }) => ({ ...rest, length: length ** 3 }))

function ring(
  level: RingLevel,
  arms: number,
  budget: number,
  seed: number,
  sources: readonly ((pull: number) => number)[],
) {
  const { steps } = rewardGrid()
  const rings: (readonly number[])[] = []
  const { below } = seededRandom(seed, 0x51)
  const order: number[] = []
  const run = playRing({ arms, budget, level, below, ...quickTools(), decided: one => rings.push(one) })
  let step: IteratorResult<RingPull, RingResult> = run.next()
  while (!step.done) {
    order.push(step.value.arm)
    step = run.next(steps(sources[step.value.arm]!(step.value.number)))
  }
  return { arms: step.value.arms, order, rings }
}

it(`UCB1: open = thesis = blind on ${TAPES} tapes, with the order of ties that the ring has`, () => {
  let ties = 0
  fc.assert(
    fc.property(shapes, ({ arms, length, seed, values }) => {
      const budget = arms + Math.floor(length * (501 - arms))
      const sources = tapes(seed, arms, values)
      const level = (['ucb-d', 'ucb-ds', 'ucb-ds2'] as const)[seed % 3]!
      const thesis = ring(level, arms, budget, seed, sources)
      // Of equals the first in the ring of that round leads.
      const ranks = (all: number) => {
        const places: number[] = []
        for (const [place, arm] of thesis.rings[all - arms]!.entries()) places[arm] = arms - 1 - place
        return places
      }
      const tie = (arm: number, all: number) => {
        ties++
        return ranks(all)[arm]!
      }
      const open = playOpen(ucb1, sources, budget, { ties: tie, record: true })
      const blind = playArithmetic({ algorithm: 'ucb1', arms: sources, budget, batch: 0 }, sources, seed, ranks)
      expect(thesis.order).toEqual(open.order)
      expect(blind.order).toEqual(open.order)
      expect(thesis.arms).toEqual(open.arms)
      expect(blind.arms).toEqual(open.arms)
    }),
    { numRuns: TAPES },
  )
  expect(ties, 'ties are forced').toBeGreaterThan(TAPES)
})

it.each(['successive-rejects', 'sequential-halving'] as const)(`%s: open = blind on ${TAPES} tapes`, algorithm => {
  fc.assert(
    fc.property(shapes, ({ arms, length, seed, values }) => {
      const least = arms * Math.ceil(Math.log2(arms)) + 1
      const budget = least + Math.floor(length * (501 - least))
      const sources = tapes(seed, arms, values)
      const ranks = (all: number) => {
        const places = Array.from({ length: arms }, (_, arm) => arm)
        const { below } = seededRandom(seed, all)
        for (let last = arms - 1; last > 0; last--) {
          const chosen = below(last + 1)
          ;[places[last], places[chosen]] = [places[chosen]!, places[last]!]
        }
        return places
      }
      const play = algorithm === 'successive-rejects' ? successiveRejects : sequentialHalving
      const open = play(sources, budget, { ties: (arm, all) => ranks(all)[arm]! })
      const blind = playArithmetic({ algorithm, arms: sources, budget, batch: 0 }, sources, seed, ranks)
      expect(blind.arms).toEqual(open.arms)
      expect(blind.best).toBe(open.best)
    }),
    { numRuns: TAPES },
  )
})
