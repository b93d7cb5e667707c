// Parameters that cannot work: the sentence names the parameter, the value, and what would work.

import { describe, expect, test } from 'vitest'
import { CoterieError } from '../core/index.ts'
import { mixBytes } from './hashing/unkeyed.ts'
import * as filters from './index.ts'
import { openSnapshot } from './snapshot.ts'

const {
  A2,
  BlockDecayingBloom,
  Bloom,
  CompactShortHashFilter,
  Cuckoo,
  ExactWindow,
  FilterError,
  QueuedQuotientHashTableWithDuplicates,
  QueueOf,
  QuotientHashTable,
  restore,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
} = filters

const qht = { bits: 1000, cells: 1, fingerprintBits: 3 }
const sbf = { bits: 1000, cellBits: 2, hashes: 2, falsePositiveRate: 0.02 }
const sqf = { bits: 1000, cells: 1, remainderBits: 4, reducedBits: 2 }
const queue = {
  bits: 1000,
  window: 100,
  subfilters: 4,
  of: (share: filters.Share) => new Bloom({ ...share, hashes: 2 }),
}

const REFUSED: readonly [string, () => unknown][] = [
  ['cells is 8: fingerprintBits 3 gives 7 fingerprints', () => new QuotientHashTable({ ...qht, cells: 8 })],
  ['cells is 0: it must be a whole number from 1', () => new QuotientHashTable({ ...qht, cells: 0 })],
  ['cells is NaN', () => new QueuedQuotientHashTableWithDuplicates({ ...qht, cells: Number.NaN })],
  ['fingerprintBits is 33: it must be a whole number from 1 to 32', () => new Cuckoo({ ...qht, fingerprintBits: 33 })],
  [
    'bits is 2: one row of 1 cells of 3 bits takes 3, so bits must be at least 3',
    () => new QuotientHashTable({ ...qht, bits: 2 }),
  ],
  ['semiSort is true with cells 1 and fingerprintBits 3', () => new QuotientHashTable({ ...qht, semiSort: true })],
  ['cells is 13: remainderBits 4, reducedBits 2 gives 12', () => new StreamingQuotientFilter({ ...sqf, cells: 13 })],
  [
    'reducedBits is 4: it must be a whole number from 1 to 3',
    () => new StreamingQuotientFilter({ ...sqf, reducedBits: 4 }),
  ],
  ['remainderBits is 17', () => new StreamingQuotientFilter({ ...sqf, remainderBits: 17 })],
  ["form is wrong: it must be 'right' or 'as published'", () => new StableBloom({ ...sbf, form: 'wrong' as never })],
  ['falsePositiveRate is 0: it must lie between 0 and 1', () => new StableBloom({ ...sbf, falsePositiveRate: 0 })],
  ['falsePositiveRate is 1', () => new A2({ bits: 1000, falsePositiveRate: 1 })],
  ['falsePositiveRate is NaN', () => new A2({ bits: 1000, falsePositiveRate: Number.NaN })],
  ['cellBits is 17', () => new StableBloom({ ...sbf, cellBits: 17 })],
  ['bits is 5: 2 hashes and a spare among cells of 2 bits takes 6', () => new StableBloom({ ...sbf, bits: 5 })],
  [
    'bits is 10: with 9 hashes no element fits, so bits must be at least 27',
    () => new A2({ bits: 10, falsePositiveRate: 0.003 }),
  ],
  ['hashes is 65', () => new Bloom({ bits: 1000, hashes: 65 })],
  ['window is 0: it must be a whole number from 1', () => new BlockDecayingBloom({ bits: 1000, window: 0 })],
  ['window is -3', () => new ShortHashFilter({ bits: 1000, window: -3 })],
  [
    'bits is 1000: for a window of 500 not one bit of hash is left',
    () => new ShortHashFilter({ bits: 1000, window: 500 }),
  ],
  ['bits is missing: give bits, or hashBits', () => new ShortHashFilter({ window: 500 })],
  ['hashBits is 65', () => new ShortHashFilter({ window: 500, hashBits: 65 })],
  [
    'window is 500: with hashBits 64 it takes 41000 bits and 1000 are allowed',
    () => new ShortHashFilter({ window: 500, hashBits: 64, bits: 1000 }),
  ],
  [
    'bits is 499: a window of 500 needs a bit of hash per element',
    () => new CompactShortHashFilter({ bits: 499, window: 500 }),
  ],
  ['alphabet or keyBytes must be given', () => new ExactWindow({ window: 5 })],
  ['alphabet or keyBytes must be given', () => new ExactWindow({ window: 5, alphabet: 9, keyBytes: 9 })],
  ['alphabet is 0', () => new ExactWindow({ window: 5, alphabet: 0 })],
  ['keyBytes is 70000', () => new ExactWindow({ window: 5, keyBytes: 70_000 })],
  [
    'window is 100: the exact window takes 3000 bits and 1000 are allowed; use a window of at most 33',
    () => new ExactWindow({ window: 100, alphabet: 65_536, bits: 1000 }),
  ],
  ['subfilters is 0', () => new QueueOf({ ...queue, subfilters: 0 })],
  ['bits is 3: one bit for each of 4 subfilters takes 4', () => new QueueOf({ ...queue, bits: 3 })],
  ['pass on key and hashing', () => new QueueOf({ ...queue, of: ({ bits }) => new Bloom({ bits, hashes: 2 }) })],
  ['pass on bits', () => new QueueOf({ ...queue, of: share => new Bloom({ ...share, bits: 1000, hashes: 2 }) })],
  [
    'of makes ExactWindow, which keeps its own window',
    () =>
      new QueueOf({ ...queue, of: share => new ExactWindow({ ...share, bits: undefined, window: 5, alphabet: 5 }) }),
  ],
]

