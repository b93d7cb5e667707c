import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Counted, count, twinQueue } from '../../../lab/filters/twins.ts'
import { rateTolerance } from '../../../lab/statistics.ts'
import { seededRandom } from '../../core/index.ts'
import { optimalSubfilters, type QueueShape, queuingRates, thesisQueuingRates } from './index.ts'
import { poisson } from './numeric.ts'

/** The sums as they are derived, one term after the other: every η, every gap, every J and K. */
function term(shape: Required<QueueShape>, twins: number, others: number) {
  const { subfilters: L, window: w, alphabet } = shape
  const c = Math.ceil(w / L)
  const g = 1 - 1 / alphabet
  const all = twins + others
  const hit = (x: number) => (all === 0 ? 0 : 1 - (1 - all / alphabet) ** x)
  const lost = (x: number) => {
    let sum = 0
    for (let y = 0; y < x; y++) sum += (g ** y * (all === 0 ? 0 : (hit(y) * others) / all)) / alphabet
    return sum
  }
  const quiet = (x: number) => (all === 0 ? 1 : 1 - (hit(x) * twins) / all)
  const F = quiet(c)
  const silent = lost(c) + g ** c * F
  let positive = 0
  let negative = 0
  for (let age = 0; age < c; age++) {
    let missed = lost(age) * silent ** (L - 1)
    for (let j = 1; j < L; j++) {
      missed += g ** (age + (j - 1) * c) * lost(c) * quiet(age) * F ** (j - 1) * silent ** (L - 1 - j)
    }
    missed += Math.max(0, g ** (age + (L - 1) * c) - g ** w) * quiet(age) * F ** (L - 1)
    negative += missed / (1 - g ** w) / c
    positive += (1 - quiet(age) * F ** (L - 1)) / c
  }
  return { positive, negative }
}

function termByTerm(shape: Required<QueueShape>) {
  const crowd = shape.alphabet / shape.rows
  const twins = poisson(crowd / shape.fingerprints)
  const others = poisson(crowd * (1 - 1 / shape.fingerprints))
  let positive = 0
  let negative = 0
  for (const [i, p] of twins.chances.entries()) {
    for (const [j, q] of others.chances.entries()) {
      if (p * q < 1e-14) continue
      const rates = term(shape, twins.first + i, others.first + j)
      positive += p * q * rates.positive
      negative += p * q * rates.negative
    }
  }
  return { positive, negative }
}

describe('the queuing construction (THESIS §4.5, corrected)', () => {
  it('closed sums are the sums term by term', () => {
    const shapes = fc.record({
      subfilters: fc.integer({ min: 1, max: 7 }),
      rows: fc.integer({ min: 5, max: 60 }),
      fingerprints: fc.constantFrom(3, 4, 7),
      window: fc.integer({ min: 1, max: 60 }),
      alphabet: fc.integer({ min: 30, max: 400 }),
    })
    fc.assert(
      fc.property(shapes, shape => {
        const literal = termByTerm(shape)
        const closed = queuingRates(shape)
        expect(closed.falsePositive).toBeCloseTo(literal.positive, 9)
        expect(closed.falseNegative).toBeCloseTo(literal.negative, 9)
      }),
      { numRuns: 12 },
    )
  })

  it.each([
    [1, 30, 7, 60, 2000],
    [2, 30, 7, 60, 2000],
    [5, 25, 7, 103, 1500],
    [10, 20, 3, 200, 4000],
    [20, 40, 7, 100, 600],
  ])('predicts a dumb twin: L = %i, N = %i, S = %i, w = %i, |Γ| = %i', (L, rows, fingerprints, window, alphabet) => {
    const random = seededRandom(11)
    const into: Counted = { unseen: 0, falsePositives: 0, duplicates: 0, falseNegatives: 0 }
    // A whole number of subfilters after the warm-up: every age η counts equally often.
    const capacity = Math.ceil(window / L)
    const warm = capacity * (L + 1)
    const length = warm + capacity * Math.ceil(10_000 / capacity)
    for (let world = 0; world < 30; world++) {
      count(twinQueue(L, rows, fingerprints, window, random), { alphabet, window, length, warm }, random, into)
    }
    const rates = queuingRates({ subfilters: L, rows, fingerprints, window, alphabet })
    const negatives = into.falseNegatives / into.duplicates
    const positives = into.falsePositives / into.unseen
    expect(Math.abs(negatives - rates.falseNegative)).toBeLessThan(
      rateTolerance(rates.falseNegative, into.duplicates, 0.9999),
    )
    expect(Math.abs(positives - rates.falsePositive)).toBeLessThan(
      rateTolerance(rates.falsePositive, into.unseen, 0.9999),
    )
  })

  it('theorem 4.5.4 as printed is far too high where windows are small', () => {
    const shape = { subfilters: 40, rows: 833, fingerprints: 7, window: 1000, alphabet: 2 ** 18 }
    expect(queuingRates(shape).falseNegative).toBeLessThan(0.03)
    expect(thesisQueuingRates(shape).falseNegative).toBeGreaterThan(0.3)
  })

  it('a large alphabet needs no number', () => {
    const shape = { subfilters: 10, rows: 3333, fingerprints: 7, window: 10_000 }
    const large = queuingRates({ ...shape, alphabet: 2 ** 36 })
    expect(queuingRates(shape).falsePositive).toBeCloseTo(large.falsePositive, 5)
    expect(queuingRates(shape).falseNegative).toBeCloseTo(large.falseNegative, 5)
  })

  it('finds the best number of subfilters', () => {
    const memory = { bits: 100_000, fingerprintBits: 3, window: 10_000, alphabet: 2 ** 18 }
    const best = optimalSubfilters(memory)
    const error = (L: number) => {
      const shape = { subfilters: L, rows: Math.floor(Math.floor(1e5 / L) / 3), fingerprints: 7 }
      const rates = queuingRates({ ...shape, window: 10_000, alphabet: 2 ** 18 })
      return rates.falsePositive + rates.falseNegative
    }
    expect(error(best.subfilters)).toBeLessThanOrEqual(error(best.subfilters - 1))
    expect(error(best.subfilters)).toBeLessThanOrEqual(error(best.subfilters + 1))
  })

  it('refuses what cannot be', () => {
    const shape = { subfilters: 0, rows: 10, fingerprints: 7, window: 10 }
    expect(() => queuingRates(shape)).toThrow('subfilters is 0')
    expect(() => queuingRates({ ...shape, subfilters: 1, window: 0 })).toThrow('window is 0')
    expect(() => queuingRates({ ...shape, subfilters: 1, alphabet: 1 })).toThrow('alphabet is 1')
    expect(() => optimalSubfilters({ bits: 2, fingerprintBits: 3, window: 5 })).toThrow('bits is 2')
  })
})
