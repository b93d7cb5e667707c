// Operations that wait at a server until a committed version reflects them (BACKOFF figure 3, lines 1-4 and 23).

import type { Millis, NodeId } from '../../core/index.ts'
import { pushesFor } from '../contact-places.ts'
import { compareRanks } from '../rules.ts'
import { operationKey, sessionName, sessionsIn, type Touched } from '../versions/content.ts'
import { ANSWER_BYTES_MAX, type ClientMessage, OPERATIONS_MAX, type Operation, type Rank } from '../wire.ts'
import { reply, replyAtOnce } from './send.ts'
import { answerAgain } from './sessions.ts'
import type { ServerScene, ServerState } from './state.ts'
import { clientName, isGone, type Proposal, type ServerObject } from './state.ts'
import { heldByAnother } from './turns.ts'

/** What one client, and all together, may have waiting: beyond that the server says `full`, and they ask again. */
const OF_CLIENT_MAX = 2_048
const PENDING_MAX = 20_000
const PENDING_BYTES_MAX = 64 * 2 ** 20
export const CLIENT_BYTES_MAX = 32 * 2 ** 20
/** Of all processes that use one client's certificate, for one object: half of the places are for others. */
export const OF_CERTIFICATE_MAX = 10_000
/** Bytes of one client over all objects: it may make ten thousand. */
export const PENDING_BYTES_OF_CLIENT_MAX = 128 * 2 ** 20
/** A client that still wants its operation done says so again within this time. */
const FORGOTTEN_AFTER: Millis = 60_000
/** Of an operation beside its body. */
const OVERHEAD_BYTES = 64

export function onSubmit(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  { operations }: ClientMessage & { kind: 'submit' },
): void {
  takeOperations(scene, object, from, operations, 'contacts')
}

/** Whether only the contacts of a client were asked, or all servers, decides who tells the holder. */
export function takeOperations(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  operations: readonly Operation[],
  asked: 'contacts' | 'all',
): void {
  const { state, settings, turn } = scene
  const pushed: Operation[] = []
  const held = heldByAnother(object, from, turn.now) && settings.rules.tellsPending()
  const pushes = asked === 'contacts' || pushesFor(state.place, state.servers.length, from, settings)
  const holder = held && pushes ? object.holder : undefined
  for (const operation of operations) {
    if (operation.client !== from) continue
    if (answerAgain(scene, object, operation)) continue
    const entry = add(scene, object, operation)
    if (entry === undefined) return reply(scene, from, { kind: 'full', object: object.name, what: 'operations' })
    if (holder === undefined) continue
    entry.knownTo = object.promised
    pushed.push(operation)
  }
  if (holder !== undefined && pushed.length > 0) {
    replyAtOnce(scene, holder, { kind: 'pushed', object: object.name, operations: pushed })
  }
}

/** The holder of the turn has nothing left to do, as far as it knows: it gets what it does not know of. */
export function pushRemaining(scene: ServerScene, object: ServerObject, holder: NodeId): void {
  if (object.pending.size === 0 || object.holder !== holder || object.promised.client !== holder) return
  const operations = handOverPending(object, object.promised)
  if (operations.length > 0) replyAtOnce(scene, holder, { kind: 'pushed', object: object.name, operations })
}

// Said again: the holder may not have heard of it, and the acknowledgement may be newer.
function add(scene: ServerScene, object: ServerObject, operation: Operation) {
  const { state, turn } = scene
  const key = operationKey(operation)
  const before = object.pending.get(key)
  if (before !== undefined) remove(state, object, key)
  const count = object.pendingOf.get(operation.client) ?? 0
  const bytes = OVERHEAD_BYTES + (operation.kind === 'apply' ? operation.body.length : 0)
  const name = clientName(operation.client)
  const bytesOfClient = (object.pendingBytesOf.get(name) ?? 0) + bytes
  const bytesOverAll = (state.pendingBytesOf.get(name) ?? 0) + bytes
  if (object.pendingBytes + bytes > PENDING_BYTES_MAX || bytesOfClient > CLIENT_BYTES_MAX) return undefined
  if (object.pending.size >= PENDING_MAX || count >= OF_CLIENT_MAX) return undefined
  if (bytesOverAll > PENDING_BYTES_OF_CLIENT_MAX || countOf(object, name) >= OF_CERTIFICATE_MAX) return undefined
  const entry = { operation, bytes, since: turn.now, knownTo: undefined as Rank | undefined }
  object.pending.set(key, entry)
  object.pendingBytes += bytes
  object.pendingOf.set(operation.client, count + 1)
  object.pendingBytesOf.set(name, bytesOfClient)
  state.pendingBytesOf.set(name, bytesOverAll)
  return entry
}

