// LECTURE, "Decentralized mutual exclusion": the arithmetic, beside a twin that counts every case.

import { describe, expect, test } from 'vitest'
import { backoffMs, choose, majority, resetsThatBreak, toNumber, violationProbability } from './votes.ts'

/** Tries every set of coordinators that reset, and lets a second process ask all of them. */
function countedViolation(coordinators: number, needed: number, held: number, p: number): number {
  let sum = 0
  for (let resets = 0; resets < 2 ** held; resets++) {
    const votes = Array.from({ length: coordinators }, (_, place) => place < held && ((resets >> place) & 1) === 0)
    const free = votes.filter(vote => !vote).length
    const gone = held - votes.filter(vote => vote).length
    if (free >= needed) sum += p ** gone * (1 - p) ** (held - gone)
  }
  return sum
}

describe('majority', () => {
  test('m > N/2, and no smaller number is', () => {
    for (let n = 1; n <= 100; n++) {
      expect(2 * majority(n)).toBeGreaterThan(n)
      expect(2 * (majority(n) - 1)).toBeLessThanOrEqual(n)
    }
  })
})

describe('violationProbability', () => {
  test('is what counting every case gives', () => {
    for (let n = 1; n <= 9; n++) {
      for (let m = majority(n); m <= n; m++) {
        for (let held = m; held <= n; held++) {
          const exact = toNumber(violationProbability(n, m, { over: 3n, under: 10n }, held))
          expect(exact).toBeCloseTo(countedViolation(n, m, held, 0.3), 12)
        }
      }
    }
  })

  test('f ≥ 2m - N', () => {
    expect(resetsThatBreak(8, 5)).toBe(2)
    expect(resetsThatBreak(32, 24)).toBe(16)
    expect(resetsThatBreak(8, 5, 8)).toBe(5)
  })

  test('certain and impossible resets', () => {
    expect(toNumber(violationProbability(8, 5, { over: 1n, under: 1n }))).toBe(1)
    expect(toNumber(violationProbability(8, 5, { over: 0n, under: 1n }))).toBe(0)
  })
})

describe('choose and toNumber', () => {
  test('known values', () => {
    expect(choose(24, 16)).toBe(735_471n)
    expect(choose(5, 0)).toBe(1n)
    expect(toNumber({ over: 1n, under: 3n })).toBe(1 / 3)
    expect(toNumber({ over: 2n ** 900n, under: 2n ** 901n })).toBe(0.5)
    expect(toNumber({ over: 7n, under: 1n })).toBe(7)
  })
})

describe('backoffMs', () => {
  test('lies between 1 and the range, which doubles up to its limit', () => {
    for (let failed = 0; failed < 40; failed++) {
      const widest = Math.min(500, 4 * 2 ** failed)
      expect(backoffMs(4, failed, 500, () => 0)).toBe(1)
      expect(backoffMs(4, failed, 500, bound => bound - 1)).toBe(widest)
    }
    expect(backoffMs(0.1, 0, 500, bound => bound - 1)).toBe(1)
  })
})
