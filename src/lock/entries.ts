// What a lock server keeps: one entry a name, at most one lease out in each. And the few things that may be done to
// an entry whoever asks: grant, reserve tokens ahead, look whether the lease is out.

import { assert, encode, type Millis, type NodeId, type Turn } from '../core/index.ts'
import { type LockMessage, type ServerMessage, type ServerRecord, serverRecord, TOKEN_MAX } from './messages.ts'
import type { Waiter } from './waiters.ts'

export interface ServerState {
  readonly locks: Map<string, LockEntry>
  /** Every token granted for a name that is not in `locks` is at most this. */
  floor: number
  /** On disk: every token ever granted is at most this. */
  reserved: number
  /** Nothing is granted before. */
  recoverUntil: Millis
  startedAt: Millis
  /** What the store held at the start; read once. */
  last: ServerRecord | undefined
  stopped: boolean
  /** Which start this is, and the number of the last grant to a waiter: larger in every later life. */
  life: number
  grants: number
  /** The name of the last grant: the one whose invariants a step can have broken. */
  latest: string
}

export interface LockEntry {
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

/** What a server says to whoever runs it. */
export type ServerEvent =
  /** An operator took a lock from its holder ('': nobody had it). */
  | { kind: 'forced'; name: string; by: NodeId; holder: NodeId }
  /** Somebody who is no operator wanted to. */
  | { kind: 'forceRefused'; name: string; by: NodeId }

export type ServerTurn = Turn<LockMessage, ServerEvent>

/** How far ahead the floor is reserved: five seconds of the microseconds that tokens count in, so one fsync in five seconds. */
const RESERVED_AHEAD = 5_000_000
/** Names locked at once; an entry takes about 250 bytes. */
export const NAMES_MAX = 500_000
export const BLANK = { closed: 0, lease: undefined, grant: 0, won: false, waiters: undefined }

export function isOut(entry: LockEntry, now: Millis): boolean {
  return entry.holder !== '' && now < entry.until
}

// Also done at every start, with nothing to reserve: from here on leases may be out, and a crash must wait for them.
export function reserve(state: ServerState, token: number, turn: ServerTurn): void {
  state.reserved = Math.min(token + RESERVED_AHEAD, TOKEN_MAX)
  turn.do({
    kind: 'snapshot',
    record: encode(serverRecord, { kind: 'running', reserved: state.reserved, life: state.life }),
  })
}

interface Grant {
  readonly name: string
  readonly from: NodeId
  readonly token: number
  readonly held: Millis
  readonly before: number
}

export function grant(state: ServerState, entry: LockEntry | undefined, given: Grant, turn: ServerTurn): void {
  if (given.token > state.reserved) reserve(state, given.token, turn)
  const until = turn.now + given.held
  const { from: holder, token, before } = given
  state.latest = given.name
  const lease = {
    holder,
    token,
    since: turn.now,
    until,
    maximum: token,
    before,
    lease: undefined,
    grant: 0,
    won: false,
  }
  if (entry === undefined) state.locks.set(given.name, { ...BLANK, ...lease })
  else Object.assign(entry, lease)
}

export function reply(turn: ServerTurn, to: NodeId, body: ServerMessage): void {
  turn.do({ kind: 'send', to, body })
}

export function locked(name: string, attempt: number, remaining: Millis, recovering: boolean): ServerMessage {
  return { kind: 'locked', name, attempt, remaining: Math.ceil(remaining), recovering }
}

export function checkServer(state: ServerState): void {
  const entry = state.locks.get(state.latest)
  if (entry === undefined) return
  assert(entry.maximum <= state.reserved, `a token of lock '${state.latest}' is above the reserved floor`)
  assert(entry.maximum >= entry.before, `the tokens of lock '${state.latest}' went back`)
}
