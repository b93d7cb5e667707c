// A member that routes events (protocols/member-events 1 to 6): it tells its neighbours what its side of each link wants, passes
// on what matches, and hands over what its own user subscribed to.

import { type NodeId, type Protocol, toHex } from '../../core/index.ts'
import { type Clause, normal, PREDICATES_MAX } from '../canonical.ts'
import { answerAgain, hearAnnounce, retellAll } from './announcing.ts'
import { addOverlay, advance, compareAll, hearStanding } from './changing.ts'
import { keyOf } from './keys.ts'
import { KEYS_MAX, OWN_CLAUSES_MAX, SUBSCRIPTIONS_MAX } from './limits.ts'
import { accept, flush, publish, take, takeBack } from './passing.ts'
import { answerAsk, askAll, hearAnswer, settle } from './receipts.ts'
import type { RoutingSettings } from './settings.ts'
import {
  CHANNEL,
  type Link,
  type Overlay,
  type RoutingCommand,
  type RoutingEvent,
  type RoutingScene,
  type RoutingState,
  routingTimers,
} from './state.ts'
import { forgetOld } from './window.ts'
import { fitting, type LinkMessage, type RoutingMessage } from './wire.ts'

/** A member's routing, as a protocol. */
export type Routing = Protocol<RoutingState, RoutingMessage, RoutingCommand, RoutingEvent>

/** A member that routes events. */
export function routing(settings: RoutingSettings): Routing {
  return {
    name: 'routing',
    init: self => blankState(self, settings),
    step(state, input, turn) {
      const scene: RoutingScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          onMessage(scene, input.from, input.body)
          break
        case 'command':
          onCommand(scene, input.body)
          break
        case 'timer':
          onTimer(scene, routingTimers.due(input.name))
          break
        default:
          return
      }
      advance(scene)
      flush(scene)
    },
  }
}

function blankState(self: NodeId, { signer }: RoutingSettings): RoutingState {
  return {
    self,
    boot: '',
    counter: 0,
    subscriptions: new Map(),
    overlays: [],
    keys: new Map([[self, signer.publicKey]]),
    seen: new Map(),
    waiting: [],
    waitingBytes: 0,
    batching: false,
    awaited: new Map(),
    awaitedBytes: 0,
    repeats: 0,
  }
}

const BOOT_BYTES = 16
/** Of what comes in no tree. */
const OUTSIDE = 0

function onStart({ state, settings, turn }: RoutingScene): void {
  state.boot = toHex(turn.bytes(BOOT_BYTES))
  routingTimers.set(turn, 'beat', settings.beat)
}

function onMessage(scene: RoutingScene, from: NodeId, body: RoutingMessage): void {
  switch (body.kind) {
    case 'ask':
      return onAsk(scene, from, body)
    case 'answer':
      return onAnswer(scene, from, body)
    case 'direct':
      return onDirect(scene, from, body)
    default:
      return onLink(scene, from, body)
  }
}

function onLink(scene: RoutingScene, from: NodeId, body: LinkMessage): void {
  const found = linkOf(scene, from, body)
  if (found === undefined) return
  switch (body.kind) {
    case 'announce':
      return onAnnounce(scene, found, body)
    case 'again':
      return onAgain(scene, found)
    case 'standing':
      return onStanding(scene, found, body)
    case 'event':
      return onEvent(scene, found, body)
  }
}

interface Found {
  readonly overlay: Overlay
  readonly link: Link
}

/** Only a neighbour of a tree that we know says anything about it. */
function linkOf({ state }: RoutingScene, from: NodeId, { place }: LinkMessage): Found | undefined {
  const overlay = state.overlays.find(({ number }) => number === place.overlay)
  const link = overlay?.links.find(({ tree, peer }) => tree === place.tree && peer === from)
  return overlay && link && { overlay, link }
}

function onAnnounce(scene: RoutingScene, { overlay, link }: Found, body: RoutingMessage & { kind: 'announce' }): void {
  hearAnnounce(scene, overlay, link, body)
}

function onAgain(scene: RoutingScene, { overlay, link }: Found): void {
  answerAgain(scene, overlay, link)
}

function onStanding(scene: RoutingScene, { overlay, link }: Found, body: RoutingMessage & { kind: 'standing' }): void {
  hearStanding(scene, overlay, link, body)
}

