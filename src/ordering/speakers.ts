// Which servers speak for a client: hear its operations at once, tell whoever has the turn, and bring the answers.
//
// All n would do it too, at n times the messages. The first so many, counted from a place that the client's name gives:
// each client loads others, and all that it says arrives whole and in order. Whoever asks again asks everybody.

import type { NodeId } from '../core/index.ts'
import type { OrderingSettings } from './settings.ts'

/** How far a server's place (among the servers in the order of their names) stands behind the client's first one. */
function distance(place: number, count: number, client: NodeId): number {
  return (place - (client.charCodeAt(client.length - 1) % count) + count) % count
}

/** f + 2b + 1 take operations and tell the holder: of those that are there, b + 1 are honest and outnumber the liars. */
export function takesFrom(place: number, count: number, client: NodeId, settings: OrderingSettings): boolean {
  return distance(place, count, client) < settings.crashes + 2 * settings.liars + 1
}

/** 2b + 1 of them tell it in any case: b + 1 are honest. */
export function pushesFirst(place: number, count: number, client: NodeId, settings: OrderingSettings): boolean {
  return distance(place, count, client) < 2 * settings.liars + 1
}

/** f + b + 1 bring the answers: b + 1 of them are there. */
export function answers(place: number, count: number, client: NodeId, settings: OrderingSettings): boolean {
  return distance(place, count, client) < settings.crashes + settings.liars + 1
}
