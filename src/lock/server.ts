// The lock's server (BACKOFF §4, figure 1b, with PROTOCOLS E).
//
// Guarantees, while it follows this code: at any moment at most one lease is out for a name; a lease lasts at least
// its ttl on this clock, from when the request arrived, unless its holder lets go; tokens granted for a name grow,
// also over restarts. It promises nothing alone: a client believes only g servers at once.
//
// The obvious server forgets in a crash what it granted, and grants again. Writing every grant to disk costs an fsync
// a grant. Instead a restarted server waits until the longest lease it may have granted is over, and a clean stop
// writes down what is out. Tokens need the disk once in a while: a floor is reserved ahead.

import { decode, encode, type Input, type Millis, type Protocol, type Saved } from '../core/index.ts'
import {
  BLANK,
  checkServer,
  isOut,
  reply,
  reserve,
  type ServerEvent,
  type ServerState,
  type ServerTurn,
} from './entries.ts'
import { force } from './force.ts'
import { expire, wait, yielded } from './handover.ts'
import { keep, release, renew, tryLock } from './leases.ts'
import {
  INSPECTED_MAX,
  INSPECTED_WAITERS_MAX,
  LIVES_MAX,
  type LockMessage,
  type ServerMessage,
  STOPPED_LEASES_MAX,
  type StoppedLease,
  serverRecord,
  WAITERS_SHOWN_MAX,
} from './messages.ts'
import type { LockSettings } from './settings.ts'
import { firstNames, someoneWaits } from './waiters.ts'

export type LockServer = Protocol<ServerState, LockMessage, never, ServerEvent>

/** Free names are kept for a while, so that their tokens do not raise the floor for names whose clients' clocks are behind. */
const SWEEP_EVERY: Millis = 30_000
const FREE_FOR_MAX: Millis = 60_000
/** A server that hands out a million grants a second does not come to the end of a life's numbers in an hour. */
const GRANTS_PER_LIFE = 2 ** 32

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
          return input.name === 'sweep' ? sweep(state, turn) : expire(state, input.name, turn)
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
    case 'keep':
      return reply(turn, from, keep(state, settings, from, body, turn))
    case 'renew':
      return reply(turn, from, renew(state, settings, from, body, turn))
    case 'release':
      return release(state, settings, from, body, turn)
    case 'wait':
      return wait(state, settings, from, body, turn)
    case 'yield':
      return yielded(state, from, body, turn)
    case 'force':
      return force(state, settings, from, body, turn)
    case 'inspect':
      return reply(turn, from, inspect(state, body.query, turn.now))
    default:
      // A server's answer has no business here.
      return
  }
}

function inspect(state: ServerState, query: number, now: Millis): ServerMessage {
  const leases = []
  let held = 0
  let room = INSPECTED_WAITERS_MAX
  for (const [name, entry] of state.locks) {
    if (!isOut(entry, now)) continue
    held++
    if (leases.length >= INSPECTED_MAX) continue
    const { holder, token } = entry
    const age = Math.max(0, Math.floor(now - entry.since))
    const waiters = firstNames(entry.waiters ?? [], now, Math.min(room, WAITERS_SHOWN_MAX))
    room -= waiters.length
    leases.push({ name, holder, token, age, remaining: Math.ceil(entry.until - now), waiters })
  }
  const recovering = Math.max(0, Math.ceil(state.recoverUntil - now))
  return { kind: 'inspected', query, uptime: Math.floor(now - state.startedAt), recovering, held, leases }
}

function sweep(state: ServerState, turn: ServerTurn): void {
  for (const [name, entry] of state.locks) {
    if (isOut(entry, turn.now) || turn.now < entry.since + FREE_FOR_MAX || someoneWaits(entry, turn.now)) continue
    state.floor = Math.max(state.floor, entry.maximum)
    state.locks.delete(name)
  }
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}