/** What waits of all processes of one client. */
function countOf({ pending, pendingOf }: ServerObject, name: string): number {
  // Mostly nobody is counted.
  if (pending.size < OF_CERTIFICATE_MAX) return 0
  let count = 0
  for (const [client, own] of pendingOf) if (clientName(client) === name) count += own
  return count
}

function remove(state: ServerState, object: ServerObject, key: string): void {
  const entry = object.pending.get(key)
  if (entry === undefined) return
  object.pending.delete(key)
  object.pendingBytes -= entry.bytes
  const { client } = entry.operation
  const count = (object.pendingOf.get(client) ?? 1) - 1
  if (count > 0) object.pendingOf.set(client, count)
  else object.pendingOf.delete(client)
  const name = clientName(client)
  for (const bytesOf of [object.pendingBytesOf, state.pendingBytesOf]) {
    const bytes = (bytesOf.get(name) ?? 0) - entry.bytes
    if (bytes > 0) bytesOf.set(name, bytes)
    else bytesOf.delete(name)
  }
}

/** Those that the client of this rank does not know of yet, as many as an answer takes; it knows them from now on. */
export function handOverPending(object: ServerObject, rank: Rank): readonly Operation[] {
  const found: Operation[] = []
  let bytesLeft = ANSWER_BYTES_MAX
  for (const entry of object.pending.values()) {
    if (entry.knownTo !== undefined && compareRanks(entry.knownTo, rank) === 0) continue
    if (entry.operation.client === rank.client) continue
    bytesLeft -= entry.bytes
    if ((bytesLeft < 0 && found.length > 0) || found.length >= OPERATIONS_MAX) break
    entry.knownTo = rank
    found.push(entry.operation)
  }
  return found
}

/** What a proposal reflects, its proposer knows. */
export function markKnown(object: ServerObject, proposed: Proposal): void {
  if (object.pending.size === 0) return
  for (const { session, after } of sessionsIn(proposed.writes)) {
    if (after === undefined) continue
    const from = object.content.sessions.get(session)?.next ?? 1
    for (const key of keysBetween(object, session, from, after.next)) object.pending.get(key)!.knownTo = proposed.rank
  }
}

function keysBetween(object: ServerObject, session: string, from: number, next: number): string[] {
  const keys: string[] = []
  if (next - from <= object.pending.size) {
    for (let seq = from; seq < next; seq++) if (object.pending.has(`${session} ${seq}`)) keys.push(`${session} ${seq}`)
    return keys
  }
  for (const [key, { operation }] of object.pending) {
    if (operation.kind !== 'open' && operation.session === session && operation.seq < next) keys.push(key)
  }
  return keys
}

/** What a committed version reflects, or can never be applied, waits no longer. Says whether anything did. */
export function forget(state: ServerState, object: ServerObject, { session, before, after }: Touched): boolean {
  const waited = object.pending.size
  if (waited === 0) return false
  if (before === undefined && after !== undefined)
    remove(state, object, `open ${sessionName(after.client, after.nonce)}`)
  const next = after?.next ?? Number.POSITIVE_INFINITY
  for (const key of keysBetween(object, session, before?.next ?? 1, next)) remove(state, object, key)
  return object.pending.size < waited
}

/** The content came as a whole: what it reflects waits no longer. */
export function forgetReflected(state: ServerState, object: ServerObject): void {
  for (const [key, { operation }] of object.pending) {
    if (operation.kind === 'open') {
      if (object.content.opened.has(sessionName(operation.client, operation.nonce))) remove(state, object, key)
      continue
    }
    const session = object.content.sessions.get(operation.session)
    if (session === undefined ? isGone(object, operation.session) : operation.seq < session.next)
      remove(state, object, key)
  }
}

export function sweepPending(state: ServerState, object: ServerObject, now: Millis): void {
  for (const [key, { since }] of object.pending) if (now > since + FORGOTTEN_AFTER) remove(state, object, key)
}
