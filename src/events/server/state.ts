// What a server remembers: of each source a prefix, of each durable subscription its cursor, and for a while who follows.

import { assert, type Complaints, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import type { Filter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import type { EventsComplaint, EventsMessage, Item, Position, SavedCursor, Source, SourceTerms } from '../wire.ts'

/** Authors times their lives. A life of which nothing is kept costs nothing. */
export const SOURCES_MAX = 100_000
/** Lives of one author: each call of a command is one. */
export const AUTHOR_SOURCES_MAX = 10_000
/** Subscriptions at this server, and of one client. */
export const FOLLOWERS_MAX = 1_000_000
export const CLIENT_FOLLOWERS_MAX = 10_000
/** Sources for which one subscription waits here. */
export const PARKED_MAX = 10_000
/** Messages that wait while the disk is busy; of one client, and bytes of events in these. An author has 256 events under way. */
export const PUBLISHED_MAX = 16_384
export const CLIENT_PUBLISHED_MAX = 1_024
export const PUBLISHED_BYTES_MAX = 1 << 23
/**
 * Proofs in these: a signature takes a tenth of a millisecond to look at, and all that waited is looked at in one step, in nobody's turn.
 * Bytes alone would let a client have fifty thousand looked at, and nothing else be done for five seconds.
 */
export const PUBLISHED_PROOFS_MAX = 1_024
/** Cursors of one owner, and together. */
export const OWNER_CURSORS_MAX = 1_000
export const CURSORS_MAX = 100_000
/** Queues at this server, and of one owner. */
export const QUEUES_MAX = 10_000
export const OWNER_QUEUES_MAX = 1_000
/** Events of a queue that wait for an acknowledgement: beyond, it waits. */
export const QUEUE_OPEN_MAX = 10_000
/** Bytes of one author's events that are kept as the newest of their topics; each counts for a kibibyte more. */
export const RETAINED_BYTES_MAX = 16 * 2 ** 20
/** How far ahead an author's clock may be for its event to be kept as the newest: else it would stay so. */
export const AHEAD_MAX: Millis = 300_000
/** Bytes of the account that are written on one beat. */
export const ACCOUNT_STEP_BYTES = 4_000_000
/** In beats: how long nothing may be heard of a subscription before it is forgotten. It speaks on every beat. */
export const SILENT_BEATS = 50
/** In beats: a server of which nobody wants anything, and that holds nothing, is quiet after so long. */
export const IDLE_BEATS = 100
/** In beats, besides two rounds through all: for how long another server counts as heard. */
export const HEARD_BEATS = 10

/** What is held of one source: all in (base, held]. */
export interface Stream {
  readonly source: Source
  terms: SourceTerms
  readonly items: Map<number, Item>
  /** When they came, by this server's wall clock in milliseconds: all up to `through`, the oldest first. */
  readonly arrivals: { readonly through: number; readonly at: number }[]
  /** What is at or below was cut. */
  base: number
  held: number
  /** When the last one was cut, by the wall clock; 0: there are some, or nobody looked. */
  emptied: number
  /** The hash of the last one. */
  leaf: Uint8Array
  bytes: number
  /** Grows with every change of any stream here. */
  changed: number
  /** What witnesses were asked about that is not here yet, by follower. */
  readonly checks: Map<string, { readonly from: NodeId; readonly body: EventsMessage & { readonly kind: 'check' } }>
}

/** A client's subscription. */
export interface Follower {
  readonly client: NodeId
  readonly sub: number
  channel: string
  version: number
  filter: Filter
  /** The filter's own bytes, to see a change. */
  encoded: Uint8Array
  heard: Millis
  /** Where it waits for the next match, by source. */
  readonly parked: Map<string, number>
  /** The sources of which a question of its waits there until they are here. */
  readonly checks: Set<string>
}

/** What a client takes of this server: bytes, and how many of each. */
export interface Share {
  bytes: number
  followers: number
  cursors: number
  queues: number
}

/** What another server says of a source or of a queue: where it was cut, or how far it is. */
export interface Said {
  readonly base?: number
  readonly positions?: ReadonlyMap<string, Position>
}

/** What one other server says that too few others say: the oldest first. */
export interface Hearsay {
  bytes: number
  readonly words: Map<string, Said>
}

/** A source of which another server holds more: up to where; how much was here when it was last asked for, and how often in vain. */
export interface LackingSource extends Source {
  counter: number
  held: number
  tries: number
}

/** What is lacking of one author, in the order in which it is asked for; and since when there was no room for it. */
export interface LackingAuthor {
  readonly sources: Map<string, LackingSource>
  full: Millis | undefined
}

/** What another server holds and this one lacks (lacking.ts). */
export interface Lacking {
  bytes: number
  readonly authors: Map<string, LackingAuthor>
  /** Something had to go: all heads are read anew. When that last was. */
  again: boolean
  readAt: Millis
}

/** What a server knows of another: how far it has read that one's heads, and what it lacks of what they told. */
export interface Other {
  epoch: string
  mark: number
  heard: Millis
  lacking: Lacking
}

/** A member of a queue. */
export interface QueueMember {
  readonly client: NodeId
  readonly sub: number
  heard: Millis
  credit: number
  /** Events that it has. */
  used: number
}

/** An event that a member has. */
export interface Given {
  readonly counter: number
  attempt: number
  /** The member's key, or '' while nobody can take it. */
  member: string
  at: Millis
}

/** How far a queue is with one source: all up to `done` was acknowledged, or does not match. */
export interface QueueSource {
  readonly source: Source
  done: number
  /** Up to here it was looked at. */
  next: number
  /** Acknowledged above that. */
  readonly acked: Set<number>
  readonly given: Map<number, Given>
}

/** Several processes of one owner that share the events of a channel. */
export interface Queue {
  readonly channel: string
  readonly name: string
  readonly owner: string
  filter: Filter | undefined
  encoded: Uint8Array
  version: number
  ackWait: Millis
  attempts: number
  /** This server is the members' first choice (0), their second … */
  place: number
  /** Whether it began at the start; else where it stood when it was first heard of. */
  start: boolean
  readonly members: Map<string, QueueMember>
  readonly sources: Map<string, QueueSource>
  open: number
  moved: boolean
  /** There was no room for a source, and its members were not told. */
  full: boolean
}

/** How much of one client waits. */
export interface PublishedOf {
  readonly messages: number
  readonly bytes: number
  readonly proofs: number
}

/** What an author sent while the disk was busy. */
export interface Published {
  readonly from: NodeId
  readonly body: EventsMessage & { readonly kind: 'publish' }
}

/** The newest kept event of a topic. */
export interface Retained {
  readonly source: Source
  readonly identity: Uint8Array
  item: Item
  readonly time: number
  /** Its source does not hold it any more. */
  apart: boolean
}

/** What an author has here: events that are held or kept, of these the newest of their topics, and its lives. */
export interface Author {
  bytes: number
  retained: number
  sources: number
}

export interface ServerState {
  readonly self: NodeId
  readonly others: readonly NodeId[]
  /** This life's name, so that a mark of an earlier one means nothing. */
  epoch: string
  mark: number
  readonly streams: Map<string, Stream>
  bytes: number
  readonly authors: Map<string, Author>
  /** By certificate: what each client's subscriptions, cursors and queues take, and all together. */
  readonly shares: Map<string, Share>
  shared: number
  readonly followers: Map<string, Follower>
  readonly cursors: Map<string, SavedCursor>
  /** By server: what too few others say (hearsay.ts). */
  readonly hearsay: Map<NodeId, Hearsay>
  readonly heard: Map<NodeId, Other>
  /** The disk is new, the old one was lost: until n - f others have shown their cursors. */
  fresh: boolean
  /** Of whom the cursors were copied, and how far. */
  readonly copied: Map<NodeId, { readonly next: string; readonly whole: boolean }>
  /** Since when it beats, by its own clock; undefined: nobody needs it. */
  woke: Millis | undefined
  /** When anybody last said something. */
  spoken: Millis
  /** Whose heads are asked for next. */
  next: number
  /** The wall clock in milliseconds as it was last told, and when. */
  wall: number
  wallAt: Millis
  /** Whether what authors published is being written; what came meanwhile, and how much of each client. */
  saving: boolean
  readonly published: { readonly queue: Published[]; readonly of: Map<string, PublishedOf> }
  readonly complaints: Complaints<EventsComplaint>
  /** By server that this one caught: when that was last told. */
  readonly blamed: Map<NodeId, Millis>
  /** Sources of each channel. */
  readonly channels: Map<string, Set<string>>
  /** By channel and topic. */
  readonly retained: Map<string, Map<string, Retained>>
  /** By channel that somebody asked for: its topics, in the order in which they are shown. */
  readonly topicOrder: Map<string, string[]>
  readonly queues: Map<string, Queue>
  /** Bytes of events that were cut since the last account; and what is still to be written of the one that is under way. */
  dead: number
  account: Accounted[] | undefined
  /** Bytes that were written: all, those of the account that is under way and since, and what the last one had. */
  readonly disk: { bytes: number; account: number; needed: number }
}

/** What an account has a record of, by its key. */
export interface Accounted {
  readonly kind: 'stream' | 'cursor' | 'queue' | 'retained'
  readonly key: string
  /** Of what is kept: its topic. */
  readonly topic?: string
}

export type ServerCommand =
  /** The wall clock, in microseconds. */
  | { readonly kind: 'clock'; readonly micros: number }
  /** What was saved is on the disk. */
  | { readonly kind: 'flush' }

export type ServerEvent =
  /** For the machine itself: held back by the disk like every word, it comes back as `flush`. */
  | { readonly kind: 'flushed' }
  /** A client, or another server, says that a server lied. */
  | { readonly kind: 'complaint'; readonly complaint: EventsComplaint }
  /** This server caught another. */
  | { readonly kind: 'lied'; readonly server: NodeId; readonly what: string; readonly channel: string }

export type ServerScene = Scene<ServerState, EventsSettings, EventsMessage, ServerEvent>

export const serverTimers = timers('beat')

export function followerKey(client: NodeId, sub: number): string {
  return `${client}\u0000${sub}`
}

/** The wall clock now, in whole milliseconds. */
export function wallNow({ state, turn }: ServerScene): number {
  return Math.max(0, Math.floor(state.wall + turn.now - state.wallAt))
}

export function checkServer(state: ServerState, { clientBytesMax, shareBytesMax }: EventsSettings): void {
  assert(state.bytes >= 0 && state.shared >= 0, 'bytes are counted')
  assert(state.streams.size <= SOURCES_MAX, 'sources are bounded')
  assert(state.cursors.size <= CURSORS_MAX, 'cursors are bounded')
  for (const [client, { bytes }] of state.shares) {
    assert(bytes >= 0 && bytes <= clientBytesMax, `keeps ${bytes} bytes for ${client}`)
  }
  for (const [server, { bytes }] of state.hearsay) {
    assert(bytes >= 0 && bytes <= shareBytesMax, `keeps ${bytes} bytes that only ${server} says`)
  }
  for (const [server, { lacking }] of state.heard) {
    assert(
      lacking.bytes >= 0 && lacking.bytes <= shareBytesMax,
      `keeps ${lacking.bytes} bytes that only ${server} says`,
    )
  }
}
