// What a client of objects remembers.

import { isText, type Millis, type NodeId, type Scene, type Turn, timers } from '../../core/index.ts'
import type { Choice } from '../choose.ts'
import { LOWEST_RANK } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { type Content, emptyContent } from '../versions/content.ts'
import type { Copying } from '../versions/copying.ts'
import type { FetchedChanges } from '../versions/fetched-changes.ts'
import type { Gathered } from '../versions/gathering.ts'
import {
  type DeleteOutcome,
  type Head,
  OBJECT_BYTES_MAX,
  type Operation,
  type OrderingMessage,
  type Rank,
  type RepairOutcome,
  type ServerMessage,
  type Write,
} from '../wire.ts'
import type { InspectedOrderingServer, OrderingEvent } from './commands.ts'

export type Phase =
  /** Nothing to do, and no rank that counts. */
  | 'idle'
  /** Another has the turn, or we were overtaken: asks again later. */
  | 'waiting'
  /** Asked for the turn in a new rank. */
  | 'getting'
  /** A quorum has answered; the content of what it vouches for is on its way. */
  | 'syncing'
  /** A version is out. */
  | 'proposing'
  /** Has the turn, and nothing to propose: the next operation takes one round trip. */
  | 'holding'

/** An operation of this process that has no number yet. */
export interface Queued {
  readonly id: number
  readonly kind: 'apply' | 'end'
  readonly body: Uint8Array
}

/** An operation of this process that is not answered yet. */
export interface Outstanding {
  /** The command, or undefined where nobody waits for it any more. */
  id: number | undefined
  readonly kind: 'apply' | 'end'
  readonly body: Uint8Array
}

export interface OwnSession {
  phase: 'none' | 'opening' | 'open' | 'lost'
  /** The command that opened it, and what it is known by before it has a number. */
  opener: number
  nonce: Uint8Array
  ttl: Millis
  id: string
  /** When the open was sent: servers cannot have missed us before. */
  since: Millis
  ping: number
  /** When the last pings were sent, by number; and the newest echoed by each server. */
  readonly pings: Map<number, Millis>
  readonly echoes: Map<NodeId, Millis>
  /** Until when its user was told that it lives. */
  toldUntil: Millis
  /** Servers that say it is gone, at which version; and under which number each says that it opened. */
  readonly gone: Map<NodeId, number>
  readonly named: Map<NodeId, string>
}

export interface OwnProposal extends Head {
  readonly parent: Uint8Array
  readonly change: Uint8Array
  readonly writes: readonly Write[]
  readonly operations: number
  readonly accepted: Set<NodeId>
  readonly refused: Map<NodeId, Rank>
  readonly sentAt: Millis
}

/** Operations of others that b + 1 servers named. */
export interface Pool {
  readonly opens: Map<string, Operation & { kind: 'open' }>
  readonly operations: Map<string, Map<number, Operation & { kind: 'apply' | 'end' }>>
  /** Those that too few servers named so far: the last word of each server on each. */
  readonly votes: Map<string, Map<NodeId, Operation>>
}

/** What a watch that goes on from a version fetches first. */
export interface Replay {
  /** The replica's version when it began. */
  readonly target: Head
  fetching: FetchedChanges | undefined
  tries: number
  /** Versions after the target that came meanwhile. */
  readonly later: { readonly version: number; readonly writes: readonly Write[] }[]
}

export interface Watch {
  readonly id: number
  readonly from: number | undefined
  /** Shown up to this version; undefined before it has begun. */
  reached: number | undefined
  replay: Replay | undefined
}

/** A version that a server called committed, and when. */
export interface Claim extends Head {
  readonly heardAt: Millis
}

/** A version that a server calls committed, with its change where that was asked for. */
export interface SaidHead extends Head {
  readonly change: Uint8Array | undefined
}

export interface SilentReport {
  /** When what it answers was sent. */
  readonly sentAt: Millis
  readonly sessions: readonly string[]
}

