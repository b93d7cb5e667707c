import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../core/random.ts'
import { decrementRun, lowerAll } from './decay.ts'
import { Draws, scale } from './draws.ts'
import { PackedCells } from './packed.ts'
import { SemiSortedRows } from './semi-sorted.ts'
import { WideCells } from './wide-cells.ts'

const operations = (count: number, width: number) =>
  fc.array(fc.tuple(fc.nat(count - 1), fc.bigInt({ min: 0n, max: 2n ** BigInt(width) - 1n })), { maxLength: 60 })

describe('packed cells, beside a plain array', () => {
  test.each(Array.from({ length: 32 }, (_, i) => i + 1))('width %d', width => {
    fc.assert(
      fc.property(operations(40, width), steps => {
        const cells = new PackedCells(40, width)
        const twin = new Array<number>(40).fill(0)
        for (const [at, value] of steps) {
          cells.set(at, Number(value))
          twin[at] = Number(value)
        }
        expect(twin.map((_, at) => cells.get(at))).toEqual(twin)
        expect(cells.bits).toBe(40 * width)
      }),
      { numRuns: 20 },
    )
  })

  test.each([1, 31, 32, 33, 53, 64])('wide cells of %d bits', width => {
    fc.assert(
      fc.property(operations(10, width), steps => {
        const cells = new WideCells(10, width)
        const twin = new Array<bigint>(10).fill(0n)
        for (const [at, value] of steps) {
          cells.set(at, Number(value & 0xffffffffn), Number(value >> 32n))
          twin[at] = value
        }
        expect(twin.map((_, at) => BigInt(cells.low(at)) + (BigInt(cells.high(at)) << 32n))).toEqual(twin)
        expect(cells.bits).toBe(10 * width)
      }),
      { numRuns: 30 },
    )
  })
})

describe('semi-sorted rows (THESIS §3.5.3)', () => {
  test.each([false, true])('answer and evict like four plain cells, in 12 bits (again: %s)', again => {
    const rows = new SemiSortedRows(5)
    const twin = Array.from({ length: 5 }, () => [0, 0, 0, 0])
    const random = seededRandom(1)
    const [draws, twinDraws] = [new Draws(7), new Draws(7)]
    for (let step = 0; step < 5000; step++) {
      const [row, value] = [random.below(5), 1 + random.below(15)]
      const cells = twin[row]!
      const found = cells.includes(value)
      expect(rows.holds(row, value)).toBe(found)
      expect(rows.stream(row, value, draws, again)).toBe(found)
      if (found && !again) continue
      cells[cells.includes(0) ? cells.indexOf(0) : twinDraws.below(4)] = value
      cells.sort((a, b) => b - a)
    }
    for (const [row, cells] of twin.entries())
      for (let value = 1; value < 16; value++) expect(rows.holds(row, value)).toBe(cells.includes(value))
    expect(rows.table.bits).toBe(12 * 5)
  })
})

describe('decay', () => {
  test.each([1, 2, 3, 4, 5, 8, 11, 16])('a run of cells of %d bits loses one each, others nothing', width => {
    const random = seededRandom(width)
    for (let round = 0; round < 100; round++) {
      const count = 1 + random.below(100)
      const cells = new PackedCells(count, width)
      const twin = Array.from({ length: count }, () => random.below(2 ** width))
      for (const [at, value] of twin.entries()) cells.set(at, value)
      const from = random.below(count)
      const length = 1 + random.below(count - from)
      decrementRun(cells, from, length)
      const expected = twin.map((value, at) => (at >= from && at < from + length ? Math.max(0, value - 1) : value))
      expect(twin.map((_, at) => cells.get(at))).toEqual(expected)
    }
  })

  test.each([2, 3, 5, 6, 8, 11, 13, 16, 31])('all cells of %d bits are lowered, down to zero', width => {
    const random = seededRandom(width)
    for (let round = 0; round < 50; round++) {
      const cells = new PackedCells(70, width)
      const twin = Array.from({ length: 70 }, () => random.below(2 ** width))
      for (const [at, value] of twin.entries()) cells.set(at, value)
      const by = 1 + random.below(2 ** (width - 1))
      lowerAll(cells, by)
      expect(twin.map((_, at) => cells.get(at))).toEqual(twin.map(value => Math.max(0, value - by)))
    }
  })
})

describe('draws', () => {
  test('scaling reaches every value below the bound and never the bound', () => {
    for (const bound of [1, 2, 7, 333_333, 2 ** 31, 2 ** 32 - 1, 2 ** 32]) {
      expect(scale(0, bound)).toBe(0)
      expect(scale(-1, bound)).toBe(bound - 1)
    }
  })

  test('are even: chi-square over 7 values below the 0.1 % limit', () => {
    const counts = new Array<number>(7).fill(0)
    const draws = new Draws(42)
    for (let i = 0; i < 70_000; i++) counts[draws.below(7)]!++
    const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)
    expect(chiSquare).toBeLessThan(22.5)
  })
})
