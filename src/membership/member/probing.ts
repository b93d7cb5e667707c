// Who is still there: SWIM's probe. Everybody is asked in turn. A member that does not answer is asked through others; one
// that does not answer them either is suspected. Lifeguard: a member whose own probes fail doubts itself first, and asks
// more slowly.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import { voucherBytes } from '../claims.ts'
import { awareness, doubt } from '../suspicion.ts'
import { moved } from '../vivaldi.ts'
import { type MembershipMessage, NONCE_BYTES } from '../wire.ts'
import { suspect } from './accusing.ts'
import { riding, toTell } from './gossiping.ts'
import { hearClaims } from './hearing.ts'
import { measure } from './measuring.ts'
import { nameOf, passOn } from './relaying.ts'
import { isHere, type Member, type MemberScene, type Message, memberTimers } from './state.ts'
import { someOthers, watchingDistance } from './views.ts'

/** Angles in a circle, for chance. */
const ANGLES = 1_024

/** A member that doubts itself takes more time for everything. */
function slowed({ state, settings }: MemberScene, time: Millis): Millis {
  return settings.lifeguard.awareness ? time * (1 + state.awareness) : time
}

/** One beat: what became of the last probe, then the next. */
export function onProbe(scene: MemberScene): void {
  const { state, settings, turn } = scene
  if (state.leaving) return
  endProbe(scene)
  memberTimers.set(turn, 'probe', slowed(scene, settings.beat.probeEvery))
  const target = nextTarget(scene)
  if (target === undefined) return
  const nonce = turn.bytes(NONCE_BYTES)
  state.probe = { target: target.id, nonce, sentAt: turn.now, answered: false, helpers: [], nacks: [] }
  turn.do({
    kind: 'send',
    to: target.id,
    body: { kind: 'ping', nonce, relay: undefined, claims: toTell(scene, target) },
  })
  memberTimers.set(turn, 'answer', slowed(scene, settings.beat.ackMax))
}

function nextTarget(scene: MemberScene): Member | undefined {
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

function endProbe(scene: MemberScene): void {
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
export function onAnswer(scene: MemberScene): void {
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

export function onPing(scene: MemberScene, from: NodeId, message: Message<'ping'>): void {
  const { state, settings, turn } = scene
  hearClaims(scene, from, message.claims)
  const { nonce, relay } = message
  const { group, signer } = settings
  const voucher = relay && signer.sign(voucherBytes(group, state.self, relay.requester, relay.nonce))
  const { coordinate } = state
  turn.do({ kind: 'send', to: from, body: { kind: 'ack', nonce, voucher, coordinate, claims: riding(scene) } })
}

/** Whether the peer answers a question that is open: let through also where it talks too much. */
export function isAwaited({ state }: MemberScene, from: NodeId, message: MembershipMessage): boolean {
  if (message.kind !== 'ack') return false
  const own = state.probe !== undefined && state.probe.target === from && sameBytes(state.probe.nonce, message.nonce)
  return own || state.relays.get(nameOf(message.nonce))?.target === from
}

export function onAck(scene: MemberScene, from: NodeId, message: Message<'ack'>): void {
  const { state, turn } = scene
  hearClaims(scene, from, message.claims)
  const relay = state.relays.get(nameOf(message.nonce))
  if (relay?.target === from) return passOn(scene, nameOf(message.nonce), message)
  const { probe: current } = state
  if (current?.target !== from || !sameBytes(current.nonce, message.nonce) || current.answered) return
  answered(scene)
  const member = state.members.get(from)
  if (member === undefined) return
  const roundTripMs = turn.now - current.sentAt
  member.coordinate = message.coordinate
  const angle = (turn.below(ANGLES) / ANGLES) * 2 * Math.PI
  state.coordinate = moved(state.coordinate, message.coordinate, roundTripMs, angle)
  watchingDistance(scene, member, () => measure(scene, member, roundTripMs))
}

function answered({ state, turn, settings }: MemberScene): void {
  state.probe!.answered = true
  memberTimers.cancel(turn, 'answer')
  if (settings.lifeguard.awareness) state.awareness = awareness(state.awareness, -1)
}

/** A third party brings the answer: it counts with the member's own signature only. */
export function onRelayed(scene: MemberScene, from: NodeId, message: Message<'relayed'>): void {
  const { state, settings } = scene
  const { probe: current } = state
  if (current === undefined || current.answered || !sameBytes(current.nonce, message.nonce)) return
  if (!current.helpers.includes(from)) return
  const key = state.members.get(current.target)?.key
  if (key === undefined) return
  const words = voucherBytes(settings.group, current.target, state.self, current.nonce)
  if (!settings.rules.counts(settings.signatures.verify(key, words, message.voucher))) return
  answered(scene)
}

export function onNack({ state }: MemberScene, from: NodeId, message: Message<'nack'>): void {
  const { probe: current } = state
  if (current === undefined || !sameBytes(current.nonce, message.nonce)) return
  if (current.helpers.includes(from) && !current.nacks.includes(from)) current.nacks.push(from)
}
