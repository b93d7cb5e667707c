// What a client remembers: what it has published and is not accepted yet, and its subscriptions.

import { assert, type Millis, type NodeId, type Scene, timers, toHex } from '../../core/index.ts'
import type { EventContent } from '../content.ts'
import type { Filter } from '../filter.ts'
import type { EventsClientSettings } from '../settings.ts'
import type {
  EventsComplaint,
  EventsMessage,
  Head,
  Item,
  Keep,
  Position,
  SavedCursor,
  Source,
  SourceTerms,
  SurveyedCursor,
} from '../wire.ts'

/** Events that wait to be accepted, in one channel: beyond, one that does not wait is refused. */
export const OUTBOX_MAX = 10_000
/** Events for which somebody waits besides: beyond, all are refused. A publisher of so many at once does not look. */
export const WAITING_MAX = 100_000
/** Events that a server may be behind what was sent to it: pipelined up to here. */
export const WINDOW = 256
/** Random bytes of a life's name. */
export const BOOT_BYTES = 16
export const CHANNELS_MAX = 1_000
export const SUBSCRIPTIONS_MAX = 10_000
/** Sources of one subscription. */
export const TRACKED_MAX = 100_000
/** Items kept that are not yet acknowledged, of one source: beyond, nothing more is fetched. */
export const UNHANDED_MAX = 512
/** Their bytes, of one subscription; and from where on nothing more is fetched of a source that has some. */
export const UNHANDED_BYTES_MAX = 64 * 2 ** 20
export const FETCHED_BYTES_MAX = 16 * 2 ** 20
/** In beats: how long something may stand still or be silent before it is looked into. */
export const PATIENCE_BEATS = 3
/** In beats: for how long a server is passed over. */
export const PASSED_BEATS = 600
/** Subscriptions that are looked after on one beat: with as many as a client may have, each comes every two seconds. */
export const SUBSCRIPTIONS_A_BEAT = 500
/** In beats: how often a cursor is saved. */
export const SAVE_BEATS = 10
/** In beats: how often a cursor that does not move is shown to one server, each in turn. */
export const SHOW_BEATS = 30

/** How far one server is with what we publish. */
export interface Holder {
  /** As it last said. */
  held: number
  /** The most that it ever said: its promise. */
  promised: number
  sent: number
  /** Beats without a word while something is missing. */
  silent: number
  full: boolean
}

/** What was said last: the events behind `after`, at most up to `most`. */
export interface Told {
  readonly after: number
  readonly most: number
  readonly body: EventsMessage & { readonly kind: 'publish' }
}

/** What is published in one channel, saved or live. */
export interface Outgoing {
  readonly source: Source
  readonly terms: SourceTerms
  readonly queued: { readonly id: number; readonly content: Uint8Array }[]
  /** Bytes of these, with what proves them. */
  queuedBytes: number
  /** Numbered, signed where it is signed, and not accepted yet. */
  readonly items: Map<number, Item>
  readonly ids: Map<number, number>
  /** The hash of the last that is accepted. */
  leaf: Uint8Array
  last: number
  accepted: number
  told: Told | undefined
  readonly holders: Map<NodeId, Holder>
}

/** One of the b + 1 servers at which a subscription lives. The first sends, the others are witnesses. */
export interface Member {
  readonly server: NodeId
  epoch: string
  mark: number
  /** Beats without an answer. */
  silent: number
  alone: boolean
  /** How much it holds of each source, and what it has cut. */
  readonly heads: Map<string, { readonly counter: number; readonly base: number }>
}

/** What is compared with the witnesses: the matches in (checked, to]. */
export interface Checking {
  readonly to: number
  readonly count: number
  readonly hash: Uint8Array
  readonly agreed: Set<NodeId>
  /** The witness that says otherwise, and how far it was looked into. */
  doubt: { readonly server: NodeId; after: number } | undefined
}

