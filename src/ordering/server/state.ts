// What a server keeps of each object.

import type { Millis, NodeId, Scene, Turn } from '../../core/index.ts'
import { compareRanks, LOWEST_RANK } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { type Content, emptyContent } from '../versions/content.ts'
import type { Copying } from '../versions/copying.ts'
import { FIRST_DIGEST } from '../versions/digest.ts'
import type { FetchedChanges } from '../versions/fetched-changes.ts'
import type { Complaint, Head, Operation, OrderingMessage, ProposedHead, Rank, ServerMessage, Write } from '../wire.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Rejoin } from './rejoining.ts'

export type OrderingServerEvent =
  /** A client's evidence against a server. */
  { kind: 'complaint'; complaint: Complaint }

export type ServerTurn = Turn<OrderingMessage, OrderingServerEvent>

/** Names at one server: each costs a few hundred bytes. */
export const OBJECTS_MAX = 100_000

export interface Proposal extends ProposedHead {
  readonly change: Uint8Array
  readonly writes: readonly Write[]
  /** The others told of it when this server came back empty. It vouches for it, and is none of those who took it. */
  readonly heard: boolean
}

export interface PendingOperation {
  readonly operation: Operation
  readonly bytes: number
  since: Millis
  /** The rank whose client was told of it. */
  knownTo: Rank | undefined
}

export interface KeptChange extends Head {
  readonly change: Uint8Array
}

export interface LinkedChange extends KeptChange {
  readonly parent: Uint8Array
}

export interface Watcher {
  /** With changes, or digests only. */
  content: boolean
  /** Forgotten unless it is heard of again. */
  until: Millis
}

export interface ServerObject {
  readonly name: string
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
  readonly pending: Map<string, PendingOperation>
  pendingBytes: number
  readonly pendingOf: Map<NodeId, number>
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
  /** Its keys in order, while somebody takes a copy of it. */
  listed: readonly string[] | undefined
}

export interface ServerState {
  readonly self: NodeId
  /** All servers of the group in one order, this one among them. */
  readonly servers: readonly NodeId[]
  readonly place: number
  readonly objects: Map<string, ServerObject>
  /** The object that was spoken of last: what a step may have broken. */
  touched: ServerObject | undefined
  startedAt: Millis
  /** Whether this server has lost its store once, and whether it has its state back. */
  rejoins: 'never' | 'under way' | 'done'
  rejoin: Rejoin | undefined
  queries: number
  /** Bytes saved since the last account began, and what the last one took. */
  savedBytes: number
  checkpointBytes: number
  /** The account under way. */
  checkpoint: Checkpoint | undefined
  readonly complaints: Complaint[]
  complained: number
}

export function newObject(name: string): ServerObject {
  return {
    name,
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
    pending: new Map(),
    pendingBytes: 0,
    pendingOf: new Map(),
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

/** The object of that name, made where there is none; undefined where there is no room. */
export function objectOf(state: ServerState, name: string): ServerObject | undefined {
  let object = state.objects.get(name)
  if (object === undefined && state.objects.size < OBJECTS_MAX) {
    object = newObject(name)
    state.objects.set(name, object)
  }
  state.touched = object
  return object
}

export function reply(scene: ServerScene, to: NodeId, body: ServerMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body })
}

/** For words that are true whatever becomes of this server's saves: they do not wait for its disk. */
export function replyAtOnce(scene: ServerScene, to: NodeId, body: ServerMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body, lane: 'told' })
}

export function proposedHead({ proposed }: ServerObject): ProposedHead | undefined {
  if (proposed === undefined) return undefined
  const { version, digest, rank, parent } = proposed
  return { version, digest, rank, parent }
}

/** Whether somebody other than this client has the turn. */
export function heldByAnother(object: ServerObject, client: NodeId, now: Millis): boolean {
  return object.holder !== '' && object.holder !== client && now < object.holdsUntil
}

/** On a machine with too much to do everybody is slow: turns that end too early would make it worse. */
const TURN_SLOWNESSES = 3
const TURN_MAX: Millis = 1_000
const FORGETS_SLOWNESS = 0.9

/** Who asks for the turn may not get it from the others: what it has here must end soon. */
export function takeTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  object.slowness = 0
  holdTurn(object, client, settings, now)
}

/** Who proposes has the turn. The longer it takes to do something for those who wait, the longer it is waited for. */
export function keepTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  const oldest: PendingOperation | undefined = object.pending.values().next().value
  const took = oldest === undefined ? 0 : now - Math.max(object.spokeAt, oldest.since)
  object.slowness = object.holder === client ? Math.max(took, FORGETS_SLOWNESS * object.slowness) : 0
  holdTurn(object, client, settings, now)
}

function holdTurn(object: ServerObject, client: NodeId, settings: OrderingSettings, now: Millis): void {
  object.holder = client
  object.spokeAt = now
  object.holdsUntil = now + Math.max(settings.turnMs, Math.min(TURN_MAX, TURN_SLOWNESSES * object.slowness))
}

/** Throws on a broken invariant. Of one object only: a server may have a hundred thousand. */
export function checkServer({ touched }: ServerState): void {
  if (touched !== undefined) checkObject(touched)
}

function checkObject({ name, committed, content, proposed, promised, recent }: ServerObject): void {
  const broken = (what: string) => {
    throw new Error(`object '${name}': ${what}`)
  }
  if (content.version > committed.version) broken(`has version ${content.version} and committed ${committed.version}`)
  if (proposed !== undefined && compareRanks(proposed.rank, promised) > 0) broken('took a rank above its promise')
  const newest = recent.at(-1)
  if (newest !== undefined && newest.version !== content.version) broken('its changes do not lead to its content')
}

export type ServerScene = Scene<ServerState, OrderingSettings, OrderingMessage, OrderingServerEvent>
