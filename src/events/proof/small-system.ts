// A group small enough that the explorer can try everything: a server or three, one author with two events, one durable
// subscriber, a restart.

import { encode, type NodeId } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import type { Moment, System, SystemNode, UserAct } from '../../simulator/index.ts'
import { eventsClient } from '../client/machine.ts'
import type { ClientState, Tracked } from '../client/state.ts'
import { eventsDefaults } from '../defaults.ts'
import { parseFilter } from '../filter.ts'
import { eventsServer } from '../server/machine.ts'
import type { ServerState } from '../server/state.ts'
import { type EventsMessage, eventsRecord } from '../wire.ts'
import { acksWithoutStoring } from './liars.ts'
import { brokenEventsRules } from './planted.ts'

export const AUTHOR = 'author'
export const READER = 'reader'
const CHANNEL = 'c'
const FILTER = parseFilter({ price: { lt: 5 } })
const FIRST_START = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
/** One beat is one tick. */
const BEAT = 1

/** How large a small system is, and what may go wrong in it. */
export interface EventsSystemOptions {
  readonly servers: number
  readonly liars?: number
  readonly faults?: number
  readonly ticks: number
  readonly crashes?: number
  readonly duplicates?: number
  readonly events: number
  readonly bug?: string | undefined
}

/** A few servers, an author and a reader that the explorer can try to the end, or to a depth. */
export function eventsSystem(options: EventsSystemOptions): System {
  const { servers: count, liars = 0, faults = 0, ticks, crashes = 0, duplicates = 0, bug } = options
  const signatures = idealSignatures()
  const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
  const settings = { ...eventsDefaults, liars, crashes: faults, beat: BEAT, keys, rules: brokenEventsRules(bug) }
  const ids = Array.from({ length: count }, (_, place) => `server-${place + 1}`)
  const servers = ids.map((id, place): SystemNode => {
    const node = { id, protocol: eventsServer(settings), peers: ids, saved: FIRST_START, rate: 1 }
    if (place < liars) return { ...node, protocol: acksWithoutStoring.corrupt(node.protocol) }
    return { ...node, crashes: true }
  })
  const client = (id: NodeId): SystemNode => {
    return { id, protocol: eventsClient({ ...settings, signer: signatures.signer(id) }), peers: ids, rate: 1 }
  }
  const acts = [...publishing(options.events), subscribing, acknowledging(1), acknowledging(2)]
  const nodes = [...servers, client(AUTHOR), client(READER)]
  return { nodes, acts, ticks, crashes, duplicates, words: (body: EventsMessage) => body.kind }
}

function publishing(events: number): UserAct[] {
  return Array.from({ length: events }, (_, place): UserAct => {
    const bare = { payload: new Uint8Array([place]), time: 0, retained: false, expires: 0 }
    const content = { attributes: { price: place }, ...bare }
    const terms = { live: false, keep: { age: 1_000_000, bytes: 1_000_000 } }
    return {
      node: AUTHOR,
      label: `publishes event ${place + 1}`,
      allowed: (state: ClientState) => sent(state) === place,
      command: () => ({ kind: 'publish', id: place + 1, channel: CHANNEL, content, ...terms }),
    }
  })
}

function outgoingOf({ outgoing }: ClientState) {
  return outgoing.values().next().value
}

function sent(state: ClientState): number {
  const out = outgoingOf(state)
  return out === undefined ? 0 : out.last + out.queued.length
}

const subscribing: UserAct = {
  node: READER,
  label: 'subscribes',
  allowed: (state: ClientState) => state.subscriptions.size === 0,
  command: () => {
    const name = { channel: CHANNEL, name: 'all', filter: FILTER }
    return { kind: 'subscribe', id: 1, ...name, from: 'start', parallel: 1, ackWait: 1_000 }
  },
}

function acknowledging(counter: number): UserAct {
  return {
    node: READER,
    label: `handled event ${counter}`,
    allowed: (state: ClientState) => sourceOf(state)?.handed === counter,
    command: (state: ClientState) => ({ kind: 'ack', id: 1, source: sourceOf(state)!.source, counter }),
  }
}

function sourceOf(state: ClientState): Tracked | undefined {
  return state.subscriptions.get(1)?.tracked.values().next().value
}

function stateOf(moment: Moment, system: System, id: NodeId): unknown {
  return moment.nodes[system.nodes.findIndex(node => node.id === id)]!.state
}

/** How much of what the author published is accepted. */
export function acceptedIn(moment: Moment, system: System): number {
  return outgoingOf(stateOf(moment, system, AUTHOR) as ClientState)?.accepted ?? 0
}

/** What the reader knows of the author. */
export function readIn(moment: Moment, system: System): Tracked | undefined {
  return sourceOf(stateOf(moment, system, READER) as ClientState)
}

/** What the reader has saved at each server. */
export function savedIn(moment: Moment, system: System): number[] {
  return serversIn(moment, system).flatMap(state =>
    [...state.cursors.values()].flatMap(({ entries }) => entries.map(({ counter }) => counter)),
  )
}

/** How much each honest server holds. */
export function heldIn(moment: Moment, system: System): number[] {
  return serversIn(moment, system).map(state => Math.max(0, ...[...state.streams.values()].map(({ held }) => held)))
}

/** Whether everything that a server says it holds is there. */
export function wholeIn(moment: Moment, system: System): boolean {
  return serversIn(moment, system).every(state => [...state.streams.values()].every(one => one.items.size === one.held))
}

function serversIn(moment: Moment, system: System): ServerState[] {
  return system.nodes.flatMap(({ crashes }, place) => (crashes ? [moment.nodes[place]!.state as ServerState] : []))
}
