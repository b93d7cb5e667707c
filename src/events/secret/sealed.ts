// An event under its author's signature and the channel's seal, and back.
//
// The signature is over the root of a batch, as elsewhere; a leaf covers the channel, the epoch, the tags and their numbers
// as well as the content. The seal binds what is in the clear: nobody moves an event to another epoch, lap or tag.

import { sha256 } from '@noble/hashes/sha2.js'
import { decode, encode } from '../../core/index.ts'
import { framed, type PublicKey, type Signer } from '../../crypto/index.ts'
import { rootBy, rootOf } from '../signed.ts'
import { type EpochKeys, lettersOf, type SecretMode } from './keys.ts'
import type { SecretSettings } from './settings.ts'
import {
  type Inside,
  insideCodec,
  type Life,
  padded,
  type SealedEvent,
  type Totals,
  totalsCodec,
  unpadded,
} from './wire.ts'

const BATCH = 'coterie/events/secret batch'
const TOTALS = 'coterie/events/secret totals'
const LEAF = 0

/** What is signed of an event, but for its place in a batch. */
export interface Said {
  readonly epoch: number
  readonly counter: number
  readonly tags: readonly Uint8Array[]
  readonly numbers: readonly number[]
  readonly content: Uint8Array
}

type Bound = Pick<SecretSettings, 'rules' | 'channel'>

function leafOf({ rules, channel }: Bound, { author, started, boot }: Life, said: Said): Uint8Array {
  const { epoch, counter, tags, numbers, content } = said
  const about = framed(rules.boundTo(channel.id), author, started, boot, epoch, counter)
  const body = framed(about, framed(...tags), framed(...numbers), content)
  const input = new Uint8Array(1 + body.length)
  input[0] = LEAF
  input.set(body, 1)
  return sha256(input)
}

function batchWords(bound: Bound, life: Life, batch: Pick<Inside, 'first' | 'count'>, root: Uint8Array): Uint8Array {
  const { author, started, boot } = life
  return framed(BATCH, bound.rules.boundTo(bound.channel.id), author, started, boot, batch.first, batch.count, root)
}

/** One signature for all of them; each with its path. */
export function signAll(bound: Bound, signer: Signer, life: Life, all: readonly Said[]): Inside[] {
  const leaves = all.map(said => leafOf(bound, life, said))
  const batch = { first: all[0]!.counter, count: all.length }
  const { root, paths } = treeOf(leaves)
  const signature = signer.sign(batchWords(bound, life, batch, root))
  return all.map(({ counter, tags, numbers, content }, place) => {
    return { ...life, counter, tags, numbers, content, ...batch, path: paths[place]!, signature }
  })
}

interface Tree {
  readonly root: Uint8Array
  readonly paths: Uint8Array[][]
}

/** The root with all paths at once: each node is hashed once. */
function treeOf(leaves: readonly Uint8Array[]): Tree {
  if (leaves.length === 1) return { root: leaves[0]!, paths: [[]] }
  let half = 1
  while (half * 2 < leaves.length) half *= 2
  const [left, right] = [treeOf(leaves.slice(0, half)), treeOf(leaves.slice(half))]
  const beside = (paths: Uint8Array[][], other: Uint8Array) => paths.map(path => [...path, other])
  return {
    root: rootOf(sha256, [left.root, right.root]),
    paths: [...beside(left.paths, right.root), ...beside(right.paths, left.root)],
  }
}

/** Signatures of batches that held: the events of one batch come one by one. */
export const VERIFIED_MAX = 1_024

