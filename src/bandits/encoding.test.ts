// Comparison without a number: right for all numbers, and the comparator's view is the same whatever the numbers are.

import { createCipheriv, createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BlockFunction, compareTags, TAG_BYTES, tagsOf, tieRanks } from './encoding.ts'
import { comparatorView } from './proof/index.ts'

function blocksBy(key: string): BlockFunction {
  const secret = createHash('sha256').update(key).digest()
  return blocks => {
    const cipher = createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false)
    return new Uint8Array(cipher.update(blocks))
  }
}
const prf = blocksBy('arms')
const at = { all: 70_000, attempt: 3 }

function ranksOf(values: readonly number[], bits: number, key = prf) {
  const shape = { slots: values.length, bits }
  return compareTags(
    values.map((value, slot) => tagsOf(value, slot, shape, at, key)),
    bits,
  )
}

it('orders any distinct numbers, of up to 53 bits', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 53 - 1 }), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(numbers, values => {
      const sorted = [...values].sort((a, b) => a - b)
      expect(ranksOf(values, 53)).toEqual({ ranks: values.map(value => sorted.indexOf(value)) })
    }),
  )
})

it('orders neighbours at every place where a carry may go wrong', () => {
  for (let place = 0; place < 44; place++) {
    const value = 2 ** place
    for (const other of [value - 1, value + 1]) {
      if (other === value || other >= 2 ** 44) continue
      const expected = value > other ? [1, 0] : [0, 1]
      expect(ranksOf([value, other], 44)).toEqual({ ranks: expected })
      expect(ranksOf([other, value], 44)).toEqual({ ranks: expected.toReversed() })
    }
  }
})

it('equal numbers agree nowhere: the right one counts as larger', () => {
  expect(ranksOf([5, 5], 8)).toEqual({ ranks: [0, 1] })
})

it('lists under another key, of another attempt or round agree nowhere', () => {
  const shape = { slots: 2, bits: 44 }
  const mine = tagsOf(1_000, 0, shape, at, prf)
  const others = [
    tagsOf(5, 1, shape, at, blocksBy('strangers')),
    tagsOf(5, 1, shape, { ...at, attempt: 4 }, prf),
    tagsOf(5, 1, shape, { ...at, all: 70_001 }, prf),
  ]
  for (const other of others) expect(compareTags([mine, other], 44)).toEqual({ ranks: [0, 1] })
  expect(compareTags([mine, tagsOf(5, 1, shape, at, prf)], 44)).toEqual({ ranks: [1, 0] })
})

it('an arm that answers each neighbour differently is refused', () => {
  const shape = { slots: 3, bits: 8 }
  const [low, high] = [tagsOf(1, 0, shape, at, prf), tagsOf(200, 0, shape, at, prf)]
  // Towards slot 1 it is small, towards slot 2 large. Where slot 2 is larger than slot 1, that is a circle.
  const lying = new Uint8Array([...low.subarray(0, 8 * TAG_BYTES), ...high.subarray(8 * TAG_BYTES)])
  const circle = [lying, tagsOf(50, 1, shape, at, prf), tagsOf(100, 2, shape, at, prf)]
  expect(compareTags(circle, 8)).toEqual({ refusal: 'the lists are in no order' })
  // The other way round it is a number between the two, as far as anybody can tell.
  const order = [lying, tagsOf(100, 1, shape, at, prf), tagsOf(50, 2, shape, at, prf)]
  expect(compareTags(order, 8)).toEqual({ ranks: [1, 2, 0] })
  const copied = tagsOf(50, 1, shape, at, prf)
  expect(compareTags([copied, copied, copied].map(list => list.slice(0, 8 * TAG_BYTES)).slice(0, 2), 8)).toEqual({
    refusal: 'slots 0 and 1 agree at 8 places',
  })
})

it('ties are ordered by a permutation of the arms, another for each number of pulls', () => {
  for (const arms of [2, 3, 10, 32]) {
    expect([...tieRanks(arms, 99, prf)].sort((a, b) => a - b)).toEqual(Array.from({ length: arms }, (_, rank) => rank))
  }
  expect(tieRanks(10, 99, prf)).toEqual(tieRanks(10, 99, prf))
  const seen = new Set(Array.from({ length: 200 }, (_, all) => tieRanks(4, all, prf).join()))
  expect(seen.size).toBe(24)
})

// What the comparator sees of a round: who wins, the whole order, and the place at which two lists agree. Slots are drawn
// anew each time, as the shuffler does. Far, near and tied indices must look alike. 99.9 % points of chi-square: 3 degrees
// 16.3, 23 degrees 49.7, 43 degrees 77.4.
describe("the comparator's view", () => {
  const ROUNDS = 3_000
  const bits = 44
  const far = [2 ** 35, 2 ** 20, 7, 2 ** 30]
  const near = [1_000, 1_001, 1_002, 1_003]
  const tied = [500, 500, 500, 500]

  it.each([
    ['far', far],
    ['near', near],
    ['tied', tied],
  ])('of %s indices is uniform', (_, indices) => {
    const seen = view(indices, bits, (arm, _slot, all) => tieRanks(4, all, prf)[arm]!)
    expect(seen.winner).toBeLessThan(16.3)
    expect(seen.order).toBeLessThan(49.7)
    expect(seen.place).toBeLessThan(77.4)
  })

  it('shows ties where they are broken by slot', () => {
    expect(view(tied, bits, (_arm, slot) => slot).order).toBeGreaterThan(1_000)
  })

  it('shows the place where lists are not rotated', () => {
    const still: BlockFunction = blocks => {
      const drawn = prf(blocks)
      for (let start = 0; start < blocks.length; start += 16) if (blocks[start] === 3) drawn.fill(0, start, start + 16)
      return drawn
    }
    expect(view(near, bits, (arm, _slot, all) => tieRanks(4, all, prf)[arm]!, still).place).toBeGreaterThan(1_000)
  })

  function view(
    indices: readonly number[],
    width: number,
    ties: (arm: number, slot: number, all: number) => number,
    key = prf,
  ) {
    return comparatorView({ indices, bits: width, rounds: ROUNDS, seed: 11, key, ties })
  }
})