/** One source as a subscription sees it: done ≤ checked ≤ through. */
export interface Tracked {
  readonly source: Source
  /** The author's certificate, once a server has shown it. */
  identity: Uint8Array
  /** Up to here the server that sends has shown what matches. */
  through: number
  /** Up to here b + 1 servers agree. */
  checked: number
  /** Up to here the handler has acknowledged everything. */
  done: number
  /** Matches above `done`. */
  readonly items: Map<number, Item>
  fetching: boolean
  checking: Checking | undefined
  /** Beats for which it stands still although somebody says that there is more. */
  stalled: number
  /** Beats for which the one that sends was behind what somebody holds, and gave little at a time. */
  crawling: number
  /** What all servers say they hold, once that is asked. */
  readonly told: Map<NodeId, number>
  /** The one that the handler has, or 0. */
  handed: number
  handedAt: Millis
  attempt: number
  /** Two events of one counter were shown, both signed: nothing above is handed over. */
  closedAt: number
  /** The server in whose share it counts, while fewer than b + 1 servers have told of it. */
  toldBy: NodeId | undefined
}

export type Phase = 'loading' | 'opening' | 'open' | 'lost'

export interface Subscription {
  readonly id: number
  readonly channel: string
  /** Empty: no cursor is kept. */
  readonly name: string
  readonly from: Start
  readonly parallel: number
  readonly ackWait: Millis
  filter: Filter
  encoded: Uint8Array
  version: number
  phase: Phase
  generation: number
  instance: string
  serial: number
  /** The cursor that the servers were last told. */
  written: SavedCursor | undefined
  /** Beats since the cursor was last saved, and whether it moved since. */
  saveIn: number
  moved: boolean
  readonly loaded: Map<NodeId, { readonly cursor: SavedCursor | undefined; readonly entries: readonly Position[] }>
  readonly savedBy: Set<NodeId>
  members: Member[]
  readonly passed: Map<NodeId, number>
  readonly tracked: Map<string, Tracked>
  /** Bytes of the matches that were not acknowledged yet. */
  unhanded: number
  /** Who does not keep it or its cursor, and why. */
  readonly refusedBy: Map<NodeId, number>
}

/** A member of a queue, as which this process takes part. */
export interface QueuePart {
  readonly id: number
  readonly channel: string
  readonly name: string
  /** The filter that counts, and since when; a later one of another process is taken over. */
  filter: Filter
  encoded: Uint8Array
  version: number
  /** What each server says: the version that counts there, and its filter where it is another. */
  readonly said: Map<NodeId, { readonly version: number; readonly filter: Uint8Array }>
  readonly start: boolean
  readonly ackWait: Millis
  readonly attempts: number
  readonly credit: number
  /** The servers at which it is, first choice first, and for how many beats each was silent. */
  members: { readonly server: NodeId; silent: number; alone: boolean }[]
  readonly passed: Map<NodeId, number>
  opened: boolean
  /** What each server says was cut before anybody had it, by source. */
  readonly skipped: Map<NodeId, Map<string, { readonly from: number; readonly to: number }>>
  /** What came and does not match the filter as it is known here, since which beat. */
  readonly aside: Map<string, Aside>
  /** What the handler has, and who gave it. */
  readonly hand: Map<string, { readonly server: NodeId; readonly dead: boolean }>
  /** What was acknowledged of late: it may be handed out once more. */
  readonly recent: Set<string>
  /** Who does not keep it, and why. */
  readonly refusedBy: Map<NodeId, number>
}

/** An event that waits for the word of another filter. */
export interface Aside {
  readonly from: NodeId
  readonly body: EventsMessage & { readonly kind: 'task' }
  readonly since: number
}

/** How far one server has shown what is kept. */
export interface Showing {
  /** The topic up to which all was taken; undefined: nothing was. */
  after: string | undefined
  /** Pages that came, and the beat on which the next was asked for; undefined: it was not. */
  pages: number
  asked: number | undefined
  /** It said what no honest one says, or more than any has: it is not asked any more. */
  passed: boolean
}

/** The newest of a topic that was shown so far. */
export interface Kept {
  readonly event: Reminded
  readonly bytes: Uint8Array
  /** Who showed it first, in whose share it takes so much, until b + 1 have shown it. */
  readonly server: NodeId
  readonly size: number
  shown: number
}

/** What is kept, as it is put together from the pages of all servers. */
export interface Collection {
  readonly filter: Filter
  readonly showing: Map<NodeId, Showing>
  readonly newest: Map<string, Kept>
}

