// A group small enough that the explorer can try everything: one or a few servers, two clients, one object, an
// operation or two. The machines are those that ship, begun at version 1, in which both clients have their sessions.
//
// Sessions do not run out and nobody pings. Nobody has the turn for longer than a moment, so that every get is served;
// or, with `turns`, for ever.

import { encode, type NodeId, type Saved } from '../../core/index.ts'
import type { System, SystemNode, UserAct } from '../../simulator/index.ts'
import type { ClientState } from '../client/state.ts'
import { objectOf } from '../client/state.ts'
import { orderingDefaults } from '../defaults.ts'
import { serverRecord } from '../server/records.ts'
import type { OrderingSettings } from '../settings.ts'
import { applyWrites, encodeChange, sessionCodec, sessionKey } from '../versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../versions/digest.ts'
import type { Head, Write } from '../wire.ts'
import { inventor } from './liars.ts'
import { type ObservedClient, type ObservedCommand, observedClient, observedServer } from './observed.ts'
import { brokenOrderingRules } from './planted.ts'
import { reducedClient, reducedServer, settledAtClient, words } from './reduction.ts'
import { encodeWords, type RegisterOperation, registers } from './register.ts'

export const FIRST = 'client-1'
export const SECOND = 'client-2'
export const CLIENTS: readonly NodeId[] = [FIRST, SECOND]
export const OBJECT = 'a'
export const KEY = 'x'
const READ = 100
/** Operations of the second client are numbered from here. */
const SECONDS = 10

export interface OrderingSystemOptions {
  readonly servers: number
  /** f and b. The liars are the first servers. */
  readonly crashes: number
  readonly liars?: number
  /** How many operations each client submits. */
  readonly submits: readonly [number, number]
  /** The second client reads, once it has heard that the first was answered. */
  readonly reads?: boolean
  /** How often the timers of one client fire. */
  readonly timers?: number
  /** The client that has the turn at a server keeps it. */
  readonly turns?: boolean
  /** This client's process ends at any moment, and only then the other one begins. */
  readonly dies?: NodeId
  /** A get asks all servers for content, not f + b + 1 of them. */
  readonly asksAll?: boolean
  /** A server that lags asks the others. Nothing is claimed of such a system: it is explored as it is. */
  readonly fetches?: boolean
  /** How often a server crashes and comes back with what it saved. */
  readonly restarts?: number
  readonly duplicates?: number
  readonly bug?: string | undefined
}

const NONCE = new Uint8Array(16)
const FIRST_WRITES: readonly Write[] = CLIENTS.map((client, place) => ({
  key: sessionKey(`1.${place}`),
  value: encode(sessionCodec, { client, nonce: NONCE, ttl: 1_000, next: 1, responses: [] }),
}))
const FIRST_CHANGE = encodeChange(FIRST_WRITES)

/** Where everybody begins. */
export const START: Head = {
  version: 1,
  digest: nextDigest(orderingDefaults.hash, FIRST_DIGEST, 1, FIRST_CHANGE),
}

const STORED = encode(serverRecord, {
  kind: 'caught',
  object: OBJECT,
  head: START,
  parent: FIRST_DIGEST,
  change: FIRST_CHANGE,
})
const SAVED: Saved = new Map([['', [STORED]]])

export function orderingSystem(options: OrderingSystemOptions): System {
  const settings = settingsOf(options)
  const ids = Array.from({ length: options.servers }, (_, place) => `server-${place + 1}`)
  const servers = ids.map((id, place) => serverNode(settings, options, ids, id, place))
  const clients = CLIENTS.map(id => clientNode(settings, options, ids, id))
  const { restarts = 0, duplicates = 0 } = options
  return { nodes: [...servers, ...clients], acts: userActs(options), ticks: 0, crashes: restarts, duplicates, words }
}

