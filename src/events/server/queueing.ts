// A queue: several processes of one owner share the events of a channel. The members' first choice among the servers hands
// out at once, to the live member with the largest hash of event, attempt and name; the second hands out what nobody has
// acknowledged `ackWait` later, and so on: one of b + 1 is honest, so every event is handed out at least once.
//
// Members acknowledge to all servers. Up to where everything is acknowledged is saved, and told to the other servers; a
// server believes what b + 1 others say.

import { compareBytes, kthLargest, type NodeId } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import { decodeFilter } from '../filter.ts'
import { certificateOf } from '../rules.ts'
import { type EventsMessage, isName, isSource, type Position, type Source, sourceKey } from '../wire.ts'
import { write } from './disk.ts'
import { hear, queueWord, saidOf } from './hearsay.ts'
import { positionsOf, queueRecord } from './queue-record.ts'
import { fits, headsFor } from './serving.ts'
import { charge, filterBytes, NO_NUMBER, NO_ROOM, NO_SHARE, refuse, shareOf, spend, whyFull } from './shares.ts'
import {
  followerKey,
  type Given,
  OWNER_QUEUES_MAX,
  QUEUE_OPEN_MAX,
  QUEUES_MAX,
  type Queue,
  type QueueSource,
  type ServerScene,
  type ServerState,
  SILENT_BEATS,
  type Stream,
  wallNow,
} from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }
type Named = Pick<Queue, 'channel' | 'name' | 'owner'>

/** In beats: how often servers tell each other how far a queue is. */
const TELL_BEATS = 10
/** Members of one queue. */
const MEMBERS_MAX = 1_000
/** What its owner has taken by a queue, one of its sources and members, an event that somebody has or is done with. */
const QUEUE_BYTES = 1_000
const SOURCE_BYTES = 500
const MEMBER_BYTES = 400
const GIVEN_BYTES = 200
const ACK_BYTES = 64

function queueKey({ channel, owner, name }: Named): string {
  return `${channel}\u0000${owner}\u0000${name}`
}

/** Why there is no room for one more, or undefined. */
function whyNoQueue(scene: ServerScene, { owner }: Named): number | undefined {
  const { state } = scene
  if (shareOf(state, owner).queues >= OWNER_QUEUES_MAX) return NO_NUMBER
  return state.queues.size >= QUEUES_MAX ? NO_ROOM : whyFull(scene, owner, QUEUE_BYTES)
}

function newQueue(state: ServerState, { channel, name, owner }: Named, start: boolean): Queue {
  const terms = { filter: undefined, encoded: new Uint8Array(), version: 0, ackWait: 0, attempts: 1, place: 0 }
  const maps = { members: new Map(), sources: new Map() }
  const queue: Queue = { channel, name, owner, start, ...terms, ...maps, open: 0, moved: true, full: false }
  state.queues.set(queueKey(queue), queue)
  charge(state, owner, QUEUE_BYTES, 'queues')
  return queue
}

/** One that does not begin at the start begins where its channel stands, in front of what the others say. */
function beginQueue(scene: ServerScene, named: Named, start: boolean): Queue {
  const { state } = scene
  const queue = newQueue(state, named, start)
  for (const key of start ? [] : (state.channels.get(queue.channel) ?? [])) {
    const { source, held } = state.streams.get(key)!
    const one = sourceOf(scene, queue, source)
    if (one !== undefined) Object.assign(one, { done: held, next: held })
  }
  raiseBySaid(scene, queue, [...saidKeys(state, queue)])
  return queue
}

/** From the records. */
export function resumeQueue(state: ServerState, named: Named, entries: readonly Position[]): void {
  const queue = state.queues.get(queueKey(named)) ?? newQueue(state, named, true)
  for (const { counter, author, boot } of entries) {
    const source = { channel: queue.channel, author, boot }
    const one = queue.sources.get(sourceKey(source)) ?? addSource(state, queue, source)
    if (counter > one.done) raise(state, queue, one, counter)
  }
}

/** Undefined: its owner has no room for one more source. */
function sourceOf(scene: ServerScene, queue: Queue, source: Source): QueueSource | undefined {
  const key = sourceKey(source)
  const known = queue.sources.get(key)
  if (known !== undefined) return known
  if (whyFull(scene, queue.owner, SOURCE_BYTES + key.length) === undefined) return addSource(scene.state, queue, source)
  queue.full = true
  return undefined
}

