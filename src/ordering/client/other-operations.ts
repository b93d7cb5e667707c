// Operations of other clients, as servers name them. One server may invent what nobody asked for: b + 1 must say the
// same (BACKOFF figure 2, line 24).

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { openedAt, operationKey, readSilentName, type Touched } from '../versions/content.ts'
import type { Operation, ServerMessage } from '../wire.ts'
import { accuse } from './evidence.ts'
import { keep, release } from './shares.ts'
import type { ClientObject } from './state.ts'
import { type ClientScene, wake } from './state.ts'

/** Believed and waiting: beyond this number they must be named again. */
const POOL_MAX = 20_000

export function onPushed(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  { operations }: ServerMessage & { kind: 'pushed' },
): void {
  hearOf(scene, object, from, operations)
  wake(scene, object)
}

export function hearOf(
  scene: ClientScene,
  object: ClientObject,
  server: NodeId,
  operations: readonly Operation[],
): void {
  const { settings } = scene
  for (const operation of operations) {
    if (isOver(object, operation)) continue
    if (neverOurs(scene, object, operation)) {
      accuse(scene, object, server, object.replica.version, 'an operation of ours that we never asked for')
      continue
    }
    if (settings.rules.vouchersNeeded(settings.liars) <= 1) believe(object, operation)
    else vote(scene, object, server, operation)
  }
}

/** In our name, and of a session later than the one that we have: nobody can have asked for it. */
function neverOurs({ state }: ClientScene, { session }: ClientObject, operation: Operation): boolean {
  if (operation.kind === 'open' || operation.client !== state.self || session.phase !== 'open') return false
  return openedAt(operation.session) > openedAt(session.id)
}

// One vote a server and operation, its last word: with all that it ever said, a liar that says something else each time
// would be searched through for every word that comes.
function vote(scene: ClientScene, object: ClientObject, server: NodeId, operation: Operation): void {
  const { settings } = scene
  const { votes } = object.pool
  const key = operationKey(operation)
  const said = votes.get(key) ?? new Map<NodeId, Operation>()
  votes.set(key, said)
  said.set(settings.rules.voterOf(server, said.size), operation)
  let count = 0
  // The smallest acknowledgement: an honest server's is true, and a larger one would drop responses that are missed.
  let smallest = operation
  for (const other of said.values()) {
    if (!isSame(other, operation)) continue
    count++
    if (ackOf(other) < ackOf(smallest)) smallest = other
  }
  if (count < settings.rules.vouchersNeeded(settings.liars)) {
    return keep(scene, server, { kind: 'operation', object: object.name, key }, bytesOf(operation))
  }
  votes.delete(key)
  for (const [voter, other] of said) {
    release(scene.state, voter, { kind: 'operation', object: object.name, key })
    // Its client said one thing only.
    if (other.client !== operation.client || isSame(other, operation)) continue
    accuse(scene, object, voter, object.replica.version, 'an operation that nobody asked for')
  }
  believe(object, smallest)
}

function bytesOf(operation: Operation): number {
  return operation.kind === 'apply' ? operation.body.length : 0
}

function ackOf(operation: Operation): number {
  return operation.kind === 'open' ? 0 : operation.ack
}

// The acknowledgement may differ: it was said again.
function isSame(a: Operation, b: Operation): boolean {
  if (a.client !== b.client) return false
  if (a.kind === 'open') return b.kind === 'open' && a.ttl === b.ttl
  if (a.kind !== 'apply' || b.kind !== 'apply') return a.kind === b.kind
  return sameBytes(a.body, b.body)
}

function believe(object: ClientObject, operation: Operation): void {
  const { opens, operations } = object.pool
  if (opens.size + operations.size > POOL_MAX) return
  if (operation.kind === 'open') {
    opens.set(operationKey(operation), operation)
    return
  }
  let session = operations.get(operation.session)
  if (session === undefined) {
    session = new Map()
    operations.set(operation.session, session)
  }
  if (session.size < POOL_MAX) session.set(operation.seq, operation)
}

/** Reflected by the replica, or never to be applied. */
function isOver({ replica }: ClientObject, operation: Operation): boolean {
  if (operation.kind === 'open') return false
  const session = replica.sessions.get(operation.session)
  if (session === undefined) return replica.version >= openedAt(operation.session)
  return operation.seq < session.next
}

/** The replica went on. */
export function dropReflected({ pool }: ClientObject, { session, after }: Touched): void {
  const operations = pool.operations.get(session)
  if (operations === undefined) return
  if (after !== undefined) for (const seq of operations.keys()) if (seq < after.next) operations.delete(seq)
  if (after === undefined || operations.size === 0) pool.operations.delete(session)
}

/** Reports of silence count together only while they are this young: the servers stay mute for longer. */
const REPORTS_MS: Millis = 500

/** Those that f + b + 1 servers have not heard of for their time: one of any n - f that a living client hears is among them. */
export function silentSessions(object: ClientObject, settings: OrderingSettings, now: Millis): string[] {
  const counts = new Map<string, number>()
  const needed = settings.crashes + settings.liars + 1
  const found: string[] = []
  for (const { sentAt, sessions } of object.silent.values()) {
    if (now > sentAt + REPORTS_MS) continue
    for (const session of sessions) {
      const count = (counts.get(session) ?? 0) + 1
      counts.set(session, count)
      if (count === needed && mayBeSilent(object, settings, session)) found.push(session)
    }
  }
  return found
}

/** A lease that was renewed since, or has ended, is no reason to ask for the turn. */
function mayBeSilent(object: ClientObject, { rules }: OrderingSettings, name: string): boolean {
  const { id, renewal } = readSilentName(name)
  if (renewal === undefined || isUnknown(object, name)) return true
  const known = object.replica.sessions.get(id)
  return known !== undefined && rules.mayEndLease(renewal, known.next)
}

/** Of a version that the replica has not come to. */
function isUnknown({ replica }: ClientObject, name: string): boolean {
  const { id, renewal } = readSilentName(name)
  const known = replica.sessions.get(id)
  if (known === undefined) return openedAt(id) > replica.version
  return renewal !== undefined && renewal > known.next
}

/**
 * Whether somebody else has gone on, unnoticed: servers call silent what this replica has never heard of. A client that
 * keeps its turn and has nothing to do would look for it in vain, and what is over would never end.
 */
export function isLeftBehind(object: ClientObject, settings: OrderingSettings, now: Millis): boolean {
  return silentSessions(object, settings, now).some(name => isUnknown(object, name))
}
