// Taking part in a queue: says on each beat that it is there, takes what it is given, and acknowledges to all servers.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { decodeFilter, encodeFilter, matches } from '../filter.ts'
import { isSigned, signedSource, sizeOf } from '../signed.ts'
import { type EventsMessage, isName, isSource, type Source, sourceKey } from '../wire.ts'
import { order } from './members.ts'
import { keep, release } from './shares.ts'
import {
  accuse,
  type ClientCommand,
  type ClientScene,
  type ClientState,
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
/** Sources of which one server says that something was cut: its oldest are forgotten. */
const SKIPPED_MAX = 1_000
const SKIPPED_BYTES = 200
/** What the word of a filter takes beside the filter. */
const SAID_BYTES = 100
/** What an event that waits for the word of another filter takes beside itself; and how long it does, in beats. */
const ASIDE_BYTES = 500
const ASIDE_BEATS = 300
/**
 * Of one server the handler has at most twice what it asked for: one that began again, or gave an event to another
 * meanwhile, counts less than we have. What is beyond comes again.
 */
export const HAND_FACTOR = 2

export function onEnlist(scene: ClientScene, command: ClientCommand & { kind: 'enlist' }): void {
  const { state } = scene
  const { id, channel, name, filter, start, parallel, ackWait, attempts, version = 1 } = command
  const refuse = (why: string) => tell(scene, { kind: 'refused', id, why })
  if (!isName(channel)) return refuse('the channel needs a name of 1 to 200 bytes without control characters.')
  if (!isName(name)) return refuse('a queue needs a name of 1 to 200 bytes without control characters.')
  if (channel === `$dead/${name}`) return refuse('a queue does not listen to its own dead letters.')
  if (state.queues.size >= SUBSCRIPTIONS_MAX) return refuse(`${SUBSCRIPTIONS_MAX} queues are open.`)
  const terms = { id, channel, name, filter, start, ackWait, attempts, credit: parallel + AHEAD }
  const queue: QueuePart = {
    ...terms,
    encoded: encodeFilter(filter),
    version,
    said: new Map(),
    skipped: new Map(),
    aside: new Map(),
    members: [],
    passed: new Map(),
    opened: false,
    hand: new Map(),
    recent: new Set(),
    refusedBy: new Map(),
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
  const { id: sub, channel, name, encoded: filter, version, ackWait, attempts, credit, start } = queue
  for (const [place, { server }] of queue.members.entries()) {
    const terms = { channel, name, version, filter, place, ackWait, attempts, credit, start }
    say(scene, server, { kind: 'enlist', sub, ...terms })
  }
}

export function beatQueue(scene: ClientScene, queue: QueuePart): void {
  for (const member of queue.members) member.silent++
  const gone = queue.members.filter(({ silent, alone }) => silent > PATIENCE_BEATS || alone)
  for (const { server } of gone) queue.passed.set(server, scene.state.beats + PASSED_BEATS)
  for (const [key, { since }] of queue.aside)
    if (scene.state.beats - since > ASIDE_BEATS) forgetAside(scene.state, queue, key)
  choose(scene, queue)
  enlist(scene, queue)
}

/** It does not keep the queue: another takes its place. */
export function passOverQueue(scene: ClientScene, queue: QueuePart, server: NodeId): void {
  if (!queue.members.some(member => member.server === server)) return
  queue.passed.set(server, scene.state.beats + PASSED_BEATS)
  choose(scene, queue)
  enlist(scene, queue)
}

interface Terms {
  readonly version: number
  readonly filter: Uint8Array
}

/** Another filter for the whole queue: it counts where no later one does. */
export function changeQueue(scene: ClientScene, { id, filter, version = 0 }: ClientCommand & { kind: 'change' }): void {
  const queue = scene.state.queues.get(id)!
  queue.filter = filter
  queue.encoded = encodeFilter(filter)
  queue.version = Math.max(version, queue.version + 1)
  forgetSaid(scene.state, queue)
  queue.opened = false
  enlist(scene, queue)
}

/** What counts at this server. Where all of ours name the same later filter, another process has changed it. */
export function onTerms(scene: ClientScene, from: NodeId, { sub, version, filter }: Message<'terms'>): void {
  const queue = scene.state.queues.get(sub)
  if (queue === undefined || !queue.members.some(({ server }) => server === from)) return
  // An answer to what was said before the last change.
  if (version < queue.version) return
  const before = queue.said.get(from)
  if (before !== undefined) release(scene.state, from, SAID_BYTES + before.filter.length)
  queue.said.delete(from)
  if (!keep(scene, from, SAID_BYTES + filter.length)) return
  queue.said.set(from, { version, filter })
  const all = queue.members.map(({ server }) => queue.said.get(server))
  if (all.some(one => one === undefined)) return
  if (adopt(scene.state, queue, all[0]!, all)) lookAgain(scene, queue)
  if (queue.opened) return
  queue.opened = true
  tell(scene, { kind: 'subscribed', id: sub })
}

/** One that lies may name any filter: it counts when all of ours name it. */
function adopt(
  state: ClientState,
  queue: QueuePart,
  { version, filter }: Terms,
  all: readonly (Terms | undefined)[],
): boolean {
  const isSame = all.every(one => one?.version === version && sameBytes(one.filter, filter))
  if (filter.length === 0 || !isSame || sameBytes(filter, queue.encoded)) return false
  const decoded = decodeFilter(filter)
  if (!decoded.ok) return false
  queue.filter = decoded.value
  queue.encoded = filter
  queue.version = version
  forgetSaid(state, queue)
  return true
}

function forgetSaid(state: ClientState, { said }: QueuePart): void {
  for (const [server, { filter }] of said) release(state, server, SAID_BYTES + filter.length)
  said.clear()
}

function asideBytes({ item }: Message<'task'>): number {
  return ASIDE_BYTES + sizeOf(item)
}

function forgetAside(state: ClientState, { aside }: QueuePart, key: string): void {
  const one = aside.get(key)
  if (one !== undefined) release(state, one.from, asideBytes(one.body))
  aside.delete(key)
}

function lookAgain(scene: ClientScene, queue: QueuePart): void {
  const waiting = [...queue.aside.values()]
  for (const key of [...queue.aside.keys()]) forgetAside(scene.state, queue, key)
  for (const { from, body } of waiting) onTask(scene, from, body)
}

/** What every server of ours says was cut is missed: one of b + 1 is honest. */
export function onSkipped(scene: ClientScene, from: NodeId, body: Message<'skipped'>): void {
  const { sub, source } = body
  const queue = scene.state.queues.get(sub)
  if (queue === undefined || !queue.members.some(({ server }) => server === from) || !isSource(source)) return
  const key = sourceKey(source)
  const own = queue.skipped.get(from) ?? new Map<string, { from: number; to: number }>()
  queue.skipped.set(from, own)
  // They come bit by bit, and not in the same bits from all.
  const before = own.get(key)
  forgetSkipped(scene.state, queue, from, key)
  if (own.size >= SKIPPED_MAX) forgetSkipped(scene.state, queue, from, own.keys().next().value!)
  if (!keep(scene, from, SKIPPED_BYTES + key.length)) return
  own.set(key, { from: Math.min(body.from, before?.from ?? body.from), to: Math.max(body.to, before?.to ?? 0) })
  const all = queue.members.flatMap(({ server }) => queue.skipped.get(server)?.get(key) ?? [])
  if (all.length < queue.members.length) return
  const first = Math.max(...all.map(one => one.from))
  const to = scene.settings.rules.gone(all.map(one => one.to))
  if (to < first) return
  for (const [server, said] of queue.skipped) {
    const one = said.get(key)
    if (one !== undefined && one.to <= to) forgetSkipped(scene.state, queue, server, key)
    else if (one !== undefined) said.set(key, { from: to + 1, to: one.to })
  }
  tell(scene, { kind: 'missed', id: sub, source, from: first, to })
}

function forgetSkipped(state: ClientState, { skipped }: QueuePart, server: NodeId, key: string): void {
  if (skipped.get(server)?.delete(key)) release(state, server, SKIPPED_BYTES + key.length)
}

/** The server has heard of us: its heads come in answer. */
export function hearQueue(scene: ClientScene, from: NodeId, { sub, alone }: Message<'heads'>): void {
  const queue = scene.state.queues.get(sub)
  const member = queue?.members.find(({ server }) => server === from)
  if (queue === undefined || member === undefined) return
  member.silent = 0
  member.alone = alone
  queue.refusedBy.delete(from)
}

function taskKey(source: Source, counter: number): string {
  return `${sourceKey(source)}\u0000${counter}`
}

export function onTask(scene: ClientScene, from: NodeId, body: Message<'task'>): void {
  const { sub, source, identity, item, attempt, dead } = body
  const queue = scene.state.queues.get(sub)
  if (queue === undefined || !queue.members.some(({ server }) => server === from) || !isSource(source)) return
  const { counter } = item
  const key = taskKey(source, counter)
  // Acknowledged, and the word was lost.
  if (queue.recent.has(key)) return finish(scene, queue, source, counter)
  if (queue.hand.has(key)) return
  const decoded = readContent(item.content)
  if (source.channel !== queue.channel || !decoded.ok)
    return accuse(scene, from, 'handed out an event that was not asked for', queue.channel)
  if (
    scene.settings.rules.checksSignature() &&
    !isSigned(scene.settings, signedSource(scene.settings, source), identity, item)
  )
    return accuse(scene, from, 'handed out an event nobody signed', queue.channel)
  // Another process may have changed the filter, and the word of it be late: nobody is to blame, and it waits for that word.
  if (!matches(queue.filter, decoded.value.attributes)) {
    if (!queue.aside.has(key) && keep(scene, from, asideBytes(body)))
      queue.aside.set(key, { from, body, since: scene.state.beats })
    return
  }
  if (givenBy(queue, from) >= HAND_FACTOR * queue.credit) return
  queue.hand.set(key, { server: from, dead })
  tell(scene, { kind: 'handed', id: sub, source, counter, content: decoded.value, attempt, dead })
}

/** How much of what the handler has is from this server. */
function givenBy({ hand }: QueuePart, from: NodeId): number {
  let given = 0
  for (const { server } of hand.values()) if (server === from) given++
  return given
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
  const { state } = scene
  const queue = state.queues.get(id)
  if (queue === undefined) return
  for (const { server } of queue.members) say(scene, server, { kind: 'resign', sub: id })
  forgetSaid(state, queue)
  for (const key of [...queue.aside.keys()]) forgetAside(state, queue, key)
  for (const [server, said] of queue.skipped)
    for (const key of [...said.keys()]) forgetSkipped(state, queue, server, key)
  state.queues.delete(id)
}
