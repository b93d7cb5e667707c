// What a server tells a subscription: heads, matches, and to a witness's question how many there are and their hash.
//
// A question for matches that finds none waits here for the next one; what does not match moves only the heads, which are
// told on every beat.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { decodeFilter, type Filter, matches } from '../filter.ts'
import { endingWhole } from '../items.ts'
import { CHECKED_MAX, LOOKED_MAX, looksFor } from '../limits.ts'
import { digestOf, sizeOf } from '../signed.ts'
import {
  type EventsMessage,
  FOUND_MAX,
  HEADS_MAX,
  type Head,
  ITEMS_BYTES_MAX,
  type Item,
  isName,
  sourceKey,
} from '../wire.ts'
import { eachFollower, index, unindex } from './indexing.ts'
import { charge, filterBytes, NO_NUMBER, NO_ROOM, refuse, shareOf, whyFull } from './shares.ts'
import {
  CLIENT_FOLLOWERS_MAX,
  FOLLOWERS_MAX,
  type Follower,
  followerKey,
  HEARD_BEATS,
  type ServerScene,
  type ServerState,
  type Stream,
} from './state.ts'
import { leaveAll, leaveCheck, park, parkCheck, unpark } from './waiting.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** Of a subscription beside its filter: names and places in maps. */
const FOLLOWER_BYTES = 600

export function onFollow(scene: ServerScene, from: NodeId, body: Message<'follow'>): void {
  const { state, turn } = scene
  const { sub, channel, version, filter } = body
  const follower = state.followers.get(followerKey(from, sub)) ?? begin(scene, from, body)
  if (follower === undefined) return
  follower.heard = turn.now
  if (version > follower.version || (version === follower.version && !sameBytes(filter, follower.encoded))) {
    const decoded = decodeFilter(filter)
    if (!decoded.ok) return
    const more = filterBytes(filter) - filterBytes(follower.encoded)
    const why = whyFull(scene, from, more)
    if (why !== undefined) return refuse(scene, from, sub, why)
    charge(state, from, more)
    unindex(state, follower)
    Object.assign(follower, { channel, version, filter: decoded.value, encoded: filter })
    leaveAll(state, follower)
    index(state, follower)
  }
  turn.do({ kind: 'send', to: from, body: headsFor(scene, body.epoch, body.mark, sub, channel) })
}

function begin(scene: ServerScene, client: NodeId, body: Message<'follow'>): Follower | undefined {
  const { state, turn } = scene
  const { sub, channel, version, filter: encoded } = body
  const filter = decodeFilter(encoded)
  if (!filter.ok || !isName(channel)) return undefined
  const why = whyNot(scene, client, encoded)
  if (why !== undefined) {
    refuse(scene, client, sub, why)
    return undefined
  }
  const waits = { parked: new Map(), checks: new Set<string>() }
  const follower = { client, sub, channel, version, filter: filter.value, encoded, heard: turn.now, ...waits }
  state.followers.set(followerKey(client, sub), follower)
  charge(state, client, FOLLOWER_BYTES + filterBytes(encoded), 'followers')
  index(state, follower)
  return follower
}

function whyNot(scene: ServerScene, client: NodeId, encoded: Uint8Array): number | undefined {
  const { state } = scene
  if (shareOf(state, client).followers >= CLIENT_FOLLOWERS_MAX) return NO_NUMBER
  if (state.followers.size >= FOLLOWERS_MAX) return NO_ROOM
  return whyFull(scene, client, FOLLOWER_BYTES + filterBytes(encoded))
}

export function onUnfollow({ state }: ServerScene, from: NodeId, { sub }: Message<'unfollow'>): void {
  drop(state, followerKey(from, sub))
}

export function drop(state: ServerState, key: string): void {
  const follower = state.followers.get(key)
  if (follower === undefined) return
  leaveAll(state, follower)
  state.followers.delete(key)
  unindex(state, follower)
  charge(state, follower.client, -FOLLOWER_BYTES - filterBytes(follower.encoded), 'followers')
}

/** Heads that changed since the mark, the oldest change first; of one channel, or of all. */
export function headsFor(
  scene: ServerScene,
  epoch: string,
  since: number,
  sub: number,
  channel?: string,
): Message<'heads'> {
  const { state } = scene
  const from = epoch === state.epoch ? since : 0
  const told = { kind: 'heads', sub, epoch: state.epoch, alone: isAlone(scene) } as const
  if (from >= state.mark) return { ...told, mark: state.mark, entries: [] }
  const changed: Stream[] = []
  for (const stream of state.streams.values()) {
    if (stream.changed > from && isFor(stream, channel)) changed.push(stream)
  }
  changed.sort((one, other) => one.changed - other.changed)
  const shown = changed.slice(0, HEADS_MAX)
  const mark = shown.length < changed.length ? shown.at(-1)!.changed : state.mark
  return { ...told, mark, entries: shown.map(headOf) }
}

/** Among servers nobody speaks of what is live: it is not repaired. */
function isFor({ source, terms }: Stream, channel: string | undefined): boolean {
  return channel === undefined ? !terms.live : source.channel === channel
}

export function headOf({ source, held, base }: Stream): Head {
  return { ...source, counter: held, base }
}

