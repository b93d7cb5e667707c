// The thesis's own protocols: they pull what the open algorithm pulls, in the order of ties that they have, and cost what the thesis
// counts (table 7.3, §6.2.4).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { playOpen, type Source, successiveRejects } from '../open.ts'
import { rejectPhases } from '../phases.ts'
import { GRID, ucb1 } from '../policies/index.ts'
import { countingTools, tapes } from '../proof/index.ts'
import { rewardGrid } from '../rewards.ts'
import { playRejects } from './rejects.ts'
import { playRing, type RingLevel, type RingParts, type RingPull, type RingResult, triedFirst } from './ring.ts'

const LEVELS: readonly RingLevel[] = ['ucb-d', 'ucb-ds', 'ucb-ds2']
const RUNS = Number(process.env.BANDIT_TAPES ?? 50)

type Change = Partial<RingParts> & { readonly sources?: readonly Source[] }

function ring(level: RingLevel, arms: number, budget: number, seed: number, change: Change = {}) {
  const tools = countingTools()
  const { sources = tapes(seed, arms, 2 + (seed % 3)), ...more } = change
  const { steps } = rewardGrid()
  const { below } = seededRandom(seed, 0x51)
  const order: number[] = []
  const orders: (readonly number[])[] = []
  const decided = (ring: readonly number[]) => orders.push(ring)
  const run = playRing({ arms, budget, level, below, seals: tools.seals, sums: tools.sums, decided, ...more })
  let step: IteratorResult<RingPull, RingResult> = run.next()
  while (!step.done) {
    order.push(step.value.arm)
    step = run.next(steps(sources[step.value.arm]!(step.value.number)))
  }
  return { ...step.value, order, orders, sources, counted: tools.counted }
}

describe('open and thesis pull the same arms', () => {
  it.each(LEVELS)(`%s, ${RUNS} random tapes with ties`, level => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(1_000_000), (arms, seed) => {
        const budget = arms + (seed % 200)
        const played = ring(level, arms, budget, seed)
        // Of equals the first in the ring leads: the ring of a round is drawn before its comparison.
        const ties = (arm: number, all: number) => -played.orders[all - arms]!.indexOf(arm)
        const twin = playOpen(ucb1, played.sources, budget, { ties, record: true })
        expect(played.order).toEqual(twin.order)
        expect(played.arms).toEqual(twin.arms)
        expect(played.steps).toBe(twin.arms.reduce((sum, arm) => sum + arm.sum, 0))
      }),
      { numRuns: RUNS },
    )
  })

  it('SR-secured rejects what successive rejects would on the same rewards', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(1_000_000), (arms, seed) => {
        const random = seededRandom(seed, 0x5e)
        const values = Array.from({ length: arms }, () => random.below(5))
        const budget = arms + 1 + (seed % 200)
        const noise = new Map<string, number>()
        const { seals, sums } = countingTools()
        const drew = (phase: number, arm: number, drawn: number) => noise.set(`${phase} ${arm}`, drawn)
        const found = playRejects({ values, epsilon: 3, budget, seals, sums, below: random.below, drew })
        const totals = values.map(() => 0)
        const left = new Set(values.keys())
        for (const [phase, { pulls }] of rejectPhases(arms, budget).entries()) {
          for (const arm of left) totals[arm]! += pulls * values[arm]! + noise.get(`${phase} ${arm}`)!
          const least = Math.min(...[...left].map(arm => totals[arm]!))
          const gone = found.rejected[phase]!
          expect([left.has(gone), totals[gone]]).toEqual([true, least])
          left.delete(gone)
        }
        expect([...left]).toEqual([found.best])
      }),
      { numRuns: RUNS },
    )
  })

  it('and without noise the best is the open one', () => {
    const values = [3, 9, 4, 7]
    const { seals, sums } = countingTools()
    const found = playRejects({ values, epsilon: 0, budget: 100, seals, sums, below: seededRandom(1).below })
    const sources = values.map(value => () => value / 10)
    expect(found.best).toBe(successiveRejects(sources, 100).best)
    expect(found.spent).toBe(successiveRejects(sources, 100).spent)
  })
})

