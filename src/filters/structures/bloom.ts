// Bloom filter (Bloom 1970), THESIS §3.2.1: the ancestor.
//
// K bits per element, set on insertion; all set means duplicate. No false negative, ever. But bits are never cleared:
// on an endless stream every element becomes a duplicate. Use it for a known number of elements, or inside QueueOf.

import { bitField, holdsAll, setAll } from '../cells/bloom-bits.ts'
import type { HashOptions, Key, Verdict } from '../filter.ts'
import { filterOptions, HASH_NAMES, HASHES_MAX, requireBits, requireInteger } from '../refusals.ts'
import { HashedFilter } from './hashed-filter.ts'

/** What a Bloom filter is made with. */
export interface BloomOptions extends HashOptions {
  readonly bits: number
  /** Bits per element: K. */
  readonly hashes: number
}

const checkOptions = filterOptions<BloomOptions>({ bits: true, hashes: true, ...HASH_NAMES })

/** Bloom's filter: it forgets nothing, and fills up. */
export class Bloom extends HashedFilter {
  readonly name = 'Bloom'
  readonly options
  readonly bitsUsed: number
  readonly hashes: number
  private readonly field: Int32Array

  constructor(options: BloomOptions) {
    super(checkOptions('Bloom', options))
    const { bits, hashes } = options
    this.hashes = requireInteger('hashes', hashes, 1, HASHES_MAX)
    this.bitsUsed = requireBits(bits, hashes, `one element with ${hashes} hashes`)
    this.field = bitField(bits)
    this.options = { bits, hashes }
  }

  /** The number of hashes with the fewest false positives once `capacity` elements are in. */
  static bestHashes(bits: number, capacity: number): number {
    return Math.min(HASHES_MAX, Math.max(1, Math.round((bits / capacity) * Math.LN2)))
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    if (holdsAll(this.field, this.bitsUsed, this.hashes, one, two)) return true
    setAll(this.field, this.bitsUsed, this.hashes, one, two)
    return false
  }

  detectWords(one: number, two: number): boolean {
    return holdsAll(this.field, this.bitsUsed, this.hashes, one, two)
  }

  insertWords(one: number, two: number): void {
    setAll(this.field, this.bitsUsed, this.hashes, one, two)
  }

  parts(): readonly Int32Array[] {
    return [this.field]
  }

  clear(): void {
    this.field.fill(0)
  }
}
