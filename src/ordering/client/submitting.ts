// The session of an object is opened, operations are submitted in it, and it is ended.

import type { Millis } from '../../core/index.ts'
import { BODY_BYTES_MAX, SESSION_TTL_MAX } from '../wire.ts'
import type { OrderingCommand } from './commands.ts'
import { launch } from './own-operations.ts'
import { fail } from './send.ts'
import type { ClientObject, ClientScene, Queued } from './state.ts'
import { isName, objectOf, wake } from './state.ts'

const QUEUE_MAX = 100_000
const TTL_MIN: Millis = 100
const NONCE_BYTES = 16
const NOTHING = new Uint8Array(0)

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
  scene.followUp.opens = true
  wake(scene, object)
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

export function onSubmit(scene: ClientScene, asked: OrderingCommand & { kind: 'submit' }): void {
  enqueue(scene, asked.object, { id: asked.id, kind: 'apply', body: asked.body }, asked.more === true)
}

export function onEnd(scene: ClientScene, { id, object }: OrderingCommand & { kind: 'end' }): void {
  enqueue(scene, object, { id, kind: 'end', body: NOTHING }, false)
}

function enqueue(scene: ClientScene, name: string, queued: Queued, more: boolean): void {
  const { state } = scene
  const { id, body } = queued
  if (!isName(name) || body.length > BODY_BYTES_MAX) return fail(scene, id, name, 'invalid', 'did not happen')
  const object = state.objects.get(name)
  if (object === undefined || object.session.phase === 'none' || object.session.phase === 'lost') {
    return fail(scene, id, name, 'no session', 'did not happen')
  }
  if (object.queue.length >= QUEUE_MAX) return fail(scene, id, name, 'crowded', 'did not happen')
  state.touched = name
  object.queue.push(queued)
  launch(object)
  // Others follow at once, and go out together with it.
  if (!more) wake(scene, object)
}
