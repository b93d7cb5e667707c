// The nodes of a client process: the one in its main thread, and the one that renews leases from a thread of its own.

import { type Composed, type ComposeRules, compose, composeRules, type Millis, type NodeId } from '../core/index.ts'
import { type LedgerClient, ledgerClient } from '../ledger/index.ts'
import { type LockClient, type LockKeeper, lockClient, lockKeeper } from '../lock/index.ts'
import { type OrderingClient, orderingClient } from '../ordering/index.ts'
import { ledgerSettings, lockSettings, type NodeSettings, type ObjectParts, orderingSettings } from './settings.ts'

export type ClientParts = {
  readonly lock: LockClient
  readonly ordering?: OrderingClient
  readonly ledger?: LedgerClient
}
export type ClientNode = Composed<ClientParts>

export function clientParts(settings: NodeSettings, parts: ObjectParts = {}): ClientParts {
  const lock = lockClient(lockSettings(settings))
  const objects = orderingSettings(settings, parts)
  const ledgers = ledgerSettings(settings, parts)
  return {
    lock,
    ...(objects && { ordering: orderingClient(objects) }),
    ...(ledgers && { ledger: ledgerClient(ledgers) }),
  }
}

export function clientNode(settings: NodeSettings, parts: ObjectParts = {}): ClientNode {
  return clientOf(clientParts(settings, parts))
}

/** The parts as one node. Its proof gives it broken rules. */
export function clientOf(parts: ClientParts, rules: ComposeRules = composeRules): ClientNode {
  return compose('client', parts, { rules })
}

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
