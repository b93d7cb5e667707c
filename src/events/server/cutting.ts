// What is kept, and for how long: of each source what its author asked for, in age and in bytes, the oldest go first. What is
// cut is told by the heads, so that a subscription that has not read it says what it missed. Of each topic the newest event
// that its author wants kept stays, whatever is cut.
//
// The disk: what was cut is dead there. Once that is as much as what is needed, all that is needed is written once more, bit
// by bit, and what stands before that account is forgotten.

import { encode } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { sizeOf } from '../signed.ts'
import {
  BATCH_MAX,
  eventsRecord,
  ITEMS_BYTES_MAX,
  type Item,
  type Source,
  type SourceTerms,
  sourceKey,
} from '../wire.ts'
import {
  ACCOUNT_STEP_BYTES,
  AHEAD_MAX,
  DEAD_BYTES_MIN,
  RETAINED_MAX,
  type Retained,
  type ServerScene,
  type ServerState,
  type Stream,
  wallNow,
} from './state.ts'

/** Besides the age that its author asked for: how long a source of which nothing is left is remembered. */
const FORGET_MS = 3_600_000

interface StreamTerms {
  readonly source: Source
  readonly terms: SourceTerms
  readonly base: number
}

export function streamRecord({ source, terms, base }: StreamTerms): Uint8Array {
  return encode(eventsRecord, { kind: 'stream', source, terms, base })
}

/** Forgets all up to a counter. */
export function cutBeyond(scene: ServerScene, stream: Stream, to: number): void {
  if (to <= stream.base) return
  const { state, turn } = scene
  const author = state.authors.get(stream.source.author)
  for (let counter = stream.base + 1; counter <= to; counter++) {
    const item = stream.items.get(counter)
    if (item === undefined) continue
    const size = sizeOf(item)
    stream.items.delete(counter)
    stream.bytes -= size
    state.bytes -= size
    if (author !== undefined) author.bytes -= size
    if (!stream.terms.live) state.dead += size
    keepApart(scene, stream, item)
  }
  stream.base = to
  while (stream.arrivals.length > 0 && stream.arrivals[0]!.through <= to) stream.arrivals.shift()
  stream.changed = ++state.mark
  if (!stream.terms.live) turn.do({ kind: 'save', record: streamRecord(stream), lazy: true })
}

/** On each beat: what is too old goes, and then the memory of a source of which nothing is left. */
export function cutOld(scene: ServerScene): void {
  const now = wallNow(scene)
  for (const [key, stream] of scene.state.streams) {
    const { arrivals, terms, items, held } = stream
    let to = 0
    for (const { through, at } of arrivals) {
      if (at + terms.keep.age > now) break
      to = through
    }
    if (to > 0) cutBeyond(scene, stream, Math.min(to, held))
    if (items.size > 0) continue
    if (stream.emptied === 0) stream.emptied = now
    // By then everybody else has cut it too: or they would bring it back, and we them, for ever.
    if (now > stream.emptied + terms.keep.age + FORGET_MS) forgetStream(scene.state, key, stream)
  }
}

function forgetStream(state: ServerState, key: string, { source }: Stream): void {
  state.streams.delete(key)
  state.channels.get(source.channel)?.delete(key)
  const author = state.authors.get(source.author)
  if (author !== undefined && --author.sources <= 0) state.authors.delete(source.author)
}

/** Whether the event is the newest of its topic that its author wants kept. */
export function retain(scene: ServerScene, { source, terms }: Stream, item: Item): void {
  const decoded = readContent(item.content)
  if (!decoded.ok || !decoded.value.retained) return
  const { time, attributes } = decoded.value
  if (time > wallNow(scene) + AHEAD_MAX) return
  remember(scene.state, String(attributes.topic ?? ''), { source, identity: terms.identity, item, time })
}

export function remember({ retained }: ServerState, topic: string, one: Retained): void {
  const topics = retained.get(one.source.channel) ?? new Map<string, Retained>()
  const known = topics.get(topic)
  if (known === undefined ? topics.size >= RETAINED_MAX : !isNewer(one, known)) return
  topics.set(topic, one)
  retained.set(one.source.channel, topics)
}

/** By the author's clock, then by name: all servers come to the same. */
export function isNewer(one: Retained, other: Retained): boolean {
  if (one.time !== other.time) return one.time > other.time
  const [key, than] = [sourceKey(one.source), sourceKey(other.source)]
  return key !== than ? key > than : one.item.counter > other.item.counter
}

/** It is cut, and it is the newest of its topic: it needs a record of its own. */
function keepApart({ state, turn }: ServerScene, { source, terms }: Stream, item: Item): void {
  for (const one of state.retained.get(source.channel)?.values() ?? []) {
    if (one.item !== item) continue
    if (!terms.live) turn.do({ kind: 'save', record: retainedRecord(one), lazy: true })
    return
  }
}

function retainedRecord({ source, identity, item }: Retained): Uint8Array {
  return encode(eventsRecord, { kind: 'retained', source, identity, item })
}

/** On each beat: begins an account when it is worth it, goes on with the one that is begun, and ends it. */
export function keepAccount(scene: ServerScene): void {
  const { state, turn } = scene
  if (state.account === undefined) {
    if (state.dead < DEAD_BYTES_MIN || state.dead < state.bytes || state.fresh) return
    state.dead = 0
    state.account = [...state.streams.keys()]
    turn.do({ kind: 'save', record: encode(eventsRecord, { kind: 'account' }), begins: true, lazy: true })
    turn.do({ kind: 'save', record: encode(eventsRecord, { kind: 'known' }), lazy: true })
    accountRest(scene)
  }
  let written = 0
  while (written < ACCOUNT_STEP_BYTES) {
    const key = state.account.pop()
    if (key === undefined) {
      state.account = undefined
      return turn.do({ kind: 'forget' })
    }
    const stream = state.streams.get(key)
    if (stream !== undefined && !stream.terms.live) written += accountStream(scene, stream)
  }
}

/** Cursors, queues and kept events are few beside the events. */
function accountRest({ state, turn }: ServerScene): void {
  const save = (record: Uint8Array) => turn.do({ kind: 'save', record, lazy: true })
  for (const cursor of state.cursors.values()) save(encode(eventsRecord, { kind: 'cursor', cursor }))
  for (const topics of state.retained.values()) for (const one of topics.values()) save(retainedRecord(one))
  for (const { channel, name, owner, sources } of state.queues.values()) {
    const entries = [...sources.values()].map(({ source, done }) => ({ ...source, counter: done }))
    save(encode(eventsRecord, { kind: 'queue', channel, name, owner, entries }))
  }
}

function accountStream({ turn }: ServerScene, stream: Stream): number {
  const { source, items, base, arrivals } = stream
  turn.do({ kind: 'save', record: streamRecord(stream), lazy: true })
  let counter = base + 1
  for (const { through, at } of arrivals) {
    while (counter <= through) {
      const part: Item[] = []
      let bytes = 0
      for (; counter <= through && part.length < BATCH_MAX && bytes < ITEMS_BYTES_MAX; counter++) {
        const item = items.get(counter)
        if (item === undefined) continue
        part.push(item)
        bytes += sizeOf(item)
      }
      if (part.length === 0) break
      turn.do({ kind: 'save', record: encode(eventsRecord, { kind: 'events', source, at, items: part }), lazy: true })
    }
  }
  return stream.bytes
}
