// What the members of a benchmark choose by: the one that is to be killed comes first; the others' ranks differ, so that
// there is more than one candidate and members vote.

import type { Attribute } from '../../src/election/index.ts'

export const VICTIM_RANK = 1_000

export const benchRanking: readonly Attribute[] = [
  { name: 'rank', best: 'large', tolerance: 0 },
  { name: 'joined', best: 'small', tolerance: 0 },
  { name: 'failures', best: 'small', tolerance: 0 },
]