function settingsOf({ crashes, liars = 0, turns, bug }: OrderingSystemOptions): OrderingSettings {
  return {
    ...orderingDefaults,
    liars,
    crashes,
    findApplier: () => registers,
    turnMs: turns ? 1 : 0,
    // Delays make no difference here; these have the fewest to draw from.
    retryMin: 2,
    retryMax: 2,
    rules: brokenOrderingRules(bug),
  }
}

function serverNode(
  settings: OrderingSettings,
  { liars = 0, restarts = 0, fetches = false }: OrderingSystemOptions,
  ids: readonly NodeId[],
  id: NodeId,
  place: number,
): SystemNode {
  // It remembers nothing, so when it is asked makes no difference.
  if (place < liars) return { id, protocol: inventor(START, settings.hash), peers: [], rate: 1, settled: () => true }
  const protocol = observedServer(settings, restarts > 0)
  const node = { id, protocol, saved: SAVED, rate: 1, crashes: restarts > 0 }
  if (fetches) return { ...node, peers: ids.filter(other => other !== id) }
  // Those who do not know of each other speak for every client, and can be exchanged.
  return { ...node, peers: [], symmetric: true, essence: reducedServer }
}

function clientNode(
  settings: OrderingSettings,
  { timers = 0, reads = false, dies, asksAll = false, fetches, bug }: OrderingSystemOptions,
  peers: readonly NodeId[],
  id: NodeId,
): SystemNode {
  const other = id === FIRST ? SECOND : FIRST
  const tells = (reads && id === FIRST) || dies === id ? other : undefined
  const protocol = observedClient(settings, { timers, tells, asksAll, begin: openSession })
  const node = { id, protocol, peers, rate: 1 }
  if (fetches) return node
  // What is claimed of messages is true of the unbroken rules.
  return { ...node, essence: reducedClient, ...(bug === undefined && { settled: settledAtClient }) }
}

function openSession(machine: ClientState): void {
  const object = objectOf(machine, OBJECT)
  applyWrites(object.replica, START.version, START.digest, FIRST_WRITES)
  const id = `1.${CLIENTS.indexOf(machine.self)}`
  Object.assign(object.session, { phase: 'open', id, nonce: NONCE, ttl: 1_000 })
}

function userActs({ submits, reads, dies }: OrderingSystemOptions): UserAct[] {
  const acts: UserAct[] = []
  for (const [place, node] of CLIENTS.entries()) {
    const waits = dies !== undefined && dies !== node
    for (let count = 0; count < submits[place]!; count++) acts.push(submitting(node, count, waits))
  }
  const lives = ({ user }: ObservedClient) => user.asked > 0 && !user.gone
  const die: ObservedCommand = { kind: 'die' }
  const read: ObservedCommand = { kind: 'read', id: READ, object: OBJECT, keys: [`key ${KEY}`], stale: false }
  const heard = ({ user }: ObservedClient) => user.heard > 0
  if (dies !== undefined) acts.push({ node: dies, label: 'is gone', allowed: lives, command: () => die })
  if (reads) acts.push({ node: SECOND, label: 'reads', allowed: heard, command: () => read })
  return acts
}

// The next one need not wait for the answer to the one before.
function submitting(node: NodeId, count: number, waits: boolean): UserAct {
  const id = operationId(node, count)
  const operation: RegisterOperation = { kind: 'write', id, key: KEY, value: `${id}` }
  const submit: ObservedCommand = { kind: 'submit', id, object: OBJECT, body: encodeWords(operation) }
  const allowed = ({ user }: ObservedClient) => user.asked === count && !user.gone && (user.heard > 0 || !waits)
  return { node, label: `submits ${id}`, allowed, command: () => submit }
}

/** The number of a client's operation, counted from 0. */
export function operationId(client: NodeId, count: number): number {
  return (client === FIRST ? 0 : SECONDS) + count + 1
}

export function isOf(client: NodeId, operation: number): boolean {
  return operation > SECONDS === (client === SECOND)
}
