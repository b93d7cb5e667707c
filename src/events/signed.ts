// What an author signs: the root of a tree over a batch of its events, so that one signature serves for up to 64 of them
// and each can be shown alone, with its path. Trees as in RFC 6962: leaf and node hashes differ in their first byte, or a
// node of a tree could be shown as an event.
//
// A leaf hashes the whole event with its id: channel, author, boot and counter. The root is signed with the group, the
// source and the range of counters.

import { assert, encode, sameBytes, uint } from '../core/index.ts'
import { framed, type Signer } from '../crypto/index.ts'
import type { EventsClientSettings, EventsSettings, Hash } from './settings.ts'
import type { EventProof, Item, Position, SavedCursor, Source } from './wire.ts'

const LEAF = 0
const NODE = 1
const SAID = 'coterie/events/batch'
const SAVED = 'coterie/events/cursor'
/** No certificate, and no signature. */
const NOBODY = new Uint8Array()
/** Of no events. */
export const FIRST_HEAD: Uint8Array = new Uint8Array(32)

function tagged(hash: Hash, tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const input = new Uint8Array(1 + parts.reduce((sum, part) => sum + part.length, 0))
  input[0] = tag
  let at = 1
  for (const part of parts) {
    input.set(part, at)
    at += part.length
  }
  return hash(input)
}

/** The hash of an event with its id. */
export function leafOf(
  hash: Hash,
  { channel, author, boot }: Source,
  counter: number,
  content: Uint8Array,
): Uint8Array {
  return tagged(hash, LEAF, framed(channel, author, boot, counter, content))
}

/** The hash chain of all events up to one. */
export function nextHead(hash: Hash, head: Uint8Array, leaf: Uint8Array): Uint8Array {
  return tagged(hash, NODE, head, leaf)
}

/** The largest power of two below `count`: where a tree is divided. */
function half(count: number): number {
  let size = 1
  while (size * 2 < count) size *= 2
  return size
}

/** The root over these leaves. */
export function rootOf(hash: Hash, leaves: readonly Uint8Array[]): Uint8Array {
  assert(leaves.length > 0, 'a tree has a leaf')
  if (leaves.length === 1) return leaves[0]!
  const at = half(leaves.length)
  return tagged(hash, NODE, rootOf(hash, leaves.slice(0, at)), rootOf(hash, leaves.slice(at)))
}

/** The hashes beside the way from a leaf to the root, from below. */
export function pathOf(hash: Hash, leaves: readonly Uint8Array[], place: number): Uint8Array[] {
  if (leaves.length === 1) return []
  const at = half(leaves.length)
  const [left, right] = [leaves.slice(0, at), leaves.slice(at)]
  if (place < at) return [...pathOf(hash, left, place), rootOf(hash, right)]
  return [...pathOf(hash, right, place - at), rootOf(hash, left)]
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

/** Signs a batch: the items, each with its path. */
export function signBatch(settings: Signing, signer: Signer, source: Source, items: readonly Item[]): Item[] {
  const { hash, group } = settings
  const leaves = items.map(({ counter, content }) => leafOf(hash, source, counter, content))
  const batch = { first: items[0]!.counter, count: items.length }
  const signature = signer.sign(statement(group, source, batch, rootOf(hash, leaves)))
  return items.map((item, place) => ({ ...item, proof: { ...batch, path: pathOf(hash, leaves, place), signature } }))
}

/** Whether the author signed this event under this id. Where nobody may lie, nothing is signed. */
export function isSigned(settings: Checking, source: Source, identity: Uint8Array, item: Item): boolean {
  const { liars, keys, hash, group } = settings
  const { counter, content, proof } = item
  if (liars === 0) return true
  const key = keys?.keyOf(source.author, identity)
  if (keys === undefined || key === undefined || proof === undefined) return false
  const place = counter - proof.first
  if (place < 0 || place >= proof.count) return false
  const root = rootBy(hash, leafOf(hash, source, counter, content), place, proof.count, proof.path)
  return root !== undefined && keys.signatures.verify(key, statement(group, source, proof, root), proof.signature)
}

/** What witnesses compare: the hash of the counters and leaves of what matched. */
export function digestOf(hash: Hash, source: Source, items: readonly Item[]): Uint8Array {
  let digest = FIRST_HEAD
  for (const { counter, content } of items) digest = nextHead(hash, digest, leafOf(hash, source, counter, content))
  return digest
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
  return content.length + 64 + (proof === undefined ? 0 : 100 + 32 * proof.path.length) + encode(uint(), 0).length
}
