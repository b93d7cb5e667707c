// The client's half of events (protocols/events 10 to 15): publishes, and has subscriptions that miss nothing that was accepted.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { EventsClientSettings } from '../settings.ts'
import type { EventsMessage } from '../wire.ts'
import { onDigest } from './checking.ts'
import { beatFollowing, onFound, onHeads, onTold } from './following.ts'
import { beatHanding, onAck, onAgain } from './handing.ts'
import { keepCursor, onChange, onLoaded, onPassed, onSaved, onSubscribe, onUnsubscribe } from './opening.ts'
import { onFull, onHeld, onPublishCommand, resend } from './publishing.ts'
import {
  BOOT_BYTES,
  type ClientCommand,
  type ClientEvent,
  type ClientScene,
  type ClientState,
  checkClient,
  clientTimers,
  randomName,
} from './state.ts'

/** The client's half of events as a protocol. */
export type EventsClient = Protocol<ClientState, EventsMessage, ClientCommand, ClientEvent>

/** The client's half of events. */
export function eventsClient(settings: EventsClientSettings): EventsClient {
  return {
    name: 'events client',
    init: (self, servers) => ({ self, servers, boot: '', beats: 0, outgoing: new Map(), subscriptions: new Map() }),
    step(state, input, turn) {
      const scene: ClientScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, clientTimers.due(input.name))
        default:
          return
      }
    },
    check: checkClient,
  }
}

function onStart(scene: ClientScene): void {
  scene.state.boot = randomName(scene, BOOT_BYTES)
  clientTimers.set(scene.turn, 'beat', scene.settings.beat)
}

function onMessage(scene: ClientScene, from: NodeId, body: EventsMessage): void {
  switch (body.kind) {
    case 'held':
      return onHeld(scene, from, body)
    case 'full':
      return onFull(scene, from, body)
    case 'heads':
      return onHeads(scene, from, body)
    case 'found':
      return onFound(scene, from, body)
    case 'digest':
      return onDigest(scene, from, body)
    case 'told':
      return onTold(scene, from, body)
    case 'loaded':
      return onLoaded(scene, from, body)
    case 'saved':
      return onSaved(scene, from, body)
    case 'passed':
      return onPassed(scene, from, body)
    default:
      // A question to a server has no business here.
      return
  }
}

function onCommand(scene: ClientScene, body: ClientCommand): void {
  switch (body.kind) {
    case 'publish':
      return onPublishCommand(scene, body)
    case 'subscribe':
      return onSubscribe(scene, body)
    case 'ack':
      return onAck(scene, body)
    case 'again':
      return onAgain(scene, body)
    case 'change':
      return onChange(scene, body)
    case 'unsubscribe':
      return onUnsubscribe(scene, body)
  }
}

function onTimer(scene: ClientScene, { kind }: ReturnType<typeof clientTimers.due>): void {
  switch (kind) {
    case 'beat':
      return onBeat(scene)
  }
}

function onBeat(scene: ClientScene): void {
  const { state, settings, turn } = scene
  state.beats++
  clientTimers.set(turn, 'beat', settings.beat)
  resend(scene)
  for (const subscription of state.subscriptions.values()) {
    keepCursor(scene, subscription)
    if (subscription.phase !== 'open') continue
    beatFollowing(scene, subscription)
    beatHanding(scene, subscription)
  }
}
