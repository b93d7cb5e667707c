// The server's half of events (protocols/events 10 to 15): keeps a prefix of each source, tells subscriptions what matches,
// answers witnesses' questions, repairs others, keeps cursors.

import { type NodeId, newComplaints, type Protocol, type Saved, toHex } from '../../core/index.ts'
import type { EventsSettings } from '../settings.ts'
import type { EventsMessage } from '../wire.ts'
import { onComplain, onRecall } from './complaining.ts'
import { onCopied, onCopy } from './copying.ts'
import { onLoad, onSave } from './cursors.ts'
import { foundOnDisk } from './disk.ts'
import { onDone, onEnlist, onQueued, onResign } from './queueing.ts'
import { readBack } from './reading.ts'
import { isIdle, onBeat, onCompare, onHeads, onRange, onWant, wake } from './repairing.ts'
import { onAsk, onCheck, onFetch, onFollow, onUnfollow } from './serving.ts'
import {
  checkServer,
  type ServerCommand,
  type ServerEvent,
  type ServerScene,
  type ServerState,
  serverTimers,
} from './state.ts'
import { onFlush, onPublish } from './storing.ts'
import { onRemind, onSurvey } from './surveying.ts'

const MICROS_PER_MS = 1_000

/** The server's half of events as a protocol. */
export type EventsServer = Protocol<ServerState, EventsMessage, ServerCommand, ServerEvent>

/** The server's half of events. */
export function eventsServer(settings: EventsSettings): EventsServer {
  return {
    name: 'events server',
    init: (self, servers, saved) => serverFrom(settings, self, servers, saved),
    step(state, input, turn) {
      const scene: ServerScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, serverTimers.due(input.name))
        default:
          return
      }
    },
    check: state => checkServer(state, settings),
    wire: event => {
      const command = flushAfter(event)
      return command === undefined ? [] : [command]
    },
  }
}

/** What is on the disk is told to the machine itself; a node that has it as a part has a wire for that. */
export function flushAfter({ kind }: ServerEvent): ServerCommand | undefined {
  return kind === 'flushed' ? { kind: 'flush' } : undefined
}

function serverFrom(settings: EventsSettings, self: NodeId, servers: readonly NodeId[], saved: Saved): ServerState {
  const state: ServerState = {
    self,
    others: servers.filter(server => server !== self),
    epoch: '',
    mark: 0,
    streams: new Map(),
    bytes: 0,
    authors: new Map(),
    shares: new Map(),
    shared: 0,
    followers: new Map(),
    cursors: new Map(),
    hearsay: new Map(),
    heard: new Map(),
    fresh: true,
    copied: new Map(),
    woke: undefined,
    spoken: 0,
    next: 0,
    wall: 0,
    wallAt: 0,
    saving: false,
    published: { queue: [], of: new Map() },
    complaints: newComplaints(),
    blamed: new Map(),
    channels: new Map(),
    retained: new Map(),
    topicOrder: new Map(),
    queues: new Map(),
    dead: 0,
    account: undefined,
    disk: { bytes: 0, account: 0, needed: 0 },
  }
  const records = saved.get('') ?? []
  readBack(state, settings, records)
  foundOnDisk(state, records)
  return state
}

function onCommand(scene: ServerScene, body: ServerCommand): void {
  switch (body.kind) {
    case 'clock':
      return onClock(scene, body)
    case 'flush':
      return onFlush(scene)
  }
}

/** The wall clock is not this process's own: it is told. */
function onClock({ state, turn }: ServerScene, { micros }: ServerCommand & { kind: 'clock' }): void {
  state.wall = micros / MICROS_PER_MS
  state.wallAt = turn.now
}

function onStart({ state, settings, turn }: ServerScene): void {
  state.epoch = toHex(turn.bytes(8))
  if (!isIdle(state)) wake({ state, settings, turn })
}

function onMessage(scene: ServerScene, from: NodeId, body: EventsMessage): void {
  wake(scene)
  switch (body.kind) {
    case 'publish':
      return onPublish(scene, from, body)
    case 'follow':
      return onFollow(scene, from, body)
    case 'unfollow':
      return onUnfollow(scene, from, body)
    case 'fetch':
      return onFetch(scene, from, body)
    case 'check':
      return onCheck(scene, from, body)
    case 'ask':
      return onAsk(scene, from, body)
    case 'load':
      return onLoad(scene, from, body)
    case 'save':
      return onSave(scene, from, body)
    case 'compare':
      return onCompare(scene, from, body)
    case 'heads':
      return onHeads(scene, from, body)
    case 'want':
      return onWant(scene, from, body)
    case 'range':
      return onRange(scene, from, body)
    case 'copy':
      return onCopy(scene, from, body)
    case 'copied':
      return onCopied(scene, from, body)
    case 'survey':
      return onSurvey(scene, from, body)
    case 'remind':
      return onRemind(scene, from, body)
    case 'enlist':
      return onEnlist(scene, from, body)
    case 'resign':
      return onResign(scene, from, body)
    case 'done':
      return onDone(scene, from, body)
    case 'queued':
      return onQueued(scene, from, body)
    case 'complain':
      return onComplain(scene, from, body)
    case 'recall':
      return onRecall(scene, from, body)
    default:
      // A server's answer to a client has no business here.
      return
  }
}

function onTimer(scene: ServerScene, { kind }: ReturnType<typeof serverTimers.due>): void {
  switch (kind) {
    case 'beat':
      return onBeat(scene)
  }
}
