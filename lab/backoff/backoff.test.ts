// BACKOFF §4 at small scale: every figure within its tolerance, from more than one seed.

import { describe, expect, it } from 'vitest'
import { sized } from '../../test/support/long.ts'
import { contend, EXACT_DELAY, SETTINGS } from './contention.ts'
import { crowd, DELAY_MS, EXACT, HOLD_MS } from './crowd.ts'
import { proportion, slope } from './fit.ts'
import { backoffExperiments } from './index.ts'
import { estimate, measure } from './measure.ts'

const quiet = { scale: 'small', progress: () => {} } as const

describe.each(backoffExperiments.map(experiment => [experiment.name, experiment] as const))('%s', (_, experiment) => {
  it.each(sized([1], [1, 7]))('is within its tolerances (seed %i)', async seed => {
    const fractions: number[] = []
    const result = await experiment.run({ ...quiet, seed, progress: fraction => fractions.push(fraction) })
    expect(result.rows.filter(row => !row.within)).toEqual([])
    expect(result.rows.filter(row => row.expected !== null).length).toBeGreaterThanOrEqual(2)
    for (const { name, svg } of result.pictures) {
      expect(name).toBe(`${experiment.name}.svg`)
      expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\s*$/)
      expect(svg).not.toContain('NaN')
    }
    expect(result.pictures).toHaveLength(1)
    expect(Math.min(...fractions)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...fractions)).toBeLessThanOrEqual(1)
  })
})

it('the same seed measures the same, another seed something else', () => {
  const once = (seed: number) => measure([3, 9], 4, { ...quiet, seed })
  expect(once(3)).toEqual(once(3))
  expect(once(3)).not.toEqual(once(4))
})

describe('contention', () => {
  it('alone: one round trip, exactly 2δ when every message takes δ', () => {
    const { mean, makespan, attemptsMax } = contend(1, 1, EXACT_DELAY)
    expect({ mean, makespan, attemptsMax }).toEqual({ mean: 2, makespan: 2, attemptsMax: 1 })
    expect(contend(1, 2).mean).toBeLessThanOrEqual(2 * SETTINGS.delayMax)
  })

  it('serves everybody once, Δ apart (lemma 1)', () => {
    const { responses, violations } = contend(16, 5)
    expect(responses).toHaveLength(16)
    for (const [place, response] of responses.slice(1).entries()) {
      expect(response - responses[place]!).toBeGreaterThan(SETTINGS.hold)
    }
    expect(violations).toBe(0)
  })
})

describe('a crowd at our lock (§5)', () => {
  it('in the list: everybody Δ and two delays after the one before, in the order of coming', () => {
    const { handOvers, makespan, violations } = crowd('list', 9, 3, EXACT)
    expect(handOvers).toEqual(Array(8).fill(2 * DELAY_MS))
    expect(makespan).toBe(2 * DELAY_MS + 8 * (HOLD_MS + 2 * DELAY_MS))
    expect(violations).toBe(0)
  })
  it('backing off: never sooner, and the same seed gives the same', () => {
    for (const way of ['exponential', 'polynomial', 'decorrelated', 'one without backoff'] as const) {
      const result = crowd(way, 6, 3)
      expect(result).toEqual(crowd(way, 6, 3))
      expect(result.makespan).toBeGreaterThan(5 * HOLD_MS)
      expect(result.violations).toBe(0)
    }
  })
})

describe('fits', () => {
  it('finds the constant and the slope that were put in', () => {
    expect(proportion([1, 2, 5].map(x => [x, 0.9 * x] as const))).toBeCloseTo(0.9)
    expect(slope([1, 2, 5].map(x => [x, 7 - 3 * x] as const))).toBeCloseTo(-3)
  })

  it('says how uncertain it is: more with fewer runs', () => {
    const spread = (runs: number) => {
      const all = measure([4, 8], runs, { ...quiet, seed: 1 })
      return estimate(all, 'mean', proportion).uncertainty
    }
    expect(spread(5)).toBeGreaterThan(spread(40))
    expect(spread(1)).toBe(Number.POSITIVE_INFINITY)
  })
})
