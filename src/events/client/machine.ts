// The client's half of events (protocols/events 10 to 15): publishes, and has subscriptions that miss nothing that was accepted.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { EventsClientSettings } from '../settings.ts'
import type { EventsMessage } from '../wire.ts'
import { onDigest } from './checking.ts'
import { beatFollowing, onFound, onHeads, onTold } from './following.ts'
import { beatHanding, onAck, onAgain } from './handing.ts'
import {
  beatInquiries,
  onCancel,
  onDrain,
  onLag,
  onRecall,
  onRecalled,
  onRemind,
  onReminded,
  onSurvey,
  onSurveyed,
} from './inquiring.ts'
import { keepCursor, onChange, onLoaded, onPassed, onSaved, onSubscribe, onUnsubscribe } from './opening.ts'
import { onFull, onHeld, onPublishCommand, resend } from './publishing.ts'
import { beatQueue, onEnlist, onSkipped, onTask, onTerms } from './queueing.ts'
import { onRefused } from './refusing.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type ClientScene,
  type ClientState,
  checkClient,
  clientTimers,
  SUBSCRIPTIONS_A_BEAT,
  type Subscription,
} from './state.ts'

/** The client's half of events as a protocol. */
export type EventsClient = Protocol<ClientState, EventsMessage, ClientCommand, ClientEvent>

/** The client's half of events. */
export function eventsClient(settings: EventsClientSettings): EventsClient {
  return {
    name: 'events client',
    init: (self, servers) => {
      const maps = { outgoing: new Map(), subscriptions: new Map(), queues: new Map() }
      const rest = { inquiries: new Map(), blamed: new Map(), shares: new Map() }
      return { self, servers, beating: false, beats: 0, ...maps, ...rest }
    },
    step(state, input, turn) {
      const scene: ClientScene = { state, settings, turn }
      switch (input.kind) {
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
    check: state => checkClient(state, settings),
  }
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
    case 'task':
      return onTask(scene, from, body)
    case 'surveyed':
      return onSurveyed(scene, from, body)
    case 'reminded':
      return onReminded(scene, from, body)
    case 'recalled':
      return onRecalled(scene, from, body)
    case 'terms':
      return onTerms(scene, from, body)
    case 'skipped':
      return onSkipped(scene, from, body)
    case 'refused':
      return onRefused(scene, from, body)
    default:
      // A question to a server has no business here.
      return
  }
}

function onCommand(scene: ClientScene, body: ClientCommand): void {
  beatOn(scene)
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
    case 'enlist':
      return onEnlist(scene, body)
    case 'survey':
      return onSurvey(scene, body)
    case 'remind':
      return onRemind(scene, body)
    case 'drain':
      return onDrain(scene, body)
    case 'lag':
      return onLag(scene, body)
    case 'recall':
      return onRecall(scene, body)
    case 'cancel':
      return onCancel(scene, body)
  }
}

function onTimer(scene: ClientScene, { kind }: ReturnType<typeof clientTimers.due>): void {
  switch (kind) {
    case 'beat':
      return onBeat(scene)
  }
}

function beatOn({ state, settings, turn }: ClientScene): void {
  if (state.beating) return
  state.beating = true
  clientTimers.set(turn, 'beat', settings.beat)
}

function isIdle({ subscriptions, queues, inquiries, outgoing }: ClientState): boolean {
  if (subscriptions.size > 0 || queues.size > 0 || inquiries.size > 0) return false
  return [...outgoing.values()].every(({ items, queued }) => items.size === 0 && queued.length === 0)
}

/**
 * Each of them speaks to several servers. Ten thousand that do so on every beat are a hundred thousand words, and neither side comes to
 * anything else: many take turns, and each still speaks long before servers forget it.
 */
function ofThisBeat({ subscriptions, beats }: ClientState): readonly Subscription[] {
  const turns = Math.ceil(subscriptions.size / SUBSCRIPTIONS_A_BEAT)
  const all = [...subscriptions.values()]
  return turns <= 1 ? all : all.filter((_, place) => (place + beats) % turns === 0)
}

function onBeat(scene: ClientScene): void {
  const { state, settings, turn } = scene
  state.beats++
  if (isIdle(state)) {
    state.beating = false
    return
  }
  clientTimers.set(turn, 'beat', settings.beat)
  resend(scene)
  beatInquiries(scene)
  for (const queue of state.queues.values()) beatQueue(scene, queue)
  for (const subscription of ofThisBeat(state)) {
    keepCursor(scene, subscription)
    if (subscription.phase !== 'open') continue
    beatFollowing(scene, subscription)
    beatHanding(scene, subscription)
  }
}
