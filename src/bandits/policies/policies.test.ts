// One suite for every policy: an index is a whole number in its range, whatever an arm has seen.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../core/index.ts'
import { GRID, thompson, ucb1 } from './index.ts'

describe.each([ucb1, thompson])('$name', policy => {
  it('gives whole numbers in its range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 23 }),
        fc.integer({ min: 0, max: 2 ** 23 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (pulls, others, mean) => {
          const sum = Math.floor(mean * pulls * GRID)
          const index = policy.index({ pulls, sum }, pulls + others, seededRandom(pulls).unit)
          return Number.isInteger(index) && index >= 0 && index < 2 ** policy.bits
        },
      ),
    )
  })

  it('gives the same number for the same record and chance', () => {
    const record = { pulls: 41, sum: 17 * GRID }
    const draw = () => policy.index(record, 1_000, seededRandom(3).unit)
    expect(draw()).toBe(draw())
  })

  it('prefers the better of two that were tried equally often', () => {
    const better = (seed: number) =>
      policy.index({ pulls: 500, sum: 400 * GRID }, 1_000, seededRandom(seed).unit) >
      policy.index({ pulls: 500, sum: 100 * GRID }, 1_000, seededRandom(seed + 1_000).unit)
    expect(Array.from({ length: 50 }, (_, seed) => better(seed)).every(Boolean)).toBe(true)
  })
})

it('ucb1 is curious: of two equal means the one that was tried less is larger', () => {
  const index = (pulls: number) => ucb1.index({ pulls, sum: (pulls * GRID) / 2 }, 1_000, () => 0)
  expect(index(10)).toBeGreaterThan(index(11))
  expect(index(499)).toBeGreaterThan(index(500))
})
