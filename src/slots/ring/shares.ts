// Shares for others (OMA figure 2, lines 15 to 17): one point for each asker, and never our own ticket's.

import { type Element, partialDecryption } from '../../crypto/index.ts'
import type { RingScene } from './state.ts'
import type { RingMessage } from './wire.ts'

type Ask = RingMessage & { kind: 'ask' }

/** Questions go straight and the news of a round goes round the ring: one that is early is kept. */
export function onAsk(scene: RingScene, from: number, { round, ticket }: Ask): void {
  const { state } = scene
  if (round > state.round.number) state.early.set(from, { round, c1: ticket.c1 })
  else if (round === state.round.number) giveShare(scene, from, ticket.c1)
}

export function giveShare({ state, rules, group, turn }: RingScene, from: number, c1: Element): void {
  const { round, secret } = state
  const own = from === state.position ? undefined : round.ticket?.c1
  if (!rules.mayShare(c1, round.asked.get(from), own)) return
  round.asked.set(from, c1)
  const share = partialDecryption(group, secret!, c1)
  turn.do({ kind: 'send', to: state.ring[from]!, body: { kind: 'share', round: round.number, share } })
}
