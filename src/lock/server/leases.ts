// A server's answers about a lease: to a try, to a renewal, to a release (protocols/lock 3, 5).

import type { NodeId } from '../../core/index.ts'
import type { ClientMessage, ServerMessage } from '../wire.ts'
import { giveNext } from './handover.ts'
import {
  forgetIfCrowded,
  grant,
  hasRoom,
  isOut,
  locked,
  recovering,
  reply,
  type ServerScene,
  tokenMax,
} from './state.ts'
import { remove } from './waiters.ts'

type Asked<Kind extends ClientMessage['kind']> = Extract<ClientMessage, { kind: Kind }>

export function onTry(scene: ServerScene, from: NodeId, asked: Asked<'try'>): void {
  reply(scene, from, tryLock(scene, from, asked))
}

function tryLock(scene: ServerScene, from: NodeId, asked: Asked<'try'>): ServerMessage {
  const { state, settings, turn } = scene
  const { name, attempt, token } = asked
  const { now } = turn
  const held = Math.min(asked.ttl, settings.ttlMax)
  const wait = recovering(state, now)
  if (wait > 0) return locked(name, attempt, wait, true)
  const entry = state.locks.get(name)
  if (entry !== undefined && isOut(entry, now)) {
    // The same request twice. It is answered again, and does not count from the second arrival.
    if (entry.holder === from && entry.token === token) return { kind: 'granted', name, attempt, token, held }
    // The same client has moved on, and its release is lost or late: its older lease means nothing to it.
    if (entry.holder !== from) return locked(name, attempt, entry.until - now, false)
  }
  const maximum = entry?.maximum ?? state.floor
  // A copy of a try that was given back would lock everybody out, for a client that no longer cares.
  if (token === entry?.closed) return { kind: 'tooLow', name, attempt, maximum: Math.max(maximum, token) }
  if (token <= maximum) return { kind: 'tooLow', name, attempt, maximum }
  const max = tokenMax(scene)
  if (token > max) return { kind: 'tooHigh', name, attempt, maximum: max }
  if (entry === undefined && !hasRoom(state, from)) return { kind: 'full', name, attempt }
  grant(scene, entry, { name, holder: from, token, held, before: maximum })
  return { kind: 'granted', name, attempt, token, held }
}

export function onRenew(scene: ServerScene, from: NodeId, asked: Asked<'renew'>): void {
  reply(scene, from, renew(scene, from, asked))
}

// As if the holder had renewed; the answer goes to who asked.
export function onKeep(scene: ServerScene, from: NodeId, asked: Asked<'keep'>): void {
  const { name, attempt, token, holder } = asked
  if (!scene.settings.rules.mayKeep(from, holder))
    return reply(scene, from, { kind: 'notRenewed', name, attempt, token })
  reply(scene, from, renew(scene, holder, asked))
}

// A renewal is a grant to a token that may be as large as the largest: the holder's own. So a server that missed the
// try, or whose grant has run out, joins the holder's servers again, as long as nobody came after.
function renew(scene: ServerScene, holder: NodeId, asked: Asked<'renew' | 'keep'>): ServerMessage {
  const { state, settings, turn } = scene
  const { name, attempt, token } = asked
  const { now } = turn
  const held = Math.min(asked.ttl, settings.ttlMax)
  const wait = recovering(state, now)
  if (wait > 0) return locked(name, attempt, wait, true)
  const entry = state.locks.get(name)
  const out = entry !== undefined && isOut(entry, now)
  const other = out && entry.holder !== holder
  const maximum = entry?.maximum ?? state.floor
  if (other || token < maximum || token <= (entry?.closed ?? 0)) return { kind: 'notRenewed', name, attempt, token }
  const max = tokenMax(scene)
  if (token > maximum && token > max) return { kind: 'tooHigh', name, attempt, maximum: max }
  if (entry === undefined && !hasRoom(state, holder)) return { kind: 'full', name, attempt }
  const earlier = out ? { until: entry.until, since: entry.since } : { until: now, since: now }
  const before = token > maximum ? maximum : (entry?.before ?? state.floor)
  grant(scene, entry, { name, holder, token, held, before })
  const renewed = state.locks.get(name)!
  renewed.until = Math.max(renewed.until, earlier.until)
  renewed.won = true
  if (renewed.waiters !== undefined) remove(renewed.waiters, holder, state.inLine)
  renewed.since = earlier.since
  return { kind: 'renewed', name, attempt, token, held }
}

export function onRelease(scene: ServerScene, from: NodeId, { name, token, unused }: Asked<'release'>): void {
  const { state, settings } = scene
  const entry = state.locks.get(name)
  if (entry === undefined) return
  const waiting = entry.waiters?.find(waiter => waiter.client === from)
  if (waiting?.token === token) remove(entry.waiters!, from, state.inLine)
  if (entry.holder === '' || !settings.rules.mayRelease(entry.holder, entry.token, from, token)) return
  entry.closed = entry.token
  // A token that nobody ever used is taken back, or tries that fail would drive this server's maximum above the others'.
  if (unused) entry.maximum = entry.before
  entry.holder = ''
  giveNext(scene, name, entry)
  forgetIfCrowded(state, name, entry)
}
