// What a lock server keeps: one entry a name, at most one lease out in each. And the few things that every handler may
// do to an entry: grant, reserve tokens ahead, look whether the lease is out.

import { assert, type Complaints, encode, type Millis, type NodeId, type Scene, timers } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import type { LockSettings } from '../settings.ts'
import {
  type LockComplaint,
  type LockMessage,
  type PeerMessage,
  type ServerMessage,
  type ServerRecord,
  STOPPED_LEASES_MAX,
  serverRecord,
  TOKEN_MAX,
} from '../wire.ts'
import { type InLine, isBefore, removeAll, WAITERS_MAX, type Waiter } from './waiters.ts'

/** What a lock's server is told by the process around it. */
export type ServerCommand =
  /** The wall clock in microseconds; told now and then, because a machine has no clock but for time that passes. */
  | { kind: 'clock'; micros: number }
  /** No other server knows of a later life of this one (`holds`). */
  | { kind: 'go' }
  /** The others know of a later life: what the store held was an old copy. */
  | { kind: 'lost' }

/** What a server remembers of its locks. */
export interface ServerState {
  /** The other servers of the group. */
  readonly others: readonly NodeId[]
  readonly locks: Map<string, LockEntry>
  /** How many of the names each client has brought, by the name in its certificate. */
  readonly shares: Map<string, number>
  /** Places in lines, by certificate, over all names. */
  readonly inLine: InLine
  /** Who accuses whom of lying, and how many times anybody did. */
  readonly complaints: Complaints<LockComplaint>
  /** Every token granted for a name that is not in `locks` is at most this. */
  floor: number
  /** Every token ever granted is at most this; what was taken back counts. */
  highest: number
  /** On disk: every token ever granted is at most this. */
  reserved: number
  /** Nothing is granted before. */
  recoverUntil: Millis
  startedAt: Millis
  /** Of a server that lost its store: what the others have told so far. It grants nothing. */
  asking: { query: number; readonly told: Map<NodeId, number> } | undefined
  /** The wall clock when it was last told, and our clock then. */
  clock: { readonly micros: number; readonly at: Millis } | undefined
  /** What the store held at the start; read once. */
  last: ServerRecord | undefined
  stopped: boolean
  /** Nothing is granted until it is known whether the store is an old copy. */
  held: boolean
  /** Which start this is, and the number of the last grant to a waiter: larger in every later life. */
  life: number
  grants: number
  /** The name of the last grant: the one whose invariants a step can have broken. */
  latest: string
}

export interface LockEntry {
  /** Who brought the name: it counts among its share. */
  readonly owner: string
  /** '' when nobody holds it. */
  holder: NodeId
  token: number
  since: Millis
  /** The lease is out while now < until. */
  until: Millis
  /** The largest token granted and not taken back. */
  maximum: number
  /** What `maximum` was before the lease that is out. */
  before: number
  /** The largest token that its holder has let go: a late renewal of it must not lock again. */
  closed: number
  /** How the lease that is out was asked for, where it was by waiting, and the number of its grant. */
  lease: Waiter | undefined
  grant: number
  /** Its holder has renewed, so it has won: it is not asked back. */
  won: boolean
  /** In the order of tickets. */
  waiters: Waiter[] | undefined
}

/** What a server says to the people who run it. */
export type ServerEvent =
  /** It is on disk that the store is lost: this server waits, and asks the others for its floor. */
  | { kind: 'storeLost' }
  /** An operator lowered the floor of tokens. */
  | { kind: 'floorReset'; by: NodeId; floor: number; was: number }
  /** Somebody who is no operator wanted to. */
  | { kind: 'resetRefused'; by: NodeId }
  /** A client says that a server lied. */
  | { kind: 'complaint'; complaint: LockComplaint }
  /** An operator took a lock from its holder ('': nobody had it). */
  | { kind: 'forced'; name: string; by: NodeId; holder: NodeId }
  /** Somebody who is no operator wanted to. */
  | { kind: 'forceRefused'; name: string; by: NodeId }

export type ServerScene = Scene<ServerState, LockSettings, LockMessage, ServerEvent>

/** `expire` is about a lock's name. */
export const serverTimers = timers('sweep', 'expire', 'floors')

/** How far ahead the floor is reserved: five seconds of the microseconds that tokens count in, so one fsync in five seconds. */
export const RESERVED_AHEAD = 5_000_000
/** Names locked at once; an entry takes about 250 bytes. */
export const NAMES_MAX = 500_000
/** Of them, those that one client may bring: with the longest names they take 40 MB. Ten clients that take all they can still leave nobody out. */
export const NAMES_OF_CLIENT_MAX = 50_000
/** From here on a client's free names are forgotten at once, so that its share lasts for what it holds. */
const NAMES_KEPT_FREE_MAX = NAMES_OF_CLIENT_MAX / 2
export const BLANK = { closed: 0, lease: undefined, grant: 0, won: false, waiters: undefined }

/** Whether the lease of a name is out. */
export function isOut(entry: LockEntry, now: Millis): boolean {
  return entry.holder !== '' && now < entry.until
}

