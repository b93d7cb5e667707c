// Who is still there: SWIM's probe. Everybody is asked in turn; who does not answer is asked through others; who does not
// answer them either is suspected. Lifeguard: a member whose own probes fail doubts itself first, and asks more slowly.

import type { Millis, NodeId } from '../core/index.ts'
import { suspect } from './accusing.ts'
import { type Claim, voucherBytes } from './claims.ts'
import { hearAll } from './hearing.ts'
import { type MembershipMessage, NONCE_BYTES } from './messages.ts'
import { nextClaims } from './queue.ts'
import { isHere, type Member, RELAYS_MAX, type Scene } from './state.ts'
import { awareness, doubt, retransmissions } from './suspicion.ts'
import { groupSize, someOthers, watchingDistance } from './views.ts'
import { moved } from './vivaldi.ts'
import { measure } from './vouching.ts'

type Message<K extends MembershipMessage['kind']> = Extract<MembershipMessage, { kind: K }>

/** Claims that ride on a ping or an answer: a message stays within a few packets. */
const RIDING_MAX = 16
export const RIDING_BYTES_MAX = 2_500
/** A helper says no a little before the one who asked stops waiting. */
const NACK_PART = 0.8
/** Angles in a circle, for chance. */
const ANGLES = 1_024

/** What is to be told next, as far as it fits. */
export function riding(scene: Scene, first: readonly Claim[] = []): readonly Claim[] {
  const { state, settings } = scene
  const limit = retransmissions(settings.beat, groupSize(scene))
  const rest = nextClaims(state.queue, RIDING_MAX - first.length, RIDING_BYTES_MAX, limit)
  return first.length === 0 ? rest : [...first, ...rest.filter(claim => !first.includes(claim))]
}

/** A member that doubts itself takes more time for everything. */
function slowed({ state, settings }: Scene, time: Millis): Millis {
  return settings.lifeguard.awareness ? time * (1 + state.awareness) : time
}

/** One beat: what became of the last probe, then the next. */
export function probe(scene: Scene): void {
  const { state, settings, turn } = scene
  endProbe(scene)
  turn.do({ kind: 'timer', name: 'probe', after: slowed(scene, settings.beat.probeEvery) })
  const target = nextTarget(scene)
  if (target === undefined) return
  const nonce = turn.bytes(NONCE_BYTES)
  state.probe = { target: target.id, nonce, sentAt: turn.now, answered: false, helpers: [], nacks: [] }
  turn.do({
    kind: 'send',
    to: target.id,
    body: { kind: 'ping', nonce, relay: undefined, claims: toTell(scene, target) },
  })
  turn.do({ kind: 'timer', name: 'answer', after: slowed(scene, settings.beat.ackMax) })
}

// A suspected member learns of it from whoever asks it, and need not wait for gossip to reach it.
function toTell(scene: Scene, target: Member): readonly Claim[] {
  if (target.status !== 'suspect' || !scene.settings.lifeguard.buddy) return riding(scene)
  return riding(scene, [...target.accusers.values()].slice(0, 1))
}

function nextTarget(scene: Scene): Member | undefined {
  const { state, turn } = scene
  for (const early of state.witnessed.splice(0, 1)) {
    const member = state.members.get(early)
    if (member?.status === 'suspect') return member
  }
  for (let tries = 0; tries <= state.others.length; tries++) {
    if (state.round.length === 0) state.round = shuffled(state.others, bound => turn.below(bound))
    const id = state.round.pop()
    const member = id === undefined ? undefined : state.members.get(id)
    if (isHere(member) && member.id !== state.self) return member
  }
  return undefined
}

function shuffled(ids: readonly NodeId[], below: (bound: number) => number): NodeId[] {
  const order = [...ids]
  for (let place = order.length - 1; place > 0; place--) {
    const other = below(place + 1)
    const moving = order[place]!
    order[place] = order[other]!
    order[other] = moving
  }
  return order
}

function endProbe(scene: Scene): void {
  const { state, settings } = scene
  const { probe: last } = state
  state.probe = undefined
  if (last === undefined || last.answered) return
  if (settings.lifeguard.awareness) {
    state.awareness = awareness(state.awareness, doubt(last.helpers.length, last.nacks.length))
  }
  const member = state.members.get(last.target)
  if (isHere(member)) suspect(scene, member)
}

/** No direct answer in time: others are asked to try. */
export function askHelpers(scene: Scene): void {
  const { state, settings, turn } = scene
  const { probe: current } = state
  if (current === undefined || current.answered) return
  const count = settings.rules.helpers(settings.beat.helpers)
  current.helpers = someOthers(scene, count, [current.target])
  const { target, nonce } = current
  for (const to of current.helpers) {
    turn.do({ kind: 'send', to, body: { kind: 'pingRequest', nonce, target, claims: riding(scene) } })
  }
}

export function hearPing(scene: Scene, from: NodeId, message: Message<'ping'>): void {
  const { state, settings, turn } = scene
  hearAll(scene, from, message.claims)
  const { nonce, relay } = message
  const { group, signer } = settings
  const voucher = relay && signer.sign(voucherBytes(group, state.self, relay.requester, relay.nonce))
  const { coordinate } = state
  turn.do({ kind: 'send', to: from, body: { kind: 'ack', nonce, voucher, coordinate, claims: riding(scene) } })
}

