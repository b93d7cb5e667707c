// The lock's server (BACKOFF §4, figure 1b, with PROTOCOLS E).
//
// Guarantees, while it follows this code: at any moment at most one lease is out for a name; a lease lasts at least
// its ttl on this clock, from when the request arrived, unless its holder lets go; tokens granted for a name grow,
// also over restarts. It promises nothing alone: a client believes only g servers at once.
//
// The obvious server forgets in a crash what it granted, and grants again. Writing every grant to disk costs an fsync
// a grant. Instead a restarted server waits until the longest lease it may have granted is over, and a clean stop
// writes down what is out. Tokens need the disk once in a while: a floor is reserved ahead.

import {
  assert,
  decode,
  encode,
  type Input,
  type Millis,
  type NodeId,
  type Protocol,
  type Saved,
  type Turn,
} from '../core/index.ts'
import {
  type ClientMessage,
  INSPECTED_MAX,
  LIVES_MAX,
  type LockMessage,
  type ServerMessage,
  type ServerRecord,
  STOPPED_LEASES_MAX,
  type StoppedLease,
  serverRecord,
  TOKEN_MAX,
} from './messages.ts'
import type { LockSettings } from './settings.ts'
import { enqueue, firstGrant, isBefore, remove, takeFirst, type Waiter } from './waiters.ts'

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

type ServerTurn = Turn<LockMessage, never>
export type LockServer = Protocol<ServerState, LockMessage, never, never>

/** How far ahead the floor is reserved: five seconds of the microseconds that tokens count in, so one fsync in five seconds. */
const RESERVED_AHEAD = 5_000_000
/** Free names are kept for a while, so that their tokens do not raise the floor for names whose clients' clocks are behind. */
const SWEEP_EVERY: Millis = 30_000
const FREE_FOR_MAX: Millis = 60_000
const BLANK = { closed: 0, lease: undefined, grant: 0, won: false, waiters: undefined }
/** A server that hands out a million grants a second does not come to the end of a life's numbers in an hour. */
const GRANTS_PER_LIFE = 2 ** 32
/** Names locked at once; an entry takes about 250 bytes. */
const NAMES_MAX = 500_000

export function lockServer(settings: LockSettings): LockServer {
  return {
    name: 'lock server',
    init: (_self, _peers, saved) => initState(saved),
    step(state, input, turn) {
      switch (input.kind) {
        case 'start':
          return start(state, settings, turn)
        case 'stop':
          return stop(state, turn)
        case 'timer':
          return input.name === 'sweep' ? sweep(state, turn) : expire(state, settings, input.name, turn)
        case 'message':
          return message(state, settings, input, turn)
        case 'command':
          return
      }
    },
    check: checkServer,
  }
}

function initState(saved: Saved): ServerState {
  const records = saved.get('') ?? []
  const newest = records.at(-1)
  const decoded = newest === undefined ? undefined : decode(serverRecord, newest)
  return {
    locks: new Map(),
    floor: 0,
    reserved: 0,
    recoverUntil: 0,
    startedAt: 0,
    // A record that passed the store's checksum and cannot be read is from a newer version: as if after a crash.
    last: decoded?.ok ? decoded.value : undefined,
    stopped: false,
    life: 0,
    grants: 0,
    latest: '',
  }
}