/** A question to all servers. */
export interface Inquiry {
  readonly id: number
  readonly ask: EventsMessage & { readonly kind: 'survey' | 'remind' | 'recall' }
  /** Of one who asks for what is kept. */
  readonly collection: Collection | undefined
  /** Of those that have said all. */
  readonly answers: Map<NodeId, EventsMessage & { readonly kind: 'surveyed' | 'reminded' | 'recalled' }>
  /** Beats since n - f have answered. */
  beats: number
  /** Of one who waits until all is handled: up to where, by source. */
  targets: ReadonlyMap<string, number> | undefined
  readonly drains: boolean
  /** Of one who asks how far a queue is: its name. */
  readonly lagOf: string
}

export interface ClientState {
  readonly self: NodeId
  readonly servers: readonly NodeId[]
  /** Whether the beat is on: a process that wants nothing may end. */
  beating: boolean
  beats: number
  readonly outgoing: Map<string, Outgoing>
  readonly subscriptions: Map<number, Subscription>
  readonly queues: Map<number, QueuePart>
  readonly inquiries: Map<number, Inquiry>
  /** When each server was last accused of each thing, in beats. */
  readonly blamed: Map<string, number>
  /** Bytes of each server's words that too few others say (shares.ts). */
  readonly shares: Map<NodeId, number>
}

/** Where a subscription begins that has no cursor; `again`: at the start, whatever was saved. */
export type Start = 'start' | 'now' | 'again'

export type ClientCommand =
  | {
      readonly kind: 'publish'
      readonly id: number
      readonly channel: string
      readonly content: EventContent
      readonly live: boolean
      readonly keep: Keep
      /** Whether it waits where the outbox is full. */
      readonly wait?: boolean
    }
  | {
      readonly kind: 'subscribe'
      readonly id: number
      readonly channel: string
      readonly name: string
      readonly filter: Filter
      readonly from: Start
      /** Events that the handler may have at once, of different sources. */
      readonly parallel: number
      readonly ackWait: Millis
    }
  /** The handler is done with the event. */
  | { readonly kind: 'ack'; readonly id: number; readonly source: Source; readonly counter: number }
  /** The handler failed: once more. */
  | { readonly kind: 'again'; readonly id: number; readonly source: Source; readonly counter: number }
  /** `version`: of a queue's filter, the wall clock: the later counts for all its members. */
  | { readonly kind: 'change'; readonly id: number; readonly filter: Filter; readonly version?: number }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  /** Takes part in a queue. */
  | {
      readonly kind: 'enlist'
      readonly id: number
      readonly channel: string
      readonly name: string
      readonly filter: Filter
      readonly start: boolean
      readonly parallel: number
      readonly ackWait: Millis
      readonly attempts: number
      readonly version?: number
    }
  /** What do the servers hold of this channel, or of all ('')? */
  | { readonly kind: 'survey'; readonly id: number; readonly channel: string }
  /** The newest kept event of each topic that matches. */
  | { readonly kind: 'remind'; readonly id: number; readonly channel: string; readonly filter: Filter }
  /** Says when all that is accepted now was handled by the subscriptions of this process. */
  | { readonly kind: 'drain'; readonly id: number; readonly channel: string }
  | { readonly kind: 'lag'; readonly id: number; readonly of: number }
  /** Of whom do clients complain? */
  | { readonly kind: 'recall'; readonly id: number }
  /** The answer is not waited for any more. */
  | { readonly kind: 'cancel'; readonly id: number }

/** What one server holds. */
export interface Surveyed {
  readonly server: NodeId
  readonly entries: readonly Head[]
  readonly cursors: readonly SurveyedCursor[]
}

/** What one server was told of others. */
export interface Recalled {
  readonly server: NodeId
  readonly complaints: readonly EventsComplaint[]
}

/** The newest kept event of a topic. */
export interface Reminded {
  readonly source: Source
  readonly counter: number
  readonly content: EventContent
}

