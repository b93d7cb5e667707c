// Events under their author's signature and the channel's seal, and back.
//
// Events of one batch with the same tags are a bundle: one seal, one message a tag. The signature is over the root of all
// bundles of a batch; a leaf is a bundle, and covers the channel, the epoch, the tags and their numbers as well as all
// counters and contents. The seal binds what is in the clear: nobody moves events to another epoch, lap or tag.

import { assert, decode, encode } from '../../core/index.ts'
import { framed, type PublicKey, type Signer } from '../../crypto/index.ts'
import { pathsOf } from '../signed.ts'
import { rootBy } from '../tree.ts'
import { mapKeyOf, type SecretMode } from './keys.ts'
import type { SecretSettings } from './settings.ts'
import {
  type Bundled,
  type Inside,
  insideCodec,
  type Life,
  type MarkedEvent,
  padded,
  type SealedEvent,
  type Totals,
  totalsCodec,
  unpadded,
} from './wire.ts'

const BATCH = 'coterie/events/secret batch'
const TOTALS = 'coterie/events/secret totals'
const LEAF = 0

/** What is signed of a bundle, but for its place in a batch. */
export interface Said {
  readonly epoch: number
  readonly tags: readonly Uint8Array[]
  readonly numbers: readonly number[]
  readonly events: readonly Bundled[]
}

type Bound = Pick<SecretSettings, 'rules' | 'channel' | 'hash'>

function leafOf({ rules, channel, hash }: Bound, { author, started, boot }: Life, said: Said): Uint8Array {
  const { epoch, tags, numbers, events } = said
  const about = framed(rules.boundTo(channel.id), author, started, boot, epoch)
  const counters = framed(...events.map(({ counter }) => counter))
  const body = framed(about, framed(...tags), framed(...numbers), counters, ...events.map(({ content }) => content))
  const input = new Uint8Array(1 + body.length)
  input[0] = LEAF
  input.set(body, 1)
  return hash(input)
}

function batchWords(bound: Bound, { author, started, boot }: Life, count: number, root: Uint8Array): Uint8Array {
  return framed(BATCH, bound.rules.boundTo(bound.channel.id), author, started, boot, count, root)
}

/** One signature for all bundles of a batch; each with its path. */
export function signAll(bound: Bound, signer: Signer, life: Life, all: readonly Said[]): Inside[] {
  const leaves = all.map(said => leafOf(bound, life, said))
  const count = all.length
  const { root, paths } = pathsOf(bound.hash, leaves)
  const signature = signer.sign(batchWords(bound, life, count, root))
  return all.map(({ tags, numbers, events }, place) => {
    return { ...life, tags, numbers, events, place, count, path: paths[place]!, signature }
  })
}

/** Signatures of batches that held: the bundles of one batch come one by one. */
export const VERIFIED_MAX = 1_024

/** Whether the owner of the key signed the bundle, in this channel and epoch. `verified` keeps what held. */
export function isAuthors(
  settings: SecretSettings,
  key: PublicKey,
  epoch: number,
  inside: Inside,
  verified: Set<string> = new Set(),
): boolean {
  if (!settings.rules.checksSignature()) return true
  const { place, count, path, signature, tags, numbers, events } = inside
  if (place >= count) return false
  const leaf = leafOf(settings, inside, { epoch, tags, numbers, events })
  const root = rootBy(settings.hash, leaf, place, count, path)
  if (root === undefined) return false
  const words = batchWords(settings, inside, count, root)
  // All that the answer depends on: another key, root or signature is another question.
  const question = mapKeyOf(key) + mapKeyOf(signature) + mapKeyOf(words)
  if (verified.has(question)) return true
  if (!settings.signatures.verify(key, words, signature)) return false
  if (verified.size >= VERIFIED_MAX) verified.delete(verified.keys().next().value!)
  verified.add(question)
  return true
}

/** What is in the clear and must not be changed. */
function dataOf(bound: Bound, mode: SecretMode, frame: Outside): Uint8Array {
  if (frame.kind === 'event')
    return framed('coterie/events/secret', bound.channel.id, mode, frame.epoch, frame.lap, ...frame.tags)
  const { epoch, reader, point, marks } = frame
  return framed('coterie/events/secret', bound.channel.id, mode, epoch, reader, point, ...marks)
}

/** In the clear: everything of a frame but what is hidden. */
export type Outside = Omit<SealedEvent, 'sealed'> | Omit<MarkedEvent, 'sealed'>

/** Sealed under a key. What was taken to be published is short enough. */
export function sealEvent(
  settings: SecretSettings,
  mode: SecretMode,
  key: Uint8Array,
  outside: Outside,
  inside: Inside,
): Sealed {
  const text = padded(encode(insideCodec, inside))
  assert(text !== undefined, 'what was taken can be sealed')
  return { ...outside, sealed: settings.ciphers.seal(key, outside.nonce, dataOf(settings, mode, outside), text) }
}

/** A bundle on its way. */
export type Sealed = SealedEvent | MarkedEvent

/** What was sealed; nothing where it was not sealed so. */
export function openEvent(
  settings: SecretSettings,
  mode: SecretMode,
  key: Uint8Array,
  frame: Sealed,
): Inside | undefined {
  const text = settings.ciphers.open(key, frame.nonce, dataOf(settings, mode, frame), frame.sealed)
  const value = text && unpadded(text)
  const decoded = value && decode(insideCodec, value)
  if (decoded === undefined || !decoded.ok) return undefined
  return isWhole(decoded.value) ? decoded.value : undefined
}

/** Each tag has its number, and no event comes twice. */
function isWhole({ tags, numbers, events }: Inside): boolean {
  if (tags.length !== numbers.length || events.length === 0) return false
  for (let at = 1; at < events.length; at++) if (events[at]!.counter <= events[at - 1]!.counter) return false
  return true
}

/** Totals before they are signed. */
export type Unsigned = Omit<Totals, 'signature'>

function totalsWords(
  { rules, channel }: Bound,
  epoch: number,
  { author, started, boot, ...said }: Unsigned,
): Uint8Array {
  const all = framed(framed(...said.tags), framed(...said.numbers))
  return framed(TOTALS, rules.boundTo(channel.id), epoch, author, started, boot, said.closes ? 1 : 0, all)
}

const totalsData = ({ channel }: Bound, epoch: number) => framed('coterie/events/secret totals', channel.id, epoch)

/** Totals, signed by their author. */
export function signTotals(settings: SecretSettings, epoch: number, said: Unsigned): Totals {
  return { ...said, signature: settings.signer.sign(totalsWords(settings, epoch, said)) }
}

/** Totals, sealed under a key and a nonce. */
export function sealTotals(
  settings: SecretSettings,
  key: Uint8Array,
  epoch: number,
  nonce: Uint8Array,
  totals: Totals,
): Uint8Array {
  const text = padded(encode(totalsCodec, totals))!
  return settings.ciphers.seal(key, nonce, totalsData(settings, epoch), text)
}

/** Totals that were sealed so; who signed them is asked with `areAuthors`. */
export function openTotals(
  settings: SecretSettings,
  key: Uint8Array,
  epoch: number,
  nonce: Uint8Array,
  sealed: Uint8Array,
): Totals | undefined {
  const text = settings.ciphers.open(key, nonce, totalsData(settings, epoch), sealed)
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
