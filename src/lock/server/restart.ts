// What a server does at its start and at its stop (protocols/lock 6).
//
// The obvious server forgets in a crash what it granted, and grants again. Writing every grant to disk costs an fsync
// a grant. Instead a restarted server waits until the longest lease it may have granted is over, and a clean stop
// writes down what is out. Tokens need the disk once in a while: a floor is reserved ahead. Where the store is lost, the
// others have to tell the floor (floors.ts).

import { decode, encode, type Millis, type NodeId, newComplaints, type Saved } from '../../core/index.ts'
import { certificateOf } from '../rules.ts'
import { LIVES_MAX, STOPPED_LEASES_MAX, type StoppedLease, serverRecord } from '../wire.ts'
import { oweFloor } from './floors.ts'
import { addName, BLANK, isOut, recovering, reserve, type ServerScene, type ServerState } from './state.ts'
import { scheduleSweep } from './sweep.ts'

/** A server that hands out a million grants a second does not come to the end of a life's numbers in an hour. */
const GRANTS_PER_LIFE = 2 ** 32

export function serverFrom(self: NodeId, servers: readonly NodeId[], saved: Saved): ServerState {
  const newest = saved.get('')?.at(-1)
  const decoded = newest === undefined ? undefined : decode(serverRecord, newest)
  return {
    others: servers.filter(server => server !== self),
    locks: new Map(),
    shares: new Map(),
    inLine: new Map(),
    complaints: newComplaints(),
    floor: 0,
    highest: 0,
    reserved: 0,
    recoverUntil: 0,
    startedAt: 0,
    asking: undefined,
    clock: undefined,
    // A record that passed the store's checksum and cannot be read is from a newer version: as if after a crash.
    last: decoded?.ok ? decoded.value : undefined,
    stopped: false,
    held: false,
    life: 0,
    grants: 0,
    latest: '',
  }
}

export function onStart(scene: ServerScene): void {
  const { state, settings, turn } = scene
  const { last } = state
  state.startedAt = turn.now
  state.held = settings.holds
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
  state.highest = state.floor
  if (last === undefined || last.kind === 'lost') oweFloor(scene)
  else reserve(scene, state.floor)
  scheduleSweep(scene)
}

export function onGo({ state }: ServerScene): void {
  state.held = false
}

/** The others know of a later life than the one that wrote the store: leases are out that it does not tell of. */
export function onLost(scene: ServerScene): void {
  const { state, settings, turn } = scene
  if (state.stopped) return
  state.held = false
  if (state.asking === undefined) {
    state.locks.clear()
    state.shares.clear()
    state.inLine.clear()
    state.recoverUntil = turn.now + settings.rules.restartWait(settings.ttlMax)
    oweFloor(scene)
  }
  turn.do({ kind: 'emit', event: { kind: 'storeLost' } })
}

// The time between stop and start is not counted: nobody knows how long it was, and holding longer is safe.
function restore(state: ServerState, lease: StoppedLease, now: Millis): void {
  const { holder, token } = lease
  const until = now + lease.remaining
  const owner = certificateOf(holder)
  addName(state, lease.name, { ...BLANK, owner, holder, token, since: now, until, maximum: token, before: token })
}

export function onStop({ state, turn }: ServerScene): void {
  state.stopped = true
  const leases = []
  let floor = state.floor
  for (const [name, entry] of state.locks) {
    floor = Math.max(floor, entry.maximum)
    if (!isOut(entry, turn.now)) continue
    leases.push({ name, holder: entry.holder, token: entry.token, remaining: Math.ceil(entry.until - turn.now) })
  }
  // While it recovers, leases of its former life may be out that it does not know: the next start must wait as well.
  if (recovering(state, turn.now) > 0 || leases.length > STOPPED_LEASES_MAX) return
  turn.do({ kind: 'snapshot', record: encode(serverRecord, { kind: 'stopped', floor, life: state.life, leases }) })
}
