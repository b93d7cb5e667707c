// The allocation phase (OMA figures 1 and 2): the request token goes round and everybody takes a ticket, also a member
// that wants nothing: taking none would tell.

import type { Ciphertext } from '../../crypto/index.ts'
import { askForShares, takeOpened, wantsSlot } from './opening.ts'
import { meansOf, pass } from './passing.ts'
import { enterRound } from './rounds.ts'
import { allKeys, coordinates, isJustBefore, placeOf, type RingScene, ringTimers, wholeKey } from './state.ts'
import { makeTickets, shuffled } from './tokens.ts'
import type { RingMessage } from './wire.ts'

/** Figure 1, lines 09 to 18: the coordinator begins the round. */
export function onRound(scene: RingScene): void {
  const { state, tickets, settings, rules } = scene
  if (state.round.passed || allKeys(state) === undefined || !coordinates(scene)) return
  const all = Array.from({ length: state.ring.length }, (_, ticket) => ticket)
  const own = settings.fairness === 'rotating' ? ownTicket(scene) : undefined
  if (own === undefined && settings.fairness === 'rotating') return
  state.round.passed = true
  const contents = all.filter(ticket => ticket !== own).map(ticket => tickets.encode(ticket))
  const made = makeTickets(meansOf(scene), rules, wholeKey(scene), contents)
  state.round.kept = made.secret
  if (own !== undefined) takeOpened(scene, own)
  pass(scene, { kind: 'request', round: state.round.number, tickets: made.tickets })
}

/** Figure 1, lines 10 to 15: a valid ticket if it wants one, else a dummy, or whatever there is. */
function ownTicket({ state, settings, rules, turn }: RingScene): number | undefined {
  const { slots } = settings
  const members = state.ring.length
  if (wantsSlot(state)) return turn.below(slots)
  if (slots < members) return slots + turn.below(members - slots)
  return rules.goesWithoutDummy() ? turn.below(members) : undefined
}

/** Figure 2, lines 02 to 10. A token of a later round says that the last one is over. */
export function onRequest(scene: RingScene, from: number, token: RingMessage & { kind: 'request' }): void {
  const { state, rules, turn } = scene
  if (!isJustBefore(state, from)) return
  if (token.round > state.round.number) enterRound(scene, token.round)
  const { round } = state
  if (token.round !== round.number || token.tickets.length !== ticketsDue(scene)) return
  if (coordinates(scene)) return lapDone(scene, token.tickets)
  if (round.passed) return
  round.passed = true
  const { tickets, secret } = shuffled(meansOf(scene), rules, wholeKey(scene), token.tickets)
  const taken = rules.takes(tickets.length, bound => turn.below(bound))
  round.ticket = tickets[taken]!
  round.kept = { ...secret, taken }
  const rest = tickets.filter((_, place) => place !== taken)
  pass(scene, { kind: 'request', round: round.number, tickets: rest })
  askForShares(scene)
}

/** With the lottery the coordinator takes what is left. */
function lapDone(scene: RingScene, left: readonly Ciphertext[]): void {
  const { round } = scene.state
  if (!round.passed || round.lap > 0 || round.ticket !== undefined) return
  round.said = undefined
  if (left.length === 0) {
    round.lap = 1
    return ringTimers.set(scene.turn, 'lap', 0)
  }
  round.ticket = left[0]!
  askForShares(scene)
}

function ticketsDue(scene: RingScene): number {
  const members = scene.state.ring.length
  const place = placeOf(scene)
  const behind = place === 0 ? members : place
  return members - behind + (scene.settings.fairness === 'lottery' ? 1 : 0)
}
