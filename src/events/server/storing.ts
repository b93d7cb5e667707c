// What is kept of each source is a prefix: an event is taken only behind the one before it, saved, and then "held" is said.
//
// Of a live source nothing is saved, and what a server has missed is left out: it begins again where everything before is
// accepted.

import { encode, type NodeId, sameBytes } from '../../core/index.ts'
import { readFirst } from '../content.ts'
import { certificateOf } from '../rules.ts'
import type { EventsSettings, Hash } from '../settings.ts'
import { apart, FIRST_HEAD, leafOf, signedAmong, signedSource, sizeOf, withTrees } from '../signed.ts'
import {
  type EventsMessage,
  eventsRecord,
  ITEMS_BYTES_MAX,
  type Item,
  isSource,
  type Source,
  type SourceTerms,
  sourceKey,
} from '../wire.ts'
import { accuse } from './complaining.ts'
import { cutBeyond, streamRecord } from './cutting.ts'
import { write } from './disk.ts'
import { cutWord, hear, saidOf, settleWord } from './hearsay.ts'
import { cameOf } from './lacking.ts'
import { dealChannel } from './queueing.ts'
import { authorOf, mayRetain, retain } from './retaining.ts'
import { answerChecks, answerParked } from './serving.ts'
import {
  AUTHOR_SOURCES_MAX,
  CLIENT_PUBLISHED_MAX,
  PUBLISHED_BYTES_MAX,
  PUBLISHED_MAX,
  PUBLISHED_PROOFS_MAX,
  type Published,
  type ServerScene,
  type ServerState,
  SOURCES_MAX,
  type Stream,
  wallNow,
} from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** Whoever gives such an event to repair a log lies: it was looked at when it came there, whoever it came from. */
const UNSIGNED = 'gave an event nobody signed'
/** What is kept at the least, whatever an author asks for. */
const KEEP_BYTES_MIN = 1

/**
 * From the author itself, by its certificate: nobody else publishes in its name. What comes while the disk is busy waits, and
 * all of it, of all authors, is written together: a flush costs as much for one event as for a thousand.
 */
export function onPublish(scene: ServerScene, from: NodeId, body: Message<'publish'>): void {
  const { source, terms } = body
  if (!isSource(source) || source.author !== certificateOf(from)) return
  const published = { from, body: scene.settings.liars > 0 ? body : { ...body, items: withoutProofs(body.items) } }
  if (scene.state.saving && !terms.live) return queuePublish(scene.state, published)
  takePublished(scene, [published])
}

/**
 * Where nobody lies nothing is signed, and nobody looks at what stands there as a proof: kept, it would be shown as one once
 * servers may lie, and an honest server be named for it.
 */
function withoutProofs(items: readonly Item[]): readonly Item[] {
  if (items.every(({ proof }) => proof === undefined)) return items
  return items.map(({ counter, content }) => ({ counter, content, proof: undefined }))
}

/** Beyond its limits it is let go: its author says it again. */
function queuePublish({ published }: ServerState, one: Published): void {
  const { items } = one.body
  const own = published.of.get(certificateOf(one.from)) ?? { messages: 0, bytes: 0, proofs: 0 }
  const bytes = own.bytes + items.reduce((sum, item) => sum + sizeOf(item), 0)
  // A batch that is there as a whole has one.
  const proofs = own.proofs + new Set(items.map(({ proof }) => proof)).size
  if (own.messages > 0 && (bytes > PUBLISHED_BYTES_MAX || proofs > PUBLISHED_PROOFS_MAX)) return
  if (own.messages >= CLIENT_PUBLISHED_MAX || published.queue.length >= PUBLISHED_MAX) return
  published.queue.push(one)
  published.of.set(certificateOf(one.from), { messages: own.messages + 1, bytes, proofs })
}

