// From a snapshot back to a filter that goes on exactly where the other stopped.
// A new structure is one line in the table below.

import type { Filter, HashOptions, SnapshotOptions } from './filter.ts'
import type { KeyHash } from './hashing/key-hash.ts'
import { FilterError } from './refusals.ts'
import { loadParts, openSnapshot } from './snapshot.ts'
import { A2 } from './structures/a2.ts'
import { BlockDecayingBloom } from './structures/block-decaying-bloom.ts'
import { Bloom } from './structures/bloom.ts'
import { CompactShortHashFilter } from './structures/compact-short-hash-filter.ts'
import { Cuckoo } from './structures/cuckoo.ts'
import { ExactWindow } from './structures/exact-window.ts'
import { QuotientHashTableWithDuplicates } from './structures/qhtd.ts'
import { QueuedQuotientHashTableWithDuplicates } from './structures/qqhtd.ts'
import { QueueOf, type Share } from './structures/queue-of.ts'
import { QuotientHashTable } from './structures/quotient-hash-table.ts'
import { ShortHashFilter } from './structures/short-hash-filter.ts'
import { StableBloom } from './structures/stable-bloom.ts'
import { StreamingQuotientFilter } from './structures/streaming-quotient-filter.ts'

interface Restorable extends Filter {
  readonly hash: KeyHash
  parts(): readonly Int32Array[]
  isSound(): boolean
}

/** The options come out of a file: constructors check them like anybody's. */
type Maker = new (options: never) => Restorable

const MAKERS: Readonly<Record<string, Maker>> = {
  A2,
  BlockDecayingBloom,
  Bloom,
  CompactShortHashFilter,
  Cuckoo,
  ExactWindow,
  QueuedQuotientHashTableWithDuplicates,
  QuotientHashTable,
  QuotientHashTableWithDuplicates,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
}

/** A description may ask for far more memory than its state has; every structure keeps most of its `bits` as state. */
const BITS_PER_STATE_BYTE_MAX = 64
const BITS_SPARE = 65_536

/** `key` is the one the filter had; a filter that drew its own secret cannot be restored, so pass one at the start. */
export function restore(snapshot: Uint8Array, { key }: Pick<HashOptions, 'key'> = {}): Filter {
  const { name, options, keyed, tag, state } = openSnapshot(snapshot)
  if (keyed && key === undefined)
    throw new FilterError('key is missing: the snapshot is of a keyed filter, pass its key')
  requireModest(options, state.byteLength)
  const filter = make(name, options, keyed ? { key } : { hashing: 'unkeyed' })
  if (filter.hash.tag[0] !== tag[0] || filter.hash.tag[1] !== tag[1])
    throw new FilterError('key is not the one this snapshot was made with: pass the same key')
  loadParts(state, filter.parts())
  if (!filter.isSound()) throw new FilterError('snapshot: the state cannot have come from such a filter')
  return filter
}

function make(name: string, options: SnapshotOptions, hashing: HashOptions): Restorable {
  if (name === 'QueueOf') return makeQueue(options, hashing)
  const Structure = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined
  if (Structure === undefined) throw new FilterError(`snapshot: it is of a '${name}', which is not known here`)
  return new Structure({ ...options, ...hashing } as never)
}

function makeQueue(options: SnapshotOptions, hashing: HashOptions): QueueOf {
  const { of, ...rest } = options
  if (typeof of !== 'object' || typeof of.name !== 'string')
    throw new FilterError('snapshot: it is of a queue and does not say of what')
  const { name, ...inner } = of
  const makeOne = (share: Share) => make(name, { ...inner, bits: share.bits }, hashing)
  return new QueueOf({ ...rest, ...hashing, of: makeOne } as never)
}

function requireModest(options: SnapshotOptions, stateBytes: number): void {
  const most = stateBytes * BITS_PER_STATE_BYTE_MAX + BITS_SPARE
  const keepsEachElement = 'hashBits' in options || 'alphabet' in options || 'keyBytes' in options
  for (const name of keepsEachElement ? ['bits', 'window'] : ['bits']) {
    const asked = options[name]
    if (typeof asked === 'number' && asked > most)
      throw new FilterError(`snapshot: ${name} ${asked} does not fit its ${stateBytes} bytes of state`)
  }
}
