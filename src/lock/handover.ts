// The server's side of waiting (PROTOCOLS E 4): who comes into the list, who is given the lock when it comes free, and
// whose grant is asked back because an earlier ticket came. waiters.ts has the list itself, and why it is by ticket.

import type { Millis, NodeId } from '../core/index.ts'
import {
  BLANK,
  grant,
  isOut,
  type LockEntry,
  locked,
  NAMES_MAX,
  reply,
  type ServerState,
  type ServerTurn,
} from './entries.ts'
import type { ClientMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import { enqueue, firstGrant, isBefore, takeFirst, type Waiter } from './waiters.ts'

// A client that waits says so in the beginning and then again and again. The first time it may find the lock free.
export function wait(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'wait' }>,
  turn: ServerTurn,
): void {
  const { name, attempt, ticket, token, ping } = asked
  const { now } = turn
  if (now < state.recoverUntil) return reply(turn, from, locked(name, attempt, state.recoverUntil - now, true))
  let entry = state.locks.get(name)
  if (entry === undefined) {
    if (state.locks.size >= NAMES_MAX) return reply(turn, from, { kind: 'full', name, attempt })
    entry = { ...BLANK, holder: '', token: 0, since: now, until: now, maximum: state.floor, before: state.floor }
    state.locks.set(name, entry)
  }
  const ttl = Math.min(asked.ttl, settings.ttlMax)
  const waiter: Waiter = { client: from, ticket, attempt, token, ttl, ping, pingedAt: now, low: false }
  if (isOut(entry, now) && entry.holder === from) return again(state, name, entry, waiter, turn)
  entry.waiters ??= []
  if (isOut(entry, now)) return stand(name, entry, waiter, turn)
  if (!enqueue(entry.waiters, waiter)) return reply(turn, from, { kind: 'full', name, attempt })
  giveNext(state, name, entry, turn, ttl)
}

// Stands in line behind a lease that is out.
function stand(name: string, entry: LockEntry, waiter: Waiter, turn: ServerTurn): void {
  const { client, attempt, ping } = waiter
  if (!enqueue(entry.waiters!, waiter)) return reply(turn, client, { kind: 'full', name, attempt })
  reply(turn, client, { kind: 'queued', name, attempt, ping })
  turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.max(0, Math.ceil(entry.until - turn.now)) })
  if (entry.lease === undefined || entry.won || !isBefore(waiter, entry.lease)) return
  reply(turn, entry.holder, { kind: 'inquire', name, grant: entry.grant, token: entry.token })
}

// It has been granted the lock and has not won yet. Its grant lasts on, from this ping; under a new token it is a new one.
function again(state: ServerState, name: string, entry: LockEntry, waiter: Waiter, turn: ServerTurn): void {
  const { client, attempt, token } = waiter
  if (entry.token !== token) {
    if (token <= entry.maximum) return reply(turn, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum })
    return give(state, name, entry, waiter, firstGrant(waiter.ttl), turn)
  }
  const held = firstGrant(waiter.ttl)
  entry.lease = waiter
  entry.until = Math.max(entry.until, turn.now + held)
  reply(turn, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping: waiter.ping, held })
}

function give(
  state: ServerState,
  name: string,
  entry: LockEntry,
  waiter: Waiter,
  held: Millis,
  turn: ServerTurn,
): void {
  const { client, attempt, token, ping } = waiter
  grant(state, entry, { name, from: client, token, held, before: entry.maximum }, turn)
  entry.lease = waiter
  entry.grant = ++state.grants
  reply(turn, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping, held })
}

// Whoever is first in the list gets a short grant. One that came to a free lock just now is there, and gets all it asks.
export function giveNext(
  state: ServerState,
  name: string,
  entry: LockEntry,
  turn: ServerTurn,
  newcomer?: Millis,
): void {
  const { waiters } = entry
  if (waiters === undefined || waiters.length === 0 || state.stopped || isOut(entry, turn.now)) return
  const alone = newcomer !== undefined && waiters.length === 1
  const first = takeFirst(waiters, entry.maximum, turn.now, ({ client, attempt }) =>
    reply(turn, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum }),
  )
  if (first === undefined) return
  give(state, name, entry, first, alone ? first.ttl : firstGrant(first.ttl), turn)
  if (waiters.length === 0) entry.waiters = undefined
  else turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.ceil(entry.until - turn.now) })
}

export function yielded(
  state: ServerState,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'yield' }>,
  turn: ServerTurn,
): void {
  const entry = state.locks.get(asked.name)
  if (entry?.lease === undefined || entry.holder !== from || entry.won) return
  // A server that lost its store counts its grants anew: the number alone might be that of an older one.
  if (entry.grant !== asked.grant || entry.token !== asked.token) return
  entry.maximum = entry.before
  entry.holder = ''
  entry.waiters ??= []
  if (!entry.waiters.some(waiter => waiter.client === from)) enqueue(entry.waiters, entry.lease)
  entry.lease = undefined
  giveNext(state, asked.name, entry, turn)
}

export function expire(state: ServerState, timerName: string, turn: ServerTurn): void {
  const name = timerName.slice('expire:'.length)
  const entry = state.locks.get(name)
  if (entry === undefined || entry.waiters === undefined || state.stopped) return
  if (!isOut(entry, turn.now)) return giveNext(state, name, entry, turn)
  turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.max(1, Math.ceil(entry.until - turn.now)) })
}
