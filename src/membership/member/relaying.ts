// A ping in the place of somebody who had no answer itself. The answer is passed on with the asked member's own signature;
// where there is none, the helper says no in time.

import type { NodeId } from '../../core/index.ts'
import { toHex } from '../../core/index.ts'
import { NONCE_BYTES } from '../wire.ts'
import { toTell } from './gossiping.ts'
import { hearClaims } from './hearing.ts'
import { type MemberScene, type Message, memberTimers, RELAYS_MAX, RELAYS_OF_PEER_MAX } from './state.ts'

/** A helper says no a little before the one who asked stops waiting. */
const NACK_PART = 0.8

/** The name under which a ping for somebody else is remembered. */
export function nameOf(nonce: Uint8Array): string {
  return toHex(nonce)
}

/** Somebody had no answer and asks this member to try. */
export function onPingRequest(scene: MemberScene, from: NodeId, message: Message<'pingRequest'>): void {
  const { state, settings, turn } = scene
  hearClaims(scene, from, message.claims)
  const target = state.members.get(message.target)
  if (target === undefined || target.id === state.self || !mayAsk(scene, from)) return
  const nonce = turn.bytes(NONCE_BYTES)
  state.relays.set(nameOf(nonce), { target: target.id, requester: from, theirNonce: message.nonce })
  const relay = { requester: from, nonce: message.nonce }
  turn.do({ kind: 'send', to: target.id, body: { kind: 'ping', nonce, relay, claims: toTell(scene, target) } })
  const rest = settings.beat.probeEvery - settings.beat.ackMax
  memberTimers.set(turn, 'relay', rest * NACK_PART, nameOf(nonce))
}

/** One that asks without end would else leave nobody to ask for the others. */
function mayAsk({ state: { relays } }: MemberScene, peer: NodeId): boolean {
  if (relays.size >= RELAYS_MAX) return false
  let open = 0
  for (const { requester } of relays.values()) if (requester === peer) open++
  return open < RELAYS_OF_PEER_MAX
}

/** The member that was asked for another has answered. */
export function passOn({ state, turn }: MemberScene, name: string, { voucher }: Message<'ack'>): void {
  const relay = state.relays.get(name)!
  state.relays.delete(name)
  memberTimers.cancel(turn, 'relay', name)
  if (voucher === undefined) return
  turn.do({ kind: 'send', to: relay.requester, body: { kind: 'relayed', nonce: relay.theirNonce, voucher } })
}

/** No answer in time to a ping for another. */
export function onRelay({ state, turn }: MemberScene, name: string): void {
  const relay = state.relays.get(name)
  if (relay === undefined) return
  state.relays.delete(name)
  turn.do({ kind: 'send', to: relay.requester, body: { kind: 'nack', nonce: relay.theirNonce } })
}
