// Which servers serve a client, counted from a place that the client's name gives: each client loads others.
// Clients and servers compute it alike. Arithmetic only.

import type { NodeId } from '../core/process.ts'
import type { OrderingSettings } from './settings.ts'

/** How far a server's place (among the servers in the order of their names) stands behind the client's first one. */
export function distance(place: number, count: number, client: NodeId): number {
  return (place - (client.charCodeAt(client.length - 1) % count) + count) % count
}

/** Where all servers were asked, f + 2b + 1 push to the holder: of those that are up, b + 1 are honest. */
export function pushesFor(place: number, count: number, client: NodeId, settings: OrderingSettings): boolean {
  return distance(place, count, client) < settings.crashes + 2 * settings.liars + 1
}

/** f + b + 1 say that a session is gone: b + 1 of them are up and honest. */
export function saysGone(place: number, count: number, client: NodeId, settings: OrderingSettings): boolean {
  return distance(place, count, client) < settings.crashes + settings.liars + 1
}
