// What the thesis reports about single structures, measured here at a small scale on streams of distinct elements:
// every `duplicate` is then a false positive. Tolerances are four standard deviations of a binomial.

import { describe, expect, test } from 'vitest'
import {
  A2,
  BlockDecayingBloom,
  Bloom,
  Cuckoo,
  ExactWindow,
  exactWindowBits,
  type Filter,
  QueuedQuotientHashTableWithDuplicates,
  QueueOf,
  QuotientHashTable,
  QuotientHashTableWithDuplicates,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
} from '../index.ts'

const KEY = Uint8Array.of(3, 1, 4, 1, 5, 9, 2, 6)
const COUNT = 60_000

/** Share of duplicates among COUNT new elements, after as many to fill the filter. */
function falsePositives(filter: Filter): number {
  let wrong = 0
  for (let i = 0; i < COUNT; i++) filter.stream(i)
  for (let i = 0; i < COUNT; i++) if (filter.stream(COUNT + i) === 'duplicate') wrong++
  return wrong / COUNT
}

function expectRate(measured: number, expected: number): void {
  expect(Math.abs(measured - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / COUNT))
}

describe('saturated quotient tables', () => {
  test.each([
    [1, 3],
    [2, 3],
    [4, 4],
  ])('QHT k=%d s=%d: k / S with S = 2^s - 1 (§3.6.1, §3.5.2)', (cells, fingerprintBits) => {
    const rate = falsePositives(new QuotientHashTable({ bits: 10_000, cells, fingerprintBits, key: KEY }))
    expectRate(rate, cells / (2 ** fingerprintBits - 1))
  })

  test('semi-sorting changes the memory and not the rate (§3.5.3)', () => {
    const options = { bits: 12_000, cells: 4, fingerprintBits: 4, key: KEY }
    const sorted = new QuotientHashTable({ ...options, semiSort: true })
    expect(sorted.rows).toBe(1000)
    expect(new QuotientHashTable(options).rows).toBe(750)
    expectRate(falsePositives(sorted), 4 / 15)
  })

  test('QHTD: 1 - (1 - 1/S)^k (§3.7.1)', () => {
    const filter = new QuotientHashTableWithDuplicates({ bits: 10_000, cells: 3, fingerprintBits: 3, key: KEY })
    expectRate(falsePositives(filter), 1 - (6 / 7) ** 3)
  })

  test('QQHTD with one cell answers like a QHT (§3.7.2)', () => {
    const options = { bits: 3000, cells: 1, fingerprintBits: 3, key: KEY }
    const [queued, plain] = [new QueuedQuotientHashTableWithDuplicates(options), new QuotientHashTable(options)]
    for (let i = 0; i < 20_000; i++) expect(queued.stream((i * i) % 4099)).toBe(plain.stream((i * i) % 4099))
  })

  test('QQHTD forgets an element when k others have come to its row, and no sooner', () => {
    const filter = new QueuedQuotientHashTableWithDuplicates({ bits: 96, cells: 3, fingerprintBits: 32, key: KEY })
    expect(filter.rows).toBe(1)
    for (const key of ['a', 'b', 'c']) filter.stream(key)
    expect(filter.detect('a')).toBe(true)
    filter.stream('d')
    expect(filter.detect('a')).toBe(false)
    expect(['b', 'c', 'd'].map(key => filter.detect(key))).toEqual([true, true, true])
  })

  test('SQF r=2 r’=1: four fingerprints in three bits, so one false positive in four (§3.2.2)', () => {
    const options = { bits: 10_000, cells: 1, remainderBits: 2, reducedBits: 1, key: KEY }
    const filter = new StreamingQuotientFilter(options)
    expect([filter.fingerprints, filter.fingerprintBits, filter.rows]).toEqual([4, 3, 3333])
    expect(new StreamingQuotientFilter({ ...options, form: 'as published' }).rows).toBe(2048)
    expectRate(falsePositives(filter), 1 / 4)
  })

  test('SQF with all fingerprints in the row calls everything a duplicate (§3.5)', () => {
    const filter = new StreamingQuotientFilter({ bits: 1200, cells: 4, remainderBits: 2, reducedBits: 1, key: KEY })
    expect(falsePositives(filter)).toBe(1)
  })
})

