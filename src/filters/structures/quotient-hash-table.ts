// Quotient Hash Table (QHT), THESIS §3.5, algorithm 3.
//
// N rows of k cells of s bits. A hash picks the row, another the fingerprint. The fingerprint is in the row: duplicate.
// Otherwise it takes an empty cell, or the place of a random one.
//
// Guarantees: fixed memory, and an element is found right after its insertion. Later newcomers evict it (false
// negative), and another element may share row and fingerprint (false positive: k / S once all rows are full, where
// S = 2^s - 1). It never decides security: see README.md.

import { streamRow } from '../cells/rows.ts'
import type { Key, Verdict } from '../filter.ts'
import { checkSortable, QuotientTable, type QuotientTableOptions } from './quotient-table.ts'

/** What a quotient hash table is made with. */
export interface QuotientHashTableOptions extends QuotientTableOptions {
  /** Rows of four 4-bit cells in 12 bits (§3.5.3): a third more rows for a little time. */
  readonly semiSort?: boolean | undefined
}

/** A table of fingerprints in which a random cell of a full row goes. */
export class QuotientHashTable extends QuotientTable {
  readonly name = 'QuotientHashTable'

  constructor(options: QuotientHashTableOptions) {
    super(checkSortable('QuotientHashTable', options), options.semiSort ?? false)
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    if (this.sorted !== null) return this.streamSorted(this.sorted, one, two, false)
    return streamRow(this.table, this.startOf(one), this.cells, this.fingerprintOf(two), this.draws)
  }
}
