// The server's side of waiting (protocols/lock 4): who comes into the list, who is given the lock when it comes free, and
// whose grant is asked back because an earlier ticket came. waiters.ts has the list itself, and why it is by ticket.

import type { Millis, NodeId } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import type { ClientMessage } from '../wire.ts'
import {
  addName,
  BLANK,
  grant,
  hasRoom,
  isOut,
  type LockEntry,
  locked,
  recovering,
  reply,
  type ServerScene,
  serverTimers,
  tokenMax,
} from './state.ts'
import { enqueue, firstGrant, isBefore, takeFirst, type Waiter } from './waiters.ts'

// A client that waits says so in the beginning and then with every ping. The first time it may find the lock free.
export function onWait(scene: ServerScene, from: NodeId, asked: Extract<ClientMessage, { kind: 'wait' }>): void {
  const { state, settings, turn } = scene
  const { name, attempt, ticket, token, ping } = asked
  const { now } = turn
  const wait = recovering(state, now)
  if (wait > 0) return reply(scene, from, locked(name, attempt, wait, true))
  const max = tokenMax(scene)
  if (token > max) return reply(scene, from, { kind: 'tooHigh', name, attempt, maximum: max })
  let entry = state.locks.get(name)
  if (entry === undefined) {
    if (!hasRoom(state, from)) return reply(scene, from, { kind: 'full', name, attempt })
    const { floor } = state
    const owner = certificateOf(from)
    entry = { ...BLANK, owner, holder: '', token: 0, since: now, until: now, maximum: floor, before: floor }
    addName(state, name, entry)
  }
  const ttl = Math.min(asked.ttl, settings.ttlMax)
  const waiter: Waiter = { client: from, ticket, attempt, token, ttl, ping, pingedAt: now, low: false }
  if (isOut(entry, now) && entry.holder === from) return prolongGrant(scene, name, entry, waiter)
  const out = isOut(entry, now)
  // Nobody has it, nobody waits for it: the usual case needs no line.
  if (!out && entry.waiters === undefined && token > entry.maximum) return give(scene, name, entry, waiter, ttl)
  entry.waiters ??= []
  if (out) return joinList(scene, name, entry, waiter)
  if (!enqueue(entry.waiters, waiter, state.inLine)) return reply(scene, from, { kind: 'full', name, attempt })
  giveNext(scene, name, entry, ttl)
}

// Behind a lease that is out.
function joinList(scene: ServerScene, name: string, entry: LockEntry, waiter: Waiter): void {
  const { state, turn } = scene
  const { client, attempt, ping } = waiter
  if (!enqueue(entry.waiters!, waiter, state.inLine)) return reply(scene, client, { kind: 'full', name, attempt })
  reply(scene, client, { kind: 'queued', name, attempt, ping })
  serverTimers.set(turn, 'expire', Math.max(0, Math.ceil(entry.until - turn.now)), name)
  if (entry.lease === undefined || entry.won || !isBefore(waiter, entry.lease)) return
  reply(scene, entry.holder, { kind: 'inquire', name, grant: entry.grant, token: entry.token })
}

// It has been granted the lock and has not won yet. Its grant lasts on, from this ping; under a new token it is a new one.
function prolongGrant(scene: ServerScene, name: string, entry: LockEntry, waiter: Waiter): void {
  const { client, attempt, token, ping } = waiter
  const held = firstGrant(waiter.ttl)
  if (entry.token !== token) {
    if (token <= entry.maximum) return reply(scene, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum })
    return give(scene, name, entry, waiter, held)
  }
  entry.lease = waiter
  entry.until = Math.max(entry.until, scene.turn.now + held)
  reply(scene, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping, held })
}

function give(scene: ServerScene, name: string, entry: LockEntry, waiter: Waiter, held: Millis): void {
  const { client, attempt, token, ping } = waiter
  grant(scene, entry, { name, holder: client, token, held, before: entry.maximum })
  entry.lease = waiter
  entry.grant = ++scene.state.grants
  reply(scene, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping, held })
}

/**
 * Gives a free lock to the first in the list, for a short time: it may be gone. A newcomer that finds nobody else
 * waiting has spoken just now, and gets all the time it asks for.
 */
export function giveNext(scene: ServerScene, name: string, entry: LockEntry, newcomer?: Millis): void {
  const { state, turn } = scene
  const { waiters } = entry
  if (waiters === undefined || waiters.length === 0 || state.stopped || isOut(entry, turn.now)) return
  const alone = newcomer !== undefined && waiters.length === 1
  const first = takeFirst(waiters, entry.maximum, turn.now, state.inLine, ({ client, attempt }) =>
    reply(scene, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum }),
  )
  if (first === undefined) return
  give(scene, name, entry, first, alone ? first.ttl : firstGrant(first.ttl))
  if (waiters.length === 0) entry.waiters = undefined
  else serverTimers.set(turn, 'expire', Math.ceil(entry.until - turn.now), name)
}

export function onYield(scene: ServerScene, from: NodeId, asked: Extract<ClientMessage, { kind: 'yield' }>): void {
  const { state } = scene
  const entry = state.locks.get(asked.name)
  if (entry?.lease === undefined || entry.holder !== from || entry.won) return
  // A server that lost its store starts counting its grants again: the number alone might be that of an older one.
  if (entry.grant !== asked.grant || entry.token !== asked.token) return
  entry.maximum = entry.before
  entry.holder = ''
  entry.waiters ??= []
  if (!entry.waiters.some(waiter => waiter.client === from)) enqueue(entry.waiters, entry.lease, state.inLine)
  entry.lease = undefined
  giveNext(scene, asked.name, entry)
}

/** The lease that is out may have run out, and somebody waits. */
export function onExpire(scene: ServerScene, name: string): void {
  const { state, turn } = scene
  const entry = state.locks.get(name)
  if (entry === undefined || entry.waiters === undefined || state.stopped) return
  if (!isOut(entry, turn.now)) return giveNext(scene, name, entry)
  serverTimers.set(turn, 'expire', Math.max(1, Math.ceil(entry.until - turn.now)), name)
}
