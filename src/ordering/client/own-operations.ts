// This process's own operations that are not answered yet: numbered in the order of its commands.

import { BODY_BYTES_MAX, type Operation, UNACKNOWLEDGED_MAX } from '../wire.ts'
import type { ClientObject, ClientScene, ClientState } from './state.ts'

/** In flight at once; the others wait in line. Fewer than the responses that a session keeps. */
export const IN_FLIGHT_MAX = UNACKNOWLEDGED_MAX / 2

const IN_FLIGHT_BYTES_MAX = BODY_BYTES_MAX

/** Gives numbers to what waits in line, as far as the limits allow. */
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

/** Whether nobody else could apply what this process submits. */
export function isAlone({ settings }: ClientScene, { name }: ClientObject): boolean {
  return settings.findApplier(name)?.alone === true
}

/** Everything that this process has asked for and that is not answered, as far as others may do it. */
export function ownWords(scene: ClientScene, object: ClientObject): readonly Operation[] {
  const { state } = scene
  const open = ownOpen(state, object)
  const operations = isAlone(scene, object) ? [] : ownOperations(state, object)
  return open === undefined ? operations : [open, ...operations]
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
