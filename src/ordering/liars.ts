// Servers that lie about objects, knowing the words.

import { generalLiars, type Liar } from '../simulator/index.ts'

/** Fresh ones for each run: some remember. */
export function orderingLiars(): readonly Liar[] {
  return [...generalLiars()]
}
