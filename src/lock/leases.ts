// A server's three answers about a lease: to a try, to a renewal, to a release (PROTOCOLS E 3, 5).

import type { NodeId } from '../core/index.ts'
import { grant, isOut, locked, NAMES_MAX, type ServerState, type ServerTurn } from './entries.ts'
import { giveNext } from './handover.ts'
import type { ClientMessage, ServerMessage } from './messages.ts'
import type { LockSettings } from './settings.ts'
import { remove } from './waiters.ts'

export function tryLock(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'try' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token } = asked
  const { now } = turn
  const held = Math.min(asked.ttl, settings.ttlMax)
  if (now < state.recoverUntil) return locked(name, attempt, state.recoverUntil - now, true)
  const entry = state.locks.get(name)
  if (entry !== undefined && isOut(entry, now)) {
    // The same request twice. It is answered again, and does not count from the second arrival.
    if (entry.holder === from && entry.token === token) return { kind: 'granted', name, attempt, token, held }
    // The same client has moved on, and its release is lost or late: its older lease means nothing to it.
    if (entry.holder !== from) return locked(name, attempt, entry.until - now, false)
  }
  const maximum = entry?.maximum ?? state.floor
  // A copy of a try that was given back would lock everybody out, for a client that no longer cares.
  if (token <= maximum || token === entry?.closed) return { kind: 'tooLow', name, attempt, maximum }
  if (entry === undefined && state.locks.size >= NAMES_MAX) return { kind: 'full', name, attempt }
  grant(state, entry, { name, from, token, held, before: maximum }, turn)
  return { kind: 'granted', name, attempt, token, held }
}

// A renewal is a grant to a token that may be as large as the largest: the holder's own. So a server that missed the
// try, or whose grant has run out, joins the holder's servers again, as long as nobody came after.
export function renew(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'renew' | 'keep' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token } = asked
  const { now } = turn
  const held = Math.min(asked.ttl, settings.ttlMax)
  if (now < state.recoverUntil) return locked(name, attempt, state.recoverUntil - now, true)
  const entry = state.locks.get(name)
  const out = entry !== undefined && isOut(entry, now)
  const other = out && entry.holder !== from
  const maximum = entry?.maximum ?? state.floor
  if (other || token < maximum || token <= (entry?.closed ?? 0)) {
    return { kind: 'notRenewed', name, attempt, token }
  }
  if (entry === undefined && state.locks.size >= NAMES_MAX) return { kind: 'full', name, attempt }
  const earlier = out ? { until: entry.until, since: entry.since } : { until: now, since: now }
  const before = token > maximum ? maximum : (entry?.before ?? state.floor)
  grant(state, entry, { name, from, token, held, before }, turn)
  const renewed = state.locks.get(name)!
  renewed.until = Math.max(renewed.until, earlier.until)
  renewed.won = true
  if (renewed.waiters !== undefined) remove(renewed.waiters, from)
  renewed.since = earlier.since
  return { kind: 'renewed', name, attempt, token, held }
}

// As if the holder had renewed; the answer goes to who asked.
export function keep(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'keep' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token, holder } = asked
  if (!settings.rules.mayKeep(from, holder)) return { kind: 'notRenewed', name, attempt, token }
  return renew(state, settings, holder, asked, turn)
}

export function release(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'release' }>,
  turn: ServerTurn,
): void {
  const entry = state.locks.get(asked.name)
  if (entry === undefined) return
  const waiting = entry.waiters?.find(waiter => waiter.client === from)
  if (waiting?.token === asked.token) remove(entry.waiters!, from)
  if (entry.holder === '' || !settings.rules.mayRelease(entry.holder, entry.token, from, asked.token)) return
  entry.closed = entry.token
  // A token that nobody ever used is taken back, or tries that fail would drive this server's maximum above the others'.
  if (asked.unused) entry.maximum = entry.before
  entry.holder = ''
  giveNext(state, asked.name, entry, turn)
}
