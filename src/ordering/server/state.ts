// What a server keeps of each object.

import { type Complaints, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import { LOWEST_RANK } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { type Content, emptyContent, type KeptChange, type LinkedChange, openedAt } from '../versions/content.ts'
import type { Copying } from '../versions/copying.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import type { FetchedChanges } from '../versions/fetched-changes.ts'
import { type Gathered, recount } from '../versions/gathering.ts'
import type {
  ClientMessage,
  Complaint,
  Head,
  Operation,
  OrderingMessage,
  ProposedHead,
  Rank,
  RecalledObject,
  Write,
} from '../wire.ts'

/** What a server tells its operator. */
export type OrderingServerEvent =
  /** A client's evidence against a server. */
  | { kind: 'complaint'; complaint: Complaint }
  /** A client asked for a rank far above this server's wall clock, by so many milliseconds: a clock is wrong, or it lies. */
  | { kind: 'rankBeyond'; object: string; client: NodeId; ahead: Millis }
  /** A client called a version committed that no other server knows of: it lies, or they cannot be reached. */
  | { kind: 'versionUnvouched'; object: string; client: NodeId; version: number }
  /** An operator repaired an object, or somebody else tried. */
  | { kind: 'repaired' | 'repairRefused'; object: string; by: NodeId }
  /** An operator deleted an object, or somebody else tried. */
  | { kind: 'deleted' | 'deleteRefused'; object: string; by: NodeId }
  /** It is on disk that this server takes what it knows from the others. */
  | { kind: 'lossKept' }

/** What a server is told by the process around it: the wall clock now and then, and whether its store is an old copy. */
export type OrderingServerCommand =
  | { kind: 'clock'; micros: number }
  /** No other server knows of a later life of this one (`holds`). */
  | { kind: 'go' }
  /** The others know of a later life: what the store held is an old copy, and this server votes on nothing. */
  | { kind: 'lost' }

/** Names at one server: each costs a few hundred bytes. */
export const OBJECTS_MAX = 100_000
/** Names that one client (all processes of one certificate) has made: others need names too. */
export const OBJECTS_OF_CLIENT_MAX = 10_000
/** Of these, how many in a second: each new name waits for the disk, in one line with what the others ask for. */
export const MADE_AT_ONCE_MAX = 200
const MAKING_MS: Millis = 1_000
/** Names of deleted objects: each costs a few hundred bytes, and is no object of anybody. */
export const TOMBSTONES_MAX = 200_000

export interface Proposal extends ProposedHead {
  readonly change: Uint8Array
  readonly writes: readonly Write[]
  /** The others named it when this server came back empty. It vouches for it, and is none of those who took it. */
  readonly heard: boolean
}

export interface PendingOperation {
  readonly operation: Operation
  readonly bytes: number
  since: Millis
  /** The rank whose client knows of it. */
  knownTo: Rank | undefined
}

export interface Watcher {
  /** With changes, or digests only. */
  content: boolean
  /** Forgotten unless it is heard of again. */
  until: Millis
}

/** A client's word that rests on a version which this server does not know (vouching.ts). */
export interface Waiting {
  readonly from: NodeId
  readonly asked: ClientMessage & { kind: 'propose' | 'commit' }
  readonly head: Head
  readonly bytes: number
  readonly query: number
  readonly until: Millis
  askedAt: Millis
  /** Servers that know the version. */
  readonly vouchers: Set<NodeId>
}

/** What stays of an object that was deleted (deleting.ts). */
export interface Tombstone {
  readonly promised: Rank
  readonly proof: Uint8Array
  readonly committed: Head
}

export interface ServerObject {
  readonly name: string
  /** The client that made it in this life of the server, or ''. */
  maker: string
  /** No smaller rank is served. Durable before anybody is told. */
  promised: Rank
  /** Its client's signature, where ranks are signed. */
  proof: Uint8Array
  /** What was taken last. Durable before it is acknowledged. */
  proposed: Proposal | undefined
  /** The newest version known to be decided: never goes back. Its content may be missing, while this server lags. */
  committed: Head
  /** At `committed` or behind it. */
  content: Content
  /** While the log is replayed: the entries are of a copy whose version has not come yet. */
  blank: boolean
  /** The changes that led to `content`, oldest first, without a gap. */
  readonly recent: KeptChange[]
  recentBytes: number
  /** Versions known to be committed whose change is here while what leads to them is missing. */
  readonly unapplied: Map<number, LinkedChange>
  /**
   * Changes that were taken, may be committed for all this server knows, and whose place a later version took. One of
   * them may be the only one of its kind: the others who took it may have lost their stores.
   */
  readonly doubtful: Map<number, LinkedChange>
  /** What rests on versions that others are asked about. */
  readonly waiting: Waiting[]
  readonly pending: Map<string, PendingOperation>
  pendingBytes: number
  readonly pendingOf: Map<NodeId, number>
  /** Bytes of each client, of all its processes. */
  readonly pendingBytesOf: Map<string, number>
  /** Whose turn it is, and until when: for progress only, forgotten at a restart. */
  holder: NodeId
  holdsUntil: Millis
  /** Its last word, and how long it took lately to do something for those who wait. */
  spokeAt: Millis
  slowness: Millis
  readonly watchers: Map<NodeId, Watcher>
  /** When each session was heard of last, on this clock. */
  readonly heard: Map<string, Millis>
  /** Those not heard of for longer than their time. */
  silent: readonly string[]
  /** Sessions that were named as silent, until when their pings are not echoed. */
  readonly muted: Map<string, Millis>
  /** While it lags: what was fetched so far, and from whom. */
  fetching: FetchedChanges | undefined
  /** While it lags by more than others remember: a copy of everything. */
  copying: Copying | undefined
  /** Its keys in order, while somebody takes a copy of it: those of a version, and when they were asked for last. */
  listed: { readonly keys: readonly string[]; readonly version: number; readonly askedAt: Millis } | undefined
}

/** A checkpoint of the log under way (checkpoint.ts). */
export interface Checkpoint {
  /** Objects still to come. */
  readonly objects: string[]
  /** Of the present one: keys still to come, from `next` on. */
  keys: readonly string[]
  next: number
  object: string
  bytes: number
}

/** How far a server that lost its store has come (rejoining.ts). */
export interface Rejoin {
  /** Until then it does not even ask: attempts it may have taken part in are under way. */
  readonly until: Millis
  query: number
  /** What each of the others has, as far as it has said. */
  readonly recalled: Map<NodeId, { readonly objects: Map<string, RecalledObject>; whole: boolean }>
  /** Versions that are vouched for and not committed: their changes are asked for. */
  readonly halves: Map<string, Head & { readonly rank: Rank }>
  /** Enough of the others have answered: only what is half done is asked for again. */
  taken: boolean
}

/** What the others say that they have committed, asked for now and then (quiet.ts). */
export interface QuietLook {
  /** When to ask again; 0 before the first time. */
  at: Millis
  query: number
  /** The names asked for come after this one. */
  after: string
  readonly answered: Set<NodeId>
  /** Heads above ours, by object: at most a page from each server. */
  readonly newer: Map<string, readonly Head[]>
}

/** What a server remembers of its objects. */
export interface ServerState {
  readonly self: NodeId
  /** All servers of the group in one order, this one among them. */
  readonly servers: readonly NodeId[]
  readonly place: number
  readonly objects: Map<string, ServerObject>
  /** Objects that were deleted. */
  readonly tombstones: Map<string, Tombstone>
  /** The object that was spoken of last: what a step may have broken. */
  touched: ServerObject | undefined
  startedAt: Millis
  /** By how much the wall clock leads this machine's clock; undefined until it is told. */
  wallLead: Millis | undefined
  /** How many objects each client made in this life of the server, and since a moment ago. */
  readonly made: Map<string, { all: number; since: Millis; lately: number }>
  /** Clients that asked for ranks beyond the clock, so that each is told of once. */
  readonly beyond: Set<string>
  /** The same for versions that nobody vouched for. */
  readonly unvouched: Set<string>
  /** Bytes of each client's messages that wait for vouchers, over all objects. */
  readonly waitingBytesOf: Map<string, number>
  /** Bytes of each client's operations that wait, over all objects. */
  readonly pendingBytesOf: Map<string, number>
  /** What the other servers gave while this one lags, over all objects. */
  readonly gathered: Gathered
  /** How many watch, over all objects: of each client, all its processes. */
  readonly watching: Map<string, number>
  /** Whether this server has lost its store once, and whether it has its state back. */
  rejoins: 'never' | 'under way' | 'done'
  rejoin: Rejoin | undefined
  readonly look: QuietLook
  /** Votes on nothing: until it is known whether the store is an old copy, or because it is one. */
  held: 'no' | 'for now' | 'for good'
  queries: number
  /** Bytes saved since the last checkpoint began, and what the last one took. */
  savedBytes: number
  checkpointBytes: number
  /** The checkpoint under way. */
  checkpoint: Checkpoint | undefined
  readonly complaints: Complaints<Complaint>
}

export type ServerScene = Scene<ServerState, OrderingSettings, OrderingMessage, OrderingServerEvent>

export const serverTimers = timers('sweep', 'rejoin', 'lag')

export function newObject(name: string): ServerObject {
  return {
    name,
    maker: '',
    promised: LOWEST_RANK,
    proof: new Uint8Array(0),
    proposed: undefined,
    committed: { version: 0, digest: FIRST_DIGEST },
    content: emptyContent(),
    blank: false,
    recent: [],
    recentBytes: 0,
    unapplied: new Map(),
    doubtful: new Map(),
    waiting: [],
    pending: new Map(),
    pendingBytes: 0,
    pendingOf: new Map(),
    pendingBytesOf: new Map(),
    holder: '',
    holdsUntil: 0,
    spokeAt: 0,
    slowness: 0,
    watchers: new Map(),
    heard: new Map(),
    silent: [],
    muted: new Map(),
    fetching: undefined,
    copying: undefined,
    listed: undefined,
  }
}

/** A client's name ends where its instance begins. */
export function clientName(client: NodeId): string {
  const end = client.indexOf('#')
  return end < 0 ? client : client.slice(0, end)
}

/** The object of that name; a client makes it where there is none, unless it has made too many. */
export function objectFor(state: ServerState, name: string, client: NodeId, now: Millis): ServerObject | undefined {
  if (state.objects.has(name)) return objectOf(state, name)
  const maker = clientName(client)
  const made = state.made.get(maker) ?? { all: 0, since: now, lately: 0 }
  state.made.set(maker, made)
  if (now >= made.since + MAKING_MS) Object.assign(made, { since: now, lately: 0 })
  if (made.all >= OBJECTS_OF_CLIENT_MAX || made.lately >= MADE_AT_ONCE_MAX) return undefined
  const object = objectOf(state, name)
  if (object === undefined) return undefined
  object.maker = maker
  made.all++
  made.lately++
  return object
}

/** The object of that name as it is, or as it would be made: reading does not make it. */
export function lookUp({ objects, tombstones }: ServerState, name: string): ServerObject {
  const object = objects.get(name)
  if (object !== undefined) return object
  const made = newObject(name)
  const tombstone = tombstones.get(name)
  if (tombstone === undefined) return made
  const { promised, proof, committed } = tombstone
  const { version, digest } = committed
  return { ...made, promised, proof, committed, content: { ...made.content, version, digest } }
}

/** The object is gone; what stays says where its name goes on. */
export function bury(state: ServerState, name: string, tombstone: Tombstone): void {
  state.objects.delete(name)
  recount(state.gathered, name, [], undefined)
  if (state.touched?.name === name) state.touched = undefined
  state.tombstones.set(name, tombstone)
}

/** The object of that name, made where there is none; undefined where there are too many. */
export function objectOf(state: ServerState, name: string): ServerObject | undefined {
  let object = state.objects.get(name)
  if (object === undefined && state.objects.size < OBJECTS_MAX) {
    object = lookUp(state, name)
    state.tombstones.delete(name)
    state.objects.set(name, object)
  }
  state.touched = object
  return object
}

export function proposedHead({ proposed }: ServerObject): ProposedHead | undefined {
  if (proposed === undefined) return undefined
  const { version, digest, rank, parent } = proposed
  return { version, digest, rank, parent }
}

/** Whether the session of an operation has certainly ended. */
export function isGone({ content }: ServerObject, session: string): boolean {
  return content.version >= openedAt(session) && !content.sessions.has(session)
}
