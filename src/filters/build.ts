// The filter that `advise` suggested, built. Kept apart from the advice, which is arithmetic and needs no structure.

import type { Suggestion } from './advise.ts'
import type { Filter, HashOptions } from './filter.ts'
import { ExactWindow } from './structures/exact-window.ts'
import { QueuedQuotientHashTableWithDuplicates } from './structures/qqhtd.ts'
import { QueueOf } from './structures/queue-of.ts'
import { QuotientHashTable } from './structures/quotient-hash-table.ts'
import { ShortHashFilter } from './structures/short-hash-filter.ts'

/** `buildFilter(advise({ bits, window }).choice)`: keyed with a fresh secret unless `hash` says otherwise. */
export function buildFilter(suggestion: Suggestion, hash: HashOptions = {}): Filter {
  switch (suggestion.structure) {
    case 'ExactWindow':
      return new ExactWindow({ ...suggestion.options, ...hash })
    case 'ShortHashFilter':
      return new ShortHashFilter({ ...suggestion.options, ...hash })
    case 'QuotientHashTable':
      return new QuotientHashTable({ ...suggestion.options, ...hash })
    case 'QueuedQuotientHashTableWithDuplicates':
      return new QueuedQuotientHashTableWithDuplicates({ ...suggestion.options, ...hash })
    case 'QueueOf': {
      const { cells, fingerprintBits } = suggestion.of
      const of = (share: HashOptions & { bits: number }) => new QuotientHashTable({ ...share, cells, fingerprintBits })
      return new QueueOf({ ...suggestion.options, ...hash, of })
    }
  }
}
