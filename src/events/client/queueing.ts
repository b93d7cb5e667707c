// Taking part in a queue: says on each beat that it is there, takes what it is given, and acknowledges to all servers.

import type { NodeId } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { encodeFilter, matches } from '../filter.ts'
import { isSigned } from '../signed.ts'
import { type EventsMessage, isName, isSource, type Source, sourceKey } from '../wire.ts'
import { order } from './members.ts'
import {
  type ClientCommand,
  type ClientScene,
  PASSED_BEATS,
  PATIENCE_BEATS,
  type QueuePart,
  SUBSCRIPTIONS_MAX,
  say,
  tell,
} from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** Acknowledged events that are remembered, so that one that is handed out once more is not handled once more. */
const RECENT_MAX = 10_000
/** Events under way to a member besides those that it works at. */
const AHEAD = 1

export function onEnlist(scene: ClientScene, command: ClientCommand & { kind: 'enlist' }): void {
  const { state } = scene
  const { id, channel, name, filter, start, parallel, ackWait, attempts } = command
  const refuse = (why: string) => tell(scene, { kind: 'refused', id, why })
  if (!isName(channel)) return refuse('the channel needs a name of 1 to 200 bytes without control characters.')
  if (!isName(name)) return refuse('a queue needs a name of 1 to 200 bytes without control characters.')
  if (channel === `$dead/${name}`) return refuse('a queue does not listen to its own dead letters.')
  if (state.queues.size >= SUBSCRIPTIONS_MAX) return refuse(`${SUBSCRIPTIONS_MAX} queues are open.`)
  const terms = { id, channel, name, filter, start, ackWait, attempts, credit: parallel + AHEAD }
  const queue: QueuePart = {
    ...terms,
    encoded: encodeFilter(filter),
    members: [],
    passed: new Map(),
    opened: false,
    hand: new Map(),
    recent: new Set(),
  }
  state.queues.set(id, queue)
  choose(scene, queue)
  enlist(scene, queue)
}

function choose(scene: ClientScene, queue: QueuePart): void {
  const { state, settings } = scene
  for (const [server, until] of queue.passed) if (until <= state.beats) queue.passed.delete(server)
  const count = Math.min(settings.rules.agreeing(settings.liars), state.servers.length)
  if (state.servers.length - queue.passed.size < count) queue.passed.clear()
  const chosen = order(scene, queue)
    .filter(server => !queue.passed.has(server))
    .slice(0, count)
  for (const { server } of queue.members)
    if (!chosen.includes(server)) say(scene, server, { kind: 'resign', sub: queue.id })
  queue.members = chosen.map(
    server => queue.members.find(one => one.server === server) ?? { server, silent: 0, alone: false },
  )
}

function enlist(scene: ClientScene, queue: QueuePart): void {
  const { id: sub, channel, name, encoded: filter, ackWait, attempts, credit, start } = queue
  for (const [place, { server }] of queue.members.entries()) {
    const terms = { channel, name, version: 1, filter, place, ackWait, attempts, credit, start }
    say(scene, server, { kind: 'enlist', sub, ...terms })
  }
}

export function beatQueue(scene: ClientScene, queue: QueuePart): void {
  for (const member of queue.members) member.silent++
  const gone = queue.members.filter(({ silent, alone }) => silent > PATIENCE_BEATS || alone)
  for (const { server } of gone) queue.passed.set(server, scene.state.beats + PASSED_BEATS)
  choose(scene, queue)
  enlist(scene, queue)
}

/** The server has heard of us: its heads come in answer. */
export function hearQueue(scene: ClientScene, from: NodeId, { sub, alone }: Message<'heads'>): void {
  const queue = scene.state.queues.get(sub)
  const member = queue?.members.find(({ server }) => server === from)
  if (queue === undefined || member === undefined) return
  member.silent = 0
  member.alone = alone
  if (queue.opened) return
  queue.opened = true
  tell(scene, { kind: 'subscribed', id: sub })
}

function taskKey(source: Source, counter: number): string {
  return `${sourceKey(source)}\u0000${counter}`
}

export function onTask(scene: ClientScene, from: NodeId, body: Message<'task'>): void {
  const { sub, source, identity, item, attempt, dead } = body
  const queue = scene.state.queues.get(sub)
  if (queue === undefined || !queue.members.some(({ server }) => server === from) || !isSource(source)) return
  const decoded = readContent(item.content)
  if (source.channel !== queue.channel || !decoded.ok || !matches(queue.filter, decoded.value.attributes))
    return tell(scene, { kind: 'lied', server: from, what: 'handed out an event that was not asked for' })
  if (scene.settings.rules.checksSignature() && !isSigned(scene.settings, source, identity, item))
    return tell(scene, { kind: 'lied', server: from, what: 'handed out an event nobody signed' })
  const { counter } = item
  const key = taskKey(source, counter)
  // Acknowledged, and the word was lost.
  if (queue.recent.has(key)) return finish(scene, queue, source, counter)
  if (queue.hand.has(key)) return
  queue.hand.set(key, { server: from, dead })
  tell(scene, { kind: 'handed', id: sub, source, counter, content: decoded.value, attempt, dead })
}

/** The handler is done with it, or failed. */
export function finishTask(
  scene: ClientScene,
  { id, source, counter }: ClientCommand & { kind: 'ack' | 'again' },
  failed: boolean,
): void {
  const queue = scene.state.queues.get(id)
  const key = taskKey(source, counter)
  const held = queue?.hand.get(key)
  if (queue === undefined || held === undefined) return
  queue.hand.delete(key)
  if (failed) {
    const { channel, name } = queue
    return say(scene, held.server, { kind: 'done', channel, name, source, counter, failed: true })
  }
  queue.recent.add(key)
  if (queue.recent.size > RECENT_MAX) queue.recent.delete(queue.recent.values().next().value!)
  finish(scene, queue, source, counter)
}

function finish(scene: ClientScene, { channel, name }: QueuePart, source: Source, counter: number): void {
  for (const server of scene.state.servers) {
    say(scene, server, { kind: 'done', channel, name, source, counter, failed: false })
  }
}

/** Takes part no more: what it has goes to others at once. */
export function leaveQueue(scene: ClientScene, id: number): void {
  const queue = scene.state.queues.get(id)
  for (const { server } of queue?.members ?? []) say(scene, server, { kind: 'resign', sub: id })
  scene.state.queues.delete(id)
}