function start(state: ServerState, settings: LockSettings, turn: ServerTurn): void {
  const { last } = state
  state.startedAt = turn.now
  state.life = Math.min((last === undefined || last.kind === 'first' ? 0 : last.life) + 1, LIVES_MAX)
  state.grants = state.life * GRANTS_PER_LIFE
  if (last?.kind === 'stopped') {
    state.floor = last.floor
    for (const lease of last.leases) restore(state, lease, turn.now)
  } else {
    state.floor = last?.kind === 'running' ? settings.rules.floorAfterRestart(last.reserved) : 0
    if (last?.kind !== 'first') state.recoverUntil = turn.now + settings.rules.restartWait(settings.ttlMax)
  }
  state.last = undefined
  reserve(state, state.floor, turn)
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

// The time between stop and start is not counted: nobody knows how long it was, and holding longer is safe.
function restore(state: ServerState, lease: StoppedLease, now: Millis): void {
  const { holder, token } = lease
  const until = now + lease.remaining
  state.locks.set(lease.name, { ...BLANK, holder, token, since: now, until, maximum: token, before: token })
}

// Also done at every start, with nothing to reserve: from here on leases may be out, and a crash must wait for them.
function reserve(state: ServerState, token: number, turn: ServerTurn): void {
  state.reserved = Math.min(token + RESERVED_AHEAD, TOKEN_MAX)
  turn.do({
    kind: 'snapshot',
    record: encode(serverRecord, { kind: 'running', reserved: state.reserved, life: state.life }),
  })
}

function stop(state: ServerState, turn: ServerTurn): void {
  state.stopped = true
  const leases = []
  let floor = state.floor
  for (const [name, entry] of state.locks) {
    floor = Math.max(floor, entry.maximum)
    if (!isOut(entry, turn.now)) continue
    leases.push({ name, holder: entry.holder, token: entry.token, remaining: Math.ceil(entry.until - turn.now) })
  }
  // While it recovers, leases of its former life may be out that it does not know: the next start must wait as well.
  if (turn.now < state.recoverUntil || leases.length > STOPPED_LEASES_MAX) return
  turn.do({ kind: 'snapshot', record: encode(serverRecord, { kind: 'stopped', floor, life: state.life, leases }) })
}

function message(
  state: ServerState,
  settings: LockSettings,
  input: Extract<Input<LockMessage, never>, { kind: 'message' }>,
  turn: ServerTurn,
): void {
  if (state.stopped) return
  const { from, body } = input
  switch (body.kind) {
    case 'try':
      return reply(turn, from, tryLock(state, settings, from, body, turn))
    case 'renew':
      return reply(turn, from, renew(state, settings, from, body, turn))
    case 'keep':
      return reply(turn, from, keep(state, settings, from, body, turn))
    case 'release':
      return release(state, settings, from, body, turn)
    case 'wait':
      return wait(state, settings, from, body, turn)
    case 'yield':
      return yielded(state, settings, from, body, turn)
    case 'inspect':
      return reply(turn, from, inspect(state, body.query, turn.now))
    default:
      // A server's answer has no business here.
      return
  }
}

function reply(turn: ServerTurn, to: NodeId, body: ServerMessage): void {
  turn.do({ kind: 'send', to, body })
}

function tryLock(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'try' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token } = asked
  const { now } = turn
  if (now < state.recoverUntil) return locked(name, attempt, state.recoverUntil - now, true)
  const entry = state.locks.get(name)
  if (entry !== undefined && isOut(entry, now)) {
    // The same request twice. It is answered again, and does not count from the second arrival.
    if (entry.holder === from && entry.token === token) return { kind: 'granted', name, attempt, token }
    // The same client has moved on, and its release is lost or late: its older lease means nothing to it.
    if (entry.holder !== from) return locked(name, attempt, entry.until - now, false)
  }
  const maximum = entry?.maximum ?? state.floor
  // A copy of a try that was given back would lock everybody out, for a client that no longer cares.
  if (token <= maximum || token === entry?.closed) return { kind: 'tooLow', name, attempt, maximum }
  if (entry === undefined && state.locks.size >= NAMES_MAX) return { kind: 'full', name, attempt }
  grant(state, settings, entry, { name, from, token, ttl: asked.ttl, before: maximum }, turn)
  return { kind: 'granted', name, attempt, token }
}

interface Grant {
  readonly name: string
  readonly from: NodeId
  readonly token: number
  readonly ttl: Millis
  readonly before: number
}

function grant(
  state: ServerState,
  settings: LockSettings,
  entry: LockEntry | undefined,
  given: Grant,
  turn: ServerTurn,
): void {
  if (given.token > state.reserved) reserve(state, given.token, turn)
  const until = turn.now + Math.min(given.ttl, settings.ttlMax)
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

// A renewal is a grant to a token that may be as large as the largest: the holder's own. So a server that missed the
// try, or whose grant has run out, joins the holder's servers again, as long as nobody came after.
function renew(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'renew' | 'keep' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token } = asked
  const { now } = turn
  if (now < state.recoverUntil) return locked(name, attempt, state.recoverUntil - now, true)
  const entry = state.locks.get(name)
  const out = entry !== undefined && isOut(entry, now)
  const other = out && entry.holder !== from
  const maximum = entry?.maximum ?? state.floor
  if (other || token < maximum || token <= (entry?.closed ?? 0)) {
    return { kind: 'notRenewed', name, attempt, token }
  }
  if (entry === undefined && state.locks.size >= NAMES_MAX) return { kind: 'full', name, attempt }
  const earlier = out ? { until: entry.until, since: entry.since } : { until: now, since: now }
  const before = token > maximum ? maximum : (entry?.before ?? state.floor)
  grant(state, settings, entry, { name, from, token, ttl: asked.ttl, before }, turn)
  const renewed = state.locks.get(name)!
  renewed.until = Math.max(renewed.until, earlier.until)
  renewed.won = true
  if (renewed.waiters !== undefined) remove(renewed.waiters, from)
  renewed.since = earlier.since
  return { kind: 'renewed', name, attempt, token }
}

