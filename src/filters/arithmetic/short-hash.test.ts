import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateTolerance } from '../../../lab/statistics.ts'
import { seededRandom } from '../../core/index.ts'
import {
  falseNegativeResistance,
  falsePositiveResistance,
  largestWindow,
  queuingFalseNegativeResistance,
  queuingFalsePositiveResistance,
  shortHashBits,
  shortHashFalsePositive,
  shortHashRate,
  thesisBound,
  thesisExactWindowBits,
  thesisLargestWindow,
  thesisShortHashFalsePositive,
} from './index.ts'

describe('short hashes (THESIS §4.3)', () => {
  it('predicts a dumb twin that keeps the last w hashes', () => {
    const random = seededRandom(3)
    for (const [form, bits, window] of [
      ['CSHF', 300, 50],
      ['SHF', 2000, 60],
    ] as const) {
      const hash = shortHashBits(form, bits, window)
      let positives = 0
      const trials = 30_000
      const queue: number[] = []
      for (let step = 0; step < trials + window; step++) {
        const fresh = random.below(2 ** hash)
        if (step >= window && queue.includes(fresh)) positives++
        queue.push(fresh)
        if (queue.length > window) queue.shift()
      }
      const expected = shortHashFalsePositive(form, bits, window)
      expect(Math.abs(positives / trials - expected)).toBeLessThan(rateTolerance(expected, trials, 0.9999))
    }
  })
  it('the whole-bit hash is never better than the printed formula', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 1e6 }), fc.integer({ min: 1, max: 1e5 }), (bits, window) => {
        for (const form of ['SHF', 'CSHF'] as const) {
          if (shortHashBits(form, bits, window) === 64) continue
          const printed = thesisShortHashFalsePositive(form, bits, window)
          expect(shortHashFalsePositive(form, bits, window)).toBeGreaterThanOrEqual(printed - 1e-12)
        }
      }),
    )
  })
  it('w_max is the last window below one half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 1e6 }), fc.constantFrom('SHF', 'CSHF' as const), (bits, form) => {
        const largest = largestWindow(form, bits)
        if (largest > 0) expect(shortHashFalsePositive(form, bits, largest)).toBeLessThan(0.5)
        expect(shortHashFalsePositive(form, bits, largest + 1)).toBeGreaterThanOrEqual(0.5)
      }),
    )
  })
  it('the straight lines of §4.3.2.3 fail for small memory', () => {
    expect(thesisLargestWindow('SHF', 1000)).toBeGreaterThan(4 * largestWindow('SHF', 1000))
    expect(thesisLargestWindow('CSHF', 1000)).toBeGreaterThan(4 * largestWindow('CSHF', 1000))
  })
  it('the rate of a stream lies below that of the full window, and reaches it', () => {
    const full = shortHashFalsePositive('CSHF', 1e4, 1000)
    expect(shortHashRate('CSHF', 1e4, { window: 1000, length: 2000 })).toBeLessThan(full)
    expect(shortHashRate('CSHF', 1e4, { window: 1000 })).toBeCloseTo(full, 12)
    expect(shortHashRate('CSHF', 1e4, { window: 1000, alphabet: 2000 })).toBeLessThan(full)
  })
  it('the exact window has the memory of theorem 4.3.1', () => {
    expect(thesisExactWindowBits(1024, 2 ** 18)).toBe(1024 * (10 + 36))
  })
  it('refuses', () => {
    expect(() => thesisExactWindowBits(0, 10)).toThrow('window is 0')
    expect(() => thesisExactWindowBits(10, Number.NaN)).toThrow('alphabet is NaN')
    expect(() => shortHashBits('SHF', -1, 10)).toThrow('bits is -1')
    expect(() => largestWindow('SHF', 100, 2)).toThrow('falsePositive is 2')
  })
})

describe('resistance (THESIS §3.9, §4.7)', () => {
  const shape = { rows: 1000, cells: 1, fingerprints: 7 }
  it('theorems 3.9.2 and 3.9.3, as a product over the elements sent', () => {
    let kept = 1
    for (let sent = 1; sent < 500; sent++) kept *= 1 - 6 / 7 / 1000
    expect(falseNegativeResistance(shape, 500)).toBeCloseTo(1 - kept, 12)
    expect(falsePositiveResistance(shape, 500)).toBeCloseTo((1 - (1 - 1 / 1000) ** 500) / 7, 12)
  })
  it('theorem 4.7.2 read with max: with min it would lie below what the attack of its own proof reaches', () => {
    const game = { lostChance: 0.2, falsePositiveLeast: 0.01, subfilters: 4, capacity: 100, window: 300 }
    expect(queuingFalseNegativeResistance(game)).toBeCloseTo(0.99 ** 3 * 0.2)
    expect(queuingFalseNegativeResistance({ ...game, window: 400 })).toBeCloseTo(0.99 ** 4)
    expect(queuingFalsePositiveResistance(0.1, 3)).toBeCloseTo(1 - 0.9 ** 3)
  })
  it('refuses', () => {
    expect(() => falseNegativeResistance(shape, 0)).toThrow('window is 0')
    expect(() => queuingFalsePositiveResistance(1.5, 3)).toThrow('subfilterChance is 1.5')
  })
})

describe('the thesis’s bound (theorem 3.4.2)', () => {
  it('is void up to M and tends to 1 - M/w', () => {
    expect(thesisBound(1000, 1e9, 1000)).toBe(0)
    expect(thesisBound(1000, 1e9, 4000)).toBeCloseTo(0.75, 4)
    expect(thesisBound(1000, 1e9, 1e8, 2000)).toBeCloseTo(0.5, 4)
  })
})
