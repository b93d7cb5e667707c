// The words of events between clients and servers, with their limits. Append only: the place in the list is the number on
// the wire.

import { bool, bytes, type Codec, isText, list, option, struct, text, uint, variants } from '../core/index.ts'
import { type Item, itemCodec, itemsCodec } from './items.ts'
import { BATCH_MAX, FILTER_BYTES_MAX, HASH_BYTES, SIGNATURE_BYTES } from './limits.ts'
import { KEPT_TOPIC_BYTES_MAX } from './topics.ts'

export { type EventProof, type Item, itemCodec } from './items.ts'
export { BATCH_MAX, CONTENT_BYTES_MAX, PAYLOAD_BYTES_MAX } from './limits.ts'

/** Bytes of a channel's name, and of a durable subscription's: enough for a path. */
export const CHANNEL_BYTES_MAX = 200
/** Bytes of a node's name, with the instance of a client. */
export const NODE_BYTES_MAX = 100
/** Hex of 128 random bits: two processes of one certificate never share one. */
export const BOOT_BYTES_MAX = 32
/** Matches in one answer to a subscription: the more, the fewer questions. */
export const FOUND_MAX = 256
/** Bytes of events in one message, unless one event alone has more: frames stay well below their limit. */
export const ITEMS_BYTES_MAX = 1 << 18
/** Heads in one answer: about 60 kB. The rest follows on the next beat. */
export const HEADS_MAX = 256
/** Sources whose positions a saved cursor has, and that are told to one who begins now: about a megabyte. */
export const ENTRIES_MAX = 4_096
/** A certificate of ours has about 500. */
export const IDENTITY_BYTES_MAX = 2_048
/** Heads and cursors in an answer to who looks at the whole, and positions of each cursor. */
export const SURVEYED_MAX = 4_096
export const SURVEYED_CURSORS_MAX = 256
export const SURVEYED_ENTRIES_MAX = 64
/** Kept events in one answer; together they are at most as large as any message. The next question goes on behind them. */
export const REMINDED_MAX = 256
/** Cursors in one answer: of 4,096 entries each, about 7 MB. */
export const COPIED_MAX = 16
/** Lines of complaint that a server keeps and shows, and the bytes of each: about 60 kB. */
export const COMPLAINTS_MAX = 100
const WHAT_BYTES_MAX = 100
/** Why a server does not keep what it was asked to. Append only: the place is the number on the wire. */
export const REFUSALS = [
  "this client's subscriptions, cursors and queues take all the memory that a server keeps for one client.",
  'this client has as many subscriptions, cursors or queues as a server keeps for one client.',
  'the servers have no room for more subscriptions, cursors and queues.',
] as const
/** Of a cursor among all: channel, owner and name. */
const KEY_BYTES_MAX = 2 * CHANNEL_BYTES_MAX + NODE_BYTES_MAX + 2

/** One life of one author in one channel: its events are numbered from 1. */
export interface Source {
  readonly channel: string
  readonly author: string
  readonly boot: string
}

/** How much of a source is kept: in milliseconds since a server had it, and in bytes. The oldest go first. */
export interface Keep {
  readonly age: number
  readonly bytes: number
}

/** What an author says of its source, with each of its messages. */
export interface SourceTerms {
  /** Nothing is saved: what a server forgets when it stops, or has no room for, is missed. */
  readonly live: boolean
  readonly keep: Keep
  /** The author's certificate, where events are signed; else empty. */
  readonly identity: Uint8Array
}

/** How much of a source somebody holds: all up to `counter`. */
export interface Position {
  readonly author: string
  readonly boot: string
  readonly counter: number
}

/** A source's position, in any channel. What is at or below `base` was cut. */
export interface Head extends Position {
  readonly channel: string
  readonly base: number
}

/** The newest event of its topic that was published to be kept. */
export interface RetainedEvent {
  readonly source: Source
  readonly identity: Uint8Array
  readonly item: Item
}

/** A durable subscription as `survey` shows it. */
export interface SurveyedCursor {
  readonly channel: string
  readonly name: string
  readonly owner: string
  readonly queue: boolean
  readonly entries: readonly Position[]
}

/** What a client holds against a server. */
export interface EventsComplaint {
  readonly client: string
  readonly server: string
  readonly what: string
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
  /** The owner's certificate, where cursors are signed; else empty. */
  readonly identity: Uint8Array
  readonly signature: Uint8Array
}

