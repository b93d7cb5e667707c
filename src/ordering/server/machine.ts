// The server of objects (BACKOFF §6, figure 3, with protocols/ordering).
//
// Guarantees, while it follows this code: once it has told a rank what it knows, it takes nothing of a smaller one;
// what it acknowledged it still has after a crash; what it calls committed is decided. It promises nothing alone:
// a client believes b + 1, and decides with q.
//
// It has no `apply`: clients compute, and it keeps what changed.

import { type Millis, type NodeId, newComplaints, type Protocol, type Saved } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { newGathered, recount } from '../versions/gathering.ts'
import type { OrderingMessage } from '../wire.ts'
import { fetchMissing, onChanges, onEntries, onLag } from './catching-up.ts'
import { checkServer } from './check.ts'
import { continueCheckpoint } from './checkpoint.ts'
import { onDelete } from './deleting.ts'
import { onComplain, onInspect } from './inspecting.ts'
import { onSubmit, sweepPending } from './pending.ts'
import { lookAtQuiet, onRecalled } from './quiet.ts'
import { onClock } from './ranks.ts'
import { restore, restored } from './records.ts'
import { mustRejoin, onReadings, onRecall, onRejoin, startRejoining, takeRecalled } from './rejoining.ts'
import { onRepair } from './repairing.ts'
import { reply } from './send.ts'
import { onFetch, onPage, onRead, sweepListed } from './serving.ts'
import { onPing, sweepSessions } from './sessions.ts'
import {
  type OrderingServerCommand,
  type OrderingServerEvent,
  objectFor,
  type ServerScene,
  type ServerState,
  serverTimers,
} from './state.ts'
import { onCommit, onGet, onPropose, onVouched } from './voting.ts'
import { onVouch, sweepWaiting } from './vouching.ts'
import { onUnwatch, onWatch, sweepWatchers } from './watchers.ts'

/** The server's half of ordering as a protocol. */
export type OrderingServer = Protocol<ServerState, OrderingMessage, OrderingServerCommand, OrderingServerEvent>

const SWEEP_EVERY: Millis = 500
/** Questions are counted from somewhere: an answer to one of the life before must not pass for an answer in this one. */
const FIRST_QUERY_BYTES = 4
const firstQuery = (drawn: Uint8Array) => drawn.reduce((number, byte) => number * 256 + byte, 0)

/** `peers` are the other servers of the group. */
export function orderingServer(settings: OrderingSettings): OrderingServer {
  return {
    name: 'ordering server',
    init: (self, peers, saved) => initState(settings, self, peers, saved),
    step(state, input, turn) {
      const scene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'timer':
          onTimer(scene, input.name)
          return countGathered(state)
        case 'message':
          onMessage(scene, input.from, input.body)
          return countGathered(state)
        case 'command':
          return onCommand(scene, input.body)
        case 'stop':
          return
      }
    },
    check: checkServer,
  }
}

function countGathered({ gathered, touched }: ServerState): void {
  if (touched !== undefined) recount(gathered, touched.name, [touched.fetching], touched.copying)
}

function initState(settings: OrderingSettings, self: NodeId, peers: readonly NodeId[], saved: Saved): ServerState {
  const servers = [...new Set([self, ...peers])].sort()
  const state: ServerState = {
    self,
    servers,
    place: servers.indexOf(self),
    objects: new Map(),
    tombstones: new Map(),
    touched: undefined,
    startedAt: 0,
    wallLead: undefined,
    made: new Map(),
    beyond: new Set(),
    unvouched: new Set(),
    waitingBytesOf: new Map(),
    pendingBytesOf: new Map(),
    gathered: newGathered(),
    watching: new Map(),
    rejoins: 'never',
    rejoin: undefined,
    look: { at: 0, query: 0, after: '', answered: new Set(), newer: new Map() },
    held: settings.holds ? 'for now' : 'no',
    queries: 0,
    savedBytes: 0,
    checkpointBytes: 0,
    checkpoint: undefined,
    complaints: newComplaints(),
  }
  for (const record of saved.get('') ?? []) restore(state, settings, record)
  restored(state)
  return state
}

function onStart(scene: ServerScene): void {
  const { state, turn } = scene
  state.startedAt = turn.now
  state.queries = firstQuery(turn.bytes(FIRST_QUERY_BYTES))
  if (mustRejoin(scene)) return startRejoining(scene)
  for (const object of state.objects.values()) {
    if (object.content.version < object.committed.version) fetchMissing(scene, object)
  }
  serverTimers.set(turn, 'sweep', SWEEP_EVERY)
}

function onCommand(scene: ServerScene, body: OrderingServerCommand): void {
  switch (body.kind) {
    case 'clock':
      return onClock(scene, body)
    case 'go':
      return onGo(scene)
    case 'lost':
      return onLost(scene)
  }
}

