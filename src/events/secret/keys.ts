// What is derived from the key of an epoch: the key of bodies, the key of tags, tags and trapdoors.
//
// HKDF-SHA-256 with the channel's random id as salt, and everything that must not be confused in `info`: two channels, two
// epochs, two modes and two uses never share a key, even where somebody draws the same K twice.

import { hkdf } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { type Ciphers, framed } from '../../crypto/index.ts'
import type { SecretRules } from './rules.ts'

/** How a channel may be searched, as records say it. */
export const SECRET_MODES = ['tagged', 'counted', 'paired', 'peks'] as const

/** How a channel is searched. */
export type SecretMode = (typeof SECRET_MODES)[number]

/** What a channel is called: by people, and by 16 random bytes. */
export interface ChannelName {
  readonly group: string
  readonly name: string
  readonly id: Uint8Array
}

/** The keys of one epoch. */
export interface EpochKeys {
  readonly tag: Uint8Array
  readonly body: Uint8Array
}

/** Bytes of a tag, of a trapdoor and of a channel's id. */
export const TAG_BYTES = 16
const KEY_BYTES = 32

/** The keys of an epoch, from its 32 random bytes. */
export function epochKeys(
  rules: SecretRules,
  channel: ChannelName,
  epoch: number,
  mode: SecretMode,
  secret: Uint8Array,
): EpochKeys {
  const salt = sha256(channel.id)
  const derive = (from: Uint8Array, use: string, number: number) => {
    const info = framed('coterie/events', channel.group, channel.name, number, mode, use)
    return hkdf(sha256, from, salt, info, KEY_BYTES)
  }
  const tagSecret = rules.tagSecret(secret, channel.id)
  return { tag: derive(tagSecret, 'tag', tagSecret === secret ? epoch : 0), body: derive(secret, 'body', epoch) }
}

/** Who writes to whom. */
export interface Pair {
  readonly writer: string
  readonly reader: string
}

/** The keys of one writer and one reader in an epoch, from what the two share and the epoch's own secret. */
export function pairKeys(
  rules: SecretRules,
  record: { readonly channel: ChannelName; readonly number: number },
  { writer, reader }: Pair,
  shared: Uint8Array,
  secret: Uint8Array,
): EpochKeys {
  const both = sha256(framed('coterie/events/pair', writer, reader, rules.pairSecret(shared, secret), secret))
  return epochKeys(rules, record.channel, record.number, 'paired', both)
}

/** The name under which a pair's totals travel: the two know it, and nobody else. */
export function pairName(keys: EpochKeys): Uint8Array {
  return hmac(sha256, keys.tag, framed('totals')).slice(0, TAG_BYTES)
}

/** Who an event of peks mode is for: a name of its reader's search key in one epoch of a channel. */
export function readerName(channel: Uint8Array, epoch: number, searchKey: Uint8Array): Uint8Array {
  return sha256(framed('coterie/events/reader', channel, epoch, searchKey)).slice(0, TAG_BYTES)
}

/** A keyword as peks mode marks it and as trapdoors are made of it: of one channel and epoch. */
export function searchWord(rules: SecretRules, channel: Uint8Array, epoch: number, keyword: Uint8Array): Uint8Array {
  return framed('coterie/events/word', channel, rules.searchEpoch(epoch), keyword)
}

/** The name of a keyword in an epoch: HMAC, so that without the key it is a random name. */
export function tagOf(keys: EpochKeys, keyword: Uint8Array): Uint8Array {
  return hmac(sha256, keys.tag, framed('tag', keyword)).slice(0, TAG_BYTES)
}

/** What finds one author's events of a keyword in counted mode. */
export function trapdoorOf(keys: EpochKeys, author: string, lane: number, keyword: Uint8Array): Uint8Array {
  return hmac(sha256, keys.tag, framed('trapdoor', author, lane, keyword)).slice(0, TAG_BYTES)
}

/** The tag of the i-th use of a trapdoor in a lap. */
export function countedTag(
  ciphers: Ciphers,
  rules: Pick<SecretRules, 'countedLap'>,
  trapdoor: Uint8Array,
  lap: number,
  count: number,
): Uint8Array {
  const block = new Uint8Array(TAG_BYTES)
  const view = new DataView(block.buffer)
  const counted = rules.countedLap(lap)
  view.setUint32(0, Math.floor(counted / 2 ** 32))
  view.setUint32(4, counted >>> 0)
  view.setUint32(12, count)
  return ciphers.block(trapdoor, block)
}

/** Bytes as the key of a map: one letter each. */
export function mapKeyOf(bytes: Uint8Array): string {
  return String.fromCharCode.apply(undefined, bytes as unknown as number[])
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Sixteen bytes as 22 letters that a subject and a topic may have. */
export function lettersOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const part = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const letters = Math.min(4, Math.ceil(((bytes.length - at) * 8) / 6))
    for (let place = 0; place < letters; place++) text += LETTERS[(part >> (18 - 6 * place)) & 63]
  }
  return text
}

/** The bytes that these letters stand for. */
export function bytesOfLetters(letters: string): Uint8Array {
  const out = new Uint8Array(Math.floor((letters.length * 6) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (const letter of letters) {
    held = ((held << 6) | LETTERS.indexOf(letter)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    out[at++] = (held >> bits) & 0xff
  }
  return out
}

/** Where a channel's records and totals travel, and where the events of counted mode are sent. */
export function channelNames(id: Uint8Array): { readonly records: string; readonly matcher: string } {
  const named = (use: string) => lettersOf(sha256(framed('coterie/events/name', id, use)).slice(0, TAG_BYTES))
  return { records: named('records'), matcher: named('matcher') }
}
