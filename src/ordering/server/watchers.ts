// Those who watch hear of every commit, in order. A watcher that missed one notices the gap and fetches it.

import type { Millis, NodeId } from '../../core/index.ts'
import type { KeptChange } from '../versions/content.ts'
import type { ClientMessage } from '../wire.ts'
import { WATCH_MS } from '../wire.ts'
import { reply, replyAtOnce } from './send.ts'
import { clientName, type ServerObject, type ServerScene, type ServerState } from './state.ts'

const WATCHERS_MAX = 10_000
/** Of them, processes of one client: four times as many as have connections, since who has left is forgotten after a while. */
export const WATCHERS_OF_CLIENT_MAX = 1_000
/** And over all objects: about 10 MB. */
export const WATCHING_OF_CLIENT_MAX = 50_000

export function onWatch(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'watch' },
): void {
  const { state, turn } = scene
  const { watchers, name, committed } = object
  if (!watchers.has(from)) {
    if (!hasRoom(state, object, from)) return reply(scene, from, { kind: 'full', object: name, what: 'watchers' })
    count(state, from, 1)
  }
  watchers.set(from, { content: asked.content, until: turn.now + WATCH_MS })
  reply(scene, from, { kind: 'committed', object: name, head: committed, change: undefined })
}

function hasRoom({ watching }: ServerState, { watchers }: ServerObject, from: NodeId): boolean {
  const name = clientName(from)
  if (watchers.size >= WATCHERS_MAX || (watching.get(name) ?? 0) >= WATCHING_OF_CLIENT_MAX) return false
  // Where few watch, nobody is counted.
  if (watchers.size < WATCHERS_OF_CLIENT_MAX) return true
  let own = 0
  for (const watcher of watchers.keys()) if (clientName(watcher) === name) own++
  return own < WATCHERS_OF_CLIENT_MAX
}

function count({ watching }: ServerState, watcher: NodeId, change: 1 | -1): void {
  const name = clientName(watcher)
  const left = (watching.get(name) ?? 0) + change
  if (left > 0) watching.set(name, left)
  else watching.delete(name)
}

function leave(state: ServerState, { watchers }: ServerObject, watcher: NodeId): void {
  if (watchers.delete(watcher)) count(state, watcher, -1)
}

/** The object is gone: nobody watches it. */
export function leaveAll(state: ServerState, object: ServerObject): void {
  for (const watcher of object.watchers.keys()) leave(state, object, watcher)
}

export function tellWatchers(scene: ServerScene, object: ServerObject, { version, digest, change }: KeptChange): void {
  if (object.watchers.size === 0) return
  const head = { version, digest }
  for (const [watcher, { content }] of object.watchers) {
    replyAtOnce(scene, watcher, { kind: 'committed', object: object.name, head, change: content ? change : undefined })
  }
}

export function sweepWatchers(state: ServerState, object: ServerObject, now: Millis): void {
  for (const [watcher, { until }] of object.watchers) if (now > until) leave(state, object, watcher)
}

export function onUnwatch({ state }: ServerScene, from: NodeId, { object }: ClientMessage & { kind: 'unwatch' }): void {
  const watched = state.objects.get(object)
  if (watched !== undefined) leave(state, watched, from)
}
