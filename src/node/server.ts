// The node of a server: locks, and objects and ledgers where the group is large enough for them.

import { type Composed, type ComposeRules, compose, composeRules, encode, type Saved } from '../core/index.ts'
import { type LedgerServer, ledgerServer } from '../ledger/server/machine.ts'
import { type LockServer, lockServer } from '../lock/server/machine.ts'
import { serverRecord } from '../lock/wire.ts'
import { type OrderingServer, orderingServer } from '../ordering/server/machine.ts'
import { ledgerServerSettings } from './ledger.ts'
import { lockSettings, type NodeSettings, type ObjectParts, orderingSettings } from './settings.ts'

export type ServerParts = {
  readonly lock: LockServer
  readonly ordering?: OrderingServer
  readonly ledger?: LedgerServer
}
export type ServerNode = Composed<ServerParts>

export function serverParts(settings: NodeSettings, parts: ObjectParts): ServerParts {
  const lock = lockServer(lockSettings(settings))
  const objects = orderingSettings(settings, parts)
  const ledgers = ledgerServerSettings(settings, parts)
  return {
    lock,
    ...(objects && { ordering: orderingServer(objects) }),
    ...(ledgers && { ledger: ledgerServer(ledgers) }),
  }
}

export function serverNode(settings: NodeSettings, parts: ObjectParts): ServerNode {
  return serverOf(serverParts(settings, parts))
}

/** The parts as one node. Its proof gives it broken rules, and liars' parts. */
export function serverOf(parts: ServerParts, rules: ComposeRules = composeRules): ServerNode {
  return compose('server', parts, { rules })
}

/** What a server's store holds before its first start: nothing was ever promised. */
export const firstStart: Saved = new Map([['lock', [encode(serverRecord, { kind: 'first' })]]])