/** Everything that is said about events. */
export type EventsMessage =
  /** The author's next events; all up to `accepted` are held by n - f. */
  | { kind: 'publish'; source: Source; terms: SourceTerms; accepted: number; items: readonly Item[] }
  /** Saved, all up to `counter`; `leaf` is the hash of that one. */
  | { kind: 'held'; source: Source; counter: number; leaf: Uint8Array }
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
      identity: Uint8Array
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
  /** What follows, or what is left of it: `base` and all below were cut. */
  | { kind: 'range'; source: Source; terms: SourceTerms; base: number; items: readonly Item[] }
  /** Among servers, by one whose disk is new: the cursors behind this key. */
  | { kind: 'copy'; after: string }
  | { kind: 'copied'; after: string; next: string; whole: boolean; cursors: readonly SavedCursor[] }
  /** What do you hold of this channel, or of all ('')? */
  | { kind: 'survey'; id: number; channel: string }
  | { kind: 'surveyed'; id: number; entries: readonly Head[]; cursors: readonly SurveyedCursor[] }
  /** The newest kept event of each topic behind `after`, or from the first one on, that matches; topics in the order of their UTF-16. */
  | { kind: 'remind'; id: number; channel: string; filter: Uint8Array; after: string | undefined }
  /** All of these up to `through`, or to the last topic. */
  | {
      kind: 'reminded'
      id: number
      after: string | undefined
      through: string | undefined
      events: readonly RetainedEvent[]
    }
  /** A member of a queue is there; `place`: this server is its first choice (0), its second … */
  | {
      kind: 'enlist'
      sub: number
      channel: string
      name: string
      version: number
      filter: Uint8Array
      place: number
      ackWait: number
      attempts: number
      credit: number
      start: boolean
    }
  | { kind: 'resign'; sub: number }
  /** An event of the queue for this member. `dead`: it was tried too often. */
  | { kind: 'task'; sub: number; source: Source; identity: Uint8Array; item: Item; attempt: number; dead: boolean }
  /** The member is done with it (said to all servers), or failed (said to who gave it). */
  | { kind: 'done'; channel: string; name: string; source: Source; counter: number; failed: boolean }
  /** Among servers: how far the queue is. */
  | { kind: 'queued'; channel: string; name: string; owner: string; entries: readonly Position[] }
  /** A server was caught; said to all others. */
  | { kind: 'complain'; server: string; what: string; channel: string }
  /** Of whom do clients complain? */
  | { kind: 'recall'; id: number }
  | { kind: 'recalled'; id: number; complaints: readonly EventsComplaint[] }
  /** To a member of a queue, in answer: the filter that counts, or nothing where it is the one that it came with. */
  | { kind: 'terms'; sub: number; version: number; filter: Uint8Array }
  /** To a member of a queue: these were cut before anybody had them. */
  | { kind: 'skipped'; sub: number; source: Source; from: number; to: number }
  /** A subscription, its cursor or a queue is not kept: a place in `REFUSALS` says why. */
  | { kind: 'refused'; sub: number; why: number }

const channel = text(CHANNEL_BYTES_MAX)
const node = text(NODE_BYTES_MAX)
const boot = text(BOOT_BYTES_MAX)
const hash = bytes(HASH_BYTES)
const source = struct<Source>({ channel, author: node, boot })
const position = struct<Position>({ author: node, boot, counter: uint() })
const head = struct<Head>({ channel, author: node, boot, counter: uint(), base: uint() })
const identity = bytes(IDENTITY_BYTES_MAX)
const keep = struct<Keep>({ age: uint(), bytes: uint() })
const terms = struct<SourceTerms>({ live: bool, keep, identity })
const items = itemsCodec(BATCH_MAX, true)
const cursor = struct<SavedCursor>({
  channel,
  name: channel,
  owner: node,
  generation: uint(),
  instance: boot,
  serial: uint(),
  filter: hash,
  entries: list(position, ENTRIES_MAX),
  identity,
  signature: bytes(SIGNATURE_BYTES),
})
const keptUnder = option(text(KEPT_TOPIC_BYTES_MAX))
const retained = struct<RetainedEvent>({ source, identity, item: itemCodec })
const surveyed = struct<SurveyedCursor>({
  channel,
  name: channel,
  owner: node,
  queue: bool,
  entries: list(position, SURVEYED_ENTRIES_MAX),
})
const what = text(WHAT_BYTES_MAX)
const complaint = struct<EventsComplaint>({ client: node, server: node, what, channel })
const sub = uint()
const version = uint()

