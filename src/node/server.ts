// The node of a server: locks and events, and objects and ledgers where the group is large enough for them.

import {
  type Composed,
  type ComposeRules,
  compose,
  composeRules,
  encode,
  type Saved,
  type Wire,
} from '../core/index.ts'
import { type EventsServer, eventsServer, flushAfter } from '../events/server/machine.ts'
import { eventsRecord } from '../events/wire.ts'
import { type LedgerServer, ledgerServer } from '../ledger/server/machine.ts'
import { type LockServer, lockServer } from '../lock/server/machine.ts'
import { serverRecord } from '../lock/wire.ts'
import { type OrderingServer, orderingServer } from '../ordering/server/machine.ts'
import { eventsSettings } from './events.ts'
import { ledgerServerSettings } from './ledger.ts'
import { lives } from './lives/machine.ts'
import type { Lives, LivesEvent } from './lives/state.ts'
import { lockSettings, type NodeSettings, type ObjectParts, orderingSettings } from './settings.ts'

export type ServerParts = {
  readonly lock: LockServer
  readonly ordering?: OrderingServer
  readonly ledger?: LedgerServer
  readonly lives?: Lives
  readonly events?: EventsServer
}
export type ServerNode = Composed<ServerParts>

export function serverParts(settings: NodeSettings, parts: ObjectParts): ServerParts {
  const holds = parts.hails ?? false
  const lock = lockServer({ ...lockSettings(settings), holds })
  const objects = orderingSettings(settings, parts)
  const ledgers = ledgerServerSettings(settings, parts)
  return {
    lock,
    ...(objects && { ordering: orderingServer({ ...objects, holds }) }),
    ...(ledgers && { ledger: ledgerServer({ ...ledgers, holds }) }),
    ...(holds ? { lives: lives({ liars: settings.trust.liars }) } : {}),
    ...(parts.events && { events: eventsServer(eventsSettings(settings, parts.events)) }),
  }
}

export function serverNode(settings: NodeSettings, parts: ObjectParts): ServerNode {
  return serverOf(serverParts(settings, parts))
}

/** The parts as one node. Its proof gives it broken rules, and liars' parts. */
export function serverOf(parts: ServerParts, rules: ComposeRules = composeRules): ServerNode {
  return compose('server', parts, { wires: wiresOf(parts), rules })
}

function wiresOf(parts: ServerParts): readonly Wire<ServerParts>[] {
  const flushes: Wire<ServerParts> = { from: 'events', to: 'events', turn: flushAfter }
  return [...livesWires(parts), ...(parts.events ? [flushes] : [])]
}

// What the others say of this server's lives is for all; that it lost its store is said to them when that is on disk.
// Objects go first: a server that has an old copy of theirs votes on nothing, and must be told so at each of its starts.
// Ledgers hear of it with the others, and are asked last whether it is on disk: each of the parts has it before a later life begins.
function livesWires({ ordering, ledger, lives }: ServerParts): readonly Wire<ServerParts>[] {
  if (lives === undefined) return []
  const wires: Wire<ServerParts>[] = [{ from: 'lives', to: 'lock', turn: newsOfLife }]
  if (ordering !== undefined) wires.push({ from: 'lives', to: 'ordering', turn: newsOfLife })
  const last = ordering === undefined ? 'lock' : 'ordering'
  if (ledger === undefined) return [...wires, { from: last, to: 'lives', turn: whenKept(RAISE) }]
  return [
    { from: 'lives', to: 'ledger', turn: newsOfLife },
    ...wires,
    { from: last, to: 'ledger', turn: whenKept(TELL_LOSS) },
    { from: 'ledger', to: 'lives', turn: whenKept(RAISE) },
  ]
}

const RAISE = { kind: 'raise' } as const
const TELL_LOSS = { kind: 'tellLoss' } as const

/** That its store was lost is on disk at that part. */
function whenKept<Command>(command: Command): (event: { readonly kind: string }) => Command | undefined {
  return ({ kind }) => (kind === 'storeLost' || kind === 'lossKept' ? command : undefined)
}

function newsOfLife({ kind }: LivesEvent): { kind: 'go' | 'lost' } {
  return { kind: kind === 'go' ? 'go' : 'lost' }
}

/** What a server's store holds before its first start: nothing was ever promised. */
export const firstStart: Saved = new Map([
  ['lock', [encode(serverRecord, { kind: 'first' })]],
  ['events', [encode(eventsRecord, { kind: 'known' })]],
])
