import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Counts, measure } from '../../lab/filters/measure.ts'
import { rateTolerance } from '../../lab/statistics.ts'
import { advise, buildFilter, type Choice, FilterError } from './index.ts'

function tried(choice: Choice, bits: number, window: number, alphabet: number): Counts {
  const contenders = [{ name: 'advised', make: (key: Uint8Array) => buildFilter(choice, { key }) }]
  // Rows must have been written often enough to remember what is older than the window.
  const warm = 4 * window + 2 * bits
  return measure({ contenders, alphabet, windows: [window], warm, length: warm + 40_000, seed: 1 }).at('advised')
}

describe('advise', () => {
  it('says when the exact window fits, and takes it', () => {
    const advice = advise({ bits: 100_000, window: 1000, alphabet: 2 ** 20 })
    expect(advice.exactFits).toBe(true)
    expect(advice.choice.structure).toBe('ExactWindow')
    expect(advice.sentence).toContain('never errs')
    expect(buildFilter(advice.choice).bitsUsed).toBeLessThanOrEqual(100_000)
  })

  it('goes from short hashes to rows of many cells to rows of one as the window grows', () => {
    const structure = (window: number) => advise({ bits: 100_000, window }).choice.structure
    expect(structure(1000)).toBe('ShortHashFilter')
    expect(structure(10_000)).toBe('QueuedQuotientHashTableWithDuplicates')
    expect(structure(1_000_000)).toBe('QuotientHashTable')
  })

  it('minds what an error costs', () => {
    const rates = (falsePositive: number, falseNegative: number) =>
      advise({ bits: 10_000, window: 10_000, cost: { falsePositive, falseNegative } }).choice.expected
    expect(rates(100, 1).falsePositive).toBeLessThan(rates(1, 1).falsePositive)
    expect(rates(1, 100).falseNegative).toBeLessThan(rates(1, 1).falseNegative)
  })

  it.each([
    [30_000, 1000],
    [20_000, 2000],
    [20_000, 10_000],
  ])('promises what is measured: %i bits, window %i', (bits, window) => {
    const alphabet = 2 ** 17
    const { choice, others } = advise({ bits, window, alphabet })
    for (const candidate of [choice, ...others]) {
      const ours = tried(candidate, bits, window, alphabet)
      const { falsePositive, falseNegative } = candidate.expected
      const positives = rateTolerance(falsePositive, ours.unseen, 0.9999)
      const negatives = rateTolerance(falseNegative, ours.duplicates, 0.9999)
      expect(Math.abs(ours.falsePositive - falsePositive), candidate.structure).toBeLessThan(positives)
      expect(Math.abs(ours.falseNegative - falseNegative), candidate.structure).toBeLessThan(negatives)
    }
  })

  it('always advises something that can be built within the memory', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200_000 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.option(fc.integer({ min: 2, max: 2 ** 30 }), { nil: undefined }),
        (bits, window, alphabet) => {
          const { choice, others } = advise({ bits, window, alphabet })
          for (const candidate of [choice, ...others]) {
            expect(buildFilter(candidate).bitsUsed).toBeLessThanOrEqual(bits)
            expect(candidate.expected.falsePositive).toBeGreaterThanOrEqual(0)
            expect(candidate.expected.falseNegative).toBeLessThanOrEqual(1)
          }
        },
      ),
      { numRuns: 20 },
    )
  })

  it('refuses what cannot be, naming parameter, value and what works', () => {
    const refused: [Parameters<typeof advise>[0], string][] = [
      [{ bits: 0, window: 10 }, 'bits is 0: a whole number of at least 2 works'],
      [{ bits: Number.NaN, window: 10 }, 'bits is NaN'],
      [{ bits: 2 ** 40, window: 10 }, 'bits is 1099511627776: at most'],
      [{ bits: 100, window: 0 }, 'window is 0: a whole number of at least 1 works'],
      [{ bits: 100, window: -5 }, 'window is -5'],
      [{ bits: 100, window: 1.5 }, 'window is 1.5'],
      [{ bits: 100, window: 10, alphabet: 1 }, 'alphabet is 1'],
      [{ bits: 100, window: 10, cost: { falsePositive: -1, falseNegative: 1 } }, 'cost.falsePositive is -1'],
      [{ bits: 100, window: 10, cost: { falsePositive: 0, falseNegative: 0 } }, 'at least one of them must cost'],
    ]
    for (const [request, sentence] of refused) {
      expect(() => advise(request)).toThrow(FilterError)
      expect(() => advise(request)).toThrow(sentence)
    }
  })
})