/** For how long at least nothing is granted: after a restart, and until enough others have told what is asked of them. */
export function recovering({ recoverUntil, asking, held }: ServerState, now: Millis): Millis {
  return now < recoverUntil ? recoverUntil - now : asking === undefined && !held ? 0 : ASKING
}

/** What is said to those who wait for a server that waits for others. */
const ASKING: Millis = 500

export function onClock({ state, turn }: ServerScene, { micros }: ServerCommand & { kind: 'clock' }): void {
  state.clock = { micros, at: turn.now }
}

/** The wall clock in microseconds, or undefined where nobody told it. */
export function clockOf({ state, turn }: ServerScene): number | undefined {
  const { clock } = state
  return clock === undefined ? undefined : Math.floor(clock.micros + (turn.now - clock.at) * 1000)
}

/** The largest token that is taken now. */
export function tokenMax(scene: ServerScene): number {
  const { rules, tokenAheadMax } = scene.settings
  return rules.tokenMax(clockOf(scene) ?? TOKEN_MAX, tokenAheadMax)
}

// Also done at every start, with nothing to reserve: from here on leases may be out, and a crash must wait for them.
export function reserve({ state, turn }: ServerScene, token: number): void {
  state.reserved = Math.min(token + RESERVED_AHEAD, TOKEN_MAX)
  const { reserved, life } = state
  turn.do({ kind: 'snapshot', record: encode(serverRecord, { kind: 'running', reserved, life }) })
}

/** Whether a name that is not known may be brought. */
export function hasRoom({ locks, shares }: ServerState, client: NodeId): boolean {
  return locks.size < NAMES_MAX && (shares.get(certificateOf(client)) ?? 0) < NAMES_OF_CLIENT_MAX
}

export function addName(state: ServerState, name: string, entry: LockEntry): void {
  state.locks.set(name, entry)
  state.shares.set(entry.owner, (state.shares.get(entry.owner) ?? 0) + 1)
}

/** Its tokens are never given again: they raise the floor for every name that is not known. */
export function forgetName(state: ServerState, name: string, { owner, maximum, closed, waiters }: LockEntry): void {
  if (waiters !== undefined) removeAll(waiters, state.inLine)
  state.floor = Math.max(state.floor, maximum, closed)
  state.locks.delete(name)
  const left = (state.shares.get(owner) ?? 1) - 1
  if (left > 0) state.shares.set(owner, left)
  else state.shares.delete(owner)
}

/** The name has come free: a client that brought very many names keeps no free ones. */
export function forgetIfCrowded(state: ServerState, name: string, entry: LockEntry): void {
  if (entry.holder !== '' || (entry.waiters?.length ?? 0) > 0) return
  if ((state.shares.get(entry.owner) ?? 0) > NAMES_KEPT_FREE_MAX) forgetName(state, name, entry)
}

interface Grant {
  readonly name: string
  readonly holder: NodeId
  readonly token: number
  readonly held: Millis
  readonly before: number
}

export function grant(scene: ServerScene, entry: LockEntry | undefined, given: Grant): void {
  const { state, turn } = scene
  const { name, holder, token, before } = given
  if (token > state.reserved) reserve(scene, token)
  state.highest = Math.max(state.highest, token)
  state.latest = name
  const since = turn.now
  const until = since + given.held
  const lease = { holder, token, since, until, maximum: token, before, lease: undefined, grant: 0, won: false }
  if (entry === undefined) addName(state, name, { ...BLANK, ...lease, owner: certificateOf(holder) })
  else Object.assign(entry, lease)
}

export function reply({ turn }: ServerScene, to: NodeId, body: ServerMessage | PeerMessage): void {
  turn.do({ kind: 'send', to, body })
}

export function locked(name: string, attempt: number, remaining: Millis, recovering: boolean): ServerMessage {
  return { kind: 'locked', name, attempt, remaining: Math.ceil(remaining), recovering }
}

export function checkServer(state: ServerState): void {
  const { floor, reserved, latest } = state
  assert(floor <= reserved, 'tokens below the floor are not reserved on disk')
  assert(floor <= state.highest && state.highest <= reserved, 'the largest token is not between floor and reserve')
  assert(state.locks.size <= Math.max(NAMES_MAX, STOPPED_LEASES_MAX), 'too many names are kept')
  assert(state.shares.size <= state.locks.size, 'shares are kept of clients that have none')
  const entry = state.locks.get(latest)
  if (entry !== undefined) checkEntry(entry, state)
}

function checkEntry(entry: LockEntry, { latest, reserved }: ServerState): void {
  const { holder, token, maximum, before, closed, lease, waiters } = entry
  assert(maximum <= reserved, `a token of lock '${latest}' is above the reserved floor`)
  assert(maximum >= before, `the tokens of lock '${latest}' went back`)
  assert(token <= reserved && closed <= reserved, `lock '${latest}' knows a token that was never reserved`)
  assert(holder === '' || token === maximum, `the lease of lock '${latest}' is not under its largest token`)
  assert(holder === '' || lease === undefined || lease.client === holder, `lock '${latest}' was given to another`)
  if (waiters === undefined || waiters.length < 2) return
  assert(waiters.length <= WAITERS_MAX, `too many wait for lock '${latest}'`)
  assert(isBefore(waiters[0]!, waiters[1]!), `those who wait for lock '${latest}' are out of order`)
}
