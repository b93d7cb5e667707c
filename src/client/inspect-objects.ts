// One picture of objects out of what each server says. A server may lie about what it has and about what it was told:
// an accusation counts only where more servers pass it on than can lie, or where this client saw it itself.

import { accuserOf, type Millis, type NodeId } from '../core/index.ts'
import type { AccountedServer } from '../lock/index.ts'
import type { Complaint, InspectedObject } from '../ordering/index.ts'
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
  /** The clients that say so. */
  readonly clients: readonly NodeId[]
}

/** The lies that this client saw, and those that one client told to more servers than can lie. */
export function tallyComplaints(
  servers: readonly Pick<ObjectServerInfo, 'server' | 'complaints'>[],
  lies: readonly Lie[],
  liars: number,
): Accusation[] {
  const tellers = new Map<string, Set<NodeId>>()
  for (const { server, complaints } of servers) {
    for (const complaint of complaints) {
      // Nobody is a witness in their own case.
      if (complaint.server !== server) addTo(tellers, keyOf(complaint.client, complaint), server)
    }
  }
  const found = new Map<string, Accusation>()
  const add = (client: NodeId, { server, what, object, version }: Lie) => {
    const key = JSON.stringify([server, what])
    const before = found.get(key)
    const clients = [...new Set([...(before?.clients ?? []), client])].sort()
    const last = before !== undefined && before.version >= version ? before : { object, version }
    found.set(key, { server, what, object: last.object, version: last.version, clients })
  }
  for (const lie of lies) add(THIS_CLIENT, lie)
  for (const complaint of servers.flatMap(({ complaints }) => complaints)) {
    if ((tellers.get(keyOf(complaint.client, complaint))?.size ?? 0) > liars) add(complaint.client, complaint)
  }
  return [...found.values()].sort((one, other) => (one.server + one.what < other.server + other.what ? -1 : 1))
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

/** Whether it is more than an accusation: this client saw it, or more clients say so than servers can lie. */
export function isProved({ clients }: Accusation, liars: number): boolean {
  return clients.includes(THIS_CLIENT) || new Set(clients.map(accuserOf)).size > liars
}

const THIS_CLIENT = 'this client'

function keyOf(client: NodeId, { server, what, object, version }: Lie): string {
  return JSON.stringify([client, server, what, object, version])
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