describe('baselines, right and as published (readings FILTERS 7, table 3.4)', () => {
  test('Stable Bloom: AND settles at the 2 % asked for, OR at 26 %', () => {
    const options = { bits: 10_000, cellBits: 2, hashes: 2, falsePositiveRate: 0.02, key: KEY }
    const right = falsePositives(new StableBloom(options))
    expect(right).toBeGreaterThan(0.01)
    expect(right).toBeLessThan(0.025)
    const published = falsePositives(new StableBloom({ ...options, form: 'as published' }))
    expect(published).toBeGreaterThan(0.25)
    expect(published).toBeLessThan(0.28)
  })

  test('A2: below the 10 % asked for with log2, 38 % with ln', () => {
    const options = { bits: 10_000, falsePositiveRate: 0.1, key: KEY }
    expect(new A2(options).hashes).toBe(4)
    expect(falsePositives(new A2(options))).toBeLessThan(0.1)
    const published = new A2({ ...options, form: 'as published' })
    expect(published.hashes).toBe(2)
    expect(Math.abs(falsePositives(published) - 0.38)).toBeLessThan(0.01)
  })

  test('Cuckoo: all of the memory, or a fifth; 26.5 %, or 28.5 %', () => {
    const options = { bits: 1_000_000, cells: 1, fingerprintBits: 3, key: KEY }
    expect(new Cuckoo(options).bitsUsed).toBe(999_999)
    expect(new Cuckoo({ ...options, form: 'as published' }).bitsUsed).toBe(3 * 65_536)
    const right = falsePositives(new Cuckoo({ ...options, bits: 10_000 }))
    expect(Math.abs(right - (1 - (6 / 7) ** 2))).toBeLessThan(0.015)
    const published = falsePositives(new Cuckoo({ ...options, bits: 10_000, form: 'as published' }))
    expect(Math.abs(published - 0.285)).toBeLessThan(0.015)
  })

  test('b_DBF: as published everything is a duplicate for one block in each turn of the clock', () => {
    const options = { bits: 100_000, window: 600, key: KEY }
    const right = new BlockDecayingBloom(options)
    expect([right.cellBits, right.hashes, right.block]).toEqual([11, 11, 1])
    expect(falsePositives(right)).toBeLessThan(0.001)
    expect(falsePositives(new BlockDecayingBloom({ ...options, form: 'as published' }))).toBeGreaterThan(0.0005)
  })

  test('b_DBF forgets: after twice the window nothing is left', () => {
    const filter = new BlockDecayingBloom({ bits: 100_000, window: 600, key: KEY })
    filter.stream('old')
    for (let i = 0; i < 1200; i++) filter.stream(i)
    expect(filter.detect('old')).toBe(false)
  })

  test('Bloom has the textbook rate: (1 - e^(-Kn/M))^K', () => {
    const filter = new Bloom({ bits: 400_000, hashes: 4, key: KEY })
    for (let i = 0; i < COUNT; i++) filter.insert(i)
    let wrong = 0
    for (let i = 0; i < COUNT; i++) if (filter.detect(COUNT + i)) wrong++
    expectRate(wrong / COUNT, (1 - Math.exp((-4 * COUNT) / 400_000)) ** 4)
    expect(Bloom.bestHashes(400_000, COUNT)).toBe(5)
  })
})

describe('windows (chapter 4)', () => {
  test('the exact window takes less than theorem 4.3.1 allows, for keys wider than positions', () => {
    for (const window of [10, 1000, 100_000])
      for (const alphabet of [2 ** 24, 2 ** 40, 2 ** 53 - 1]) {
        const theorem = window * (Math.log2(window) + 2 * Math.log2(alphabet))
        expect(exactWindowBits(window, { alphabet })).toBeLessThanOrEqual(theorem)
      }
    expect(new ExactWindow({ window: 77, alphabet: 5000 }).bitsUsed).toBe(exactWindowBits(77, { alphabet: 5000 }))
    expect(new ExactWindow({ window: 77, keyBytes: 33 }).bitsUsed).toBe(exactWindowBits(77, { keyBytes: 33 }))
  })

  test.each([1, 2, 300, 2 ** 33])('the exact window over an alphabet of %d agrees with a list', alphabet => {
    const filter = new ExactWindow({ window: 20, alphabet, key: KEY })
    const past: number[] = []
    for (let i = 0; i < 4000; i++) {
      const key = ((i % 50) * (i % 7) * 7919 * 65_537) % alphabet
      expect(filter.stream(key)).toBe(past.slice(-20).includes(key) ? 'duplicate' : 'unseen')
      past.push(key)
    }
  })

  test('the hash of an SHF has ⌊M/2w - ½ log2 w⌋ bits (algorithm 5), and collides as theorem 4.3.3 says', () => {
    const filter = new ShortHashFilter({ bits: 100_000, window: 2048, key: KEY })
    expect(filter.hashBits).toBe(Math.floor(100_000 / 4096 - 5.5))
    expectRate(falsePositives(filter), 1 - (1 - 2 ** -18) ** 2048)
  })

  test('a queue of L subfilters covers between c(L - 1) and cL elements (§4.5.2)', () => {
    const make = (share: { bits: number }) => new Bloom({ ...share, hashes: 20 })
    for (let extra = 0; extra < 25; extra++) {
      const filter = new QueueOf({ bits: 1_000_000, window: 100, subfilters: 4, of: make, key: KEY })
      expect(filter.insertionsEach).toBe(25)
      for (let i = 0; i < extra; i++) filter.stream(`before ${i}`)
      filter.stream('it')
      let lived = 0
      while (filter.detect('it')) filter.stream(lived++)
      expect(lived).toBeGreaterThanOrEqual(75)
      expect(lived).toBeLessThanOrEqual(100)
    }
  })
})
