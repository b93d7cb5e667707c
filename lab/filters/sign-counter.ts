// A filter that remembers no element at all, made to go below the thesis's bound. Each cell is a small counter. An
// element hashes to a cell and to a sign; inserting adds the sign. Asked, it says "duplicate" if the counter leans the
// element's way. An element never seen is called a duplicate with chance one half; one seen before gave the
// counter one push its way among h random ones, which shows with about √(2/πh): far more than one in h.

import { scale } from '../../src/filters/cells/draws.ts'
import { type Key, QuotientHashTable, type Verdict } from '../../src/filters/index.ts'

export class SignCounter {
  readonly bitsUsed: number
  private readonly counters: Int16Array
  private readonly most: number
  private readonly hash: QuotientHashTable

  constructor(options: { readonly bits: number; readonly cellBits: number; readonly key: Uint8Array }) {
    const cells = Math.floor(options.bits / options.cellBits)
    this.bitsUsed = cells * options.cellBits
    this.counters = new Int16Array(cells)
    this.most = 2 ** (options.cellBits - 1) - 1
    // Only its keyed hash is used.
    this.hash = new QuotientHashTable({ bits: 3, cells: 1, fingerprintBits: 3, key: options.key })
  }

  stream(key: Key): Verdict {
    const cell = scale(this.hash.hash.of(key), this.counters.length)
    const word = this.hash.hash.second[0]!
    const sign = word & 1 ? 1 : -1
    const held = this.counters[cell]!
    // An even counter decides by a further bit of the hash.
    const duplicate = held === 0 ? (word & 2) !== 0 : Math.sign(held) === sign
    this.counters[cell] = Math.max(-this.most, Math.min(this.most, held + sign))
    return duplicate ? 'duplicate' : 'unseen'
  }
}
