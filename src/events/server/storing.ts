// What is kept of each source is a prefix: an event is taken only behind the one before it, saved, and then "held" is said.

import { encode, type NodeId } from '../../core/index.ts'
import { decodeContent } from '../content.ts'
import { certificateOf } from '../rules.ts'
import type { Hash } from '../settings.ts'
import { FIRST_HEAD, isSigned, leafOf, nextHead, sizeOf } from '../signed.ts'
import {
  type EventsMessage,
  eventsRecord,
  ITEMS_BYTES_MAX,
  type Item,
  isSource,
  type Source,
  sourceKey,
} from '../wire.ts'
import { answerParked } from './serving.ts'
import { AUTHOR_SOURCES_MAX, type ServerScene, type ServerState, SOURCES_MAX, type Stream } from './state.ts'

type Publish = EventsMessage & { kind: 'publish' }

/** From the author itself, by its certificate: nobody else publishes in its name. */
export function onPublish(scene: ServerScene, from: NodeId, { source, items }: Publish): void {
  if (!isSource(source) || source.author !== certificateOf(from)) return
  const { state, settings, turn } = scene
  const { rules } = settings
  const before = state.streams.get(sourceKey(source))
  const fresh = following(scene, source, items, rules.checksSignature())
  if (fresh.length > 0 && !hasRoom(scene, source, fresh)) {
    return turn.do({ kind: 'send', to: from, body: { kind: 'full', source, counter: before?.held ?? 0 } })
  }
  if (fresh.length > 0 && rules.savesFirst()) save(scene, source, fresh)
  const stream = keep(scene, source, fresh)
  const { held = 0, head = FIRST_HEAD } = stream ?? {}
  turn.do({ kind: 'send', to: from, body: { kind: 'held', source, counter: held, head } })
  if (fresh.length > 0 && !rules.savesFirst()) save(scene, source, fresh)
  if (stream !== undefined && fresh.length > 0) answerParked(scene, stream)
}

/** What another server has, behind what is held here. */
export function takeRange(scene: ServerScene, source: Source, items: readonly Item[]): void {
  const fresh = following(scene, source, items, scene.settings.rules.checksRepair())
  if (fresh.length === 0 || !hasRoom(scene, source, fresh)) return
  save(scene, source, fresh)
  const stream = keep(scene, source, fresh)
  if (stream !== undefined) answerParked(scene, stream)
}

/** The items that continue what is held, up to the first that does not, or that cannot be read or was not signed. */
function following({ state, settings }: ServerScene, source: Source, items: readonly Item[], checked: boolean): Item[] {
  const fresh: Item[] = []
  let held = state.streams.get(sourceKey(source))?.held ?? 0
  let bytes = 0
  for (const item of items) {
    if (item.counter <= held) continue
    if (!settings.rules.continues(held, item.counter)) break
    if (!decodeContent(item.content).ok || (checked && !isSigned(settings, source, item))) break
    bytes += sizeOf(item)
    // All of them are one record on the disk.
    if (fresh.length > 0 && bytes > ITEMS_BYTES_MAX) break
    fresh.push(item)
    held = item.counter
  }
  return fresh
}

function hasRoom({ state, settings }: ServerScene, source: Source, fresh: readonly Item[]): boolean {
  const more = fresh.reduce((sum, item) => sum + sizeOf(item), 0)
  const author = state.authors.get(source.author) ?? { bytes: 0, sources: 0 }
  if (state.bytes + more > settings.bytesMax || author.bytes + more > settings.authorBytesMax) return false
  if (state.streams.has(sourceKey(source))) return true
  return state.streams.size < SOURCES_MAX && author.sources < AUTHOR_SOURCES_MAX
}

function save({ turn }: ServerScene, source: Source, items: readonly Item[]): void {
  turn.do({ kind: 'save', record: encode(eventsRecord, { kind: 'events', source, items }) })
}

function keep(scene: ServerScene, source: Source, fresh: readonly Item[]): Stream | undefined {
  const { state, settings } = scene
  if (fresh.length === 0) return state.streams.get(sourceKey(source))
  return append(state, settings.hash, source, fresh)
}

/** Also at the start, from the records. */
export function append(state: ServerState, hash: Hash, source: Source, fresh: readonly Item[]): Stream {
  const key = sourceKey(source)
  const known = state.streams.get(key)
  const stream = known ?? { source, items: new Map(), held: 0, head: FIRST_HEAD, bytes: 0, changed: 0 }
  const author = state.authors.get(source.author) ?? { bytes: 0, sources: 0 }
  if (known === undefined) author.sources++
  for (const item of fresh) {
    if (item.counter <= stream.held) continue
    stream.items.set(item.counter, item)
    stream.held = item.counter
    stream.head = nextHead(hash, stream.head, leafOf(hash, source, item.counter, item.content))
    const size = sizeOf(item)
    stream.bytes += size
    state.bytes += size
    author.bytes += size
  }
  stream.changed = ++state.mark
  state.authors.set(source.author, author)
  state.streams.set(key, stream)
  return stream
}
