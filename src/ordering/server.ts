// The server of objects (BACKOFF §6, figure 3, with PROTOCOLS F).
//
// Guarantees, while it follows this code: once it has told a rank what it knows, it takes nothing of a smaller one;
// what it acknowledged it still has after a crash; what it calls committed is decided. It promises nothing alone:
// a client believes b + 1, and decides with q.
//
// It has no `apply`: clients compute, and it keeps what changed.

import type { Input, Millis, NodeId, Protocol, Saved } from '../core/index.ts'
import { goOn } from './checkpoint.ts'
import { complain, inspect } from './inspecting.ts'
import { fetchAgain, fetched, fetchMissing } from './lagging.ts'
import type { OrderingMessage } from './messages.ts'
import type { ServerScene } from './objects.ts'
import { checkServer, type OrderingServerEvent, objectOf, reply, type ServerState } from './objects.ts'
import { submit, sweepPending } from './pending.ts'
import { commit, get, propose } from './ranks.ts'
import { restore, restored } from './records.ts'
import { mustRejoin, recall, rejoinCame, rejoinTimer, startRejoin } from './rejoining.ts'
import { handOut, lookUp, page, read } from './serving.ts'
import { ping, sweepSessions } from './sessions.ts'
import type { OrderingSettings } from './settings.ts'
import { sweepWatchers, watch } from './watchers.ts'

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
          return start(scene)
        case 'timer':
          return timer(scene, input.name)
        case 'message':
          return message(scene, input)
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
    saved: 0,
    accounted: 0,
    account: undefined,
    complaints: [],
    complained: 0,
  }
  for (const record of saved.get('') ?? []) restore(state, settings, record)
  restored(state)
  return state
}

function start(scene: ServerScene): void {
  const { state, turn } = scene
  state.startedAt = turn.now
  state.queries = firstQuery(turn.bytes(FIRST_QUERY_BYTES))
  if (mustRejoin(scene)) return startRejoin(scene)
  for (const object of state.objects.values()) {
    if (object.content.version < object.committed.version) fetchMissing(scene, object)
  }
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

function timer(scene: ServerScene, name: string): void {
  const { state } = scene
  if (name === 'sweep') return sweep(scene)
  if (name === 'rejoin') return rejoinTimer(scene)
  if (!name.startsWith('lag:')) return
  const object = state.objects.get(name.slice('lag:'.length))
  if (object !== undefined) fetchAgain(scene, object)
}

function sweep(scene: ServerScene): void {
  const { state, turn } = scene
  for (const object of state.objects.values()) {
    sweepSessions(object, turn.now)
    sweepPending(object, turn.now)
    sweepWatchers(object, turn.now)
  }
  goOn(scene)
  turn.do({ kind: 'timer', name: 'sweep', after: SWEEP_EVERY })
}

type Received = Extract<Input<OrderingMessage, never>, { kind: 'message' }>

function message(scene: ServerScene, { from, body }: Received): void {
  const { state, turn } = scene
  if (state.rejoin !== undefined) return rejoinCame(scene, from, body)
  switch (body.kind) {
    case 'recall':
      return recall(scene, from, body)
    case 'complain':
      return complain(scene, from, body)
    case 'inspect':
      return reply(scene, from, inspect(state, body.query, turn.now))
    case 'read':
      return read(scene, lookUp(state, body.object), from, body)
    case 'fetch':
      return handOut(scene, lookUp(state, body.object), from, body)
    case 'page':
      return page(scene, lookUp(state, body.object), from, body)
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
      return about(scene, from, body)
    default:
      // A server's answer has no business here.
      return
  }
}

type About = Extract<
  OrderingMessage,
  { kind: 'get' | 'submit' | 'propose' | 'commit' | 'watch' | 'ping' | 'changes' | 'entries' }
>

function about(scene: ServerScene, from: NodeId, body: About): void {
  const { state } = scene
  // Clients do not lie to their group, servers may: one that speaks as a client could propose what it likes.
  if (state.servers.includes(from) !== (body.kind === 'changes' || body.kind === 'entries')) return
  const object = objectOf(state, body.object)
  if (object === undefined) return reply(scene, from, { kind: 'full', object: body.object, what: 'objects' })
  switch (body.kind) {
    case 'get':
      return get(scene, object, from, body)
    case 'submit':
      return submit(scene, object, from, body.operations, 'speakers')
    case 'propose':
      return propose(scene, object, from, body)
    case 'commit':
      return commit(scene, object, from, body)
    case 'watch':
      return watch(scene, object, from, body)
    case 'ping':
      return ping(scene, object, from, body)
    case 'changes':
    case 'entries':
      return fetched(scene, object, from, body)
  }
}