function addSource(state: ServerState, queue: Queue, source: Source): QueueSource {
  const key = sourceKey(source)
  const one: QueueSource = { source, done: 0, next: 0, acked: new Set(), given: new Map() }
  queue.sources.set(key, one)
  charge(state, queue.owner, SOURCE_BYTES + key.length)
  return one
}

function raise(state: ServerState, queue: Queue, one: QueueSource, done: number): void {
  for (const counter of one.acked) if (counter <= done) forgetAck(state, queue, one, counter)
  for (const [counter, given] of one.given) if (counter <= done) take(state, queue, one, given)
  one.done = done
  one.next = Math.max(one.next, done)
  queue.moved = true
}

function forgetAck(state: ServerState, { owner }: Queue, { acked }: QueueSource, counter: number): boolean {
  if (!acked.delete(counter)) return false
  charge(state, owner, -ACK_BYTES)
  return true
}

/** Nobody has it any more. */
function take(state: ServerState, queue: Queue, one: QueueSource, given: Given): void {
  const member = queue.members.get(given.member)
  if (member !== undefined) member.used--
  if (!one.given.delete(given.counter)) return
  queue.open--
  charge(state, queue.owner, -GIVEN_BYTES)
}

export function onEnlist(scene: ServerScene, from: NodeId, body: Message<'enlist'>): void {
  const { state, turn } = scene
  const { sub, channel, name, version, filter, ackWait, attempts, place, credit } = body
  const owner = certificateOf(from)
  if (!isName(channel) || !isName(name) || state.fresh) return
  const named = { channel, name, owner }
  const found = state.queues.get(queueKey(named))
  const why = found === undefined ? whyNoQueue(scene, named) : undefined
  if (why !== undefined) return refuse(scene, from, sub, why)
  const queue = found ?? beginQueue(scene, named, body.start)
  const counts = compareTerms({ version, filter }, { version: queue.version, filter: queue.encoded })
  if (queue.filter === undefined || counts >= 0) {
    const decoded = decodeFilter(filter)
    if (!decoded.ok) return
    if (!spend(scene, owner, filterBytes(filter) - filterBytes(queue.encoded)))
      return refuse(scene, from, sub, NO_SHARE)
    if (counts > 0) tellTerms(scene, queue, { version, filter })
    Object.assign(queue, { filter: decoded.value, encoded: filter, version, ackWait, attempts, place })
  }
  const key = followerKey(from, sub)
  const known = queue.members.get(key)
  if (known === undefined && queue.members.size >= MEMBERS_MAX) return refuse(scene, from, sub, NO_NUMBER)
  if (known === undefined && !spend(scene, owner, MEMBER_BYTES)) return refuse(scene, from, sub, NO_SHARE)
  const member = known ?? { client: from, sub, heard: turn.now, credit, used: 0 }
  queue.members.set(key, Object.assign(member, { heard: turn.now, credit }))
  turn.do({ kind: 'send', to: from, body: headsFor(scene, state.epoch, state.mark, sub, channel) })
  const newer = counts < 0 ? queue.encoded : new Uint8Array()
  turn.do({ kind: 'send', to: from, body: { kind: 'terms', sub, version: queue.version, filter: newer } })
  deal(scene, queue)
}

interface Terms {
  readonly version: number
  readonly filter: Uint8Array
}

/** Of two filters of one queue the later counts; of two that were given at one time all servers take the same. */
function compareTerms(one: Terms, other: Terms): number {
  return one.version - other.version || compareBytes(one.filter, other.filter)
}

/** Before anything is handed out by the new filter. */
function tellTerms({ turn }: ServerScene, { members }: Queue, { version, filter }: Terms): void {
  for (const { client, sub } of members.values())
    turn.do({ kind: 'send', to: client, body: { kind: 'terms', sub, version, filter } })
}

export function onResign({ state }: ServerScene, from: NodeId, { sub }: Message<'resign'>): void {
  for (const queue of state.queues.values()) drop(state, queue, followerKey(from, sub))
}

/** What it had goes to another, as the same attempt: it may never have seen it. */
function drop(state: ServerState, queue: Queue, key: string): void {
  if (!queue.members.delete(key)) return
  charge(state, queue.owner, -MEMBER_BYTES)
  for (const one of queue.sources.values()) {
    for (const given of one.given.values()) if (given.member === key) given.member = ''
  }
}