export interface ClientObject {
  readonly name: string
  readonly session: OwnSession
  /** Commands that wait for the session, or until fewer are in flight. */
  readonly queue: Queued[]
  readonly outstanding: Map<number, Outstanding>
  outstandingBytes: number
  /** The number of the next operation. */
  seq: number
  /** Servers have heard of our operations before this one, in the present attempt. */
  submitted: number
  /** What each server says that they gave. */
  readonly responses: Map<number, Map<NodeId, string>>
  /** Contacts that did not answer in time, and when each server was last heard about our operations. */
  readonly silentContacts: Set<NodeId>
  readonly heardAt: Map<NodeId, Millis>
  /** Since when nothing was answered, while something is asked of the contacts; and the longest such time of late. */
  quietSince: Millis
  slowest: Millis
  /** A timer will ask whether the contacts are too slow. */
  impatient: boolean
  phase: Phase
  rank: Rank
  /** By how much the wall clock leads this machine's clock, where that is known. */
  wallLead: Millis | undefined
  /** The counters of ranks that servers said they promised. */
  readonly counters: Map<NodeId, number>
  readonly replies: Map<NodeId, ServerMessage & { kind: 'got' }>
  readonly refused: Map<NodeId, Rank>
  readonly busy: Map<NodeId, Millis>
  /** When the round under way was sent. */
  sentAt: Millis
  /** Rounds that came to nothing, one after the other. */
  tries: number
  /** Until then somebody else has the turn, as far as was heard: asking for it would be in vain. */
  othersUntil: Millis
  /** Others took the turn when it was left alone: after a pause it is asked for, and not taken for granted. */
  shares: boolean
  choice: Choice | undefined
  proposal: OwnProposal | undefined
  /** The last version that we decided and have not announced. */
  unannounced: Head | undefined
  replica: Content
  fetching: FetchedChanges | undefined
  /** A copy of everything is under way; no turn is taken meanwhile. */
  copying: Copying | undefined
  /** The newest version that b + 1 servers call committed, while it is followed. */
  wanted: (Head & { readonly vouchers: readonly NodeId[] }) | undefined
  /** What servers said is committed, of versions that the replica does not have: one word a server and version. */
  readonly heads: Map<number, Map<NodeId, SaidHead>>
  /** What each server last called committed, while the replica is not there: to be compared when it is. */
  readonly claims: Map<NodeId, Claim>
  readonly pool: Pool
  readonly silent: Map<NodeId, SilentReport>
  readonly watches: Map<number, Watch>
  /** A read found a version half done. */
  completes: boolean
  /** Readings that wait for the replica. */
  readonly copies: Set<number>
}

export interface Reading {
  readonly id: number
  readonly object: string
  readonly keys: readonly string[]
  readonly stale: boolean
  /** The whole table, by way of the replica. */
  readonly whole: boolean
  /** The version at which, or after which, the whole table is wanted. */
  target: number | undefined
  query: number
  askedAt: Millis
  tries: number
  /** How often it waited for the end of what servers call silent. */
  waits: number
  readonly replies: Map<NodeId, ServerMessage & { kind: 'readings' }>
}

/** A deletion under way. */
export interface Deletion {
  readonly object: string
  readonly outcomes: Map<NodeId, DeleteOutcome>
}

export interface Repair {
  readonly object: string
  readonly outcomes: Map<NodeId, RepairOutcome>
}

export interface Inspection {
  readonly sentAt: Millis
  readonly servers: InspectedOrderingServer[]
}

/** Where a word is kept. */
export type Word =
  /** An operation of another client, in the pool. */
  | { readonly kind: 'operation'; readonly object: string; readonly key: string }
  /** A version that is said to be committed, and its change. */
  | { readonly kind: 'committed'; readonly object: string; readonly version: number }
  /** The content of an answer to a get, and to a read: without it the answer still counts. */
  | { readonly kind: 'got'; readonly object: string }
  | { readonly kind: 'readings'; readonly reading: number }

