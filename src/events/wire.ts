// The words of events between clients and servers, with their limits. Append only: the place in the list is the number on
// the wire.

import { bool, bytes, type Codec, isText, list, option, struct, text, uint, variants } from '../core/index.ts'
import { FILTER_BYTES_MAX } from './filter-codec.ts'

/** Bytes of a channel's name, and of a durable subscription's: enough for a path. */
export const CHANNEL_BYTES_MAX = 200
/** Bytes of a node's name, with the instance of a client. */
export const NODE_BYTES_MAX = 100
/** Hex of 128 random bits: two processes of one certificate never share one. */
export const BOOT_BYTES_MAX = 32
/** A mebibyte of payload. Larger things belong into a store, and their place into the event. */
export const PAYLOAD_BYTES_MAX = 1 << 20
/** Payload and attributes: 32 lists of 16 texts of a kibibyte are half a mebibyte. */
export const CONTENT_BYTES_MAX = PAYLOAD_BYTES_MAX + (1 << 20)
/** Events of one batch under one signature: a path of six hashes. */
export const BATCH_MAX = 64
export const PATH_MAX = 6
/** Bytes of events in one message, unless one event alone has more: frames stay well below their limit. */
export const ITEMS_BYTES_MAX = 1 << 18
/** Heads in one answer: about 60 kB. The rest follows on the next beat. */
export const HEADS_MAX = 256
/** Sources whose positions a saved cursor has, and that are told to one who begins now: about a megabyte. */
export const ENTRIES_MAX = 4_096
/** Cursors in one answer: of 4,096 entries each, about 7 MB. */
export const COPIED_MAX = 16
/** Of a cursor among all: channel, owner and name. */
const KEY_BYTES_MAX = 2 * CHANNEL_BYTES_MAX + NODE_BYTES_MAX + 2
const HASH_BYTES = 32
const SIGNATURE_BYTES = 64

/** One life of one author in one channel: its events are numbered from 1. */
export interface Source {
  readonly channel: string
  readonly author: string
  readonly boot: string
}

/** That the author signed this event: the path from it to the root of its batch, and the signature over the root. */
export interface EventProof {
  readonly first: number
  readonly count: number
  readonly path: readonly Uint8Array[]
  readonly signature: Uint8Array
}

/** An event as it is kept and sent: attributes and payload are encoded in `content`, and hashed as they are. */
export interface Item {
  readonly counter: number
  readonly content: Uint8Array
  readonly proof: EventProof | undefined
}

/** How much of a source somebody holds: all up to `counter`. */
export interface Position {
  readonly author: string
  readonly boot: string
  readonly counter: number
}

/** A source's position, in any channel. */
export interface Head extends Position {
  readonly channel: string
}

/** Where a durable subscription stands, signed by its owner. */
export interface SavedCursor {
  readonly channel: string
  readonly name: string
  readonly owner: string
  readonly generation: number
  /** Tells two processes apart that opened the name at the same time. */
  readonly instance: string
  readonly serial: number
  readonly filter: Uint8Array
  readonly entries: readonly Position[]
  readonly signature: Uint8Array
}

/** Everything that is said about events. */
export type EventsMessage =
  /** The author's next events. */
  | { kind: 'publish'; source: Source; items: readonly Item[] }
  /** Saved, all up to `counter`; `head` is the hash chain of their leaves. */
  | { kind: 'held'; source: Source; counter: number; head: Uint8Array }
  /** No room for more of this author. */
  | { kind: 'full'; source: Source; counter: number }
  /** A subscription is there, and wants the heads that changed since `mark` of that server's life `epoch`. */
  | { kind: 'follow'; sub: number; channel: string; version: number; filter: Uint8Array; epoch: string; mark: number }
  | { kind: 'unfollow'; sub: number }
  /** Heads that changed. `alone`: this server hears too few others to know what is new. */
  | { kind: 'heads'; sub: number; epoch: string; mark: number; alone: boolean; entries: readonly Head[] }
  /** The matches after `after`, as soon as there are any; `to` 0: as far as there are. */
  | { kind: 'fetch'; sub: number; version: number; source: Source; after: number; to: number }
  /** All matches in (after, through]. */
  | {
      kind: 'found'
      sub: number
      version: number
      source: Source
      after: number
      through: number
      items: readonly Item[]
    }
  /** How many match in (after, to], and their hash. */
  | { kind: 'check'; sub: number; version: number; source: Source; after: number; to: number }
  | {
      kind: 'digest'
      sub: number
      version: number
      source: Source
      after: number
      to: number
      count: number
      hash: Uint8Array
    }
  /** How much of this source do you hold? */
  | { kind: 'ask'; source: Source }
  | { kind: 'told'; source: Source; counter: number }
  /** The cursor of a durable subscription, and the heads of its channel. */
  | { kind: 'load'; sub: number; channel: string; name: string }
  | { kind: 'loaded'; sub: number; cursor: SavedCursor | undefined; entries: readonly Position[] }
  | { kind: 'save'; sub: number; cursor: SavedCursor }
  | { kind: 'saved'; sub: number; generation: number; serial: number }
  /** A later generation of the name is open. */
  | { kind: 'passed'; sub: number; cursor: SavedCursor }
  /** Among servers: heads that changed since. Answered by `heads` of sub 0. */
  | { kind: 'compare'; epoch: string; mark: number }
  /** Among servers: what follows `after`, whatever it matches. */
  | { kind: 'want'; source: Source; after: number }
  | { kind: 'range'; source: Source; items: readonly Item[] }
  /** Among servers, by one whose disk is new: the cursors behind this key. */
  | { kind: 'copy'; after: string }
  | { kind: 'copied'; after: string; next: string; whole: boolean; cursors: readonly SavedCursor[] }