export function onDone(scene: ServerScene, from: NodeId, body: Message<'done'>): void {
  const { channel, name, source, counter, failed } = body
  const owner = certificateOf(from)
  const queue = scene.state.queues.get(queueKey({ channel, name, owner }))
  if (queue === undefined || source.channel !== channel || !isSource(source)) return
  const one = sourceOf(scene, queue, source)
  if (one === undefined) return
  const given = one.given.get(counter)
  if (failed) {
    if (given !== undefined) retry(scene, queue, one, given)
    return
  }
  if (counter <= one.done) return
  if (given !== undefined) take(scene.state, queue, one, given)
  // Further ahead than can be, or too many for its owner: not ours to remember.
  const isNew = !one.acked.has(counter) && one.acked.size < QUEUE_OPEN_MAX
  if (isNew && spend(scene, owner, ACK_BYTES)) one.acked.add(counter)
  settle(scene.state, queue, one)
  deal(scene, queue)
}

/** Everything up to the first that somebody has, or that nobody looked at, is done. */
function settle(state: ServerState, queue: Queue, one: QueueSource): void {
  let done = one.next
  for (const counter of one.given.keys()) done = Math.min(done, counter - 1)
  if (done > one.done) raise(state, queue, one, done)
}

/** New events in a channel. */
export function dealChannel(scene: ServerScene, channel: string): void {
  for (const queue of scene.state.queues.values()) if (queue.channel === channel) deal(scene, queue)
}

/** Hands out what nobody has, as far as the members want. */
function deal(scene: ServerScene, queue: Queue): void {
  const { state } = scene
  if (queue.members.size === 0 || queue.filter === undefined) return
  const before = wallNow(scene) - queue.place * queue.ackWait
  for (const key of state.channels.get(queue.channel) ?? []) {
    const stream = state.streams.get(key)
    if (stream === undefined) continue
    const one = sourceOf(scene, queue, stream.source)
    if (one === undefined) continue
    skipCut(scene, queue, one, stream.base)
    dealStream(scene, queue, one, stream, arrivedBefore(queue, stream, before))
    settle(state, queue, one)
  }
}

/** What was cut before it was handed out is told to all members. */
function skipCut({ turn }: ServerScene, queue: Queue, one: QueueSource, base: number): void {
  if (base <= one.next) return
  const skipped = { kind: 'skipped', source: one.source, from: one.next + 1, to: base } as const
  one.next = base
  for (const { client, sub } of queue.members.values()) turn.do({ kind: 'send', to: client, body: { ...skipped, sub } })
}

/** The first of the members' choices hands out at once; the next only what has been here for a while. */
function arrivedBefore({ place }: Queue, { arrivals, held }: Stream, before: number): number {
  if (place === 0) return held
  let to = 0
  for (const { through, at } of arrivals) if (at <= before) to = through
  return to
}

function dealStream(scene: ServerScene, queue: Queue, one: QueueSource, stream: Stream, to: number): void {
  // What is acknowledged or does not match is passed, also where it is not yet this server's turn.
  while (one.next < stream.held && queue.open < QUEUE_OPEN_MAX) {
    const counter = one.next + 1
    const item = stream.items.get(counter)
    if (forgetAck(scene.state, queue, one, counter) || item === undefined || !fits(queue.filter!, item)) {
      one.next = counter
      continue
    }
    if (counter > to || whyFull(scene, queue.owner, GIVEN_BYTES) !== undefined) return
    const given: Given = { counter, attempt: 1, member: '', at: scene.turn.now }
    if (!give(scene, queue, one, given)) return
    one.next = counter
    if (scene.settings.rules.doneWhenGiven()) continue
    one.given.set(counter, given)
    charge(scene.state, queue.owner, GIVEN_BYTES)
    queue.open++
  }
}

/** To the live member with the largest hash that has room. Says whether there is one. */
function give({ state, settings, turn }: ServerScene, queue: Queue, one: QueueSource, given: Given): boolean {
  const stream = state.streams.get(sourceKey(one.source))
  const item = stream?.items.get(given.counter)
  if (stream === undefined || item === undefined) return false
  const dead = given.attempt > queue.attempts
  const about = [sourceKey(one.source), given.counter, dead ? 'dead' : given.attempt]
  let best: { readonly key: string; readonly rank: Uint8Array } | undefined
  for (const [key, { credit, used }] of queue.members) {
    if (used >= credit) continue
    const rank = settings.hash(framed(...about, key))
    if (best === undefined || compareBytes(rank, best.rank) > 0) best = { key, rank }
  }
  if (best === undefined) return false
  const member = queue.members.get(best.key)!
  member.used++
  given.member = best.key
  given.at = turn.now
  const { sub, client } = member
  const { identity } = stream.terms
  const body = { kind: 'task', sub, source: one.source, identity, item, attempt: given.attempt, dead } as const
  turn.do({ kind: 'send', to: client, body })
  return true
}