function onTimer(scene: ServerScene, name: string): void {
  const { kind, about } = serverTimers.due(name)
  switch (kind) {
    case 'sweep':
      return onSweep(scene)
    case 'rejoin':
      return onRejoin(scene)
    case 'lag':
      return onLag(scene, about)
  }
}

function onSweep(scene: ServerScene): void {
  const { state, turn } = scene
  for (const object of state.objects.values()) {
    sweepSessions(object, turn.now)
    sweepPending(state, object, turn.now)
    sweepWatchers(state, object, turn.now)
    sweepWaiting(scene, object)
    sweepListed(object, turn.now)
  }
  lookAtQuiet(scene)
  continueCheckpoint(scene)
  serverTimers.set(turn, 'sweep', SWEEP_EVERY)
}

function onMessage(scene: ServerScene, from: NodeId, body: OrderingMessage): void {
  if (scene.state.rejoin !== undefined) return onMessageWhileRejoining(scene, from, body)
  if (scene.state.held !== 'no') return onMessageWhileHeld(scene, from, body)
  switch (body.kind) {
    case 'recall':
      return onRecall(scene, from, body)
    case 'vouch':
      return onVouch(scene, from, body)
    case 'recalled':
      return onRecalled(scene, from, body)
    case 'complain':
      return onComplain(scene, from, body)
    case 'inspect':
      return onInspect(scene, from, body)
    case 'repair':
      return onRepair(scene, from, body)
    case 'delete':
      return onDelete(scene, from, body)
    case 'read':
      return onRead(scene, from, body)
    case 'fetch':
      return onFetch(scene, from, body)
    case 'page':
      return onPage(scene, from, body)
    case 'unwatch':
      return onUnwatch(scene, from, body)
    case 'get':
    case 'submit':
    case 'propose':
    case 'commit':
    case 'watch':
    case 'ping':
    case 'changes':
    case 'entries':
    case 'vouched':
      return onObjectMessage(scene, from, body)
    default:
      // A server's answer has no business here.
      return
  }
}

/** While it rejoins it votes on nothing; it says so when asked. */
function onMessageWhileRejoining(scene: ServerScene, from: NodeId, body: OrderingMessage): void {
  if (body.kind === 'inspect') return onInspect(scene, from, body)
  if (!scene.state.servers.includes(from)) return
  if (body.kind === 'recalled') return takeRecalled(scene, from, body)
  if (body.kind === 'readings') return onReadings(scene, body)
}

/** What it knows may be old: it gives nobody an answer that counts. */
function onMessageWhileHeld(scene: ServerScene, from: NodeId, body: OrderingMessage): void {
  if (body.kind === 'inspect') return onInspect(scene, from, body)
}

function onGo({ state }: ServerScene): void {
  if (state.held === 'for now') state.held = 'no'
}

/** Promises that an old copy lacks were made. A server that is rejoining has begun without it. */
function onLost({ state, turn }: ServerScene): void {
  if (state.rejoin === undefined) state.held = 'for good'
  else turn.do({ kind: 'emit', event: { kind: 'lossKept' } })
}

type ObjectMessage = Extract<
  OrderingMessage,
  { kind: 'get' | 'submit' | 'propose' | 'commit' | 'watch' | 'ping' | 'changes' | 'entries' | 'vouched' }
>

/** What makes an object where there is none. */
function onObjectMessage(scene: ServerScene, from: NodeId, body: ObjectMessage): void {
  const { state, turn } = scene
  const isServer = state.servers.includes(from)
  // Clients do not lie to their group, servers may: one that speaks as a client could propose what it likes.
  if (isServer !== (body.kind === 'changes' || body.kind === 'entries' || body.kind === 'vouched')) return
  const object = isServer ? state.objects.get(body.object) : objectFor(state, body.object, from, turn.now)
  if (object === undefined) {
    // A server that answers about what is not there is not answered: two could talk for ever.
    if (!isServer) reply(scene, from, { kind: 'full', object: body.object, what: 'objects' })
    return
  }
  state.touched = object
  switch (body.kind) {
    case 'get':
      return onGet(scene, object, from, body)
    case 'submit':
      return onSubmit(scene, object, from, body)
    case 'propose':
      return onPropose(scene, object, from, body)
    case 'commit':
      return onCommit(scene, object, from, body)
    case 'watch':
      return onWatch(scene, object, from, body)
    case 'ping':
      return onPing(scene, object, from, body)
    case 'changes':
      return onChanges(scene, object, from, body)
    case 'entries':
      return onEntries(scene, object, from, body)
    case 'vouched':
      return onVouched(scene, object, from, body)
  }
}