// As if the holder had renewed; the answer goes to who asked.
function keep(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'keep' }>,
  turn: ServerTurn,
): ServerMessage {
  const { name, attempt, token, holder } = asked
  if (!settings.rules.mayKeep(from, holder)) return { kind: 'notRenewed', name, attempt, token }
  return renew(state, settings, holder, asked, turn)
}

function release(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'release' }>,
  turn: ServerTurn,
): void {
  const entry = state.locks.get(asked.name)
  if (entry === undefined) return
  const waiting = entry.waiters?.find(waiter => waiter.client === from)
  if (waiting?.token === asked.token) remove(entry.waiters!, from)
  if (entry.holder === '' || !settings.rules.mayRelease(entry.holder, entry.token, from, asked.token)) return
  entry.closed = entry.token
  // A token that nobody ever used is taken back, or tries that fail would drive this server's maximum above the others'.
  if (asked.unused) entry.maximum = entry.before
  entry.holder = ''
  giveNext(state, settings, asked.name, entry, turn)
}

// A client that waits says so in the beginning and then again and again. The first time it may find the lock free.
function wait(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'wait' }>,
  turn: ServerTurn,
): void {
  const { name, attempt, ticket, token, ping } = asked
  const { now } = turn
  if (now < state.recoverUntil) return reply(turn, from, locked(name, attempt, state.recoverUntil - now, true))
  let entry = state.locks.get(name)
  if (entry === undefined) {
    if (state.locks.size >= NAMES_MAX) return reply(turn, from, { kind: 'full', name, attempt })
    entry = { ...BLANK, holder: '', token: 0, since: now, until: now, maximum: state.floor, before: state.floor }
    state.locks.set(name, entry)
  }
  const ttl = Math.min(asked.ttl, settings.ttlMax)
  const waiter: Waiter = { client: from, ticket, attempt, token, ttl, ping, pingedAt: now, low: false }
  if (isOut(entry, now) && entry.holder === from) return again(state, settings, name, entry, waiter, turn)
  entry.waiters ??= []
  if (isOut(entry, now)) return stand(name, entry, waiter, turn)
  if (!enqueue(entry.waiters, waiter)) return reply(turn, from, { kind: 'full', name, attempt })
  giveNext(state, settings, name, entry, turn, ttl)
}

// Stands in line behind a lease that is out.
function stand(name: string, entry: LockEntry, waiter: Waiter, turn: ServerTurn): void {
  const { client, attempt, ping } = waiter
  if (!enqueue(entry.waiters!, waiter)) return reply(turn, client, { kind: 'full', name, attempt })
  reply(turn, client, { kind: 'queued', name, attempt, ping })
  turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.max(0, Math.ceil(entry.until - turn.now)) })
  if (entry.lease === undefined || entry.won || !isBefore(waiter, entry.lease)) return
  reply(turn, entry.holder, { kind: 'inquire', name, grant: entry.grant, token: entry.token })
}

// It has been granted the lock and has not won yet. Its grant lasts on, from this ping; under a new token it is a new one.
function again(
  state: ServerState,
  settings: LockSettings,
  name: string,
  entry: LockEntry,
  waiter: Waiter,
  turn: ServerTurn,
): void {
  const { client, attempt, token } = waiter
  if (entry.token !== token) {
    if (token <= entry.maximum) return reply(turn, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum })
    return give(state, settings, name, entry, waiter, firstGrant(waiter.ttl), turn)
  }
  const held = firstGrant(waiter.ttl)
  entry.lease = waiter
  entry.until = Math.max(entry.until, turn.now + held)
  reply(turn, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping: waiter.ping, held })
}

