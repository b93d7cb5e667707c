// The server of objects (BACKOFF §6, figure 3, with PROTOCOLS F).
//
// Guarantees, while it follows this code: once it has told a rank what it knows, it takes nothing of a smaller one;
// what it acknowledged it still has after a crash; what it calls committed is decided. It promises nothing alone:
// a client believes b + 1, and decides with q.
//
// It has no `apply`: clients compute, and it keeps what changed.

import type { Input, Millis, NodeId, Protocol, Saved } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import type { OrderingMessage } from '../wire.ts'
import { fetched, fetchMissing, onLag } from './catching-up.ts'
import { continueCheckpoint } from './checkpoint.ts'
import { describe, onComplain } from './inspecting.ts'
import { sweepPending, takeOperations } from './pending.ts'
import { restore, restored } from './records.ts'
import { mustRejoin, onMessageWhileRejoining, onRecall, onRejoin, startRejoining } from './rejoining.ts'
import { lookUp, onFetch, onPage, onRead } from './serving.ts'
import { onPing, sweepSessions } from './sessions.ts'
import type { ServerScene } from './state.ts'
import { checkServer, type OrderingServerEvent, objectOf, reply, type ServerState } from './state.ts'
import { onCommit, onGet, onPropose } from './voting.ts'
import { onWatch, sweepWatchers } from './watchers.ts'

export type OrderingServer = Protocol<ServerState, OrderingMessage, never, OrderingServerEvent>

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
          return onTimer(scene, input.name)
        case 'message':
          return onMessage(scene, input)
        case 'command':
        case 'stop':
          return
      }
    },
    check: checkServer,
  }
}

function initState(settings: OrderingSettings, self: NodeId, peers: readonly NodeId[], saved: Saved): ServerState {
  const servers = [...new Set([self, ...peers])].sort()
  const state: ServerState = {
    self,
    servers,
    place: servers.indexOf(self),
    objects: new Map(),
    touched: undefined,
    startedAt: 0,
    rejoins: 'never',
    rejoin: undefined,
    queries: 0,
    savedBytes: 0,
    checkpointBytes: 0,
    checkpoint: undefined,
    complaints: [],
    complained: 0,
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
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

function onTimer(scene: ServerScene, name: string): void {
  const { state } = scene
  if (name === 'sweep') return onSweep(scene)
  if (name === 'rejoin') return onRejoin(scene)
  if (!name.startsWith('lag:')) return
  const object = state.objects.get(name.slice('lag:'.length))
  if (object !== undefined) onLag(scene, object)
}

function onSweep(scene: ServerScene): void {
  const { state, turn } = scene
  for (const object of state.objects.values()) {
    sweepSessions(object, turn.now)
    sweepPending(object, turn.now)
    sweepWatchers(object, turn.now)
  }
  continueCheckpoint(scene)
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

type Received = Extract<Input<OrderingMessage, never>, { kind: 'message' }>

function onMessage(scene: ServerScene, { from, body }: Received): void {
  const { state, turn } = scene
  if (state.rejoin !== undefined) return onMessageWhileRejoining(scene, from, body)
  switch (body.kind) {
    case 'recall':
      return onRecall(scene, from, body)
    case 'complain':
      return onComplain(scene, from, body)
    case 'inspect':
      return reply(scene, from, describe(state, body.query, turn.now))
    case 'read':
      return onRead(scene, lookUp(state, body.object), from, body)
    case 'fetch':
      return onFetch(scene, lookUp(state, body.object), from, body)
    case 'page':
      return onPage(scene, lookUp(state, body.object), from, body)
    case 'unwatch':
      state.objects.get(body.object)?.watchers.delete(from)
      return
    case 'get':
    case 'submit':
    case 'propose':
    case 'commit':
    case 'watch':
    case 'ping':
    case 'changes':
    case 'entries':
      return onObjectMessage(scene, from, body)
    default:
      // A server's answer has no business here.
      return
  }
}

type About = Extract<
  OrderingMessage,
  { kind: 'get' | 'submit' | 'propose' | 'commit' | 'watch' | 'ping' | 'changes' | 'entries' }
>

function onObjectMessage(scene: ServerScene, from: NodeId, body: About): void {
  const { state } = scene
  // Clients do not lie to their group, servers may: one that speaks as a client could propose what it likes.
  if (state.servers.includes(from) !== (body.kind === 'changes' || body.kind === 'entries')) return
  const object = objectOf(state, body.object)
  if (object === undefined) return reply(scene, from, { kind: 'full', object: body.object, what: 'objects' })
  switch (body.kind) {
    case 'get':
      return onGet(scene, object, from, body)
    case 'submit':
      return takeOperations(scene, object, from, body.operations, 'speakers')
    case 'propose':
      return onPropose(scene, object, from, body)
    case 'commit':
      return onCommit(scene, object, from, body)
    case 'watch':
      return onWatch(scene, object, from, body)
    case 'ping':
      return onPing(scene, object, from, body)
    case 'changes':
    case 'entries':
      return fetched(scene, object, from, body)
  }
}
