// The node of a client. It imports the client's machines themselves: the protocols' doors would load the servers' too, and
// a command that asks one question would pay for them at every start (test/loading.test.ts).

import { type Composed, type ComposeRules, compose, composeRules } from '../core/index.ts'
import type { EventsClient } from '../events/client/machine.ts'
import type { LedgerClient } from '../ledger/client/machine.ts'
import { type LockClient, lockClient } from '../lock/client/machine.ts'
import { type OrderingClient, orderingClient } from '../ordering/client/machine.ts'
import { lockSettings, type NodeSettings, type ObjectParts, orderingSettings } from './settings.ts'

export type ClientParts = {
  readonly lock: LockClient
  readonly ordering?: OrderingClient
  readonly ledger?: LedgerClient
  readonly events?: EventsClient
}
export type ClientNode = Composed<ClientParts>

/** What a client brings: the parts of ledgers and events are made by who wants them (ledger.ts, events.ts). */
export type ClientBrings = Omit<ObjectParts, 'events'> & {
  readonly ledger?: LedgerClient | undefined
  readonly events?: EventsClient | undefined
}

export function clientParts(settings: NodeSettings, parts: ClientBrings): ClientParts {
  const lock = lockClient(lockSettings(settings))
  const { events: _events, ...brought } = parts
  const objects = orderingSettings(settings, brought)
  return {
    lock,
    ...(objects && { ordering: orderingClient(objects) }),
    ...(parts.ledger && { ledger: parts.ledger }),
    ...(parts.events && { events: parts.events }),
  }
}

export function clientNode(settings: NodeSettings, parts: ClientBrings): ClientNode {
  return clientOf(clientParts(settings, parts))
}

/** The parts as one node. Its proof gives it broken rules. */
export function clientOf(parts: ClientParts, rules: ComposeRules = composeRules): ClientNode {
  return compose('client', parts, { rules })
}