function retry(scene: ServerScene, queue: Queue, one: QueueSource, given: Given): void {
  const member = queue.members.get(given.member)
  if (member !== undefined) member.used--
  given.member = ''
  if (given.attempt <= queue.attempts) given.attempt++
  give(scene, queue, one, given)
}

/** On each beat: who is gone is forgotten, what nobody acknowledged goes to the next, and how far it is is saved and told. */
export function beatQueues(scene: ServerScene): void {
  const { state, settings, turn } = scene
  for (const queue of state.queues.values()) {
    const silent = turn.now - SILENT_BEATS * settings.beat
    for (const [key, member] of queue.members) if (member.heard < silent) drop(state, queue, key)
    tellFull(scene, queue)
    for (const one of queue.sources.values()) {
      for (const given of [...one.given.values()]) beatGiven(scene, queue, one, given)
      settle(state, queue, one)
    }
    deal(scene, queue)
    if (queue.moved && turn.below(TELL_BEATS) === 0) tell(scene, queue)
  }
}

/** Events of a source for which its owner has no room are handed out to nobody: that is said. */
function tellFull(scene: ServerScene, queue: Queue): void {
  if (!queue.full) return
  queue.full = false
  for (const { client, sub } of queue.members.values()) refuse(scene, client, sub, NO_SHARE)
}

function beatGiven(scene: ServerScene, queue: Queue, one: QueueSource, given: Given): void {
  const stream = scene.state.streams.get(sourceKey(one.source))
  if (stream === undefined || given.counter <= stream.base) return take(scene.state, queue, one, given)
  if (given.member === '') give(scene, queue, one, given)
  else if (scene.turn.now - given.at >= queue.ackWait) retry(scene, queue, one, given)
}

function tell(scene: ServerScene, queue: Queue): void {
  const { state, turn } = scene
  const { channel, name, owner } = queue
  queue.moved = false
  const entries = positionsOf(queue)
  // Nobody is promised anything on it: an acknowledgement that is lost brings the event once more.
  write(scene, queueRecord(queue), { lazy: true })
  for (const to of state.others) turn.do({ kind: 'send', to, body: { kind: 'queued', channel, name, owner, entries } })
}

/** What the others say of it is kept until b + 1 say it: one of them is honest, and knows the queue. */
export function onQueued(scene: ServerScene, from: NodeId, body: Message<'queued'>): void {
  const { state, settings } = scene
  const { channel, name, owner, entries } = body
  if (!state.others.includes(from) || !isName(channel) || !isName(name) || !isName(owner)) return
  const sources = entries.filter(({ author, boot }) => isSource({ channel, author, boot }))
  const positions = new Map(sources.map(entry => [sourceKey({ channel, ...entry }), entry]))
  const word = queueWord(queueKey(body))
  hear(scene, from, word, { positions })
  const queue = state.queues.get(queueKey(body))
  if (queue !== undefined) return raiseBySaid(scene, queue, [...positions.keys()])
  if (saidOf(state, word).length < settings.rules.agreeing(settings.liars)) return
  if (whyNoQueue(scene, body) === undefined) beginQueue(scene, body, true)
}

/** The sources that anybody names. */
function saidKeys(state: ServerState, queue: Queue): Set<string> {
  return new Set(saidOf(state, queueWord(queueKey(queue))).flatMap(({ positions }) => [...(positions?.keys() ?? [])]))
}

/** Up to the (b + 1)-th largest of what they say, everything was acknowledged. */
function raiseBySaid(scene: ServerScene, queue: Queue, keys: readonly string[]): void {
  const { state, settings } = scene
  const said = saidOf(state, queueWord(queueKey(queue)))
  for (const key of keys) {
    const named = said.flatMap(({ positions }) => positions?.get(key) ?? [])
    const counters = named.map(({ counter }) => counter)
    const done = Math.max(0, kthLargest(counters, settings.rules.agreeing(settings.liars)))
    const { author, boot } = named[0] ?? { author: '', boot: '' }
    if (done <= (queue.sources.get(key)?.done ?? 0)) continue
    const one = sourceOf(scene, queue, { channel: queue.channel, author, boot })
    if (one !== undefined) raise(state, queue, one, done)
  }
}
