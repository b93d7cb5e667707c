// The newest event of each topic that its author wants kept: it stays when its source is cut, and counts for its author as
// long as it stays. The author's account has a part for these: else what it cannot cut would leave it no room to publish.

import { readContent } from '../content.ts'
import { RETAINED_MAX } from '../limits.ts'
import { sizeOf } from '../signed.ts'
import { keptTopic } from '../topics.ts'
import { type Item, type Source, sourceKey } from '../wire.ts'
import {
  AHEAD_MAX,
  type Author,
  RETAINED_BYTES_MAX,
  type Retained,
  type ServerScene,
  type ServerState,
  type Stream,
  wallNow,
} from './state.ts'

/** Of a topic beside its event: the topic once more, and places in maps. */
const TOPIC_BYTES = 1_024

/** What an author has; an account without anything is not kept. */
export function authorOf({ authors }: ServerState, author: string): Author {
  return authors.get(author) ?? { bytes: 0, retained: 0, sources: 0 }
}

/** Changes an author's account. */
export function account(state: ServerState, name: string, change: Partial<Author>): void {
  const author = authorOf(state, name)
  author.bytes += change.bytes ?? 0
  author.retained += change.retained ?? 0
  author.sources += change.sources ?? 0
  if (author.bytes > 0 || author.retained > 0 || author.sources > 0) state.authors.set(name, author)
  else state.authors.delete(name)
}

/** The topic of an event that is to be kept, and its author's time; undefined: it is not. */
function topicOf({ content }: Item): { readonly topic: string; readonly time: number } | undefined {
  const decoded = readContent(content)
  if (!decoded.ok || !decoded.value.retained) return undefined
  return { topic: keptTopic(decoded.value.attributes), time: decoded.value.time }
}

function retainedBytes(item: Item): number {
  return sizeOf(item) + TOPIC_BYTES
}

/** Whether there is room for those of these events that are to be kept. What its author has of the same topic makes room. */
export function mayRetain(state: ServerState, { channel, author }: Source, fresh: readonly Item[]): boolean {
  const known = state.retained.get(channel)
  const topics = new Map<string, Item>()
  for (const item of fresh) {
    const kept = topicOf(item)
    if (kept !== undefined) topics.set(kept.topic, item)
  }
  if (topics.size === 0) return true
  let [bytes, news] = [authorOf(state, author).retained, 0]
  for (const [topic, item] of topics) {
    const before = known?.get(topic)
    bytes += retainedBytes(item)
    if (before === undefined) news++
    else if (before.source.author === author) bytes -= retainedBytes(before.item)
  }
  return bytes <= RETAINED_BYTES_MAX && (news === 0 || (known?.size ?? 0) + news <= RETAINED_MAX)
}

/** Whether the event is the newest of its topic that its author wants kept. */
export function retain(scene: ServerScene, { source, terms }: Stream, item: Item): void {
  restoreRetained(scene.state, { source, identity: terms.identity, item }, wallNow(scene), false)
}

/** At the start, from the records: by the clock when it came. */
export function restoreRetained(
  state: ServerState,
  { source, identity, item }: Pick<Retained, 'source' | 'identity' | 'item'>,
  at: number,
  apart: boolean,
): void {
  const kept = topicOf(item)
  if (kept === undefined || kept.time > at + AHEAD_MAX) return
  remember(state, kept.topic, { source, identity, item, time: kept.time, apart })
}

function remember(state: ServerState, topic: string, one: Retained): void {
  const { channel, author } = one.source
  const topics = state.retained.get(channel) ?? new Map<string, Retained>()
  const known = topics.get(topic)
  if (known === undefined ? topics.size >= RETAINED_MAX : !isNewer(one, known)) return
  if (known === undefined) placeTopic(state, channel, topic)
  else letGo(state, known)
  const bytes = one.apart ? sizeOf(one.item) : 0
  account(state, author, { bytes, retained: retainedBytes(one.item) })
  state.bytes += bytes
  topics.set(topic, one)
  state.retained.set(channel, topics)
}

/** A newer one has its place. */
function letGo(state: ServerState, { source, item, apart }: Retained): void {
  const bytes = apart ? sizeOf(item) : 0
  account(state, source.author, { bytes: -bytes, retained: -retainedBytes(item) })
  state.bytes -= bytes
  state.dead += bytes
}

/** By the author's clock, then by name: all servers come to the same. */
function isNewer(one: Retained, other: Retained): boolean {
  if (one.time !== other.time) return one.time > other.time
  const [key, than] = [sourceKey(one.source), sourceKey(other.source)]
  return key !== than ? key > than : one.item.counter > other.item.counter
}

/** The event as it is kept, if it is the newest of its topic. */
export function retainedOf({ retained }: ServerState, { source }: Stream, item: Item): Retained | undefined {
  const topics = retained.get(source.channel)
  const kept = topics && topicOf(item)
  const one = kept && topics.get(kept.topic)
  if (one === undefined || one.item.counter !== item.counter) return undefined
  return sourceKey(one.source) === sourceKey(source) ? one : undefined
}

/** After the records were read in any order: what no source holds stands for itself, and counts for its author. */
export function settleRetained(state: ServerState): void {
  for (const topics of state.retained.values()) {
    for (const one of topics.values()) {
      const apart = !state.streams.get(sourceKey(one.source))?.items.has(one.item.counter)
      const more = (apart ? sizeOf(one.item) : 0) - (one.apart ? sizeOf(one.item) : 0)
      one.apart = apart
      account(state, one.source.author, { bytes: more })
      state.bytes += more
    }
  }
}

/**
 * All topics of a channel, in the order of their UTF-16, for who asks page by page. To put a hundred thousand in order for each page takes a
 * tenth of a second of everybody's: it is done when somebody asks for the first time, and then a new topic is put where it belongs.
 */
export function topicsInOrder({ retained, topicOrder }: ServerState, channel: string): readonly string[] {
  const topics = retained.get(channel)
  if (topics === undefined) return []
  const known = topicOrder.get(channel)
  if (known?.length === topics.size) return known
  const order = [...topics.keys()].sort()
  topicOrder.set(channel, order)
  return order
}

/** A topic is new in a channel. */
function placeTopic({ topicOrder }: ServerState, channel: string, topic: string): void {
  const order = topicOrder.get(channel)
  order?.splice(placeBehind(order, topic), 0, topic)
}

/** Where the topics behind this one begin. */
export function placeBehind(order: readonly string[], topic: string): number {
  let [low, high] = [0, order.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (order[middle]! <= topic) low = middle + 1
    else high = middle
  }
  return low
}