/** Whether the peer answers a question that is open: let through also where it talks too much. */
export function isAwaited({ state }: Scene, from: NodeId, message: MembershipMessage): boolean {
  if (message.kind !== 'ack') return false
  const own = state.probe !== undefined && state.probe.target === from && sameNonce(state.probe.nonce, message.nonce)
  return own || state.relays.get(nameOf(message.nonce))?.target === from
}

export function hearAck(scene: Scene, from: NodeId, message: Message<'ack'>): void {
  const { state, turn } = scene
  hearAll(scene, from, message.claims)
  const relay = state.relays.get(nameOf(message.nonce))
  if (relay?.target === from) return passOn(scene, nameOf(message.nonce), message)
  const { probe: current } = state
  if (current?.target !== from || !sameNonce(current.nonce, message.nonce) || current.answered) return
  answered(scene)
  const member = state.members.get(from)
  if (member === undefined) return
  const roundTripMs = turn.now - current.sentAt
  member.coordinate = message.coordinate
  const angle = (turn.below(ANGLES) / ANGLES) * 2 * Math.PI
  state.coordinate = moved(state.coordinate, message.coordinate, roundTripMs, angle)
  watchingDistance(scene, member, () => measure(scene, member, roundTripMs))
}

function answered({ state, turn, settings }: Scene): void {
  state.probe!.answered = true
  turn.do({ kind: 'cancel', name: 'answer' })
  if (settings.lifeguard.awareness) state.awareness = awareness(state.awareness, -1)
}

/** Asks in the place of another, and says no in time if there is no answer. */
export function hearPingRequest(scene: Scene, from: NodeId, message: Message<'pingRequest'>): void {
  const { state, settings, turn } = scene
  hearAll(scene, from, message.claims)
  const target = state.members.get(message.target)
  if (target === undefined || target.id === state.self || state.relays.size >= RELAYS_MAX) return
  const nonce = turn.bytes(NONCE_BYTES)
  state.relays.set(nameOf(nonce), { target: target.id, requester: from, theirNonce: message.nonce })
  const relay = { requester: from, nonce: message.nonce }
  turn.do({ kind: 'send', to: target.id, body: { kind: 'ping', nonce, relay, claims: toTell(scene, target) } })
  const rest = settings.beat.probeEvery - settings.beat.ackMax
  turn.do({ kind: 'timer', name: `relay:${nameOf(nonce)}`, after: rest * NACK_PART })
}

function passOn({ state, turn }: Scene, name: string, { voucher }: Message<'ack'>): void {
  const relay = state.relays.get(name)!
  state.relays.delete(name)
  turn.do({ kind: 'cancel', name: `relay:${name}` })
  if (voucher === undefined) return
  turn.do({ kind: 'send', to: relay.requester, body: { kind: 'relayed', nonce: relay.theirNonce, voucher } })
}

export function relayEnded({ state, turn }: Scene, name: string): void {
  const relay = state.relays.get(name)
  if (relay === undefined) return
  state.relays.delete(name)
  turn.do({ kind: 'send', to: relay.requester, body: { kind: 'nack', nonce: relay.theirNonce } })
}

/** A third party brings the answer: it counts with the member's own signature only. */
export function hearRelayed(scene: Scene, from: NodeId, message: Message<'relayed'>): void {
  const { state, settings } = scene
  const { probe: current } = state
  if (current === undefined || current.answered || !sameNonce(current.nonce, message.nonce)) return
  if (!current.helpers.includes(from)) return
  const key = state.members.get(current.target)?.key
  if (key === undefined) return
  const words = voucherBytes(settings.group, current.target, state.self, current.nonce)
  if (!settings.rules.counts(settings.signatures.verify(key, words, message.voucher))) return
  answered(scene)
}

export function hearNack({ state }: Scene, from: NodeId, message: Message<'nack'>): void {
  const { probe: current } = state
  if (current === undefined || !sameNonce(current.nonce, message.nonce)) return
  if (current.helpers.includes(from) && !current.nacks.includes(from)) current.nacks.push(from)
}

/** While there is something to tell, it is told to a few at random; a suspected member is as good as any. */
export function gossip(scene: Scene): void {
  const { state, settings, turn } = scene
  const { gossipFanout, gossipEvery } = settings.beat
  const chosen = someOthers(scene, gossipFanout)
  let told = false
  for (const to of chosen) {
    const claims = riding(scene)
    if (claims.length === 0) break
    told = true
    turn.do({ kind: 'send', to, body: { kind: 'gossip', claims } })
  }
  state.gossiping = told
  if (told) turn.do({ kind: 'timer', name: 'gossip', after: gossipEvery })
}

function nameOf(nonce: Uint8Array): string {
  let name = ''
  for (const byte of nonce) name += byte.toString(16).padStart(2, '0')
  return name
}

function sameNonce(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, place) => byte === b[place])
}
