import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Counted, count, type TwinRule, twinTable } from '../../../lab/filters/twins.ts'
import { rateTolerance } from '../../../lab/statistics.ts'
import { seededRandom } from '../../core/index.ts'
import {
  saturatedFalsePositive,
  streamingQuotientCollision,
  streamingQuotientFingerprints,
  streamingQuotientRates,
  tableFalseNegative,
  tableFalsePositive,
  tableRates,
  tableShape,
  thesisFalsePositive,
  thesisFalsePositiveRate,
  thesisStreamingQuotientCollision,
} from './index.ts'
import { rowChain } from './row-chain.ts'

const CONFIDENCE = 0.9999

/** The errors of many small worlds, each with its own hash, so that no lucky hash decides. */
function manyWorlds(
  rule: TwinRule,
  shape: { rows: number; cells: number; fingerprints: number },
  stream: { alphabet: number; window: number; length: number },
  worlds: number,
): Counted {
  const random = seededRandom(7)
  const into: Counted = { unseen: 0, falsePositives: 0, duplicates: 0, falseNegatives: 0 }
  for (let world = 0; world < worlds; world++) {
    count(twinTable(rule, shape.rows, shape.cells, shape.fingerprints, random), stream, random, into)
  }
  return into
}

describe('tables of fingerprints, against a dumb twin', () => {
  const cases = [
    ['QHT', 1, 7, 3000, 3000],
    ['QHT', 1, 3, 900, 200],
    ['QHT', 2, 7, 2000, 2000],
    ['QHT', 4, 15, 600, 400],
    ['QHTD', 2, 7, 2000, 300],
    ['QHTD', 3, 7, 500, 500],
    ['QQHTD', 2, 7, 2000, 300],
    ['QQHTD', 4, 15, 600, 600],
  ] as const
  it.each(cases)('%s with k = %i, S = %i on %i elements, window %i', (rule, cells, fingerprints, length, window) => {
    const shape = { rows: 40, cells, fingerprints }
    const stream = { alphabet: 8000, window, length }
    const worlds = Math.ceil(200_000 / length)
    const counted = manyWorlds(rule, shape, stream, worlds)
    const rates = tableRates(rule, shape, stream)
    const positives = counted.falsePositives / counted.unseen
    const negatives = counted.falseNegatives / counted.duplicates
    expect(Math.abs(positives - rates.falsePositive)).toBeLessThan(
      rateTolerance(rates.falsePositive, counted.unseen, CONFIDENCE),
    )
    expect(Math.abs(negatives - rates.falseNegative)).toBeLessThan(
      rateTolerance(rates.falseNegative, counted.duplicates, CONFIDENCE),
    )
  })

  it('lemma 3.6.1 is exact for k = 1, too low for k > 1 while rows fill, and right again when they are full', () => {
    const one = { rows: 100, cells: 1, fingerprints: 7 }
    expect(tableFalsePositive('QHT', one, 150)).toBeCloseTo(thesisFalsePositive(one, 150), 2)
    const four = { rows: 100, cells: 4, fingerprints: 15 }
    expect(tableFalsePositive('QHT', four, 200)).toBeGreaterThan(1.1 * thesisFalsePositive(four, 200))
    expect(tableFalsePositive('QHT', four, 1e6)).toBeCloseTo(thesisFalsePositive(four, 1e6), 6)
    expect(thesisFalsePositiveRate(one, 1e9)).toBeCloseTo(1 / 7, 6)
  })
})