function onEvent(scene: RoutingScene, { overlay, link }: Found, body: RoutingMessage & { kind: 'event' }): void {
  take(scene, overlay, link, body)
}

function onAsk(scene: RoutingScene, from: NodeId, body: RoutingMessage & { kind: 'ask' }): void {
  answerAsk(scene, from, body)
}

function onAnswer(scene: RoutingScene, from: NodeId, body: RoutingMessage & { kind: 'answer' }): void {
  hearAnswer(scene, from, body)
}

/** Only from its author; it is handed over as any, and the receipt goes at once. */
function onDirect(scene: RoutingScene, from: NodeId, { source, item }: RoutingMessage & { kind: 'direct' }): void {
  if (source.author !== from) return
  accept(scene, OUTSIDE, from, { source, item })
  answerAsk(scene, from, { kind: 'ask', boot: source.boot, counters: [item.counter] })
}

function onCommand(scene: RoutingScene, body: RoutingCommand): void {
  switch (body.kind) {
    case 'subscribe':
      return onSubscribe(scene, body)
    case 'unsubscribe':
      return onUnsubscribe(scene, body.id)
    case 'publish':
      return onPublish(scene, body)
    case 'settle':
      return onSettle(scene, body.id)
    case 'overlay':
      return onOverlay(scene, body)
    case 'changed':
      return onChanged(scene, body)
  }
}

function onSubscribe(scene: RoutingScene, { id, channel, filter }: RoutingCommand & { kind: 'subscribe' }): void {
  const { subscriptions } = scene.state
  const clauses = filter.$any.map(clause => announced(channel, clause))
  const count = [...subscriptions.values()].reduce((sum, one) => sum + one.clauses.length, clauses.length)
  const why =
    subscriptions.size >= SUBSCRIPTIONS_MAX
      ? `there are ${subscriptions.size} subscriptions already, and no more are kept`
      : count > OWN_CLAUSES_MAX
        ? `the subscriptions of this member would have ${count} clauses; ${OWN_CLAUSES_MAX} are kept`
        : undefined
  if (why !== undefined) return scene.turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  subscriptions.set(id, { channel, filter, clauses })
  retellAll(scene, clauses, false)
}

/** A clause as neighbours are told of it: with the channel, and short enough. */
function announced(channel: string, clause: Clause): { readonly key: string; readonly clause: Clause } {
  const test = { op: 'in', not: false, values: [channel] } as const
  // A clause has so many predicates at most, and the channel is one of them.
  const own = clause.slice(0, PREDICATES_MAX - 1)
  const [whole] = normal([fitting([{ attribute: CHANNEL, some: true, tests: [test] }, ...own])])
  return { key: keyOf(whole!), clause: whole! }
}

function onUnsubscribe(scene: RoutingScene, id: number): void {
  if (scene.state.subscriptions.delete(id)) retellAll(scene, [], true)
}

function onPublish(scene: RoutingScene, body: RoutingCommand & { kind: 'publish' }): void {
  publish(scene, body)
}

function onSettle(scene: RoutingScene, id: number): void {
  if (!takeBack(scene, id)) settle(scene, id)
}

function onOverlay(scene: RoutingScene, { record }: RoutingCommand & { kind: 'overlay' }): void {
  addOverlay(scene, record)
}

function onChanged({ state, settings }: RoutingScene, { view }: RoutingCommand & { kind: 'changed' }): void {
  const key = settings.keyOf(view)
  if (key === undefined || view.member === state.self) return
  if (state.keys.has(view.member) || state.keys.size < KEYS_MAX) state.keys.set(view.member, key)
}

function onTimer(scene: RoutingScene, { kind }: ReturnType<typeof routingTimers.due>): void {
  switch (kind) {
    case 'beat':
      return onBeat(scene)
    case 'batch':
      return onBatch(scene)
    case 'ask':
      return onAskTimer(scene)
  }
}

function onBeat(scene: RoutingScene): void {
  forgetOld(scene)
  compareAll(scene)
  routingTimers.set(scene.turn, 'beat', scene.settings.beat)
}

function onBatch({ state }: RoutingScene): void {
  state.batching = false
}

function onAskTimer(scene: RoutingScene): void {
  askAll(scene)
}
