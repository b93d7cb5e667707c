// Commands that stop something: waiting, watching, using an object at all.

import type { ClientScene, Use } from './client-state.ts'
import { drop } from './reading.ts'
import { fail } from './submitting.ts'
import { sendAll } from './uses.ts'

/** Nobody waits for this command any more. What is on its way may still happen. */
export function cancel(scene: ClientScene, id: number, object: string): void {
  const { state } = scene
  const reading = state.readings.get(id)
  const use = state.uses.get(object)
  if (reading !== undefined) {
    drop(scene, reading)
    use?.watches.delete(id)
    return fail(scene, id, reading.object, 'cancelled', 'did not happen')
  }
  if (use === undefined) return
  const place = use.queue.findIndex(waiting => waiting.id === id)
  if (place >= 0) {
    use.queue.splice(place, 1)
    return fail(scene, id, object, 'cancelled', 'did not happen')
  }
  for (const own of use.outstanding.values()) {
    if (own.id !== id) continue
    own.id = undefined
    return fail(scene, id, object, 'cancelled', 'may have happened')
  }
  if (use.session.phase === 'opening' && use.session.opener === id) {
    use.session.phase = 'none'
    fail(scene, id, object, 'cancelled', 'may have happened')
  }
}

export function unwatch(scene: ClientScene, id: number, object: string): void {
  const { state } = scene
  const use = state.uses.get(object)
  const reading = state.readings.get(id)
  if (reading !== undefined) drop(scene, reading)
  use?.watches.delete(id)
}

const TIMERS = ['turn', 'sync', 'watch', 'replay', 'ping', 'belief']

/** Lets go of everything that is kept for an object. */
export function close(scene: ClientScene, object: string): void {
  const { state, turn } = scene
  const use = state.uses.get(object)
  if (use === undefined) return
  state.uses.delete(object)
  failAll(scene, use)
  for (const reading of [...state.readings.values()]) {
    if (reading.object !== object) continue
    drop(scene, reading)
    fail(scene, reading.id, object, 'closed', 'did not happen')
  }
  for (const timer of TIMERS) turn.do({ kind: 'cancel', name: `${timer}:${object}` })
  sendAll(scene, { kind: 'unwatch', object })
}

function failAll(scene: ClientScene, { object, session, outstanding, queue }: Use): void {
  if (session.phase === 'opening') fail(scene, session.opener, object, 'closed', 'may have happened')
  for (const { id } of outstanding.values()) {
    if (id !== undefined) fail(scene, id, object, 'closed', 'may have happened')
  }
  for (const { id } of queue) fail(scene, id, object, 'closed', 'did not happen')
}
