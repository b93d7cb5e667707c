// A member that gossips by interest (protocols/interest): it finds those who want something of the same, and passes events on
// round the rings that they form.

import { type NodeId, type Protocol, toHex } from '../../core/index.ts'
import { forgetOld } from '../routing/window.ts'
import { boxesOf } from './boxes.ts'
import { choose, giveUp, goRound, hearExchange, renew } from './gossiping.ts'
import { PEERS_MAX, SUBSCRIPTIONS_MAX } from './limits.ts'
import type { InterestSettings } from './settings.ts'
import { hearGot, lookAfter, publish, take } from './spreading.ts'
import {
  type InterestCommand,
  type InterestEvent,
  type InterestScene,
  type InterestState,
  interestTimers,
} from './state.ts'
import type { InterestMessage } from './wire.ts'

/** A member's gossip by interest, as a protocol. */
export type Interest = Protocol<InterestState, InterestMessage, InterestCommand, InterestEvent>

/** A member that gossips by interest. */
export function interest(settings: InterestSettings): Interest {
  return {
    name: 'interest',
    init: self => blankState(self, settings),
    step(state, input, turn) {
      const scene: InterestScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, interestTimers.due(input.name))
        default:
          return
      }
    },
  }
}

function blankState(self: NodeId, { signer }: InterestSettings): InterestState {
  return {
    self,
    place: 0,
    boot: '',
    counter: 0,
    wishes: new Map(),
    claim: undefined,
    links: new Map(),
    random: new Map(),
    barred: new Map(),
    peers: new Set(),
    keys: new Map([[self, signer.publicKey]]),
    hashed: new Map(),
    asked: new Set(),
    seen: new Map(),
    outgoing: new Map(),
    outgoingBytes: 0,
    outgoingOf: new Map(),
  }
}

const BOOT_BYTES = 16

function onStart(scene: InterestScene): void {
  const { state, settings, turn } = scene
  state.boot = toHex(turn.bytes(BOOT_BYTES))
  renew(scene)
  // Not all at the same moment.
  interestTimers.set(turn, 'round', 1 + turn.below(settings.round))
}

function onMessage(scene: InterestScene, from: NodeId, body: InterestMessage): void {
  switch (body.kind) {
    case 'exchange':
      return onExchange(scene, from, body)
    case 'event':
      return onEvent(scene, from, body)
    case 'got':
      return onGot(scene, from, body)
  }
}

function onExchange(scene: InterestScene, from: NodeId, body: InterestMessage & { kind: 'exchange' }): void {
  hearExchange(scene, from, body)
}

function onEvent(scene: InterestScene, from: NodeId, body: InterestMessage & { kind: 'event' }): void {
  take(scene, from, body)
}

function onGot(scene: InterestScene, from: NodeId, body: InterestMessage & { kind: 'got' }): void {
  hearGot(scene, from, body)
}

function onCommand(scene: InterestScene, body: InterestCommand): void {
  switch (body.kind) {
    case 'subscribe':
      return onSubscribe(scene, body)
    case 'unsubscribe':
      return onUnsubscribe(scene, body.id)
    case 'publish':
      return onPublish(scene, body)
    case 'changed':
      return onChanged(scene, body)
  }
}

function onSubscribe(scene: InterestScene, { id, channel, filter }: InterestCommand & { kind: 'subscribe' }): void {
  const { state, settings, turn } = scene
  if (state.wishes.size >= SUBSCRIPTIONS_MAX) {
    const why = `there are ${state.wishes.size} subscriptions already, and no more are kept`
    return turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
  }
  state.wishes.set(id, { channel, filter, boxes: boxesOf(settings.hash, channel, filter) })
  renew(scene)
  choose(scene, new Map())
}

function onUnsubscribe(scene: InterestScene, id: number): void {
  if (!scene.state.wishes.delete(id)) return
  renew(scene)
  choose(scene, new Map())
}

function onPublish(scene: InterestScene, body: InterestCommand & { kind: 'publish' }): void {
  publish(scene, body)
}

function onChanged(scene: InterestScene, { view }: InterestCommand & { kind: 'changed' }): void {
  const { state, settings } = scene
  const { member, here } = view
  const key = settings.keyOf(view)
  if (key === undefined || member === state.self) return
  if (!here) {
    state.peers.delete(member)
    return giveUp(scene, member)
  }
  if (!state.peers.has(member) && state.peers.size >= PEERS_MAX) return
  state.keys.set(member, key)
  state.peers.add(member)
  // Keys of members that came and went: the oldest go.
  for (const other of state.keys.keys()) {
    if (state.keys.size <= PEERS_MAX) break
    if (other !== state.self && !state.peers.has(other)) state.keys.delete(other)
  }
}

function onTimer(scene: InterestScene, { kind }: ReturnType<typeof interestTimers.due>): void {
  switch (kind) {
    case 'round':
      return onRound(scene)
    case 'patience':
      return onPatience(scene)
  }
}

function onRound(scene: InterestScene): void {
  forgetOld(scene)
  goRound(scene)
  interestTimers.set(scene.turn, 'round', scene.settings.round)
}

function onPatience(scene: InterestScene): void {
  lookAfter(scene)
}
