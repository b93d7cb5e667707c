// One picture of objects out of what each server says. A server may lie about what it has and about what it was told:
// an accusation counts only where more servers pass it on than can lie, or where this client saw it itself.

import { accuserOf, type Millis, type NodeId } from '../core/index.ts'
import type { Recalled } from '../events/client/state.ts'
import type { ServerLies } from '../ledger/wire.ts'
import type { AccountedServer } from '../lock/index.ts'
import type { Complaint, InspectedObject } from '../ordering/index.ts'
import { orderingBasics } from '../ordering/settings.ts'
import type { Lie } from './objects/orders.ts'

/** What a server says of objects. */
export interface ObjectServerInfo {
  readonly server: string
  readonly objects: readonly InspectedObject[]
  /** What clients hold against servers, as this server was told. */
  readonly complaints: readonly Complaint[]
  /** Milliseconds until a server that came back empty takes part again; it is above 0 until it does. */
  readonly rejoining: Millis
}

/** A server that said what cannot be true. */
export interface Accusation {
  readonly server: NodeId
  readonly what: string
  /** Where it was seen last. */
  readonly object: string
  readonly version: number
  /** Where it was about a lock: its name. */
  readonly lock?: string
  /** Where it was about events: their channel. */
  readonly channel?: string
  /** It was about a ledger. */
  readonly ledger?: boolean
  /** The clients that say so; of events, the servers too; of ledgers, servers only. */
  readonly clients: readonly NodeId[]
  /** Enough say so, or this client saw it itself. Else one client accuses, and nothing more is known. */
  readonly lied: boolean
}

/**
 * The lies that this client saw, and those that one client told to more servers than can lie. A server `lied` where this
 * client saw it, or more clients say so than servers may lie: one client alone may have its own reasons. Servers that say so
 * (`judges`: all that there are) count apart, or those that lie would save clients that do as many accusers.
 */
export function tallyComplaints(
  servers: readonly Pick<ObjectServerInfo, 'server' | 'complaints'>[],
  lies: readonly Lie[],
  liars: number,
  judges: readonly NodeId[] = [],
): Accusation[] {
  const tellers = new Map<string, Set<NodeId>>()
  for (const { server, complaints } of servers) {
    for (const complaint of complaints) {
      // Nobody is a witness in their own case.
      if (complaint.server !== server) addTo(tellers, keyOf(complaint), server)
    }
  }
  const found = new Map<string, Accusation>()
  const add = (client: NodeId, { server, what, object, version }: Lie) => {
    const key = JSON.stringify([server, what])
    const before = found.get(key)
    const clients = [...new Set([...(before?.clients ?? []), client])].sort()
    const last = before !== undefined && before.version >= version ? before : { object, version }
    found.set(key, { server, what, object: last.object, version: last.version, clients, lied: false })
  }
  for (const lie of lies) add(THIS_CLIENT, lie)
  for (const complaint of servers.flatMap(({ complaints }) => complaints)) {
    if ((tellers.get(keyOf(complaint))?.size ?? 0) > liars) add(complaint.client, complaint)
  }
  const accusers = new Map<NodeId, Set<string>>()
  for (const { server, clients } of found.values()) for (const one of clients) addTo(accusers, server, accuserOf(one))
  const lied = (server: NodeId) => {
    const names = accusers.get(server)!
    const judging = judges.filter(judge => names.has(judge)).length
    return names.has(THIS_CLIENT) || judging > liars || names.size - judging > liars
  }
  return [...found.values()]
    .map(accusation => ({ ...accusation, lied: lied(accusation.server) }))
    .sort((one, other) => (one.server + one.what < other.server + other.what ? -1 : 1))
}

/** The same of locks. */
export function tallyLockComplaints(
  accounts: readonly AccountedServer[],
  lies: readonly Lie[],
  liars: number,
): Accusation[] {
  const servers = accounts.map(({ server, complaints }) => ({
    server,
    complaints: complaints.map(({ name, ...complaint }) => ({ ...complaint, object: name, version: 0 })),
  }))
  return tallyComplaints(servers, lies, liars).map(accusation => ({ ...accusation, lock: accusation.object }))
}

