// Watches: every change of the replica becomes an event, in order. The replica follows what b + 1 servers call committed.

import type { Millis } from '../../core/index.ts'
import { RESERVED } from '../versions/content.ts'
import type { Write } from '../wire.ts'
import { WATCH_MS } from '../wire.ts'
import { skip, tellLater } from './replaying.ts'
import { send, sendAll } from './send.ts'
import { forgetHeads } from './shares.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers } from './state.ts'

/** How often it is said again: what was lost on the way is noticed then. */
const AGAIN_MS: Millis = WATCH_MS / 10

/** Asks the servers to tell of every commit: b + 1 with the changes, the others without. */
export function follow(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const { name, replica } = object
  const count = state.servers.length
  const first = state.self.charCodeAt(state.self.length - 1) % count
  for (const [place, server] of state.servers.entries()) {
    const content = (place - first + count) % count <= settings.liars
    send(scene, server, { kind: 'watch', object: name, have: replica.version, content })
  }
  clientTimers.set(turn, 'watch', AGAIN_MS, name)
}

export function onWatchTimer(scene: ClientScene, object: ClientObject): void {
  if (object.watches.size > 0 || object.copies.size > 0 || object.copying !== undefined) return follow(scene, object)
  forgetHeads(scene.state, object, Number.POSITIVE_INFINITY)
  sendAll(scene, { kind: 'unwatch', object: object.name })
}

export function tellWatches(scene: ClientScene, object: ClientObject, version: number, writes: readonly Write[]): void {
  const { turn } = scene
  if (object.watches.size === 0) return
  const { name } = object
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  for (const watch of object.watches.values()) {
    if (watch.replay !== undefined) tellLater(scene, object, watch, version, shown)
    if (watch.reached === undefined || watch.reached >= version) continue
    watch.reached = version
    turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object: name, version, writes: shown } })
  }
}

/** The replica came as a whole: what lies between cannot be shown change by change. */
export function skipWatches(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  const { name, replica } = object
  const { version, table } = replica
  for (const watch of object.watches.values()) {
    if (watch.replay !== undefined) skip(scene, object, watch)
    if (watch.reached === undefined || watch.reached >= version) continue
    watch.reached = version
    turn.do({ kind: 'emit', event: { kind: 'skipped', id: watch.id, object: name, version, table } })
  }
}
