// The allocation phase (OMA figures 1 and 2): the request token goes round, everybody takes a ticket, and opens it with
// the others' shares. Everybody takes one, also who wants nothing: taking none would tell.

import { type Ciphertext, combine, type Element, groupKey, partialDecryption, sameBytes } from '../../crypto/index.ts'
import type { PrintedMessage } from './messages.ts'
import {
  coordinates,
  newRound,
  nextInRing,
  type PrintedState,
  type PrintedTurn,
  placeOf,
  type Surroundings,
} from './state.ts'
import { type Means, makeTickets, shuffled } from './tokens.ts'

export const PACE_TIMER = 'pace'
export const LAP_TIMER = 'lap'
export const ROUND_TIMER = 'round'

export function meansOf(around: Surroundings, turn: PrintedTurn): Means {
  return { group: around.group, rules: around.rules, random: length => turn.bytes(length) }
}

/** All keys, by position, once they are there. */
export function allKeys(state: PrintedState): readonly Element[] | undefined {
  return state.keys.every(key => key !== undefined) ? (state.keys as Element[]) : undefined
}

export function wholeKey(around: Surroundings, state: PrintedState): Element {
  return groupKey(around.group, allKeys(state)!)
}

/** Figure 1, lines 04 to 08. */
export function enterRound(around: Surroundings, state: PrintedState, number: number, turn: PrintedTurn): void {
  state.round = newRound(number, state.ring.length)
  // READINGS OMA 4: reset_variables, to the letter, forgets who waits.
  if (around.rules.forgetsRequests) state.waiting = []
  turn.do({ kind: 'emit', event: { kind: 'round', round: number } })
  for (const [from, { round, c1 }] of state.early) if (round === number) askCame(around, state, from, c1, turn)
  state.early.clear()
}

/** Figure 1, lines 09 to 18. */
export function coordinate(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  if (state.round.passed || allKeys(state) === undefined || !coordinates(around, state)) return
  const { tickets, settings, rules } = around
  const members = state.ring.length
  const all = Array.from({ length: members }, (_, ticket) => ticket)
  const own = settings.fairness === 'rotating' ? ownTicket(around, state, turn) : undefined
  // READINGS OMA 7: with m = n there is no dummy to select, and the page does not go on.
  if (own === undefined && settings.fairness === 'rotating' && rules.needsDummy) return
  state.round.passed = true
  const contents = all.filter(ticket => ticket !== own).map(ticket => tickets.encode(ticket))
  const made = makeTickets(meansOf(around, turn), wholeKey(around, state), contents)
  state.round.kept = made.secret
  if (own !== undefined) opened(state, settings.slots, own, turn)
  say(around, state, { kind: 'request', round: state.round.number, tickets: made.tickets }, turn)
}

/** Figure 1, lines 10 to 15: a valid ticket if it wants one, else a dummy, or whatever there is. */
function ownTicket(around: Surroundings, state: PrintedState, turn: PrintedTurn): number | undefined {
  const { slots } = around.settings
  const members = state.ring.length
  if (wants(state)) return turn.below(slots)
  if (slots < members) return slots + turn.below(members - slots)
  return around.rules.needsDummy ? undefined : turn.below(members)
}

function wants(state: PrintedState): boolean {
  return state.waiting.length > 0 && state.seat === undefined
}

type Request = PrintedMessage & { kind: 'request' }

/** Figure 2, lines 02 to 10. */
export function requestCame(around: Surroundings, state: PrintedState, token: Request, turn: PrintedTurn): void {
  const { round } = state
  if (token.tickets.length !== ticketsDue(around, state)) return
  if (coordinates(around, state)) return lapDone(around, state, token.tickets, turn)
  if (round.passed) return
  round.passed = true
  const { tickets, secret } = shuffled(meansOf(around, turn), wholeKey(around, state), token.tickets)
  // select_ticket: drawn again although the list is shuffled, so that neither alone has to be good.
  const taken = around.rules.takesFirst ? 0 : turn.below(tickets.length)
  round.ticket = tickets[taken]!
  round.kept = { ...secret, taken }
  const rest = tickets.filter((_, place) => place !== taken)
  say(around, state, { kind: 'request', round: round.number, tickets: rest }, turn)
  askForShares(around, state, turn)
}

