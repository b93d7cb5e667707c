// Watches: every change of the replica is told, in order. The replica follows what b + 1 servers call committed.

import type { Millis } from '../core/index.ts'
import type { ClientScene, Use } from './client-state.ts'
import { RESERVED } from './content.ts'
import type { Write } from './messages.ts'
import { skip, tellLater } from './replaying.ts'
import { send, sendAll } from './uses.ts'
import { WATCH_MS } from './watchers.ts'

/** Said again so often: what was lost on the way is noticed then. */
const AGAIN_MS: Millis = WATCH_MS / 10

/** Asks the servers to tell of every commit: b + 1 with the changes, the others without. */
export function follow(scene: ClientScene, use: Use): void {
  const { state, settings, turn } = scene
  const { object, replica } = use
  const count = state.servers.length
  const first = state.self.charCodeAt(state.self.length - 1) % count
  for (const [place, server] of state.servers.entries()) {
    const content = (place - first + count) % count <= settings.liars
    send(scene, server, { kind: 'watch', object, have: replica.version, content })
  }
  turn.do({ kind: 'timer', name: `watch:${object}`, after: AGAIN_MS })
}

export function watchTimer(scene: ClientScene, use: Use): void {
  if (use.watches.size > 0 || use.copies.size > 0 || use.copying !== undefined) return follow(scene, use)
  use.heads.clear()
  use.changes.clear()
  sendAll(scene, { kind: 'unwatch', object: use.object })
}

export function tellWatches(scene: ClientScene, use: Use, version: number, writes: readonly Write[]): void {
  const { turn } = scene
  if (use.watches.size === 0) return
  const { object } = use
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  for (const watch of use.watches.values()) {
    if (watch.replay !== undefined) tellLater(scene, use, watch, version, shown)
    if (watch.told === undefined || watch.told >= version) continue
    watch.told = version
    turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object, version, writes: shown } })
  }
}

/** The replica came as a whole: what lies between cannot be told one by one. */
export function skipWatches(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const { object, replica } = use
  const { version, table } = replica
  for (const watch of use.watches.values()) {
    if (watch.replay !== undefined) skip(scene, use, watch)
    if (watch.told === undefined || watch.told >= version) continue
    watch.told = version
    turn.do({ kind: 'emit', event: { kind: 'skipped', id: watch.id, object, version, table } })
  }
}