describe('tables of fingerprints, laws', () => {
  const shapes = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 8 }), fc.integer({ min: 2, max: 63 }))
    .map(([rows, cells, fingerprints]) => ({ rows, cells: Math.min(cells, fingerprints), fingerprints }))
  const rules = fc.constantFrom('QHT', 'QHTD', 'QQHTD' as const)

  it('rates are chances, grow with the stream, and end at 1 together (theorem 3.4.1)', () => {
    fc.assert(
      fc.property(rules, shapes, fc.nat(20_000), fc.nat(20_000), (rule, shape, some, more) => {
        const early = tableFalsePositive(rule, shape, some)
        const late = tableFalsePositive(rule, shape, some + more)
        expect(early).toBeGreaterThanOrEqual(0)
        expect(late).toBeLessThanOrEqual(saturatedFalsePositive(rule, shape) + 1e-9)
        expect(late).toBeGreaterThanOrEqual(early - 1e-9)
        const forgotten = tableFalseNegative(rule, shape, Number.POSITIVE_INFINITY)
        expect(forgotten + saturatedFalsePositive(rule, shape)).toBeCloseTo(1, 6)
      }),
      { numRuns: 60 },
    )
  })

  it('one cell per row makes the three the same structure (§3.7.2)', () => {
    fc.assert(
      fc.property(shapes, fc.nat(10_000), (shape, between) => {
        const one = { ...shape, cells: 1 }
        const values = (['QHT', 'QHTD', 'QQHTD'] as const).map(rule => tableFalseNegative(rule, one, between))
        expect(values[1]).toBeCloseTo(values[0]!, 9)
        expect(values[2]).toBeCloseTo(values[0]!, 9)
      }),
    )
  })

  it('the row chain keeps all chances together', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('QHT', 'QHTD' as const),
        shapes,
        fc.double({ min: 0, max: 60, noNaN: true }),
        (rule, shape, hits) => {
          const chain = rowChain(rule, shape)
          const state = chain.insert(chain.pass(chain.empty, hits))
          expect(state.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 9)
          expect(chain.present(state)).toBeCloseTo(1, 9)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('the grid of a filling table and the closed form agree where both hold', () => {
    // Just above and below the length from which rows count as full.
    const shape = { rows: 100, cells: 2, fingerprints: 7 }
    const below = tableRates('QHT', shape, { length: 75_000, window: 500, alphabet: 1e6 })
    const above = tableRates('QHT', shape, { length: 77_000, window: 500, alphabet: 1e6 })
    expect(below.falsePositive).toBeCloseTo(above.falsePositive, 2)
  })

  it('refuses what cannot be, naming parameter, value and what works', () => {
    expect(() => tableShape({ bits: 5, cells: 2, fingerprintBits: 3 })).toThrow('bits is 5: one row takes 6 bits')
    expect(() => tableShape({ bits: 1000, cells: 8, fingerprintBits: 3 })).toThrow('cells is 8')
    expect(() => tableShape({ bits: 1000, cells: 1, fingerprintBits: 1 })).toThrow('fingerprintBits is 1')
    expect(() => tableShape({ bits: Number.NaN, cells: 1, fingerprintBits: 3 })).toThrow('bits is NaN')
    expect(() => tableFalsePositive('QHT', { rows: 0, cells: 1, fingerprints: 3 }, 1)).toThrow('rows is 0')
  })
})

describe('the Streaming Quotient Filter', () => {
  it('collides as often as counting all hashes says', () => {
    for (const [remainderBits, reducedBits] of [
      [2, 1],
      [4, 2],
      [6, 2],
      [7, 0],
    ] as const) {
      const counts = new Map<string, number>()
      for (let hash = 0; hash < 2 ** remainderBits; hash++) {
        const print = `${hash % 2 ** reducedBits}:${hash.toString(2).replaceAll('0', '').length}`
        counts.set(print, (counts.get(print) ?? 0) + 1)
      }
      const shape = { remainderBits, reducedBits }
      const total = 2 ** remainderBits
      const chance = [...counts.values()].reduce((sum, times) => sum + (times / total) ** 2, 0)
      expect(streamingQuotientCollision(shape)).toBeCloseTo(chance, 12)
      expect(streamingQuotientFingerprints(shape)).toBe(counts.size)
    }
  })
  it('has the rates of table 3.4 at 1 Mbit, |Γ| = 2^24, in the published form (rows a power of two)', () => {
    const shape = { rows: 2 ** 18, cells: 1, remainderBits: 2, reducedBits: 1 }
    const rates = streamingQuotientRates(shape, { alphabet: 2 ** 24, length: 150e6 })
    expect(100 * rates.falsePositive).toBeCloseTo(24.6, 1)
    expect(100 * rates.falseNegative).toBeCloseTo(73.67, 1)
  })
  it("is a quarter at r = 2, r' = 1, which the approximation of §3.5 misses", () => {
    const shape = { remainderBits: 2, reducedBits: 1 }
    expect(streamingQuotientCollision(shape)).toBe(0.25)
    expect(thesisStreamingQuotientCollision(shape)).toBeCloseTo(0.199, 3)
  })
  it('refuses shapes whose rates nobody knows', () => {
    const shape = { rows: 10, cells: 2, remainderBits: 4, reducedBits: 1 }
    expect(() => streamingQuotientRates(shape, {})).toThrow('cells is 2')
    expect(() => streamingQuotientCollision({ remainderBits: 2, reducedBits: 2 })).toThrow('reducedBits is 2')
  })

  it('knows that a queue holds an element twice where few share a row', () => {
    const rates = (alphabet: number) => {
      return tableRates('QQHTD', tableShape({ bits: 65_536, cells: 4, fingerprintBits: 4 }), {
        alphabet,
        length: 100_000,
      })
    }
    // Measured at full scale (filters-table-3-3): 21.49 %. With all elements apart it would be 21.63 %.
    expect(100 * rates(2 ** 20).falsePositive).toBeCloseTo(21.49, 1)
    expect(rates(2 ** 20).falsePositive).toBeLessThan(rates(2 ** 22).falsePositive)
  })
})
