// Every structure once or more, and what it promises: the suite in src/filters runs on each, in Node and in a browser.
// A new structure is one more row.

import {
  A2,
  BlockDecayingBloom,
  Bloom,
  CompactShortHashFilter,
  Cuckoo,
  ExactWindow,
  type Filter,
  type HashOptions,
  QueuedQuotientHashTableWithDuplicates,
  QueueOf,
  QuotientHashTable,
  QuotientHashTableWithDuplicates,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
} from '../../src/filters/index.ts'

export interface FilterCase {
  readonly name: string
  /** A filter within this many bits. */
  make(bits: number, hash: HashOptions): Filter
  /** Sizes that work for it; odd ones among them. */
  readonly sizes: readonly number[]
  /** Whether an element is certain to be found right after its insertion. */
  readonly foundAtOnce: boolean
  /** At `sizes[0]`: among this many elements before it, an equal one is never missed. 0: no promise. */
  readonly neverMissed: number
  /** Neither misses nor invents, as far as a test can see. */
  readonly exact?: boolean
}

export const FILTER_KEY = Uint8Array.of(8, 7, 6, 5, 4, 3, 2, 1)

const lossy = { sizes: [4096, 1000, 7919], foundAtOnce: true, neverMissed: 0 } as const

export const FILTER_CASES: readonly FilterCase[] = [
  {
    ...lossy,
    name: 'QuotientHashTable k=1 s=3',
    make: (bits, hash) => new QuotientHashTable({ bits, cells: 1, fingerprintBits: 3, ...hash }),
  },
  {
    ...lossy,
    name: 'QuotientHashTable k=16 s=6',
    make: (bits, hash) => new QuotientHashTable({ bits, cells: 16, fingerprintBits: 6, ...hash }),
  },
  {
    ...lossy,
    name: 'QuotientHashTable semi-sorted',
    make: (bits, hash) => new QuotientHashTable({ bits, cells: 4, fingerprintBits: 4, semiSort: true, ...hash }),
  },
  {
    ...lossy,
    name: 'QuotientHashTableWithDuplicates',
    make: (bits, hash) => new QuotientHashTableWithDuplicates({ bits, cells: 2, fingerprintBits: 5, ...hash }),
  },
  {
    ...lossy,
    name: 'QueuedQuotientHashTableWithDuplicates',
    make: (bits, hash) => new QueuedQuotientHashTableWithDuplicates({ bits, cells: 4, fingerprintBits: 4, ...hash }),
  },
  {
    ...lossy,
    name: 'StreamingQuotientFilter',
    make: (bits, hash) => new StreamingQuotientFilter({ bits, cells: 2, remainderBits: 4, reducedBits: 2, ...hash }),
  },
  {
    ...lossy,
    name: 'Bloom',
    neverMissed: Number.POSITIVE_INFINITY,
    make: (bits, hash) => new Bloom({ bits, hashes: 3, ...hash }),
  },
  {
    ...lossy,
    name: 'A2',
    // Half of 4,096 bits, 6 hashes: ⌊2048 · ln 2 / 6⌋ insertions per buffer.
    neverMissed: 236,
    make: (bits, hash) => new A2({ bits, falsePositiveRate: 0.02, ...hash }),
  },
  {
    ...lossy,
    name: 'StableBloom',
    make: (bits, hash) => new StableBloom({ bits, cellBits: 3, hashes: 2, falsePositiveRate: 0.05, ...hash }),
  },
  {
    ...lossy,
    name: 'BlockDecayingBloom',
    neverMissed: 100,
    make: (bits, hash) => new BlockDecayingBloom({ bits, window: 100, ...hash }),
  },
  {
    ...lossy,
    name: 'Cuckoo',
    foundAtOnce: false,
    make: (bits, hash) => new Cuckoo({ bits, cells: 2, fingerprintBits: 7, ...hash }),
  },
  {
    ...lossy,
    name: 'ShortHashFilter from bits',
    neverMissed: 50,
    make: (bits, hash) => new ShortHashFilter({ bits, window: 50, ...hash }),
  },
  {
    name: 'ShortHashFilter with 64-bit hashes',
    sizes: [4096, 6001],
    foundAtOnce: true,
    neverMissed: 50,
    exact: true,
    make: (bits, hash) => new ShortHashFilter({ bits, window: 50, hashBits: 64, ...hash }),
  },
  {
    name: 'CompactShortHashFilter',
    sizes: [4096, 3901],
    foundAtOnce: true,
    neverMissed: 60,
    exact: true,
    make: (bits, hash) => new CompactShortHashFilter({ bits, window: 60, ...hash }),
  },
  {
    name: 'ExactWindow',
    sizes: [20_000, 14_321],
    foundAtOnce: true,
    neverMissed: 40,
    exact: true,
    make: (bits, hash) => new ExactWindow({ bits, window: 40, keyBytes: 40, ...hash }),
  },
  {
    ...lossy,
    name: 'QueueOf QuotientHashTable',
    make: (bits, hash) =>
      new QueueOf({
        bits,
        window: 100,
        subfilters: 5,
        of: share => new QuotientHashTable({ ...share, cells: 2, fingerprintBits: 4 }),
        ...hash,
      }),
    // One of the five is emptied as soon as it is full, with the element just put into the one before it still there.
  },
  {
    ...lossy,
    name: 'QueueOf Bloom',
    neverMissed: 80,
    make: (bits, hash) =>
      new QueueOf({ bits, window: 100, subfilters: 5, of: share => new Bloom({ ...share, hashes: 4 }), ...hash }),
  },
]
