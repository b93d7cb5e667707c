// This process's own operations: numbered in the order of its commands, in one session for an object.

import { isText, type Millis, type Outcome } from '../../core/index.ts'
import { BODY_BYTES_MAX, OBJECT_BYTES_MAX, type Operation, SESSION_TTL_MAX, UNACKNOWLEDGED_MAX } from '../wire.ts'
import type { FailedReason, OrderingCommand } from './commands.ts'
import { submitToContacts } from './contacts.ts'
import { objectOf } from './send.ts'
import type { ClientObject, ClientScene, ClientState } from './state.ts'
import { pump } from './turns.ts'

/** In flight at once; the others wait in line. Fewer than the responses that a session keeps. */
const IN_FLIGHT_MAX = UNACKNOWLEDGED_MAX / 2
const IN_FLIGHT_BYTES_MAX = BODY_BYTES_MAX
const QUEUE_MAX = 100_000
const TTL_MIN: Millis = 100
const NONCE_BYTES = 16

export function fail(scene: ClientScene, id: number, object: string, reason: FailedReason, outcome: Outcome): void {
  const { turn } = scene
  turn.do({ kind: 'emit', event: { kind: 'failed', id, object, reason, outcome, answers: {} } })
}

export function isName(object: string): boolean {
  return isText(object, OBJECT_BYTES_MAX)
}

export function onOpen(scene: ClientScene, asked: OrderingCommand & { kind: 'open' }): void {
  const { state, turn } = scene
  const { id, object: name, ttl } = asked
  const valid = isName(name) && Number.isInteger(ttl) && ttl >= TTL_MIN && ttl <= SESSION_TTL_MAX
  if (!valid) return fail(scene, id, name, 'invalid', 'did not happen')
  const object = objectOf(state, name)
  const { session } = object
  if (session.phase === 'opening' || session.phase === 'open') return fail(scene, id, name, 'crowded', 'did not happen')
  resetSession(object)
  session.phase = 'opening'
  session.opener = id
  session.nonce = turn.bytes(NONCE_BYTES)
  session.ttl = ttl
  session.since = turn.now
  if (asked.wall !== undefined) object.wallLead = asked.wall - turn.now
  pump(scene, object)
  if (object.phase === 'waiting') submitOpen(scene, object)
}

function resetSession(object: ClientObject): void {
  const { session } = object
  session.id = ''
  session.pings.clear()
  session.echoes.clear()
  session.gone.clear()
  session.named.clear()
  object.outstanding.clear()
  object.outstandingBytes = 0
  object.responses.clear()
  object.seq = 1
  object.submitted = 0
}

export function submit(
  scene: ClientScene,
  asked: {
    readonly id: number
    readonly object: string
    readonly kind: 'apply' | 'end'
    readonly body: Uint8Array
    readonly more?: boolean
  },
): void {
  const { state } = scene
  const { id, object: name, kind, body } = asked
  if (!isName(name) || body.length > BODY_BYTES_MAX) return fail(scene, id, name, 'invalid', 'did not happen')
  const object = state.objects.get(name)
  if (object === undefined || object.session.phase === 'none' || object.session.phase === 'lost') {
    return fail(scene, id, name, 'no session', 'did not happen')
  }
  if (object.queue.length >= QUEUE_MAX) return fail(scene, id, name, 'crowded', 'did not happen')
  object.queue.push({ id, kind, body })
  launch(object)
  if (asked.more !== true) pump(scene, object)
}

/** Gives numbers to what waits in line, as far as there is room. */
export function launch(object: ClientObject): void {
  if (object.session.phase !== 'open') return
  while (object.queue.length > 0 && object.outstanding.size < IN_FLIGHT_MAX) {
    const { id, kind, body } = object.queue[0]!
    if (object.outstanding.size > 0 && object.outstandingBytes + body.length > IN_FLIGHT_BYTES_MAX) return
    object.queue.shift()
    object.outstanding.set(object.seq++, { id, kind, body })
    object.outstandingBytes += body.length
  }
}

export function hasOwnWork(object: ClientObject): boolean {
  return object.session.phase === 'opening' || object.outstanding.size > 0
}

export function ownOpen(state: ClientState, { session }: ClientObject): (Operation & { kind: 'open' }) | undefined {
  if (session.phase !== 'opening') return undefined
  return { kind: 'open', client: state.self, nonce: session.nonce, ttl: session.ttl }
}

/** Everything that this process has asked for and that is not answered. */
export function ownWords(state: ClientState, object: ClientObject): readonly Operation[] {
  const open = ownOpen(state, object)
  return open === undefined ? ownOperations(state, object) : [open, ...ownOperations(state, object)]
}

type OwnOperation = Operation & { kind: 'apply' | 'end' }

/** From a number on, in their order. */
export function ownOperations(state: ClientState, object: ClientObject, from = 0): OwnOperation[] {
  if (object.session.phase !== 'open') return []
  const session = object.session.id
  const client = state.self
  const ack = firstOutstanding(object)
  const found: OwnOperation[] = []
  for (const [seq, { kind, body }] of object.outstanding) {
    if (seq < from) continue
    if (kind === 'apply') found.push({ kind, client, session, seq, ack, body })
    else found.push({ kind, client, session, seq, ack })
  }
  return found
}

/** Everything before it is answered. Insertion is in the order of numbers, so the first is the smallest. */
function firstOutstanding(object: ClientObject): number {
  const { value, done } = object.outstanding.keys().next()
  return done ? object.seq : value
}

/** While another has the turn, the servers are told of what is new, and tell whoever has it. */
export function submitNew(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  if (object.submitted >= object.seq) return
  const operations = ownOperations(state, object, object.submitted)
  object.submitted = object.seq
  if (operations.length > 0) submitToContacts(scene, object, operations)
}

export function submitOpen(scene: ClientScene, object: ClientObject): void {
  const { state } = scene
  const operation = ownOpen(state, object)
  if (operation !== undefined) submitToContacts(scene, object, [operation])
}
