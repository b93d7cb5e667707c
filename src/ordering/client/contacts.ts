// A client's contacts: the servers that hear its operations, tell the holder of the turn, and bring the answers.
//
// All n would do it too, at n times the messages. 2b + 1 are asked, counted from a place that the client's name gives:
// each client loads others, and all that it says arrives whole and in order. Of these b + 1 are honest, unless some are
// gone or cut off: where no answer comes in time, all servers are asked, and those that were silent are passed over from
// then on. A server answers the clients that asked it.

import type { Millis, NodeId } from '../../core/index.ts'
import { distance } from '../contact-places.ts'
import type { OrderingSettings } from '../settings.ts'
import type { Operation } from '../wire.ts'
import { isAlone, ownOpen, ownOperations, ownWords } from './own-operations.ts'
import { send, sendAll } from './send.ts'
import type { ClientObject, ClientScene, ClientState } from './state.ts'
import { clientTimers } from './state.ts'

/** How long to wait for an answer, at least and at most, before all servers are asked. */
const PATIENCE_MIN: Millis = 25
const PATIENCE_MAX: Millis = 400
/** Answers that take this many times as long as the slow ones of late are late. */
const LATE = 2
const FORGETS_SLOWNESS = 0.95

function contactsOf(
  { servers, self }: ClientState,
  settings: OrderingSettings,
  { silentContacts: silentSpeakers }: ClientObject,
): NodeId[] {
  const first = distance(0, servers.length, self)
  const ring = servers.map((_, place) => servers[(place + servers.length - first) % servers.length]!)
  const ready = ring.filter(server => !silentSpeakers.has(server))
  const others = ring.filter(server => silentSpeakers.has(server))
  return [...ready, ...others].slice(0, 2 * settings.liars + 1)
}

function submitToContacts(scene: ClientScene, object: ClientObject, operations: readonly Operation[]): void {
  const { state, settings, turn } = scene
  const { name } = object
  for (const server of contactsOf(state, settings, object))
    send(scene, server, { kind: 'submit', object: name, operations })
  // Nothing else waits.
  if (operations.length >= object.outstanding.size) object.quietSince = turn.now
  if (object.impatient) return
  object.impatient = true
  setPatience(scene, object, patienceOf(object))
}

/** Half answers count too: a contact is there if it says anything about what was asked. */
export function heardContact(object: ClientObject, from: NodeId, now: Millis): void {
  object.heardAt.set(from, now)
  object.silentContacts.delete(from)
}

/** Something was answered: the others of the same batch come soon. */
export function heardAnswer(object: ClientObject, now: Millis): void {
  if (object.impatient) object.slowest = Math.max(now - object.quietSince, FORGETS_SLOWNESS * object.slowest)
  object.quietSince = now
}

function patienceOf({ slowest }: ClientObject): Millis {
  return Math.min(PATIENCE_MAX, Math.max(PATIENCE_MIN, LATE * slowest))
}

function setPatience(scene: ClientScene, { name: object }: ClientObject, after: Millis): void {
  const { turn } = scene
  clientTimers.set(turn, 'patience', after, object)
}

export function onPatience(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const operations = ownWords(scene, object)
  object.impatient = object.phase === 'waiting' && operations.length > 0
  if (!object.impatient) return
  const rest = object.quietSince + patienceOf(object) - turn.now
  if (rest > 0) return setPatience(scene, object, rest)
  for (const server of contactsOf(state, settings, object)) {
    if ((object.heardAt.get(server) ?? 0) <= object.quietSince) object.silentContacts.add(server)
  }
  // Not all of them: the holder of the turn is gone or slow.
  if (object.silentContacts.size === state.servers.length) object.silentContacts.clear()
  sendAll(scene, { kind: 'submit', object: object.name, operations })
  object.slowest = patienceOf(object)
  object.quietSince = turn.now
  setPatience(scene, object, patienceOf(object))
}

/** While another has the turn, the contacts hear of what is new, and tell the holder. */
export function submitNew(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  if (object.submitted >= object.seq) return
  const operations = isAlone(scene, object) ? [] : ownOperations(state, object, object.submitted)
  object.submitted = object.seq
  if (operations.length > 0) submitToContacts(scene, object, operations)
}

export function submitOpen(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  const operation = ownOpen(state, object)
  if (operation !== undefined) submitToContacts(scene, object, [operation])
}
