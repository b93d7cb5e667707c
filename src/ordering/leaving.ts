// Commands that stop something: waiting, watching, using an object at all.

import type { ClientState, Use } from './client-state.ts'
import { drop } from './reading.ts'
import type { OrderingTurn } from './state.ts'
import { fail } from './submitting.ts'
import { sendAll } from './uses.ts'

/** Nobody waits for this command any more. What is on its way may still happen. */
export function cancel(state: ClientState, id: number, object: string, turn: OrderingTurn): void {
  const reading = state.readings.get(id)
  const use = state.uses.get(object)
  if (reading !== undefined) {
    drop(state, reading, turn)
    use?.watches.delete(id)
    return fail(id, reading.object, 'cancelled', 'did not happen', turn)
  }
  if (use === undefined) return
  const place = use.queue.findIndex(waiting => waiting.id === id)
  if (place >= 0) {
    use.queue.splice(place, 1)
    return fail(id, object, 'cancelled', 'did not happen', turn)
  }
  for (const own of use.outstanding.values()) {
    if (own.id !== id) continue
    own.id = undefined
    return fail(id, object, 'cancelled', 'may have happened', turn)
  }
  if (use.session.phase === 'opening' && use.session.opener === id) {
    use.session.phase = 'none'
    fail(id, object, 'cancelled', 'may have happened', turn)
  }
}

export function unwatch(state: ClientState, id: number, object: string, turn: OrderingTurn): void {
  const use = state.uses.get(object)
  const reading = state.readings.get(id)
  if (reading !== undefined) drop(state, reading, turn)
  use?.watches.delete(id)
}

const TIMERS = ['turn', 'sync', 'watch', 'replay', 'ping', 'belief']

/** Lets go of everything that is kept for an object. */
export function close(state: ClientState, object: string, turn: OrderingTurn): void {
  const use = state.uses.get(object)
  if (use === undefined) return
  state.uses.delete(object)
  failAll(use, turn)
  for (const reading of [...state.readings.values()]) {
    if (reading.object !== object) continue
    drop(state, reading, turn)
    fail(reading.id, object, 'closed', 'did not happen', turn)
  }
  for (const timer of TIMERS) turn.do({ kind: 'cancel', name: `${timer}:${object}` })
  sendAll(state, turn, { kind: 'unwatch', object })
}

function failAll({ object, session, outstanding, queue }: Use, turn: OrderingTurn): void {
  if (session.phase === 'opening') fail(session.opener, object, 'closed', 'may have happened', turn)
  for (const { id } of outstanding.values()) {
    if (id !== undefined) fail(id, object, 'closed', 'may have happened', turn)
  }
  for (const { id } of queue) fail(id, object, 'closed', 'did not happen', turn)
}