/** The same of events. */
export function tallyEventComplaints(
  servers: readonly Recalled[],
  lies: readonly Lie[],
  liars: number,
  judges: readonly NodeId[],
): Accusation[] {
  const told = servers.map(({ server, complaints }) => ({
    server,
    complaints: complaints.map(({ channel, ...complaint }) => ({ ...complaint, object: channel, version: 0 })),
  }))
  return tallyComplaints(told, lies, liars, judges).map(accusation => ({ ...accusation, channel: accusation.object }))
}

/**
 * Servers that other servers caught at what cannot be said of a ledger. Each has looked itself, so there is no client to believe; but one of
 * them may lie about the others.
 */
export function tallyLedgerLies(
  told: ReadonlyMap<NodeId, readonly ServerLies[]>,
  servers: readonly NodeId[],
  liars: number,
): Accusation[] {
  const tellers = new Map<NodeId, Map<string, NodeId[]>>()
  for (const [teller, lies] of told) {
    for (const { server, what } of lies) {
      // Nobody is a witness in their own case, and who names a server that is none says nothing.
      if (server === teller || !servers.includes(server)) continue
      const kinds = tellers.get(server) ?? new Map<string, NodeId[]>()
      tellers.set(server, kinds)
      for (const one of new Set(what)) kinds.set(one, [...(kinds.get(one) ?? []), teller])
    }
  }
  return [...tellers].sort().flatMap(([server, kinds]) => {
    const lied = new Set([...kinds.values()].flat()).size > liars
    return [...kinds].sort().map(([what, clients]) => ({
      ...{ server, what, object: '', version: 0, ledger: true },
      ...{ clients: clients.sort(), lied },
    }))
  })
}

const THIS_CLIENT = 'this client'

function keyOf({ client, server }: Complaint): string {
  return JSON.stringify([accuserOf(client), server])
}

function addTo(sets: Map<string, Set<NodeId>>, key: string, item: NodeId): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([item]))
  else known.add(item)
}

/**
 * How many versions a server is behind, over all objects: behind the newest that some server beyond the liars has. One
 * that says it is ahead of everybody is not believed.
 */
export function versionsBehind(servers: readonly ObjectServerInfo[], server: NodeId, liars: number): number {
  const names = new Set(servers.flatMap(({ objects }) => objects.map(({ object }) => object)))
  let behind = 0
  for (const name of names) {
    const versions = servers.map(({ objects }) => objects.find(({ object }) => object === name)?.committed.version ?? 0)
    const newest = versions.sort((one, other) => other - one)[liars] ?? 0
    const own = servers.find(info => info.server === server)?.objects.find(({ object }) => object === name)
    behind += Math.max(0, newest - (own?.applied ?? 0))
  }
  return behind
}

/** An object that stands still, and why. */
export interface SpoiledObject {
  readonly object: string
  readonly why: string
}

/** Objects that a client has spoiled for good, where more servers say so than can lie. */
export function spoiledObjects(
  servers: readonly ObjectServerInfo[],
  liars: number,
  wall: Millis,
  aheadMax: Millis = orderingBasics.rankAheadMax,
): SpoiledObject[] {
  // As far above the clock as servers promise, and as much again for clocks that differ.
  const highest = wall + 2 * aheadMax
  const names = [...new Set(servers.flatMap(({ objects }) => objects.map(({ object }) => object)))].sort()
  return names.flatMap(object => {
    const all = servers.flatMap(({ objects }) => objects.filter(other => other.object === object))
    const high = all.filter(({ rank }) => rank.counter > highest).length
    const newest = Math.max(...all.map(({ applied, proposed }) => Math.max(applied, proposed)))
    const ahead = all.filter(({ committed }) => committed.version > newest).length
    const why = high > liars ? 'its turns are promised far into the future' : 'it is at a version that no server has'
    return high > liars || ahead > liars ? [{ object, why }] : []
  })
}

/** The newest version of an object that more servers have the content of than can lie. */
export function repairableVersion(servers: readonly ObjectServerInfo[], object: string, liars: number): number {
  const applied = servers.flatMap(({ objects }) => objects.filter(one => one.object === object).map(one => one.applied))
  return applied.sort((one, other) => other - one)[liars] ?? 0
}
