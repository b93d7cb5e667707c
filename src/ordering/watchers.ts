// Those who watch hear of every commit, in order; whoever missed one notices the gap and fetches it.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientMessage } from './messages.ts'
import { type KeptChange, reply, type ServerObject, type ServerTurn, tell } from './objects.ts'

/** A watcher says again and again that it is there. */
export const WATCH_MS: Millis = 10_000
const WATCHERS_MAX = 10_000

export function watch(
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'watch' },
  turn: ServerTurn,
): void {
  const { watchers, name, committed } = object
  if (!watchers.has(from) && watchers.size >= WATCHERS_MAX) {
    return reply(turn, from, { kind: 'full', object: name, what: 'watchers' })
  }
  watchers.set(from, { content: asked.content, until: turn.now + WATCH_MS })
  reply(turn, from, { kind: 'committed', object: name, head: committed, change: undefined })
}

export function tellWatchers(object: ServerObject, { version, digest, change }: KeptChange, turn: ServerTurn): void {
  if (object.watchers.size === 0) return
  const head = { version, digest }
  for (const [watcher, { content }] of object.watchers) {
    tell(turn, watcher, { kind: 'committed', object: object.name, head, change: content ? change : undefined })
  }
}

export function sweepWatchers(object: ServerObject, now: Millis): void {
  for (const [watcher, { until }] of object.watchers) if (now > until) object.watchers.delete(watcher)
}