export type ClientEvent =
  | { readonly kind: 'accepted'; readonly id: number; readonly source: Source; readonly counter: number }
  /** Certainly not published. */
  | { readonly kind: 'refused'; readonly id: number; readonly why: string }
  /** May have been published. */
  | { readonly kind: 'failed'; readonly id: number; readonly why: string }
  | { readonly kind: 'subscribed'; readonly id: number }
  | {
      readonly kind: 'handed'
      readonly id: number
      readonly source: Source
      readonly counter: number
      readonly content: EventContent
      readonly attempt: number
      /** Of a queue: it was tried too often, and is to be put aside. */
      readonly dead: boolean
    }
  /** Events in [from, to] were cut before this subscription had them. */
  | {
      readonly kind: 'missed'
      readonly id: number
      readonly source: Source
      readonly from: number
      readonly to: number
    }
  | { readonly kind: 'surveyed'; readonly id: number; readonly servers: readonly Surveyed[] }
  | { readonly kind: 'reminded'; readonly id: number; readonly events: readonly Reminded[] }
  | { readonly kind: 'recalled'; readonly id: number; readonly servers: readonly Recalled[] }
  | { readonly kind: 'drained'; readonly id: number }
  /** Events above what was handled that the servers are known to hold, whether they match or not. */
  | { readonly kind: 'lag'; readonly id: number; readonly behind: number }
  /** Another process opened the name later. */
  | { readonly kind: 'lost'; readonly id: number }
  | { readonly kind: 'lied'; readonly server: NodeId; readonly what: string; readonly channel: string }
  /** An author signed two events under one id. */
  | { readonly kind: 'forked'; readonly source: Source; readonly counter: number }

export type ClientScene = Scene<ClientState, EventsClientSettings, EventsMessage, ClientEvent>

export const clientTimers = timers('beat')

export function tell({ turn }: ClientScene, event: ClientEvent): void {
  turn.do({ kind: 'emit', event })
}

export function say({ turn }: ClientScene, to: NodeId, body: EventsMessage): void {
  turn.do({ kind: 'send', to, body })
}

/** In beats: the same is told again now and then, since servers forget in a restart. */
const TELL_AGAIN_BEATS = 600

/** A server said what no honest one says: that is told here, and to the other servers. */
export function accuse(scene: ClientScene, server: NodeId, what: string, channel: string): void {
  const { state } = scene
  tell(scene, { kind: 'lied', server, what, channel })
  // One entry for each server and kind of lie.
  const key = `${server} ${what}`
  const last = state.blamed.get(key)
  if (last !== undefined && state.beats - last < TELL_AGAIN_BEATS) return
  state.blamed.set(key, state.beats)
  for (const to of state.servers) if (to !== server) say(scene, to, { kind: 'complain', server, what, channel })
}

/** Random, as hex. */
export function randomName({ turn }: ClientScene, length: number): string {
  return toHex(turn.bytes(length))
}

/**
 * Up to so many subscriptions are looked at after every step, more of them once a beat. Each has messages in every beat: looked at with every
 * step, 2,000 of them took so long that no answer came in time, and nothing was delivered any more.
 */
export const LOOKED_AT_MAX = 64
const lookedAt = new WeakMap<ClientState, number>()

/** Whether all subscriptions are to be looked at now. */
function isDue(state: ClientState): boolean {
  if (state.subscriptions.size <= LOOKED_AT_MAX) return true
  if (lookedAt.get(state) === state.beats) return false
  lookedAt.set(state, state.beats)
  return true
}

export function checkClient(state: ClientState, { shareBytesMax }: EventsClientSettings): void {
  for (const [server, bytes] of state.shares) {
    assert(bytes > 0 && bytes <= shareBytesMax, `keeps ${bytes} bytes that only ${server} says`)
  }
  for (const { accepted, last, items } of state.outgoing.values()) {
    assert(accepted <= last && items.size === last - accepted, 'what is numbered is accepted or kept')
  }
  if (!isDue(state)) return
  for (const { tracked, unhanded } of state.subscriptions.values()) {
    assert(unhanded >= 0, 'what waits for the handler is counted')
    for (const { done, checked, through, handed } of tracked.values()) {
      assert(
        done <= checked && checked <= through,
        'a cursor is behind what was checked, and that behind what was shown',
      )
      assert(handed === 0 || (handed > done && handed <= checked), 'what is handed over was checked, and is not done')
    }
  }
}
