// The node that renews what a client holds, in a thread of its own.

import { type Composed, compose, type Millis, type NodeId } from '../core/index.ts'
import type { LedgerClient } from '../ledger/client/machine.ts'
import { type LockKeeper, lockKeeper } from '../lock/keeper/machine.ts'
import type { OrderingClient } from '../ordering/client/machine.ts'
import { lockSettings, type NodeSettings } from './settings.ts'

/** It hears the servers' messages about objects too, and drops them. */
export type KeeperParts = {
  readonly lock: LockKeeper
  readonly ordering?: OrderingClient
  readonly ledger?: LedgerClient
}
export type KeeperNode = Composed<KeeperParts>

/** Renews what a client node holds, from another thread of its process. */
export function keeperNode(settings: NodeSettings, holder: NodeId, blockedMax: Millis): KeeperNode {
  return compose<KeeperParts>('keeper', { lock: lockKeeper({ ...lockSettings(settings), holder, blockedMax }) })
}
