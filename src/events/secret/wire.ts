// Two vocabularies: what a party says to a carrier (four words that every broker has), and the frames that travel inside.
// What is in the clear is all that a carrier learns. Append only.

import {
  bool,
  bytes,
  type Codec,
  type Decoded,
  decode,
  encode,
  list,
  struct,
  text,
  uint,
  variants,
} from '../../core/index.ts'
import { FIRST_BYTES, SECOND_BYTES } from '../../crypto/peks/index.ts'
import { CONTENT_BYTES_MAX, NODE_BYTES_MAX } from '../wire.ts'
import { TAG_BYTES } from './keys.ts'
import {
  CARRIED_MAX,
  COUNTED_TAGS_MAX,
  MARKS_MAX,
  NAME_MAX,
  NUMBER_MAX,
  PADDED_MIN,
  SEALED_MAX,
  SEARCHED_MAX,
  SIGNED_MAX,
  SIGNED_PATH_MAX,
  TOTALS_MAX,
  TRAPDOORS_MESSAGE_MAX,
} from './limits.ts'

/** Between a party and a carrier. */
export type CarrierMessage =
  /** Give me what is sent under this name. */
  | { readonly kind: 'listen'; readonly name: string }
  | { readonly kind: 'leave'; readonly name: string }
  /** Give this to all who listen. */
  | { readonly kind: 'send'; readonly name: string; readonly body: Uint8Array }
  | { readonly kind: 'came'; readonly name: string; readonly body: Uint8Array }

/** The words between a party and a carrier. */
export const carrierVocabulary: Codec<CarrierMessage> = variants<CarrierMessage>({
  listen: { name: text(NAME_MAX) },
  leave: { name: text(NAME_MAX) },
  send: { name: text(NAME_MAX), body: bytes(CARRIED_MAX) },
  came: { name: text(NAME_MAX), body: bytes(CARRIED_MAX) },
})

/** What travels through a carrier. */
export type Frame =
  | SealedEvent
  /** How many events of each tag an author has sent: what comes after them is shown to be missing. */
  | { readonly kind: 'totals'; readonly epoch: number; readonly nonce: Uint8Array; readonly sealed: Uint8Array }
  | { readonly kind: 'record'; readonly record: Uint8Array }
  /** A writer has the record. */
  | { readonly kind: 'receipt'; readonly number: number; readonly name: string; readonly signature: Uint8Array }
  /** Somebody has started, and knows records up to this one. */
  | { readonly kind: 'hello'; readonly number: number }
  /** To the matcher: send me what has one of these, under this name. */
  | {
      readonly kind: 'trapdoors'
      readonly box: string
      readonly trapdoors: readonly Uint8Array[]
      /** From the first message of a list on, what was given before counts no more. */
      readonly first: boolean
    }
  /** From the matcher: your lap is not mine. */
  | { readonly kind: 'lap'; readonly lap: number; readonly yours: number }
  /** Somebody begins to listen: writers, tell your totals. */
  | { readonly kind: 'ask' }
  | MarkedEvent
  /** Totals for one reader alone. */
  | {
      readonly kind: 'told'
      readonly epoch: number
      readonly to: Uint8Array
      readonly key: Uint8Array
      readonly nonce: Uint8Array
      readonly sealed: Uint8Array
    }
  /** To the matcher: of what is marked for this reader, send me what has one of these, under this name. */
  | {
      readonly kind: 'search'
      readonly box: string
      readonly reader: Uint8Array
      readonly trapdoors: readonly Uint8Array[]
    }

/** A bundle of events for one reader, marked with keywords that only its trapdoors find. */
export interface MarkedEvent {
  readonly kind: 'marked'
  readonly epoch: number
  readonly reader: Uint8Array
  /** A, and a B for each keyword. */
  readonly point: Uint8Array
  readonly marks: readonly Uint8Array[]
  /** The key of the body, sealed to the reader. */
  readonly key: Uint8Array
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
}

/** A bundle of events, sealed. */
export interface SealedEvent {
  readonly kind: 'event'
  readonly epoch: number
  /** Of counted mode; else zero. */
  readonly lap: number
  readonly tags: readonly Uint8Array[]
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
}

const NONCE_BYTES = 12
const SIGNATURE_BYTES = 64
const HASH_BYTES = 32
const SEAL_MAX = SEALED_MAX + 16
/** A label, channel, number and key, framed, and what the seal adds. */
const SEALED_KEY_MAX = 192

