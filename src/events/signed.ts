// What an author signs: the root of a tree over a batch of its events, so that one signature serves for up to 64 of them
// and each can be shown alone, with its path. Trees as in RFC 6962: leaf and node hashes differ in their first byte, or a
// node of a tree could be shown as an event.
//
// A leaf hashes the whole event with its id: channel, author, boot and counter. The root is signed with the group, the
// source and the range of counters.

import { assert, sameBytes } from '../core/index.ts'
import { framed, framedBriefly, type Signer } from '../crypto/index.ts'
import { HASH_BYTES } from './limits.ts'
import type { EventsClientSettings, EventsSettings, Hash } from './settings.ts'
import type { EventProof, Item, Position, SavedCursor, Source } from './wire.ts'

const LEAF = 0
const NODE = 1
const LIST = 2
const SAID = 'coterie/events/batch'
const SAVED = 'coterie/events/cursor'
/** No certificate, and no signature. */
const NOBODY = new Uint8Array()
/** Of no events. */
export const FIRST_HEAD: Uint8Array = new Uint8Array(32)

/** Where what is hashed is put together, unless it is large: nobody keeps it. */
const room = new Uint8Array(4_096)

function tagged(hash: Hash, tag: number, one: Uint8Array, other?: Uint8Array): Uint8Array {
  const length = 1 + one.length + (other?.length ?? 0)
  const input = length <= room.length ? room.subarray(0, length) : new Uint8Array(length)
  input[0] = tag
  input.set(one, 1)
  if (other !== undefined) input.set(other, 1 + one.length)
  return hash(input)
}

/** How many leaves are remembered at the least, and at most twice as many. */
const LEAVES_MAX = 1_024

interface Leaf extends Source {
  readonly counter: number
  readonly hash: Hash
  readonly leaf: Uint8Array
}

let newer = new WeakMap<Uint8Array, Leaf>()
let older = newer
let leaves = 0

/** The hash of an event with its id. Of bytes that are asked for again, as by a witness, the last one is remembered. */
export function leafOf(hash: Hash, source: Source, counter: number, content: Uint8Array): Uint8Array {
  const { channel, author, boot } = source
  const known = newer.get(content) ?? older.get(content)
  if (known !== undefined && known.counter === counter && known.hash === hash && isOf(known, source)) return known.leaf
  const leaf = tagged(hash, LEAF, framedBriefly(channel, author, boot, counter, content))
  if (++leaves > LEAVES_MAX) {
    leaves = 0
    older = newer
    newer = new WeakMap()
  }
  newer.set(content, { channel, author, boot, counter, hash, leaf })
  return leaf
}

function isOf(leaf: Leaf, { channel, author, boot }: Source): boolean {
  return leaf.boot === boot && leaf.author === author && leaf.channel === channel
}

/** The largest power of two below `count`: where a tree is divided. */
function half(count: number): number {
  let size = 1
  while (size * 2 < count) size *= 2
  return size
}

/** The root over these leaves. */
export function rootOf(hash: Hash, leaves: readonly Uint8Array[]): Uint8Array {
  return pathsOf(hash, leaves).root
}

/** The hashes beside the way from each leaf to the root, from below. Each node of the tree is hashed once. */
export function pathsOf(hash: Hash, leaves: readonly Uint8Array[]): { root: Uint8Array; paths: Uint8Array[][] } {
  const paths = leaves.map((): Uint8Array[] => [])
  const root = climb(hash, leaves, (place, node) => paths[place]!.push(node))
  return { root, paths }
}

/** The root; and for each place, from below, the hashes beside the way from there. */
function climb(
  hash: Hash,
  leaves: readonly Uint8Array[],
  beside: (place: number, node: Uint8Array) => void,
  from = 0,
  to = leaves.length,
): Uint8Array {
  assert(to > from, 'a tree has a leaf')
  if (to - from === 1) return leaves[from]!
  const middle = from + half(to - from)
  const left = climb(hash, leaves, beside, from, middle)
  const right = climb(hash, leaves, beside, middle, to)
  for (let place = from; place < to; place++) beside(place, place < middle ? right : left)
  return tagged(hash, NODE, left, right)
}

