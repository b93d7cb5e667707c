// Queued Quotient Hash Table with Duplicates (QQHTD), THESIS §3.7.2, algorithm 4.
//
// The cells of a row are a queue: every element goes in at the front, and the oldest falls out. So a row forgets the
// oldest first, which is what a sliding window wants; eviction needs no chance, and with one cell it is a QHT.
// An element is found as long as fewer than k others have come to its row since. No security decisions.

import { streamRowQueue } from '../cells/rows.ts'
import type { Key, Verdict } from '../filter.ts'
import { checkQuotientTable, QuotientTable, type QuotientTableOptions } from './quotient-table.ts'

/** A quotient hash table whose rows are queues: the oldest cell goes first. */
export class QueuedQuotientHashTableWithDuplicates extends QuotientTable {
  readonly name = 'QueuedQuotientHashTableWithDuplicates'

  constructor(options: QuotientTableOptions) {
    super(checkQuotientTable('QueuedQuotientHashTableWithDuplicates', options), false)
  }

  stream(key: Key): Verdict {
    const one = this.hash.of(key)
    return this.streamWords(one, this.hash.second[0]!) ? 'duplicate' : 'unseen'
  }

  streamWords(one: number, two: number): boolean {
    return streamRowQueue(this.table, this.startOf(one), this.cells, this.fingerprintOf(two))
  }
}
