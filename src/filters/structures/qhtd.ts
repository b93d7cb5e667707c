// Quotient Hash Table with Duplicates (QHTD), THESIS §3.7.1: a QHT that inserts what it just recognised once more.
//
// An element that comes again soon gets more cells of its row, so frequent elements are forgotten later. The price:
// rows hold fewer different fingerprints. Once full, the false positive rate is 1 - (1 - 1/S)^k.
// Found right after insertion; no security decisions.

import { streamRowAgain } from '../cells/rows.ts'
import type { Key, Verdict } from '../filter.ts'
import type { QuotientHashTableOptions } from './quotient-hash-table.ts'
import { checkSortable, QuotientTable } from './quotient-table.ts'

/** A quotient hash table that inserts what it recognised once more. */
export class QuotientHashTableWithDuplicates extends QuotientTable {
  readonly name = 'QuotientHashTableWithDuplicates'

  constructor(options: QuotientHashTableOptions) {
    super(checkSortable('QuotientHashTableWithDuplicates', options), options.semiSort ?? false)
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    if (this.sorted !== null) return this.streamSorted(this.sorted, one, two, true)
    return streamRowAgain(this.table, this.startOf(one), this.cells, this.fingerprintOf(two), this.draws)
  }
}
