// Commands that stop something: waiting, watching, using an object at all.

import type { OrderingCommand } from './commands.ts'
import { drop } from './copy-reads.ts'
import { fail, sendAll } from './send.ts'
import { forgetWords } from './shares.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers } from './state.ts'

/** Nobody waits for this command any more. What is on its way may still happen. */
export function onCancel(scene: ClientScene, { id, object: name }: OrderingCommand & { kind: 'cancel' }): void {
  const { state } = scene
  state.touched = name
  const reading = state.readings.get(id)
  const object = state.objects.get(name)
  if (reading !== undefined) {
    drop(scene, reading)
    object?.watches.delete(id)
    return fail(scene, id, reading.object, 'cancelled', 'did not happen')
  }
  if (object === undefined) return
  const place = object.queue.findIndex(waiting => waiting.id === id)
  if (place >= 0) {
    object.queue.splice(place, 1)
    return fail(scene, id, name, 'cancelled', 'did not happen')
  }
  for (const own of object.outstanding.values()) {
    if (own.id !== id) continue
    own.id = undefined
    return fail(scene, id, name, 'cancelled', 'may have happened')
  }
  if (object.session.phase === 'opening' && object.session.opener === id) {
    object.session.phase = 'none'
    fail(scene, id, name, 'cancelled', 'may have happened')
  }
}

export function onUnwatch(scene: ClientScene, { id, object: name }: OrderingCommand & { kind: 'unwatch' }): void {
  const { state } = scene
  state.touched = name
  const object = state.objects.get(name)
  const reading = state.readings.get(id)
  if (reading !== undefined) drop(scene, reading)
  object?.watches.delete(id)
}

const TIMERS = ['turn', 'patience', 'sync', 'watch', 'replay', 'ping', 'belief'] as const

/** Lets go of everything that is kept for an object. */
export function onClose(scene: ClientScene, { object: name }: OrderingCommand & { kind: 'close' }): void {
  const { state, turn } = scene
  const object = state.objects.get(name)
  if (object === undefined) return
  state.touched = name
  forgetWords(state, object)
  state.objects.delete(name)
  failAll(scene, object)
  for (const reading of [...state.readings.values()]) {
    if (reading.object !== name) continue
    drop(scene, reading)
    fail(scene, reading.id, name, 'closed', 'did not happen')
  }
  for (const timer of TIMERS) clientTimers.cancel(turn, timer, name)
  sendAll(scene, { kind: 'unwatch', object: name })
}

function failAll(scene: ClientScene, { name, session, outstanding, queue }: ClientObject): void {
  if (session.phase === 'opening') fail(scene, session.opener, name, 'closed', 'may have happened')
  for (const { id } of outstanding.values()) {
    if (id !== undefined) fail(scene, id, name, 'closed', 'may have happened')
  }
  for (const { id } of queue) fail(scene, id, name, 'closed', 'did not happen')
}
