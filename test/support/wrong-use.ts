// What a wrong use is, for the lists of them.

import type { EmbeddedGroup, JoinedGroup, Ledger, SharedTree } from '../../src/index.ts'

/** What the uses are tried on. */
export interface Stage {
  readonly group: EmbeddedGroup
  readonly tree: SharedTree
  readonly joined: JoinedGroup
  readonly ledger: Ledger
}

export interface WrongUse {
  /** The function, as Class.method or by its name. */
  readonly call: string
  /** What a hasty user may write. */
  use(stage: Stage): unknown
  /** The sentence begins, or goes on, like this. */
  readonly says: string
}