/** The words, as bytes. */
export const eventsVocabulary: Codec<EventsMessage> = variants<EventsMessage>({
  publish: { source, terms, accepted: uint(), items },
  held: { source, counter: uint(), leaf: hash },
  full: { source, counter: uint() },
  follow: { sub, channel, version, filter: bytes(FILTER_BYTES_MAX), epoch: boot, mark: uint() },
  unfollow: { sub },
  heads: { sub, epoch: boot, mark: uint(), alone: bool, entries: list(head, HEADS_MAX) },
  fetch: { sub, version, source, after: uint(), to: uint() },
  found: { sub, version, source, identity, after: uint(), through: uint(), items: itemsCodec(FOUND_MAX, true) },
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
  range: { source, terms, base: uint(), items },
  copy: { after: text(KEY_BYTES_MAX) },
  copied: { after: text(KEY_BYTES_MAX), next: text(KEY_BYTES_MAX), whole: bool, cursors: list(cursor, COPIED_MAX) },
  survey: { id: uint(), channel: text(CHANNEL_BYTES_MAX) },
  surveyed: { id: uint(), entries: list(head, SURVEYED_MAX), cursors: list(surveyed, SURVEYED_CURSORS_MAX) },
  remind: { id: uint(), channel, filter: bytes(FILTER_BYTES_MAX), after: keptUnder },
  reminded: { id: uint(), after: keptUnder, through: keptUnder, events: list(retained, REMINDED_MAX) },
  enlist: {
    sub,
    channel,
    name: channel,
    version,
    filter: bytes(FILTER_BYTES_MAX),
    place: uint(),
    ackWait: uint(),
    attempts: uint(),
    credit: uint(),
    start: bool,
  },
  resign: { sub },
  task: { sub, source, identity, item: itemCodec, attempt: uint(), dead: bool },
  done: { channel, name: channel, source, counter: uint(), failed: bool },
  queued: { channel, name: channel, owner: node, entries: list(position, ENTRIES_MAX) },
  complain: { server: node, what, channel },
  recall: { id: uint() },
  recalled: { id: uint(), complaints: list(complaint, COMPLAINTS_MAX) },
  terms: { sub, version, filter: bytes(FILTER_BYTES_MAX) },
  skipped: { sub, source, from: uint(), to: uint() },
  refused: { sub, why: uint(REFUSALS.length - 1) },
})

/** What a server saves. */
export type EventsRecord =
  /** `at`: the wall clock when they came, in milliseconds. */
  | { readonly kind: 'events'; readonly source: Source; readonly at: number; readonly items: readonly Item[] }
  | { readonly kind: 'cursor'; readonly cursor: SavedCursor }
  /** Nothing is missing here: saved when the group is set up, and after a lost disk once the others have told. */
  | { readonly kind: 'known' }
  /** What its author said of a source, and what was cut of it. */
  | { readonly kind: 'stream'; readonly source: Source; readonly terms: SourceTerms; readonly base: number }
  /** How far a queue is. */
  | {
      readonly kind: 'queue'
      readonly channel: string
      readonly name: string
      readonly owner: string
      readonly entries: readonly Position[]
    }
  /** The newest of its topic, which its author wants kept, and which was cut from its source. */
  | ({ readonly kind: 'retained' } & RetainedEvent)
  /** An account of everything begins. */
  | { readonly kind: 'account' }

export const eventsRecord: Codec<EventsRecord> = variants<EventsRecord>({
  // What was saved before neighbours shared their proofs is read, too.
  events: { source, at: uint(), items: itemsCodec(BATCH_MAX, false) },
  cursor: { cursor },
  known: {},
  stream: { source, terms, base: uint() },
  queue: { channel, name: channel, owner: node, entries: list(position, ENTRIES_MAX) },
  retained: { source, identity, item: itemCodec },
  account: {},
})

/** Names have no control characters: they are joined by one. */
export function isName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is these that are refused
  return name !== '' && isText(name, CHANNEL_BYTES_MAX) && !/[\u0000-\u001f]/.test(name)
}

let keyed: Source | undefined
let keyOfIt = ''

/** A source as a key of a map. That of the last one is kept: a machine asks for it several times in a row. */
export function sourceKey(of: Source): string {
  if (of === keyed) return keyOfIt
  keyed = of
  keyOfIt = `${of.channel}\u0000${of.author}\u0000${of.boot}`
  return keyOfIt
}

/** Whether its parts are names, so that two sources have two keys. */
export function isSource({ channel: of, author, boot: life }: Source): boolean {
  return isName(of) && isName(author) && /^[0-9a-f]{1,32}$/.test(life)
}
