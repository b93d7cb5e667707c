// The newest kept event of each topic, from all servers, page by page in the order of the topics.
//
// Each server is asked on from where its last page ended, and not from where the slowest is: one that shows one topic at a time, or
// invents topics without an end, keeps only itself busy. Of each topic the newest that anybody shows counts, signed: of n - f servers
// that have shown everything one is honest and has what was accepted.
//
// What a server shows counts in its share until b + 1 have shown the same, or something newer. Where its share is full it
// is asked on once others have come as far.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { decodeContent } from '../content.ts'
import { type Filter, matches } from '../filter.ts'
import { RETAINED_MAX } from '../limits.ts'
import { isSigned, signedSource } from '../signed.ts'
import { keptTopic } from '../topics.ts'
import { type EventsMessage, type RetainedEvent, sourceKey } from '../wire.ts'
import { keep, release } from './shares.ts'
import {
  accuse,
  type ClientScene,
  type ClientState,
  type Collection,
  type Kept,
  type Reminded,
  type Showing,
  say,
} from './state.ts'

/** Of a kept event beside its bytes, which stand there twice once they were read: names, and places in maps. */
const KEPT_BYTES = 1_024
/** Beats without an answer after which a page is asked for again. */
const AGAIN_BEATS = 2

type Page = EventsMessage & { kind: 'reminded' }

/** An event as it was read. */
interface Shown extends Pick<Kept, 'event' | 'bytes' | 'size'> {
  readonly topic: string
}

export function newCollection({ servers }: ClientState, filter: Filter): Collection {
  const none = { after: undefined, pages: 0, asked: undefined, passed: false }
  return { filter, showing: new Map(servers.map(server => [server, { ...none }])), newest: new Map() }
}

/** Asks for a server's next page, if it is not asked already. */
export function askOn(
  scene: ClientScene,
  server: NodeId,
  ask: EventsMessage & { kind: 'remind' },
  { showing }: Collection,
): void {
  const place = showing.get(server)
  const { beats } = scene.state
  if (place === undefined || place.passed) return
  if (place.asked !== undefined && beats - place.asked < AGAIN_BEATS) return
  place.asked = beats
  say(scene, server, { ...ask, after: place.after })
}

/** Takes a page. Whether it was the last one of its server. */
export function takePage(scene: ClientScene, from: NodeId, body: Page, collection: Collection): boolean {
  const place = collection.showing.get(from)
  // Or it was asked for twice.
  if (place === undefined || place.passed || body.after !== place.after) return false
  if (!isBehind(body.through, place.after)) {
    passOver(scene, from, place, body)
    return false
  }
  if (!takeEvents(scene, from, body, collection)) return false
  if (body.through === undefined) return true
  place.after = body.through
  place.asked = undefined
  // No server has so many topics, and behind each page is one fewer.
  if (++place.pages >= RETAINED_MAX) place.passed = true
  return false
}

/** Whether a topic comes later; a page without an end goes to the last one. */
function isBehind(topic: string | undefined, other: string | undefined): boolean {
  return topic === undefined || other === undefined || topic > other
}

function passOver(scene: ClientScene, from: NodeId, place: Showing, { events }: Page): void {
  place.passed = true
  accuse(scene, from, 'showed kept events in no order', events[0]?.source.channel ?? '')
}

/** Whether all of them were taken; where there is no room, the server is asked on behind the last one that was. */
function takeEvents(scene: ClientScene, from: NodeId, body: Page, { filter, showing, newest }: Collection): boolean {
  const place = showing.get(from)!
  let isAccused = false
  for (const event of body.events) {
    const one = readKept(scene, event, filter, newest)
    if (one === undefined) {
      if (!isAccused) accuse(scene, from, 'showed a kept event that is none', event.source.channel)
      isAccused = true
      continue
    }
    // Each topic once: or one server would vouch for what it shows itself.
    if (!isBehind(one.topic, place.after) || (body.through !== undefined && one.topic > body.through)) {
      passOver(scene, from, place, body)
      return false
    }
    if (!take(scene, from, one, newest)) return false
    place.after = one.topic
  }
  return true
}

/** Counts it where it is the newest. Whether there was room for it. */
function take(scene: ClientScene, server: NodeId, one: Shown, newest: Map<string, Kept>): boolean {
  const { state, settings } = scene
  const known = newest.get(one.topic)
  if (known !== undefined && isSame(one, known)) {
    if (++known.shown === settings.liars + 1) release(state, known.server, known.size)
    return true
  }
  if (known !== undefined && !isNewer(one.event, known.event)) return true
  if (!keep(scene, server, one.size)) return false
  const { event, bytes, size } = one
  if (known !== undefined) letGo(scene, known)
  newest.set(one.topic, { event, bytes, size, server, shown: 1 })
  // Where none may lie its word is enough.
  if (settings.liars === 0) release(state, server, size)
  return true
}

function letGo({ state, settings }: ClientScene, { server, size, shown }: Kept): void {
  if (shown <= settings.liars) release(state, server, size)
}

/** It is answered, or nobody waits. */
export function forgetKept(scene: ClientScene, { newest }: Collection): void {
  for (const kept of newest.values()) letGo(scene, kept)
  newest.clear()
}

/** Of each topic the newest that anybody showed. */
export function newestOf(collection: Collection | undefined): readonly Reminded[] {
  return [...(collection?.newest.values() ?? [])].map(({ event }) => event)
}

/** The event, if it is signed, to be kept, and wanted. What is known by the same bytes is not looked at again. */
function readKept(
  { settings }: ClientScene,
  { source, identity, item }: RetainedEvent,
  filter: Filter,
  newest: ReadonlyMap<string, Kept>,
): Shown | undefined {
  // Its own bytes: a view of them would keep all of its page.
  const bytes = item.content.slice()
  const decoded = decodeContent(bytes)
  if (!decoded.ok || !decoded.value.retained || !matches(filter, decoded.value.attributes)) return undefined
  const topic = keptTopic(decoded.value.attributes)
  const event = { source, counter: item.counter, content: decoded.value }
  const shown = { event, topic, bytes, size: KEPT_BYTES + 2 * bytes.length }
  const known = newest.get(topic)
  if (known !== undefined && isSame(shown, known)) return shown
  return isSigned(settings, signedSource(settings, source), identity, item) ? shown : undefined
}

function isSame({ event, bytes }: Shown, known: Kept): boolean {
  if (event.counter !== known.event.counter || sourceKey(event.source) !== sourceKey(known.event.source)) return false
  return sameBytes(bytes, known.bytes)
}

function isNewer(one: Reminded, other: Reminded): boolean {
  if (one.content.time !== other.content.time) return one.content.time > other.content.time
  const [key, than] = [sourceKey(one.source), sourceKey(other.source)]
  return key !== than ? key > than : one.counter > other.counter
}