const channel = text(CHANNEL_BYTES_MAX)
const node = text(NODE_BYTES_MAX)
const boot = text(BOOT_BYTES_MAX)
const hash = bytes(HASH_BYTES)
const source = struct<Source>({ channel, author: node, boot })
const position = struct<Position>({ author: node, boot, counter: uint() })
const head = struct<Head>({ channel, author: node, boot, counter: uint() })
const proof = struct<EventProof>({
  first: uint(),
  count: uint(BATCH_MAX),
  path: list(hash, PATH_MAX),
  signature: bytes(SIGNATURE_BYTES),
})
export const itemCodec: Codec<Item> = struct<Item>({
  counter: uint(),
  content: bytes(CONTENT_BYTES_MAX),
  proof: option(proof),
})
const items = list(itemCodec, BATCH_MAX)
const cursor = struct<SavedCursor>({
  channel,
  name: channel,
  owner: node,
  generation: uint(),
  instance: boot,
  serial: uint(),
  filter: hash,
  entries: list(position, ENTRIES_MAX),
  signature: bytes(SIGNATURE_BYTES),
})
const sub = uint()
const version = uint()

/** The words, as bytes. */
export const eventsVocabulary: Codec<EventsMessage> = variants<EventsMessage>({
  publish: { source, items },
  held: { source, counter: uint(), head: hash },
  full: { source, counter: uint() },
  follow: { sub, channel, version, filter: bytes(FILTER_BYTES_MAX), epoch: boot, mark: uint() },
  unfollow: { sub },
  heads: { sub, epoch: boot, mark: uint(), alone: bool, entries: list(head, HEADS_MAX) },
  fetch: { sub, version, source, after: uint(), to: uint() },
  found: { sub, version, source, after: uint(), through: uint(), items },
  check: { sub, version, source, after: uint(), to: uint() },
  digest: { sub, version, source, after: uint(), to: uint(), count: uint(), hash },
  ask: { source },
  told: { source, counter: uint() },
  load: { sub, channel, name: channel },
  loaded: { sub, cursor: option(cursor), entries: list(position, ENTRIES_MAX) },
  save: { sub, cursor },
  saved: { sub, generation: uint(), serial: uint() },
  passed: { sub, cursor },
  compare: { epoch: boot, mark: uint() },
  want: { source, after: uint() },
  range: { source, items },
  copy: { after: text(KEY_BYTES_MAX) },
  copied: { after: text(KEY_BYTES_MAX), next: text(KEY_BYTES_MAX), whole: bool, cursors: list(cursor, COPIED_MAX) },
})

/** What a server saves. */
export type EventsRecord =
  | { readonly kind: 'events'; readonly source: Source; readonly items: readonly Item[] }
  | { readonly kind: 'cursor'; readonly cursor: SavedCursor }
  /** Nothing is missing here: saved when the group is set up, and after a lost disk once the others have told. */
  | { readonly kind: 'known' }

export const eventsRecord: Codec<EventsRecord> = variants<EventsRecord>({
  events: { source, items },
  cursor: { cursor },
  known: {},
})

/** Names have no control characters: they are joined by one. */
export function isName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are refused
  return name !== '' && isText(name, CHANNEL_BYTES_MAX) && !/[\u0000-\u001f]/.test(name)
}

/** A source as a key of a map. */
export function sourceKey({ channel: of, author, boot: life }: Source): string {
  return `${of}\u0000${author}\u0000${life}`
}

/** Whether its parts are names, so that two sources have two keys. */
export function isSource({ channel: of, author, boot: life }: Source): boolean {
  return isName(of) && isName(author) && /^[0-9a-f]{1,32}$/.test(life)
}
