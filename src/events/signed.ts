// What an author signs: the root of a tree over a batch of its events, so that one signature serves for up to 64 of them
// and each can be shown alone, with its path (tree.ts).
//
// A leaf hashes the whole event with its id: channel, author, boot and counter. The root is signed with the group, the
// source and the range of counters. Who is given a whole batch is given no paths: it builds the tree itself, and compares
// the root with the signed one.

import { sameBytes } from '../core/index.ts'
import { framed, framedBriefly, type Signer } from '../crypto/index.ts'
import { pathOf, wholeAt } from './items.ts'
import { HASH_BYTES } from './limits.ts'
import type { EventsClientSettings, EventsSettings, Hash } from './settings.ts'
import { depthOf, pathIn, rootBy, rootIn, tagged, treeOf } from './tree.ts'
import type { EventProof, Item, Position, SavedCursor, Source } from './wire.ts'

const LEAF = 0
const LIST = 2
const SAID = 'coterie/events/batch'
const SAVED = 'coterie/events/cursor'
/** No certificate, and no signature. */
const NOBODY = new Uint8Array()
/** Of no events. */
export const FIRST_HEAD: Uint8Array = new Uint8Array(32)

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

/** The root over these leaves, and the path to it from each. */
export function pathsOf(hash: Hash, leaves: readonly Uint8Array[]): { root: Uint8Array; paths: Uint8Array[][] } {
  const tree = treeOf(hash, leaves)
  return { root: rootIn(tree), paths: leaves.map((_, place) => pathIn(tree, place, leaves.length)) }
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

/** Signs a batch: the items, with one proof for all. */
export function signBatch(settings: Signing, signer: Signer, source: Source, items: readonly Item[]): Item[] {
  const { hash, group } = settings
  const batch = { first: items[0]!.counter, count: items.length }
  const tree = treeFor(hash, source, items)
  const signature = signer.sign(statement(group, source, batch, rootIn(tree)))
  const proof: EventProof = { ...batch, signature, ...(batch.count > 1 ? { tree } : { path: [] }) }
  return items.map(({ counter, content }) => ({ counter, content, proof }))
}

function treeFor(hash: Hash, source: Source, batch: readonly Item[]): Uint8Array {
  return treeOf(
    hash,
    batch.map(({ counter, content }) => leafOf(hash, source, counter, content)),
  )
}

/**
 * Events as they came, with what proves each: of a batch that is there as a whole the tree, one for all; of a part the paths.
 * Trees are built from the events that are there, and from nothing that came.
 */
export function withTrees(hash: Hash, source: Source, items: readonly Item[]): readonly Item[] {
  if (items.every(({ proof }) => proof === undefined || proof.path !== undefined)) return items
  const all: Item[] = []
  while (all.length < items.length) {
    const count = wholeAt(items, all.length)
    if (count === 0) {
      all.push(withPath(items[all.length]!))
      continue
    }
    const batch = items.slice(all.length, all.length + count)
    const proof = { ...batch[0]!.proof!, tree: treeFor(hash, source, batch) }
    for (const { counter, content } of batch) all.push({ counter, content, proof })
  }
  return all
}

/** With its path instead of its batch's tree: it is apart from its batch. */
function withPath(item: Item): Item {
  const { proof, counter, content } = item
  const path = pathOf(item)?.map(node => new Uint8Array(node))
  if (proof?.tree === undefined || path === undefined) return item
  const { first, count, signature } = proof
  return { counter, content, proof: { first, count, signature, path } }
}

/** Without the bytes that it shares with its neighbours, of which nothing is kept: more would be kept than is counted. */
export function apart(item: Item): Item {
  return { ...withPath(item), content: new Uint8Array(item.content) }
}

/** Whether so few are left of a batch that its tree takes more than is counted for them. */
export function isTreeTooLarge({ tree, count }: EventProof, left: number): boolean {
  return tree !== undefined && tree.length > left * proofBytes(count)
}

/** Whether the author signed this event under this id. Where nobody may lie, nothing is signed. */
export function isSigned(settings: Checking, source: Source, identity: Uint8Array, item: Item): boolean {
  const given = withTrees(settings.hash, source, [item])
  return signedAmong(settings, source, identity, given).has(given[0]!)
}

/**
 * Of several events of one author, as `withTrees` gives them, those that it signed. A signature is looked at once for all that
 * have it.
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
  // One tree is one object: whole batches are looked at once.
  const looked = new Map<EventProof, boolean>()
  for (const item of items) {
    const { proof } = item
    if (proof === undefined) continue
    let good = proof.tree === undefined ? undefined : looked.get(proof)
    if (good === undefined) {
      const root = rootFor(hash, source, item, proof)
      good = root !== undefined && isGood(proof, root)
      if (proof.tree !== undefined) looked.set(proof, good)
    }
    if (good) signed.add(item)
  }
  return signed
}

function rootFor(
  hash: Hash,
  source: Source,
  { counter, content }: Item,
  { first, count, path, tree }: EventProof,
): Uint8Array | undefined {
  const place = counter - first
  if (place < 0 || place >= count) return undefined
  if (tree !== undefined) return rootIn(tree)
  return path && rootBy(hash, leafOf(hash, source, counter, content), place, count, path)
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

/** Bytes that an item takes, about: as many in its batch as apart from it. */
export function sizeOf({ content, proof }: Item): number {
  return content.length + 65 + (proof === undefined ? 0 : proofBytes(proof.count))
}

/** Bytes that a proof takes, about. */
export function proofBytes(count: number): number {
  return 100 + HASH_BYTES * depthOf(count)
}