/** The root that this path leads to, or nothing where it has another length than the tree's. */
export function rootBy(
  hash: Hash,
  leaf: Uint8Array,
  place: number,
  count: number,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (count === 1) return path.length === 0 ? leaf : undefined
  const beside = path.at(-1)
  if (beside === undefined) return undefined
  const at = half(count)
  const rest = path.slice(0, -1)
  const left = place < at
  const below = left ? rootBy(hash, leaf, place, at, rest) : rootBy(hash, leaf, place - at, count - at, rest)
  if (below === undefined) return undefined
  return left ? tagged(hash, NODE, below, beside) : tagged(hash, NODE, beside, below)
}

function statement(group: string, { channel, author, boot }: Source, batch: Batch, root: Uint8Array): Uint8Array {
  return framed(SAID, group, channel, author, boot, batch.first, batch.count, root)
}

type Batch = Pick<EventProof, 'first' | 'count'>
type Signing = Pick<EventsSettings, 'hash' | 'group'>
type Checking = Signing & Pick<EventsSettings, 'liars' | 'keys'>

/** The source as it is signed. */
export function signedSource({ rules }: Pick<EventsSettings, 'rules'>, source: Source): Source {
  const channel = rules.boundTo(source.channel)
  return channel === source.channel ? source : { ...source, channel }
}

/** Signs a batch: the items, each with its path. */
export function signBatch(settings: Signing, signer: Signer, source: Source, items: readonly Item[]): Item[] {
  const { hash, group } = settings
  const leaves = items.map(({ counter, content }) => leafOf(hash, source, counter, content))
  const batch = { first: items[0]!.counter, count: items.length }
  const { root, paths } = pathsOf(hash, leaves)
  const signature = signer.sign(statement(group, source, batch, root))
  return items.map((item, place) => ({ ...item, proof: { ...batch, path: paths[place]!, signature } }))
}

/** Whether the author signed this event under this id. Where nobody may lie, nothing is signed. */
export function isSigned(settings: Checking, source: Source, identity: Uint8Array, item: Item): boolean {
  return signedAmong(settings, source, identity, [item]).has(item)
}

/**
 * Of several events of one author those that it signed. A signature is looked at once for all that have it; and where a
 * batch is there as a whole, its tree is built once and each path compared with it, instead of climbed.
 */
export function signedAmong(
  settings: Checking,
  source: Source,
  identity: Uint8Array,
  items: readonly Item[],
): ReadonlySet<Item> {
  const { liars, keys, hash, group } = settings
  if (liars === 0) return new Set(items)
  const key = keys?.keyOf(source.author, identity)
  const signed = new Set<Item>()
  if (keys === undefined || key === undefined) return signed
  let known: { readonly words: Uint8Array; readonly signature: Uint8Array } | undefined
  const isGood = (proof: EventProof, root: Uint8Array): boolean => {
    const { signature } = proof
    const words = statement(group, source, proof, root)
    if (known !== undefined && sameBytes(known.words, words) && sameBytes(known.signature, signature)) return true
    if (!keys.signatures.verify(key, words, signature)) return false
    known = { words, signature }
    return true
  }
  for (let place = 0; place < items.length; ) {
    const batch = wholeBatch(items, place) ?? items.slice(place, place + 1)
    const root = batch.length > 1 ? rootOfWhole(hash, source, batch) : undefined
    place += batch.length
    let good: Uint8Array | undefined
    for (const item of batch) {
      const own = root ?? rootFor(hash, source, item)
      if (own === undefined) continue
      const { signature } = item.proof!
      if (signature !== good && !isGood(item.proof!, own)) continue
      // Of a whole batch all have one root: who has the signature of a good one is as good.
      if (root !== undefined) good = signature
      signed.add(item)
    }
  }
  return signed
}

