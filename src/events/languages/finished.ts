// The end of every translation.

import type { Clause, Filter } from '../canonical.ts'
import { encodeFilter } from '../filter.ts'

/** The clauses as a filter that is not too long. */
export function finished(clauses: readonly Clause[], queue?: string): Filter {
  const filter = queue === undefined ? { $any: clauses } : { $any: clauses, $queue: queue }
  encodeFilter(filter)
  return filter
}
