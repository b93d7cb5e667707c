// The board of shortest attacks. An address is the submission: it must break a promise within what the promise is made for, with
// fewer acts and lies than the one above it. Add a line; the test counts.

/** An attack on a level. */
export interface Attack {
  readonly level: number
  readonly by: string
  readonly address: string
  /** Acts, and words that were lies. */
  readonly size: number
}

/** Shortest first, for each level. */
export const board: readonly Attack[] = [
  {
    level: 1,
    by: 'the project',
    address: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:hf',
    size: 1,
  },
  { level: 5, by: 'the project', address: 'v=1&run=redlock.n5&seed=2&say=server-5:hy', size: 1 },
]