interface KeptWord {
  readonly word: Word
  readonly bytes: number
  readonly since: Millis
}

/** What a server said that is not vouched for yet (shares.ts). */
export interface Share {
  bytes: number
  /** In the order in which they came. */
  readonly words: Map<string, KeptWord>
}

export interface ClientState {
  readonly self: NodeId
  readonly servers: readonly NodeId[]
  readonly objects: Map<string, ClientObject>
  /** The name of the object that was spoken of last: what a step may have broken. */
  touched: string
  readonly readings: Map<number, Reading>
  /** Readings by the number of the query under way. */
  readonly queried: Map<number, number>
  readonly inspections: Map<number, Inspection>
  readonly repairs: Map<number, Repair>
  readonly deletions: Map<number, Deletion>
  queries: number
  /** Who was called a liar, and for what. */
  readonly accused: Map<NodeId, Map<string, Millis>>
  readonly shares: Map<NodeId, Share>
  /** What servers gave of changes and copies that nobody vouches for yet. */
  readonly gathered: Gathered
}

export const clientTimers = timers(
  'turn',
  'patience',
  'sync',
  'replay',
  'watch',
  'ping',
  'belief',
  'read',
  'inspect',
  'repair',
  'delete',
)

/** What an input gave cause for. Handlers record it; `advance` (advance.ts) looks at it once, when the input is heard. */
export interface FollowUp {
  /** There may be something to do for this object. */
  object: ClientObject | undefined
  /** Its session was asked for by this input. */
  opens: boolean
  /** The turn was taken by this input. */
  took: boolean
  /** This read found no answer yet, and looks again after a while. */
  looksAgain: Reading | undefined
}

export interface ClientScene extends Scene<ClientState, OrderingSettings, OrderingMessage, OrderingEvent> {
  readonly followUp: FollowUp
}

export function newScene(
  state: ClientState,
  settings: OrderingSettings,
  turn: Turn<OrderingMessage, OrderingEvent>,
): ClientScene {
  return { state, settings, turn, followUp: { object: undefined, opens: false, took: false, looksAgain: undefined } }
}

/** Something was heard after which there may be something to do for this object. */
export function wake({ followUp }: ClientScene, object: ClientObject): void {
  followUp.object = object
}

export function isName(object: string): boolean {
  return isText(object, OBJECT_BYTES_MAX)
}

const NOTHING = new Uint8Array(0)

function noSession(): OwnSession {
  return {
    phase: 'none',
    opener: 0,
    nonce: NOTHING,
    ttl: 0,
    id: '',
    since: 0,
    ping: 0,
    pings: new Map(),
    echoes: new Map(),
    toldUntil: 0,
    gone: new Map(),
    named: new Map(),
  }
}

export function objectOf(state: ClientState, name: string): ClientObject {
  let object = state.objects.get(name)
  if (object === undefined) {
    object = newObject(name)
    state.objects.set(name, object)
  }
  state.touched = name
  return object
}

function newObject(object: string): ClientObject {
  return {
    name: object,
    session: noSession(),
    queue: [],
    outstanding: new Map(),
    outstandingBytes: 0,
    seq: 1,
    submitted: 0,
    responses: new Map(),
    silentContacts: new Set(),
    heardAt: new Map(),
    quietSince: 0,
    slowest: 0,
    impatient: false,
    phase: 'idle',
    rank: LOWEST_RANK,
    wallLead: undefined,
    counters: new Map(),
    replies: new Map(),
    refused: new Map(),
    busy: new Map(),
    sentAt: 0,
    tries: 0,
    othersUntil: 0,
    shares: false,
    choice: undefined,
    proposal: undefined,
    unannounced: undefined,
    replica: emptyContent(),
    fetching: undefined,
    copying: undefined,
    wanted: undefined,
    heads: new Map(),
    claims: new Map(),
    pool: { opens: new Map(), operations: new Map(), votes: new Map() },
    silent: new Map(),
    watches: new Map(),
    completes: false,
    copies: new Set(),
  }
}