/** What was saved is on the disk: what came meanwhile is next. */
export function onFlush(scene: ServerScene): void {
  const { published } = scene.state
  scene.state.saving = false
  const waiting = published.queue.splice(0)
  published.of.clear()
  if (waiting.length > 0) takePublished(scene, waiting)
}

interface TakenPublish {
  readonly from: NodeId
  readonly source: Source
  readonly live: boolean
  readonly stream: Stream | undefined
  readonly fresh: readonly Item[]
  readonly answer: EventsMessage
}

/** Everything is saved before anything is said of it. All but the last record go with the last one's flush. */
function takePublished(scene: ServerScene, published: readonly Published[]): void {
  const { state, turn } = scene
  const first = scene.settings.rules.savesFirst()
  const records: Uint8Array[] = []
  const taken = published.flatMap(one => takeOne(scene, one, records))
  if (first) saveAll(scene, records)
  // What is live promises nothing about the disk, and does not wait for it.
  for (const { from, answer, live } of taken)
    turn.do({ kind: 'send', to: from, body: answer, ...(live && { lane: 'live' }) })
  if (!first) saveAll(scene, records)
  for (const { stream, fresh } of taken) if (stream !== undefined && fresh.length > 0) tellOf(scene, stream, fresh)
  if (records.length === 0) return
  state.saving = true
  turn.do({ kind: 'emit', event: { kind: 'flushed' } })
}

function saveAll(scene: ServerScene, records: readonly Uint8Array[]): void {
  for (const [place, record] of records.entries())
    write(scene, record, place + 1 < records.length ? { lazy: true } : {})
}

function takeOne(scene: ServerScene, { from, body }: Published, records: Uint8Array[]): TakenPublish[] {
  const { source, accepted, terms, items } = body
  const { live } = terms
  const before = scene.state.streams.get(sourceKey(source))
  if (before !== undefined && before.terms.live !== live) return []
  const start = live ? startLive(before, items, accepted) : undefined
  const next = following(scene, body, start ?? before?.held ?? 0, scene.settings.rules.checksSignature())
  const fresh = isOfOneKey(scene, before, body) ? next.fresh : []
  if (fresh.length > 0 && !hasRoom(scene, source, fresh)) {
    const answer = { kind: 'full', source, counter: before?.held ?? 0 } as const
    return [{ from, source, live, stream: undefined, fresh: [], answer }]
  }
  const at = wallNow(scene)
  if (fresh.length > 0 && !live) records.push(...recordsOf(scene, body, fresh, at))
  const stream = fresh.length > 0 ? take(scene, { source, terms, at, start }, fresh) : before
  const { held = 0, leaf = FIRST_HEAD } = stream ?? {}
  return [{ from, source, live, stream, fresh, answer: { kind: 'held', source, counter: held, leaf } }]
}

/** Where a live source goes on that is behind, or new here: everything before is accepted, and was missed. */
function startLive(known: Stream | undefined, items: readonly Item[], accepted: number): number | undefined {
  const first = items[0]?.counter ?? 0
  return first > (known?.held ?? 0) + 1 && first - 1 <= accepted ? first - 1 : undefined
}

/** What another server has, behind what is held here; or from where b + 1 others have cut, where nothing is held. */
export function takeRange(scene: ServerScene, from: NodeId, body: Message<'range'>): void {
  const { state, settings } = scene
  const { source, terms, base } = body
  const known = state.streams.get(sourceKey(source))
  if (terms.live || known?.terms.live) return
  const held = known?.held ?? 0
  const isBehindCut = base > held
  // What is still held of the source is left until it is cut here, too.
  if (isBehindCut && known !== undefined && known.items.size > 0) return
  const { fresh, unsigned } = following(scene, body, Math.max(held, base), settings.rules.checksRepair())
  if (unsigned) accuse(scene, from, UNSIGNED, source.channel)
  const start = isBehindCut ? startBehindCut(scene, from, body, held) : undefined
  if (isBehindCut && start === undefined) return
  if (fresh.length === 0 || !isOfOneKey(scene, known, body)) return
  const roomy = hasRoom(scene, source, fresh)
  cameOf(scene, from, source, roomy)
  if (!roomy) return
  const at = wallNow(scene)
  // How long events are kept is not signed: one that lies would have this server forget what it holds at once.
  const own = known?.terms ?? terms
  saveAll(scene, recordsOf(scene, { source, terms: own }, fresh, at, start))
  tellOf(scene, take(scene, { source, terms: own, at, start }, fresh), fresh)
}