// With nobody who lies a subscription lives at one server alone. If that one is cut off from the others, it has nothing
// new to tell, and nobody else tells it.
function isAlone({ state, settings, turn }: ServerScene): boolean {
  const needed = state.others.length - settings.crashes
  const since = turn.now - (HEARD_BEATS + 2 * state.others.length) * settings.beat
  // It has only begun to ask.
  if (state.woke === undefined || state.woke > since) return false
  let heard = 0
  for (const other of state.heard.values()) if (other.heard >= since) heard++
  return heard < needed
}

export function onFetch(scene: ServerScene, from: NodeId, body: Message<'fetch'>): void {
  const { state } = scene
  const follower = state.followers.get(followerKey(from, body.sub))
  if (follower?.version !== body.version || follower.channel !== body.source.channel) return
  const key = sourceKey(body.source)
  const stream = state.streams.get(key)
  // It was cut: the heads say so.
  if (stream !== undefined && stream.base > body.after) return
  if (stream !== undefined && stream.held > body.after) return answer(scene, follower, stream, body.after, body.to)
  if (body.to === 0) park(scene, follower, key, body.after)
}

function answer({ turn }: ServerScene, follower: Follower, stream: Stream, after: number, to: number): void {
  const { client, sub, version } = follower
  const { source, terms } = stream
  const until = to === 0 ? stream.held : Math.min(to, stream.held)
  const { items, through } = matching(follower, stream, after, until)
  const body = { kind: 'found', sub, version, source, identity: terms.identity, after, through, items } as const
  turn.do({ kind: 'send', to: client, body, ...(terms.live && { lane: 'live' }) })
}

/** Matches in (after, to], and how far they go: a message has its limits, and so has looking for them. */
function matching(
  { filter, encoded }: Follower,
  stream: Stream,
  after: number,
  to: number,
): { items: Item[]; through: number } {
  const items: Item[] = []
  const last = Math.min(to, after + Math.max(1, Math.floor(LOOKED_MAX / looksFor(encoded))))
  let bytes = 0
  for (let counter = after + 1; counter <= last; counter++) {
    const item = stream.items.get(counter)
    if (item === undefined || !fits(filter, item)) continue
    bytes += sizeOf(item)
    if (items.length > 0 && (bytes > ITEMS_BYTES_MAX || items.length >= FOUND_MAX)) return ending(items, counter - 1)
    items.push(item)
  }
  return last < to ? ending(items, last) : { items, through: to }
}

/** What ends before it is over: where it would end within a batch, that batch is left to the next answer. */
function ending(items: Item[], through: number): { items: Item[]; through: number } {
  const whole = endingWhole(items)
  return { items: whole, through: whole.length < items.length ? whole.at(-1)!.counter : through }
}

export function fits(filter: Filter, { content }: Item): boolean {
  const decoded = readContent(content)
  return decoded.ok && matches(filter, decoded.value.attributes)
}

/** New events came: a subscriber that waits for one of them gets it now. The index finds them among very many. */
export function answerParked(scene: ServerScene, stream: Stream, fresh: readonly Item[]): void {
  const { state } = scene
  const key = sourceKey(stream.source)
  const wanting = new Set<string>()
  for (const { content } of fresh) {
    const decoded = readContent(content)
    if (!decoded.ok) continue
    eachFollower(state, stream.source.channel, decoded.value.attributes, follower => wanting.add(follower))
  }
  for (const one of wanting) {
    const follower = state.followers.get(one)
    const after = follower?.parked.get(key)
    if (follower === undefined || after === undefined || after < stream.base) continue
    unpark(state, follower, key)
    answer(scene, follower, stream, after, 0)
  }
}

/** Witnesses were asked about what was not here yet. */
export function answerChecks(scene: ServerScene, { source, checks, held }: Stream): void {
  for (const [key, { from, body }] of [...checks]) {
    if (body.to > held) continue
    leaveCheck(scene.state, key, sourceKey(source))
    onCheck(scene, from, body)
  }
}

export function onCheck(scene: ServerScene, from: NodeId, body: Message<'check'>): void {
  const { state, settings, turn } = scene
  const { sub, version, source, after, to } = body
  const follower = state.followers.get(followerKey(from, sub))
  const stream = state.streams.get(sourceKey(source))
  if (follower?.version !== version || follower.channel !== source.channel) return
  if (stream === undefined || stream.base > after || to - after > CHECKED_MAX) return
  if (stream.held < to) return parkCheck(scene, follower, stream, body)
  const items: Item[] = []
  for (let counter = after + 1; counter <= to; counter++) {
    const item = stream.items.get(counter)
    if (item !== undefined && fits(follower.filter, item)) items.push(item)
  }
  const hash = digestOf(settings.hash, source, items)
  turn.do({
    kind: 'send',
    to: from,
    body: { kind: 'digest', sub, version, source, after, to, count: items.length, hash },
  })
}

export function onAsk({ state, turn }: ServerScene, from: NodeId, { source }: Message<'ask'>): void {
  const counter = state.streams.get(sourceKey(source))?.held ?? 0
  turn.do({ kind: 'send', to: from, body: { kind: 'told', source, counter } })
}