/** With the lottery the coordinator takes what is left. */
function lapDone(around: Surroundings, state: PrintedState, left: readonly Ciphertext[], turn: PrintedTurn): void {
  const { round } = state
  if (!round.passed || round.lap > 0 || round.ticket !== undefined) return
  round.said = undefined
  if (left.length === 0) {
    round.lap = 1
    return turn.do({ kind: 'timer', name: LAP_TIMER, after: 0 })
  }
  round.ticket = left[0]!
  askForShares(around, state, turn)
}

function ticketsDue(around: Surroundings, state: PrintedState): number {
  const members = state.ring.length
  const place = placeOf(around, state)
  const behind = place === 0 ? members : place
  return members - behind + (around.settings.fairness === 'lottery' ? 1 : 0)
}

/** Also again, of those that have not answered. */
export function askForShares(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  const { round, ring, position } = state
  if (round.ticket === undefined || round.opened !== undefined) return
  for (const [place, to] of ring.entries()) {
    // READINGS OMA 8: the own share needs no message, and on the wire it opens the ticket to everybody.
    if ((place === position && !around.rules.asksItself) || round.shares[place] !== undefined) continue
    turn.do({ kind: 'send', to, body: { kind: 'ask', round: round.number, ticket: round.ticket } })
  }
}

/** Figure 2, lines 15 to 17. A share for a point of the asker's choice decrypts for it (READINGS OMA 9). */
export function askCame(around: Surroundings, state: PrintedState, from: number, c1: Element, turn: PrintedTurn): void {
  const { round, secret } = state
  if (!around.rules.sharesAnything) {
    const before = round.asked.get(from)
    if (before !== undefined && !sameBytes(before, c1)) return
    const own = round.ticket !== undefined && sameBytes(round.ticket.c1, c1) && from !== state.position
    if (own) return
    round.asked.set(from, c1)
  }
  const share = partialDecryption(around.group, secret!, c1)
  turn.do({ kind: 'send', to: state.ring[from]!, body: { kind: 'share', round: round.number, share } })
}

/** Figure 2, lines 18 to 26. */
export function shareCame(
  around: Surroundings,
  state: PrintedState,
  from: number,
  share: Element,
  turn: PrintedTurn,
): void {
  const { round, position, secret } = state
  if (round.ticket === undefined || round.opened !== undefined) return
  round.shares[from] ??= share
  const others = round.shares.filter((one, place) => one !== undefined && place !== position) as Element[]
  if (others.length < state.ring.length - 1) return
  const own = partialDecryption(around.group, secret!, round.ticket.c1)
  const shares = around.rules.ownShareTwice ? [...others, own, own] : [...others, own]
  const ticket = around.tickets.decode(combine(around.group, round.ticket, shares))
  if (ticket === undefined) turn.do({ kind: 'emit', event: { kind: 'unreadable', round: round.number } })
  // What is none of the n is treated as a dummy: nobody else has it.
  opened(state, around.settings.slots, ticket ?? state.ring.length, turn)
}

function opened(state: PrintedState, slots: number, ticket: number, turn: PrintedTurn): void {
  state.round.opened = ticket
  if (ticket >= slots || !wants(state)) return
  const id = state.waiting.shift()!
  state.seat = { id, ticket }
  turn.do({ kind: 'emit', event: { kind: 'granted', id, slot: ticket, round: state.round.number } })
}

/** Passes a token on, and again after a while unless something newer comes. */
export function say(around: Surroundings, state: PrintedState, body: PrintedMessage, turn: PrintedTurn): void {
  const { round } = state
  const { settings, rules } = around
  const onTheWay = { to: nextInRing(state), body }
  const work = body.kind === 'release' ? rules.workPerTicket * (1 + (round.opened ?? 0)) : 0
  const after = Math.max(settings.pace, work)
  if (after === 0) return leave(state, onTheWay, turn)
  round.leaving = onTheWay
  turn.do({ kind: 'timer', name: PACE_TIMER, after })
}

export function paceDone(state: PrintedState, turn: PrintedTurn): void {
  const { leaving } = state.round
  state.round.leaving = undefined
  if (leaving !== undefined) leave(state, leaving, turn)
}

function leave(state: PrintedState, onTheWay: NonNullable<PrintedState['round']['said']>, turn: PrintedTurn): void {
  state.round.said = onTheWay
  turn.do({ kind: 'send', ...onTheWay })
}

/** Whether the message comes from the member before us in the ring. */
export function fromBefore(state: PrintedState, from: number): boolean {
  const members = state.ring.length
  return from === (state.position - 1 + members) % members
}