// A liar may say that it has cut everything. b + 1 that say so have an honest one among them.
function startBehindCut(scene: ServerScene, from: NodeId, body: Message<'range'>, after: number) {
  const { state, settings, turn } = scene
  const { source, base } = body
  const word = cutWord(sourceKey(source))
  const isFirst = saidOf(state, word).length === 0
  hear(scene, from, word, { base })
  const saying = saidOf(state, word).filter(said => (said.base ?? 0) >= base).length
  if (saying >= settings.rules.agreeing(settings.liars)) return base
  // The others may tell of it much later: each has its own order.
  if (isFirst)
    for (const to of state.others) if (to !== from) turn.do({ kind: 'send', to, body: { kind: 'want', source, after } })
  return undefined
}

interface Said {
  readonly source: Source
  readonly terms: SourceTerms
  readonly items: readonly Item[]
}

/**
 * The items that continue what is held, up to the first that does not, or that cannot be read or was not signed; and whether
 * there was one that nobody signed. What is held already is not looked at: to say it again and again must cost little.
 */
function following({ settings }: ServerScene, { source, terms, items }: Said, from: number, checked: boolean) {
  // Before any tree is built: what continues nothing is cheap to say, and comes as often as a server is behind.
  if (continuing(settings, items, from).length === 0) return { fresh: [], unsigned: false }
  const signer = signedSource(settings, source)
  const next = continuing(settings, withTrees(settings.hash, signer, items), from)
  const isChecked = checked && settings.liars > 0
  const signed = isChecked ? signedAmong(settings, signer, terms.identity, next) : undefined
  const fresh: Item[] = []
  let unsigned = false
  let bytes = 0
  for (const item of next) {
    unsigned = signed?.has(item) === false
    if (unsigned || !readFirst(item.content).ok) break
    bytes += sizeOf(item)
    // All of them are one record on the disk.
    if (fresh.length > 0 && bytes > ITEMS_BYTES_MAX) break
    fresh.push(item)
  }
  return { fresh: fresh.length < items.length ? fresh.map(apart) : fresh, unsigned }
}

/** The items whose numbers continue what is held, up to the first that leaves a gap. */
function continuing({ rules }: EventsSettings, items: readonly Item[], from: number): Item[] {
  const next: Item[] = []
  let held = from
  for (const item of items) {
    if (item.counter <= held) continue
    if (!rules.continues(held, item.counter)) break
    next.push(item)
    held = item.counter
  }
  return next
}

// An author whose certificate has another key than the one before it begins one life with the old and goes on with the new. A
// server that took both would show them under one certificate, and be called a liar for the half that is not of its key.
function isOfOneKey({ settings }: ServerScene, known: Stream | undefined, { source, terms }: Said): boolean {
  const { liars, keys } = settings
  const before = known?.terms.identity
  if (liars === 0 || before === undefined || sameBytes(before, terms.identity)) return true
  const [key, other] = [before, terms.identity].map(identity => keys?.keyOf(source.author, identity))
  return key !== undefined && other !== undefined && sameBytes(key, other)
}

function hasRoom({ state, settings }: ServerScene, source: Source, fresh: readonly Item[]): boolean {
  const more = fresh.reduce((sum, item) => sum + sizeOf(item), 0)
  const author = authorOf(state, source.author)
  if (state.bytes + more > settings.bytesMax || author.bytes + more > settings.authorBytesMax) return false
  if (!mayRetain(state, source, fresh)) return false
  if (state.streams.has(sourceKey(source))) return true
  return state.streams.size < SOURCES_MAX && author.sources < AUTHOR_SOURCES_MAX
}