/** Whether the owner of the key signed it, in this channel and epoch. `verified` keeps what held. */
export function isAuthors(
  settings: SecretSettings,
  key: PublicKey,
  epoch: number,
  inside: Inside,
  verified: Set<string> = new Set(),
): boolean {
  if (!settings.rules.checksSignature()) return true
  const { counter, first, count, path, signature, tags, numbers, content } = inside
  const place = counter - first
  if (place < 0 || place >= count) return false
  const leaf = leafOf(settings, inside, { epoch, counter, tags, numbers, content })
  const root = rootBy(sha256, leaf, place, count, path)
  if (root === undefined) return false
  const words = batchWords(settings, inside, inside, root)
  // All that the answer depends on: another key, root or signature is another question.
  const question = lettersOf(sha256(framed(key, words, signature)))
  if (verified.has(question)) return true
  if (!settings.signatures.verify(key, words, signature)) return false
  if (verified.size >= VERIFIED_MAX) verified.delete(verified.keys().next().value!)
  verified.add(question)
  return true
}

/** What is in the clear and must not be changed. */
function dataOf(bound: Bound, mode: SecretMode, frame: Pick<SealedEvent, 'epoch' | 'lap' | 'tags'>): Uint8Array {
  return framed('coterie/events/secret', bound.channel.id, mode, frame.epoch, frame.lap, ...frame.tags)
}

/** In the clear: everything of a frame but what is hidden. */
export type Outside = Pick<SealedEvent, 'epoch' | 'lap' | 'tags' | 'nonce'>

/** Sealed, or nothing where it is too long. */
export function sealEvent(
  settings: SecretSettings,
  mode: SecretMode,
  keys: EpochKeys,
  outside: Outside,
  inside: Inside,
): SealedEvent | undefined {
  const text = padded(encode(insideCodec, inside))
  if (text === undefined) return undefined
  const sealed = settings.ciphers.seal(keys.body, outside.nonce, dataOf(settings, mode, outside), text)
  return { kind: 'event', ...outside, sealed }
}

/** What was sealed; nothing where it was not sealed so. */
export function openEvent(
  settings: SecretSettings,
  mode: SecretMode,
  keys: EpochKeys,
  frame: SealedEvent,
): Inside | undefined {
  const text = settings.ciphers.open(keys.body, frame.nonce, dataOf(settings, mode, frame), frame.sealed)
  const value = text && unpadded(text)
  const decoded = value && decode(insideCodec, value)
  if (decoded === undefined || !decoded.ok) return undefined
  const { tags, numbers } = decoded.value
  return tags.length === numbers.length ? decoded.value : undefined
}

type Unsigned = Omit<Totals, 'signature'>

function totalsWords(
  { rules, channel }: Bound,
  epoch: number,
  { author, started, boot, ...said }: Unsigned,
): Uint8Array {
  const all = framed(framed(...said.tags), framed(...said.numbers))
  return framed(TOTALS, rules.boundTo(channel.id), epoch, author, started, boot, said.closes ? 1 : 0, all)
}

const totalsData = ({ channel }: Bound, epoch: number) => framed('coterie/events/secret totals', channel.id, epoch)

/** Totals, signed and sealed under a nonce. */
export function sealTotals(
  settings: SecretSettings,
  keys: EpochKeys,
  epoch: number,
  nonce: Uint8Array,
  said: Unsigned,
): Uint8Array {
  const signature = settings.signer.sign(totalsWords(settings, epoch, said))
  const text = padded(encode(totalsCodec, { ...said, signature }))!
  return settings.ciphers.seal(keys.body, nonce, totalsData(settings, epoch), text)
}

/** Totals that were sealed so; who signed them is asked with `areAuthors`. */
export function openTotals(
  settings: SecretSettings,
  keys: EpochKeys,
  epoch: number,
  nonce: Uint8Array,
  sealed: Uint8Array,
): Totals | undefined {
  const text = settings.ciphers.open(keys.body, nonce, totalsData(settings, epoch), sealed)
  const value = text && unpadded(text)
  const decoded = value && decode(totalsCodec, value)
  if (decoded === undefined || !decoded.ok) return undefined
  return decoded.value.tags.length === decoded.value.numbers.length ? decoded.value : undefined
}

/** Whether the owner of the key said these totals. */
export function areAuthors(settings: SecretSettings, key: PublicKey, epoch: number, totals: Totals): boolean {
  if (!settings.rules.checksSignature()) return true
  return settings.signatures.verify(key, totalsWords(settings, epoch, totals), totals.signature)
}