/** The batch that begins here, where all of it is there in order. */
function wholeBatch(items: readonly Item[], from: number): readonly Item[] | undefined {
  const proof = items[from]!.proof
  if (proof === undefined || proof.count < 2 || items[from]!.counter !== proof.first) return undefined
  const batch = items.slice(from, from + proof.count)
  if (batch.length < proof.count) return undefined
  for (const [place, item] of batch.entries()) {
    if (item.counter !== proof.first + place || item.proof?.first !== proof.first) return undefined
    if (item.proof.count !== proof.count) return undefined
  }
  return batch
}

/** The root of a batch, where every path is the tree's own; else each must be climbed. */
function rootOfWhole(hash: Hash, source: Source, batch: readonly Item[]): Uint8Array | undefined {
  const leaves = batch.map(({ counter, content }) => leafOf(hash, source, counter, content))
  const steps = new Uint8Array(batch.length)
  let own = true
  // Neighbours that came in one message share what their paths have in common: it is compared once.
  let [compared, to]: (Uint8Array | undefined)[] = []
  const root = climb(hash, leaves, (place, node) => {
    const given = batch[place]!.proof!.path[steps[place]!++]
    if (given === compared && node === to) return
    own &&= given !== undefined && sameBytes(given, node)
    compared = given
    to = node
  })
  own &&= batch.every(({ proof }, place) => proof!.path.length === steps[place])
  return own ? root : undefined
}

function rootFor(hash: Hash, source: Source, { counter, content, proof }: Item): Uint8Array | undefined {
  if (proof === undefined) return undefined
  const place = counter - proof.first
  if (place < 0 || place >= proof.count) return undefined
  return rootBy(hash, leafOf(hash, source, counter, content), place, proof.count, proof.path)
}

/** What witnesses compare: one hash over the leaves of what matched, in order. A leaf has its counter in it. */
export function digestOf(hash: Hash, source: Source, items: readonly Item[]): Uint8Array {
  const all = new Uint8Array(1 + HASH_BYTES * items.length)
  all[0] = LIST
  for (const [place, { counter, content }] of items.entries())
    all.set(leafOf(hash, source, counter, content), 1 + HASH_BYTES * place)
  return hash(all)
}

type Unsigned = Omit<SavedCursor, 'signature' | 'identity'>

/** The words of a cursor, for its owner to sign: no other group, channel, name or filter can use it. */
function cursorWords(hash: Hash, group: string, cursor: Unsigned): Uint8Array {
  const { channel, name, owner, generation, instance, serial, filter, entries } = cursor
  const all = hash(framed(...entries.flatMap(({ author, boot, counter }: Position) => [author, boot, counter])))
  return framed(SAVED, group, channel, name, owner, generation, instance, serial, filter, all)
}

/** The cursor with its owner's signature, or with none where nobody may lie. */
export function signCursor(settings: EventsClientSettings, cursor: Unsigned): SavedCursor {
  const { liars, signer, identity = NOBODY, hash, group } = settings
  if (liars === 0 || signer === undefined) return { ...cursor, identity: NOBODY, signature: NOBODY }
  return { ...cursor, identity, signature: signer.sign(cursorWords(hash, group, cursor)) }
}

/** Whether its owner signed it. */
export function isOwnersCursor(settings: EventsSettings, cursor: SavedCursor): boolean {
  const { liars, keys, hash, group } = settings
  if (liars === 0) return true
  const key = keys?.keyOf(cursor.owner, cursor.identity)
  if (keys === undefined || key === undefined) return false
  return keys.signatures.verify(key, cursorWords(hash, group, cursor), cursor.signature)
}

/** Whether two items of one counter are the same event. */
export function sameEvent(one: Item, other: Item): boolean {
  return one.counter === other.counter && sameBytes(one.content, other.content)
}

/** Bytes that an item takes, about. */
export function sizeOf({ content, proof }: Item): number {
  return content.length + 65 + (proof === undefined ? 0 : 100 + 32 * proof.path.length)
}
