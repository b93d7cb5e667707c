// Opening a ticket (OMA figure 2, lines 12 to 14 and 18 to 26): with the others' shares, and our own, which never
// leaves us.

import { combine, type Element, partialDecryption } from '../../crypto/index.ts'
import { ticketOpened } from './release.ts'
import type { RingScene, RingState } from './state.ts'
import type { RingMessage } from './wire.ts'

/** Also again, of those that have not answered. */
export function askForShares({ state, rules, turn }: RingScene): void {
  const { round, ring, position } = state
  if (round.ticket === undefined || round.opened !== undefined) return
  for (const [place, to] of ring.entries()) {
    if ((place === position && !rules.asksItself()) || round.shares[place] !== undefined) continue
    turn.do({ kind: 'send', to, body: { kind: 'ask', round: round.number, ticket: round.ticket } })
  }
}

/** Figure 2, lines 18 to 26. Late shares belong to a ticket that is no more. */
export function onShare(scene: RingScene, from: number, { round, share }: RingMessage & { kind: 'share' }): void {
  const { state, rules } = scene
  if (round !== state.round.number && !rules.passesUnopened()) return
  openWith(scene, from, share)
  ticketOpened(scene)
}

function openWith(scene: RingScene, from: number, share: Element): void {
  const { state, group, tickets, rules, turn } = scene
  const { round, position, secret } = state
  if (round.ticket === undefined || round.opened !== undefined) return
  round.shares[from] ??= share
  const others = round.shares.filter((one, place) => one !== undefined && place !== position) as Element[]
  if (others.length < state.ring.length - 1) return
  const own = partialDecryption(group, secret!, round.ticket.c1)
  const ticket = tickets.decode(combine(group, round.ticket, rules.sharesToOpen(others, own)))
  if (ticket === undefined) turn.do({ kind: 'emit', event: { kind: 'unreadable', round: round.number } })
  // What is none of the n is treated as a dummy: nobody else has it.
  takeOpened(scene, ticket ?? state.ring.length)
}

/** What is in our ticket is known: a slot is taken if we want one. */
export function takeOpened({ state, settings, turn }: RingScene, ticket: number): void {
  state.round.opened = ticket
  if (ticket >= settings.slots || !wantsSlot(state)) return
  const id = state.waiting.shift()!
  state.seat = { id, ticket }
  turn.do({ kind: 'emit', event: { kind: 'granted', id, slot: ticket, round: state.round.number } })
}

export function wantsSlot(state: RingState): boolean {
  return state.waiting.length > 0 && state.seat === undefined
}
