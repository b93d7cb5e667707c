// The server's delayed reply list (BACKOFF §5), ordered by ticket (protocols/lock 4).
//
// A waiter holds a ticket and pings. When the lock comes free, the first in the list is granted it at once: a
// hand-over takes two one-way delays, and nobody sleeps. The obvious list, in order of arrival, deadlocks: two clients
// arrive at the servers in different orders, each is granted by some, and both wait for the rest. Tickets are the same
// everywhere. A server that has granted to a later ticket asks it back (inquire); a client that has not won yet gives
// it back (yield), and the server forgets that it ever granted.
//
// A grant to a waiter is counted from the newest ping that this server had of it, which the grant echoes: the waiter
// knows when it sent that. And it is short, so that a waiter that died costs little; the winner renews at once.

import { accuserOf, type Millis, type NodeId } from '../../core/index.ts'
import { SILENT_MAX } from '../ping.ts'

export interface Waiter {
  readonly client: NodeId
  /** Smaller is earlier; equal tickets are ordered by name. */
  readonly ticket: number
  attempt: number
  token: number
  ttl: Millis
  ping: number
  pingedAt: Millis
  /** Its token is too low, and it was told: passed over until it comes with another. */
  low: boolean
}

/** The first grant to a waiter: long enough for a ping's age, the way back and a renewal. */
const FIRST_GRANT: Millis = 1_500
/** More than this are told to come back later. */
export const WAITERS_MAX = 1_000
/** Of them, those of one client: as many as have connections. Others wait in the same line. */
export const WAITERS_OF_CLIENT_MAX = 256
/** Over all names, those of one client: about 10 MB. */
export const IN_LINE_OF_CLIENT_MAX = 50_000

/** How many places in lines each certificate has, over all names. */
export type InLine = Map<string, number>

export function firstGrant(ttl: Millis): Millis {
  return Math.min(ttl, FIRST_GRANT)
}

export function isBefore(a: Pick<Waiter, 'ticket' | 'client'>, b: Pick<Waiter, 'ticket' | 'client'>): boolean {
  return a.ticket < b.ticket || (a.ticket === b.ticket && a.client < b.client)
}

/** Puts a waiter into its place, instead of what it said before. False: the list is full, or its client has its share. */
export function enqueue(list: Waiter[], waiter: Waiter, inLine: InLine): boolean {
  const who = accuserOf(waiter.client)
  remove(list, waiter.client, inLine)
  if (list.length >= WAITERS_MAX || countOf(list, waiter.client) >= WAITERS_OF_CLIENT_MAX) return false
  if ((inLine.get(who) ?? 0) >= IN_LINE_OF_CLIENT_MAX) return false
  inLine.set(who, (inLine.get(who) ?? 0) + 1)
  let place = list.length
  while (place > 0 && isBefore(waiter, list[place - 1]!)) place--
  list.splice(place, 0, waiter)
  return true
}

/** All processes of one certificate. */
function countOf(list: readonly Waiter[], client: NodeId): number {
  // A short line has room for everybody: mostly nobody is counted.
  if (list.length < WAITERS_OF_CLIENT_MAX) return 0
  const who = accuserOf(client)
  let count = 0
  for (const other of list) if (accuserOf(other.client) === who) count++
  return count
}

export function remove(list: Waiter[], client: NodeId, inLine: InLine): void {
  const place = list.findIndex(waiter => waiter.client === client)
  if (place >= 0) leave(list, place, inLine)
}

/** All of them go: their name is forgotten. */
export function removeAll(list: Waiter[], inLine: InLine): void {
  while (list.length > 0) leave(list, list.length - 1, inLine)
}

function leave(list: Waiter[], place: number, inLine: InLine): void {
  const [gone] = list.splice(place, 1)
  const who = accuserOf(gone!.client)
  const left = (inLine.get(who) ?? 0) - 1
  if (left > 0) inLine.set(who, left)
  else inLine.delete(who)
}

/** A list whose waiters have all gone is no reason to keep a name. */
export function someoneWaits({ waiters }: { readonly waiters: readonly Waiter[] | undefined }, now: Millis): boolean {
  return waiters?.some(({ pingedAt }) => now - pingedAt <= SILENT_MAX) ?? false
}

/** The first of those that are there, for people who look. */
export function firstNames(list: readonly Waiter[], now: Millis, max: number): NodeId[] {
  const names: NodeId[] = []
  for (const { client, pingedAt } of list) {
    if (names.length >= max) break
    if (now - pingedAt <= SILENT_MAX) names.push(client)
  }
  return names
}

/** The first that can be granted now, taken out of the list; those that are gone are forgotten on the way. */
export function takeFirst(
  list: Waiter[],
  maximum: number,
  now: Millis,
  inLine: InLine,
  tooLow: (waiter: Waiter) => void,
): Waiter | undefined {
  for (let place = 0; place < list.length; place++) {
    const waiter = list[place]!
    if (now - waiter.pingedAt > SILENT_MAX) {
      leave(list, place--, inLine)
      continue
    }
    if (waiter.token > maximum) {
      leave(list, place, inLine)
      return waiter
    }
    if (!waiter.low) {
      waiter.low = true
      tooLow(waiter)
    }
  }
  return undefined
}