const frameCodec: Codec<Frame> = variants<Frame>({
  event: {
    epoch: uint(),
    lap: uint(),
    tags: list(bytes(TAG_BYTES), COUNTED_TAGS_MAX),
    nonce: bytes(NONCE_BYTES),
    sealed: bytes(SEAL_MAX),
  },
  totals: { epoch: uint(), nonce: bytes(NONCE_BYTES), sealed: bytes(SEAL_MAX) },
  record: { record: bytes(CARRIED_MAX) },
  receipt: { number: uint(), name: text(NODE_BYTES_MAX), signature: bytes(SIGNATURE_BYTES) },
  hello: { number: uint() },
  trapdoors: { box: text(NAME_MAX), trapdoors: list(bytes(TAG_BYTES), TRAPDOORS_MESSAGE_MAX), first: bool },
  lap: { lap: uint(), yours: uint() },
  ask: {},
  marked: {
    epoch: uint(),
    reader: bytes(TAG_BYTES),
    point: bytes(SECOND_BYTES),
    marks: list(bytes(HASH_BYTES), MARKS_MAX),
    key: bytes(SEALED_KEY_MAX),
    nonce: bytes(NONCE_BYTES),
    sealed: bytes(SEAL_MAX),
  },
  told: {
    epoch: uint(),
    to: bytes(TAG_BYTES),
    key: bytes(SEALED_KEY_MAX),
    nonce: bytes(NONCE_BYTES),
    sealed: bytes(SEAL_MAX),
  },
  search: { box: text(NAME_MAX), reader: bytes(TAG_BYTES), trapdoors: list(bytes(FIRST_BYTES), SEARCHED_MAX) },
})

export const encodeFrame = (frame: Frame): Uint8Array => encode(frameCodec, frame)
export const decodeFrame = (input: Uint8Array): Decoded<Frame> => decode(frameCodec, input)

/** One life of an author. */
export interface Life {
  readonly author: string
  /** The author's wall clock when it began, and 64 random bits. */
  readonly started: number
  readonly boot: Uint8Array
}

/** One event of a bundle. */
export interface Bundled {
  readonly counter: number
  readonly content: Uint8Array
}

/** What is inside the seal of a bundle: events of one batch with the same tags. */
export interface Inside extends Life {
  /** The tags of their keywords in this epoch, and which of this life's events of each tag the first of them is. */
  readonly tags: readonly Uint8Array[]
  readonly numbers: readonly number[]
  /** By rising counters. The numbers of the next one are one more each, but for 0, which stays: a tag without numbers. */
  readonly events: readonly Bundled[]
  /** Which of the batch's bundles it is, and the way to the root that is signed. */
  readonly place: number
  readonly count: number
  readonly path: readonly Uint8Array[]
  readonly signature: Uint8Array
}

/** What is inside the seal of totals. */
export interface Totals extends Life {
  /** The author sends nothing more in this epoch. */
  readonly closes: boolean
  readonly tags: readonly Uint8Array[]
  readonly numbers: readonly number[]
  readonly signature: Uint8Array
}

const BOOT_BYTES = 8
const life = { author: text(NODE_BYTES_MAX), started: uint(), boot: bytes(BOOT_BYTES) }

export const insideCodec: Codec<Inside> = struct<Inside>({
  ...life,
  tags: list(bytes(TAG_BYTES), COUNTED_TAGS_MAX),
  numbers: list(uint(NUMBER_MAX), COUNTED_TAGS_MAX),
  events: list(struct<Bundled>({ counter: uint(), content: bytes(CONTENT_BYTES_MAX) }), SIGNED_MAX),
  place: uint(SIGNED_MAX),
  count: uint(SIGNED_MAX),
  path: list(bytes(HASH_BYTES), SIGNED_PATH_MAX),
  signature: bytes(SIGNATURE_BYTES),
})

export const totalsCodec: Codec<Totals> = struct<Totals>({
  ...life,
  closes: bool,
  tags: list(bytes(TAG_BYTES), TOTALS_MAX),
  numbers: list(uint(), TOTALS_MAX),
  signature: bytes(SIGNATURE_BYTES),
})

/** Padded to a power of two, so that the length tells little: the value's length, the value, zeros. */
export function padded(value: Uint8Array): Uint8Array | undefined {
  const head = encode(lengthCodec, value.length)
  const length = paddedLength(head.length + value.length)
  if (length > SEALED_MAX) return undefined
  const out = new Uint8Array(length)
  out.set(head)
  out.set(value, head.length)
  return out
}

const lengthCodec = uint()

function paddedLength(least: number): number {
  let length = PADDED_MIN
  while (length < least) length *= 2
  return length
}

/** What was padded; nothing where it was not padded so. */
export function unpadded(input: Uint8Array): Uint8Array | undefined {
  let length = 0
  let at = 0
  for (let scale = 1; at < 4; scale *= 128) {
    const byte = input[at++] ?? 0
    length += (byte & 127) * scale
    if (byte < 128) break
  }
  const end = at + length
  // The shortest way to write the length, the shortest padding, and zeros only: one padding for one value.
  if (encode(lengthCodec, length).length !== at || paddedLength(end) !== input.length) return undefined
  for (let place = end; place < input.length; place++) if (input[place] !== 0) return undefined
  return input.subarray(at, end)
}