test.each(REFUSED)('%s', (sentence, make) => {
  expect(make).toThrow(FilterError)
  expect(make).toThrow(sentence)
})

describe('keys that the exact window cannot hold are refused, not shortened', () => {
  test('too long', () => {
    const filter = new ExactWindow({ window: 5, keyBytes: 8 })
    expect(filter.stream('12345678')).toBe('unseen')
    expect(() => filter.stream('123456789')).toThrow('a key has 9 bytes: with keyBytes 8')
  })

  test.each([5, -1, 0.5, '1', 5n])('%s is outside an alphabet of 5', key => {
    expect(() => new ExactWindow({ window: 5, alphabet: 5 }).stream(key)).toThrow(FilterError)
  })

  test('bytes where integers are expected', () => {
    const filter = new ExactWindow({ window: 5, alphabet: 5 })
    expect(() => filter.streamRange(new Uint8Array(4), 0, 4)).toThrow('with alphabet 5 keys are integers')
  })
})

describe('snapshots that are whole and still wrong', () => {
  const key = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)
  const good = new QuotientHashTable({ ...qht, key }).snapshot()

  /** Replaces the description and mends the checksum: what a careless or hostile writer would send. */
  function withDescription(text: string): Uint8Array {
    const { state } = openSnapshot(good)
    const bytes = new Uint8Array(18 + text.length + state.byteLength + 4)
    bytes.set(good.subarray(0, 14))
    const view = new DataView(bytes.buffer)
    view.setUint32(14, text.length, true)
    bytes.set(new TextEncoder().encode(text), 18)
    view.setInt32(bytes.length - 4, mixBytes(bytes, 0, bytes.length - 4, new Int32Array(1)), true)
    return bytes
  }

  test.each([
    ['{"name":"Sieve"}', "it is of a 'Sieve', which is not known here"],
    ['{"name":"toString"}', "it is of a 'toString', which is not known here"],
    ['{"name":7}', 'the description cannot be read'],
    ['{', 'the description cannot be read'],
    ['{"name":"QuotientHashTable","bits":4000000000,"cells":1,"fingerprintBits":3}', 'does not fit its'],
    ['{"name":"ShortHashFilter","window":2000000000,"hashBits":1}', 'does not fit its'],
    ['{"name":"QuotientHashTable","bits":2000,"cells":1,"fingerprintBits":3}', 'the state has'],
    ['{"name":"QuotientHashTable","bits":1000,"cells":9,"fingerprintBits":3}', 'cells is 9'],
    ['{"name":"QuotientHashTable"}', 'fingerprintBits is undefined'],
    ['{"name":"QueueOf","bits":1000,"window":10,"subfilters":2}', 'does not say of what'],
  ])('%s', (text, sentence) => {
    expect(() => restore(withDescription(text), { key })).toThrow(FilterError)
    expect(() => restore(withDescription(text), { key })).toThrow(sentence)
  })

  test.each<[string, () => filters.Filter]>([
    ['ExactWindow', () => new ExactWindow({ window: 20, alphabet: 100, key })],
    ['ShortHashFilter', () => new ShortHashFilter({ window: 20, hashBits: 64, key })],
    ['CompactShortHashFilter', () => new CompactShortHashFilter({ window: 20, bits: 1000, key })],
    ['A2', () => new A2({ bits: 1000, falsePositiveRate: 0.1, key })],
    ['BlockDecayingBloom', () => new BlockDecayingBloom({ bits: 1000, window: 20, key })],
    ['QueueOf', () => new QueueOf({ ...queue, key })],
  ])('a %s whose places and clocks are impossible', (_, make) => {
    const bytes = make().snapshot()
    bytes.fill(0xff, bytes.length - openSnapshot(bytes).state.byteLength - 4, bytes.length - 4)
    const view = new DataView(bytes.buffer)
    view.setInt32(bytes.length - 4, mixBytes(bytes, 0, bytes.length - 4, new Int32Array(1)), true)
    expect(() => restore(bytes, { key })).toThrow('the state cannot have come from such a filter')
  })

  test('foreign bytes, an empty file and a later version', () => {
    expect(() => restore(new Uint8Array(0), { key })).toThrow('not a filter snapshot')
    expect(() => restore(new TextEncoder().encode('GIF89a, thirty bytes of a picture'), { key })).toThrow(
      'not a filter snapshot',
    )
    const later = Uint8Array.from(good)
    later[4] = 2
    expect(() => restore(later, { key })).toThrow('version 2 is not known here, only version 1')
  })
})

test('a refusal is an error of this library, and says that nothing happened', () => {
  const refusal = (() => {
    try {
      return new Bloom({ bits: 0, hashes: 1 })
    } catch (error) {
      return error
    }
  })()
  expect(refusal).toBeInstanceOf(FilterError)
  expect(refusal).toBeInstanceOf(CoterieError)
  expect(refusal).toMatchObject({ name: 'FilterError', outcome: 'did not happen' })
})
