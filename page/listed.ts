// The list beside the picture, a part at a time: so many events, and what was sent among them and never arrives. All parts together
// are everything that the picture draws.

import type { Lost, Mark } from './diagram/marks.ts'

/** So many lines at a time: more would slow the page, and nobody reads them at once. */
export const PAGE = 200

interface Listed {
  /** The place of the first line. */
  readonly first: number
  readonly shown: readonly Mark[]
  readonly never: readonly Lost[]
}

/** The part in which the cursor stands. */
export function listedAt(marks: readonly Mark[], lost: readonly Lost[], cursor: number): Listed {
  const first = Math.floor(Math.max(0, cursor) / PAGE) * PAGE
  const from = first === 0 ? Number.NEGATIVE_INFINITY : marks[first]!.at
  const to = marks[first + PAGE]?.at ?? Number.POSITIVE_INFINITY
  return {
    first,
    shown: marks.slice(first, first + PAGE),
    never: lost.filter(({ sentAt }) => sentAt >= from && sentAt < to),
  }
}