describe('what it costs', () => {
  it.each([
    [2, 100],
    [10, 60],
  ])('UCB-DS, K = %i, N = %i: table 7.3, but for step 0, which hands over the sources', (arms, budget) => {
    let messages = 0
    const { counted } = ring('ucb-ds', arms, budget, 3, { overhear: () => messages++ })
    const rounds = budget - arms + 1
    expect([counted.seals, counted.opens]).toEqual([2 * arms * rounds, 2 * arms * rounds])
    expect([counted.encryptions, counted.decryptions]).toEqual([arms, 1])
    // And K for step 0.
    expect(messages).toBe(2 * arms * rounds + arms + 2)
  })

  it('UCB-DS2: at most K more encryptions and K more decryptions in a round', () => {
    const [arms, budget] = [5, 80]
    const { counted } = ring('ucb-ds2', arms, budget, 3)
    const rounds = budget - arms + 1
    const more = counted.seals - 2 * arms * rounds
    expect(more).toBeGreaterThanOrEqual(rounds)
    expect(more).toBeLessThanOrEqual(arms * rounds)
    expect(counted.opens - 2 * arms * rounds).toBeLessThanOrEqual(arms * rounds)
  })

  it('UCB-DS2: AS tries the key of the last leader first, and then all others', () => {
    expect(triedFirst(4, 2)).toEqual([2, 0, 1, 3])
    expect(triedFirst(4, 0)).toEqual([0, 1, 2, 3])
    for (const nobody of [-1, 255]) expect(triedFirst(4, nobody)).toEqual([0, 1, 2, 3])
    // One arm pays always and the others never: it leads in most rounds, and its key is the last of ten.
    const sources = Array.from({ length: 10 }, (_, arm) => () => Number(arm === 9))
    const opens = (level: 'ucb-ds' | 'ucb-ds2') => ring(level, 10, 400, 3, { sources }).counted.opens
    expect(opens('ucb-ds2') - opens('ucb-ds')).toBeLessThan(3 * 391)
  })

  it('SR-secured, K = 10: 64 encryptions by DO and RP, 54 powers and decryptions, whatever the budget', () => {
    for (const budget of [1_000, 20_000]) {
      const { seals, sums, counted } = countingTools()
      const values = Array.from({ length: 10 }, (_, arm) => arm * GRID)
      playRejects({ values, epsilon: 5, budget, seals, sums, below: seededRandom(1).below })
      // DO 10, RP 54, and BAI's 10 zeros.
      expect([counted.encryptions, counted.powers, counted.decryptions, counted.rerandomised]).toEqual([74, 54, 54, 44])
    }
  })
})

describe('what is bound', () => {
  it('an old sealed leader is not taken in another round', () => {
    const { seals } = countingTools()
    const old = seals.seal('R1', 'round 3', Uint8Array.of(0))
    expect(seals.open('R1', 'round 4', old)).toBe(undefined)
    expect(seals.open('R2', 'round 3', old)).toBe(undefined)
  })

  it('arms see an index, and in UCB-DS2 not whose', () => {
    const seen = { 'ucb-ds': new Set<number>(), 'ucb-ds2': new Set<number>() }
    for (const level of ['ucb-ds', 'ucb-ds2'] as const) {
      ring(level, 4, 40, 1, {
        overhear: (from, to, message) => {
          if (from.startsWith('R') && to.startsWith('R') && typeof message !== 'bigint') seen[level].add(message.length)
        },
      })
    }
    // One byte more than an index, or a whole seal.
    expect(Math.min(...seen['ucb-ds2'])).toBeGreaterThan(Math.max(...seen['ucb-ds']))
  })
})
