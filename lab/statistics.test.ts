import { describe, expect, it } from 'vitest'
import { seededRandom } from '../src/core/index.ts'
import {
  bonferroni,
  meanTolerance,
  normalBelow,
  normalQuantile,
  rateBounds,
  rateTolerance,
  sameMeanTolerance,
  studentQuantile,
  summarise,
} from './statistics.ts'

describe('statistics, against printed tables', () => {
  it('knows the quantiles of the normal distribution', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 4)
    expect(normalQuantile(0.995)).toBeCloseTo(2.575829, 4)
    expect(normalQuantile(0.9999)).toBeCloseTo(3.719016, 3)
    expect(normalBelow(0)).toBeCloseTo(0.5, 6)
  })
  it('knows the quantiles of Student', () => {
    for (const [degrees, value] of [
      [1, 12.706],
      [2, 4.3027],
      [3, 3.1824],
      [4, 2.7764],
      [9, 2.2622],
      [30, 2.0423],
    ] as const) {
      expect(studentQuantile(0.975, degrees)).toBeCloseTo(value, 3)
    }
  })
  it('splits the doubt over many figures', () => {
    expect(bonferroni(0.99, 10)).toBeCloseTo(0.999)
    expect(() => bonferroni(1, 10)).toThrow(/between 0 and 1/)
  })
  it('summarises', () => {
    expect(summarise([1, 2, 3])).toEqual({ count: 3, mean: 2, deviation: 1 })
    expect(meanTolerance([5], 0.99)).toBe(Number.POSITIVE_INFINITY)
    expect(meanTolerance([1, 2, 3], 0.95)).toBeCloseTo(4.3027 / Math.sqrt(3), 3)
    expect(sameMeanTolerance([5], 1, 0.99)).toBe(Number.POSITIVE_INFINITY)
    expect(sameMeanTolerance([1, 2, 3], 3, 0.95, 0.5)).toBeCloseTo(4.3027 * Math.sqrt(2 / 3) + 0.5, 3)
  })
})

describe('statistics, against a thousand experiments', () => {
  it.each([1, 5])('holds the mean of five values beside a mean of %i others as often as promised', theirs => {
    const random = seededRandom(2)
    const values = (count: number) => Array.from({ length: count }, () => normalQuantile(random.unit() || 0.5))
    let outside = 0
    for (let run = 0; run < 1000; run++) {
      const ours = values(5)
      const apart = Math.abs(summarise(ours).mean - summarise(values(theirs)).mean)
      if (apart > sameMeanTolerance(ours, theirs, 0.95)) outside++
    }
    expect(outside).toBeGreaterThanOrEqual(30)
    expect(outside).toBeLessThanOrEqual(70)
  })
  it.each([
    [0.5, 400],
    [0.01, 300],
    [0.0005, 100],
  ])('holds a rate of %f over %i trials as often as promised', (rate, trials) => {
    const random = seededRandom(1)
    let outside = 0
    let missed = 0
    for (let run = 0; run < 1000; run++) {
      let hits = 0
      for (let trial = 0; trial < trials; trial++) if (random.chance(rate)) hits++
      if (Math.abs(hits / trials - rate) > rateTolerance(rate, trials, 0.95)) outside++
      const [low, high] = rateBounds(hits, trials, 0.95)
      if (rate < low || rate > high) missed++
    }
    expect(outside).toBeLessThanOrEqual(70)
    expect(missed).toBeLessThanOrEqual(80)
  })
})
