// Reads of the whole table wait until the replica is where they want it.

import { begin, startReplay } from './replaying.ts'
import { forgetReadings } from './shares.ts'
import type { ClientObject, ClientScene, Reading, Watch } from './state.ts'
import { clientTimers } from './state.ts'

export function drop(scene: ClientScene, reading: Reading): void {
  const { state, turn } = scene
  state.readings.delete(reading.id)
  forgetReadings(state, reading)
  state.queried.delete(reading.query)
  clientTimers.cancel(turn, 'read', `${reading.id}`)
}

/** The replica has come to where somebody wanted it. */
export function serveCopies(scene: ClientScene, object: ClientObject): void {
  const { state, turn } = scene
  const { name, replica, watches } = object
  for (const id of object.copies) {
    const reading = state.readings.get(id)
    if (reading !== undefined && reading.target! > replica.version) continue
    object.copies.delete(id)
    if (reading === undefined) continue
    drop(scene, reading)
    const watch = watches.get(id)
    const { version, table } = replica
    if (watch === undefined) turn.do({ kind: 'emit', event: { kind: 'copied', id, object: name, version, table } })
    else beginWatch(scene, object, watch)
  }
}

function beginWatch(scene: ClientScene, object: ClientObject, watch: Watch): void {
  const { version } = object.replica
  if (watch.from !== undefined && watch.from < version) startReplay(scene, object, watch)
  else begin(scene, object, watch, version)
}
