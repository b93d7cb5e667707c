// How far a server believes one client. That a version is committed it takes at once where it knows the version itself: it
// took it, or has its content. Else it asks the other servers, and b + 1 must know it.
//
// What is committed was taken by q servers, of which more than b answer; so a server that lags loses a round trip. A client that
// calls version 2^40 committed would otherwise end the object for good: nobody has what leads there. What hangs on such a
// version waits here, so many messages and bytes for each client, and is forgotten where nobody vouches for it.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import type { ClientMessage, Head, OrderingMessage } from '../wire.ts'
import { reply } from './send.ts'
import type { ServerObject, ServerScene, ServerState, Waiting } from './state.ts'
import { clientName } from './state.ts'

/** How long a version is asked for; its client says it again. */
const VOUCH_MS: Millis = 2_000
/** The same words again ask again, where the answers were lost. */
const ASK_AGAIN_MS: Millis = 50
/** Messages of one client that wait, for one object. */
export const WAITING_OF_CLIENT_MAX = 4
/** Bytes of one client's messages that wait, over all objects: one always fits. */
export const WAITING_BYTES_MAX = 16 * 2 ** 20
/** Of a message beside the change it brings. A commit brings none, and there may be a hundred thousand objects. */
const OVERHEAD_BYTES = 1_024
/** Clients that are told of, once each. */
const UNVOUCHED_MAX = 1_000

/** What a proposal or a commit says of a version: that it is committed. */
export function headOf(asked: ClientMessage & { kind: 'propose' | 'commit' }): Head {
  const { version, digest } = asked
  return asked.kind === 'commit' ? { version, digest } : { version: version - 1, digest: asked.parent }
}

/** Whether this server itself took the version, has its content, or was told of it by enough. */
export function knows({ committed, content, proposed, recent, unapplied, doubtful }: ServerObject, head: Head) {
  const { version, digest } = head
  const is = (other: Head | undefined) => other?.version === version && sameBytes(other.digest, digest)
  if (version === 0) return sameBytes(digest, FIRST_DIGEST)
  if (is(committed) || is(content) || is(proposed) || is(unapplied.get(version)) || is(doubtful.get(version)))
    return true
  return is(recent[version - (content.version - recent.length + 1)])
}

/** Whether the head may be taken now. Else it is asked for, and what was said waits. */
export function isVouched(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' | 'commit' },
): boolean {
  const { state, settings } = scene
  const head = headOf(asked)
  // What is older than what is known changes nothing.
  if (head.version < object.committed.version || knows(object, head)) return true
  // Alone, there is nobody to ask.
  if (state.servers.length < 2 || settings.rules.mayTake(0, settings.liars)) return true
  wait(scene, object, from, asked)
  return false
}

function wait(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' | 'commit' },
): void {
  const { state, turn } = scene
  const { waiting } = object
  const head = headOf(asked)
  const same = waiting.find(({ from: other, asked: before }) => other === from && sameWords(before, asked))
  if (same !== undefined) {
    if (turn.now >= same.askedAt + ASK_AGAIN_MS) ask(scene, object, same)
    return
  }
  const who = clientName(from)
  const bytes = OVERHEAD_BYTES + (asked.kind === 'propose' ? asked.change.length : 0)
  const held = state.waitingBytesOf.get(who) ?? 0
  if (waiting.filter(({ from: other }) => clientName(other) === who).length >= WAITING_OF_CLIENT_MAX) return
  if (held + bytes > WAITING_BYTES_MAX) return
  state.waitingBytesOf.set(who, held + bytes)
  const query = ++state.queries
  const entry = { from, asked, head, bytes, query, until: turn.now + VOUCH_MS, askedAt: 0, vouchers: new Set<NodeId>() }
  waiting.push(entry)
  ask(scene, object, entry)
}

function sameWords(a: OrderingMessage & { kind: 'propose' | 'commit' }, b: typeof a): boolean {
  return a.kind === b.kind && a.version === b.version && sameBytes(a.digest, b.digest)
}

function ask(scene: ServerScene, object: ServerObject, entry: Waiting): void {
  const { state, turn } = scene
  const { query, head, vouchers } = entry
  entry.askedAt = turn.now
  for (const to of state.servers) {
    if (to === state.self || vouchers.has(to)) continue
    turn.do({ kind: 'send', to, body: { kind: 'vouch', object: object.name, query, head } })
  }
}

/** Another server asks whether this one knows the version. */
export function onVouch(scene: ServerScene, from: NodeId, asked: ClientMessage & { kind: 'vouch' }): void {
  const { state } = scene
  if (!state.servers.includes(from)) return
  const { query, object: name, head } = asked
  const object = state.objects.get(name)
  reply(scene, from, { kind: 'vouched', object: name, query, known: object !== undefined && knows(object, head) })
}

/** Counts a server's word; those that need wait no longer, in the order in which they came. */
export function takeVoucher(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  { query, known }: OrderingMessage & { kind: 'vouched' },
): Waiting | undefined {
  const { settings } = scene
  const entry = object.waiting.find(one => one.query === query)
  if (entry === undefined || !known) return undefined
  entry.vouchers.add(from)
  return settings.rules.mayTake(entry.vouchers.size, settings.liars) ? entry : undefined
}

/** What hangs on this version, and on it alone, waits no longer. */
export function releaseWaiting(state: ServerState, object: ServerObject): Waiting[] {
  const free = object.waiting.filter(({ head }) => head.version < object.committed.version || knows(object, head))
  for (const entry of free) drop(state, object, entry)
  return free
}

function drop(state: ServerState, object: ServerObject, entry: Waiting): void {
  object.waiting.splice(object.waiting.indexOf(entry), 1)
  const who = clientName(entry.from)
  const left = (state.waitingBytesOf.get(who) ?? 0) - entry.bytes
  if (left > 0) state.waitingBytesOf.set(who, left)
  else state.waitingBytesOf.delete(who)
}

/** Nobody vouched in time: the people who run this server hear of the client, once. */
export function sweepWaiting(scene: ServerScene, object: ServerObject): void {
  const { state, turn } = scene
  for (const entry of object.waiting.filter(({ until }) => turn.now >= until)) {
    drop(state, object, entry)
    const client = clientName(entry.from)
    if (entry.vouchers.size > 0 || state.unvouched.has(client) || state.unvouched.size >= UNVOUCHED_MAX) continue
    state.unvouched.add(client)
    const { version } = entry.head
    turn.do({ kind: 'emit', event: { kind: 'versionUnvouched', object: object.name, client: entry.from, version } })
  }
}