/** What is to be written; the terms of a source stand in front of its first events. */
function recordsOf(
  { state }: ServerScene,
  { source, terms }: Pick<Said, 'source' | 'terms'>,
  items: readonly Item[],
  at: number,
  start?: number,
): Uint8Array[] {
  const known = state.streams.get(sourceKey(source))
  const isNew = known === undefined || known.held === 0 || start !== undefined
  const events = encode(eventsRecord, { kind: 'events', source, at, items })
  return isNew ? [streamRecord({ source, terms, base: start ?? 0 }), events] : [events]
}

interface Taken {
  readonly source: Source
  readonly terms: SourceTerms
  readonly at: number
  readonly start: number | undefined
}

function take(scene: ServerScene, { source, terms, at, start }: Taken, fresh: readonly Item[]): Stream {
  const { state, settings } = scene
  const stream = streamOf(state, source, terms)
  stream.terms = terms
  if (start !== undefined) {
    cutBeyond(scene, stream, stream.held)
    stream.base = start
    stream.held = start
    settleWord(state, cutWord(sourceKey(source)))
  }
  append(state, settings.hash, stream, at, fresh)
  return stream
}

function tellOf(scene: ServerScene, stream: Stream, fresh: readonly Item[]): void {
  for (const item of fresh) retain(scene, stream, item)
  answerParked(scene, stream, fresh)
  answerChecks(scene, stream)
  dealChannel(scene, stream.source.channel)
  cutBeyond(scene, stream, undersized(stream))
}

/** Up to where the oldest go, so that the rest has the bytes that its author asked for. The newest stays. */
function undersized({ items, base, held, bytes, terms }: Stream): number {
  let left = bytes
  let counter = base
  while (left > Math.max(KEEP_BYTES_MIN, terms.keep.bytes) && counter + 1 < held) {
    counter++
    const item = items.get(counter)
    if (item !== undefined) left -= sizeOf(item)
  }
  return counter
}

function newStream(source: Source, terms: SourceTerms): Stream {
  const numbers = { base: 0, held: 0, emptied: 0, bytes: 0, changed: 0 }
  const maps = { items: new Map(), checks: new Map() }
  return { source, terms, arrivals: [], leaf: FIRST_HEAD, ...maps, ...numbers }
}

function register(state: ServerState, stream: Stream): void {
  const { source } = stream
  const key = sourceKey(source)
  state.streams.set(key, stream)
  const author = authorOf(state, source.author)
  author.sources++
  state.authors.set(source.author, author)
  const channel = state.channels.get(source.channel) ?? new Set()
  state.channels.set(source.channel, channel.add(key))
}

/** The stream of a source, made where there is none. */
export function streamOf(state: ServerState, source: Source, terms: SourceTerms): Stream {
  const known = state.streams.get(sourceKey(source))
  if (known !== undefined) return known
  const stream = newStream(source, terms)
  register(state, stream)
  return stream
}

/** Also at the start, from the records. */
export function append(state: ServerState, hash: Hash, stream: Stream, at: number, fresh: readonly Item[]): void {
  const { source } = stream
  const author = authorOf(state, source.author)
  for (const item of fresh) {
    if (item.counter <= stream.held) continue
    stream.items.set(item.counter, item)
    stream.held = item.counter
    const size = sizeOf(item)
    stream.bytes += size
    state.bytes += size
    author.bytes += size
  }
  const last = stream.items.get(stream.held)
  if (last !== undefined) stream.leaf = leafOf(hash, source, last.counter, last.content)
  if (stream.arrivals.at(-1)?.at === at) stream.arrivals.pop()
  stream.arrivals.push({ through: stream.held, at })
  stream.changed = ++state.mark
  stream.emptied = 0
}