function give(
  state: ServerState,
  settings: LockSettings,
  name: string,
  entry: LockEntry,
  waiter: Waiter,
  held: Millis,
  turn: ServerTurn,
): void {
  const { client, attempt, token, ping } = waiter
  grant(state, settings, entry, { name, from: client, token, ttl: held, before: entry.maximum }, turn)
  entry.lease = waiter
  entry.grant = ++state.grants
  reply(turn, client, { kind: 'given', name, attempt, token, grant: entry.grant, ping, held })
}

// Whoever is first in the list gets a short grant. One that came to a free lock just now is there, and gets all it asks.
function giveNext(
  state: ServerState,
  settings: LockSettings,
  name: string,
  entry: LockEntry,
  turn: ServerTurn,
  newcomer?: Millis,
): void {
  const { waiters } = entry
  if (waiters === undefined || waiters.length === 0 || state.stopped || isOut(entry, turn.now)) return
  const alone = newcomer !== undefined && waiters.length === 1
  const first = takeFirst(waiters, entry.maximum, turn.now, ({ client, attempt }) =>
    reply(turn, client, { kind: 'tooLow', name, attempt, maximum: entry.maximum }),
  )
  if (first === undefined) return
  give(state, settings, name, entry, first, alone ? first.ttl : firstGrant(first.ttl), turn)
  if (waiters.length === 0) entry.waiters = undefined
  else turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.ceil(entry.until - turn.now) })
}

function yielded(
  state: ServerState,
  settings: LockSettings,
  from: NodeId,
  asked: Extract<ClientMessage, { kind: 'yield' }>,
  turn: ServerTurn,
): void {
  const entry = state.locks.get(asked.name)
  if (entry?.lease === undefined || entry.holder !== from || entry.grant !== asked.grant || entry.won) return
  entry.maximum = entry.before
  entry.holder = ''
  entry.waiters ??= []
  if (!entry.waiters.some(waiter => waiter.client === from)) enqueue(entry.waiters, entry.lease)
  entry.lease = undefined
  giveNext(state, settings, asked.name, entry, turn)
}

function expire(state: ServerState, settings: LockSettings, timerName: string, turn: ServerTurn): void {
  const name = timerName.slice('expire:'.length)
  const entry = state.locks.get(name)
  if (entry === undefined || entry.waiters === undefined || state.stopped) return
  if (!isOut(entry, turn.now)) return giveNext(state, settings, name, entry, turn)
  turn.do({ kind: 'timer', name: `expire:${name}`, after: Math.max(1, Math.ceil(entry.until - turn.now)) })
}

function inspect(state: ServerState, query: number, now: Millis): ServerMessage {
  const leases = []
  let held = 0
  for (const [name, entry] of state.locks) {
    if (!isOut(entry, now)) continue
    held++
    if (leases.length >= INSPECTED_MAX) continue
    const { holder, token } = entry
    const age = Math.max(0, Math.floor(now - entry.since))
    leases.push({ name, holder, token, age, remaining: Math.ceil(entry.until - now) })
  }
  const recovering = Math.max(0, Math.ceil(state.recoverUntil - now))
  return { kind: 'inspected', query, uptime: Math.floor(now - state.startedAt), recovering, held, leases }
}

function sweep(state: ServerState, turn: ServerTurn): void {
  for (const [name, entry] of state.locks) {
    if (isOut(entry, turn.now) || turn.now < entry.since + FREE_FOR_MAX || entry.waiters !== undefined) continue
    state.floor = Math.max(state.floor, entry.maximum)
    state.locks.delete(name)
  }
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

function locked(name: string, attempt: number, remaining: Millis, recovering: boolean): ServerMessage {
  return { kind: 'locked', name, attempt, remaining: Math.ceil(remaining), recovering }
}

function isOut(entry: LockEntry, now: Millis): boolean {
  return entry.holder !== '' && now < entry.until
}

function checkServer(state: ServerState): void {
  const entry = state.locks.get(state.latest)
  if (entry === undefined) return
  assert(entry.maximum <= state.reserved, `a token of lock '${state.latest}' is above the reserved floor`)
  assert(entry.maximum >= entry.before, `the tokens of lock '${state.latest}' went back`)
}
