// What is to be told goes along with every message, and in messages of its own while there is something to tell.

import type { NodeId } from '../../core/index.ts'
import type { Claim } from '../claims.ts'
import { retransmissions } from '../suspicion.ts'
import { hearClaims } from './hearing.ts'
import { nextClaims } from './queue.ts'
import { type Member, type MemberScene, type Message, memberTimers } from './state.ts'
import { groupSize, someOthers } from './views.ts'

/** Claims that ride on a ping or an answer: a message stays within a few packets. */
const RIDING_MAX = 16
const RIDING_BYTES_MAX = 2_500

/** What is to be told next, as far as it fits. */
export function riding(scene: MemberScene, first: readonly Claim[] = []): readonly Claim[] {
  const { state, settings } = scene
  const limit = retransmissions(settings.beat, groupSize(scene))
  const rest = nextClaims(state.queue, RIDING_MAX - first.length, RIDING_BYTES_MAX, limit)
  return first.length === 0 ? rest : [...first, ...rest.filter(claim => !first.includes(claim))]
}

// A suspected member learns of it from each that asks it, and need not wait for gossip to reach it.
export function toTell(scene: MemberScene, target: Member): readonly Claim[] {
  if (target.status !== 'suspect' || !scene.settings.lifeguard.buddy) return riding(scene)
  return riding(scene, [...target.accusers.values()].slice(0, 1))
}

export function onGossip(scene: MemberScene, from: NodeId, { claims }: Message<'gossip'>): void {
  hearClaims(scene, from, claims)
}

/** While there is something to tell, it is told to a few at random; a suspected member is as good as any. */
export function onGossipTimer(scene: MemberScene): void {
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
  if (told) memberTimers.set(turn, 'gossip', gossipEvery)
}
