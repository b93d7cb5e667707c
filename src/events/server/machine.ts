// The server's half of events (protocols/events 10 to 15): keeps a prefix of each source, tells subscriptions what matches,
// answers witnesses' questions, repairs others, keeps cursors.

import { assert, decode, type NodeId, type Protocol, type Saved, toHex } from '../../core/index.ts'
import type { EventsSettings, Hash } from '../settings.ts'
import { type EventsMessage, eventsRecord } from '../wire.ts'
import { onCopied, onCopy } from './copying.ts'
import { onLoad, onSave, remember } from './cursors.ts'
import { onBeat, onCompare, onHeads, onRange, onWant } from './repairing.ts'
import { onAsk, onCheck, onFetch, onFollow, onUnfollow } from './serving.ts'
import {
  checkServer,
  type ServerCommand,
  type ServerEvent,
  type ServerScene,
  type ServerState,
  serverTimers,
} from './state.ts'
import { append, onPublish } from './storing.ts'

/** The server's half of events as a protocol. */
export type EventsServer = Protocol<ServerState, EventsMessage, ServerCommand, ServerEvent>

/** The server's half of events. */
export function eventsServer(settings: EventsSettings): EventsServer {
  return {
    name: 'events server',
    init: (self, servers, saved) => serverFrom(settings.hash, self, servers, saved),
    step(state, input, turn) {
      const scene: ServerScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, serverTimers.due(input.name))
        default:
          return
      }
    },
    check: checkServer,
  }
}

function serverFrom(hash: Hash, self: NodeId, servers: readonly NodeId[], saved: Saved): ServerState {
  const state: ServerState = {
    self,
    others: servers.filter(server => server !== self),
    epoch: '',
    mark: 0,
    streams: new Map(),
    bytes: 0,
    authors: new Map(),
    followers: new Map(),
    following: new Map(),
    cursors: new Map(),
    owners: new Map(),
    heard: new Map(),
    fresh: true,
    copied: new Map(),
    next: 0,
  }
  for (const record of saved.get('') ?? []) {
    const decoded = decode(eventsRecord, record)
    // A record that passed the store's checksum and cannot be read: the node must not go on and say what it does not hold.
    assert(decoded.ok, 'a saved record that cannot be read')
    if (decoded.value.kind === 'known') state.fresh = false
    else if (decoded.value.kind === 'cursor') remember(state, decoded.value.cursor)
    else append(state, hash, decoded.value.source, decoded.value.items)
  }
  return state
}

function onStart({ state, settings, turn }: ServerScene): void {
  state.epoch = toHex(turn.bytes(8))
  serverTimers.set(turn, 'beat', settings.beat)
}

function onMessage(scene: ServerScene, from: NodeId, body: EventsMessage): void {
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
