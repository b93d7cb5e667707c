// Those who watch hear of every commit, in order. A watcher that missed one notices the gap and fetches it.

import type { Millis, NodeId } from '../../core/index.ts'
import type { KeptChange } from '../versions/content.ts'
import type { ClientMessage } from '../wire.ts'
import { WATCH_MS } from '../wire.ts'
import { reply, replyAtOnce } from './send.ts'
import type { ServerObject, ServerScene } from './state.ts'

const WATCHERS_MAX = 10_000

export function onWatch(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'watch' },
): void {
  const { turn } = scene
  const { watchers, name, committed } = object
  if (!watchers.has(from) && watchers.size >= WATCHERS_MAX) {
    return reply(scene, from, { kind: 'full', object: name, what: 'watchers' })
  }
  watchers.set(from, { content: asked.content, until: turn.now + WATCH_MS })
  reply(scene, from, { kind: 'committed', object: name, head: committed, change: undefined })
}

export function tellWatchers(scene: ServerScene, object: ServerObject, { version, digest, change }: KeptChange): void {
  if (object.watchers.size === 0) return
  const head = { version, digest }
  for (const [watcher, { content }] of object.watchers) {
    replyAtOnce(scene, watcher, { kind: 'committed', object: object.name, head, change: content ? change : undefined })
  }
}

export function sweepWatchers(object: ServerObject, now: Millis): void {
  for (const [watcher, { until }] of object.watchers) if (now > until) object.watchers.delete(watcher)
}

export function onUnwatch({ state }: ServerScene, from: NodeId, { object }: ClientMessage & { kind: 'unwatch' }): void {
  state.objects.get(object)?.watchers.delete(from)
}
