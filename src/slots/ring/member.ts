// Oblivious assignment as the paper has it (OMA §5, figures 1 to 7), corrected: levels `curious` and `strong`. For
// the lab, and for members of whom each follows the protocol. The default of the product is ../verified.
//
// Guarantees: distinct slots, always; with the rotating coordinator whoever asks is served within n rounds, if no
// member stops for good. Members that follow the protocol, up to n - 2 of them together, do not learn who has which
// slot. Faults: messages may be lost, repeated, late and out of order. A member that restarts has lost its key and
// stays out: the ring then stands still. One that deviates may open the others' tickets: README.md has both attacks.
//
// The idea: n tickets go round, of which m mean slots. Each member shuffles them, encrypts them anew, takes one and
// passes the others on. A ticket opens with the shares of all the others and one's own, and the own one never leaves
// the house.

import { type NodeId, type Protocol, unreachable } from '../../core/index.ts'
import { type Element, type Group, keyPair, sameBytes } from '../../crypto/index.ts'
import type { PrintedMessage } from './messages.ts'
import { beginLap, newRoundCame, releaseCame, ticketOpened } from './release.ts'
import {
  allKeys,
  askCame,
  askForShares,
  coordinate,
  enterRound,
  fromBefore,
  LAP_TIMER,
  PACE_TIMER,
  paceDone,
  ROUND_TIMER,
  requestCame,
  shareCame,
} from './request.ts'
import { type PrintedRules, printedRules } from './rules.ts'
import { checkPrinted, type PrintedSettings } from './settings.ts'
import {
  newRound,
  type PrintedCommand,
  type PrintedEvent,
  type PrintedState,
  type PrintedTurn,
  type Surroundings,
  WAITING_MAX,
} from './state.ts'
import { type Tickets, tableTickets } from './tickets.ts'

export interface PrintedOptions {
  readonly settings: PrintedSettings
  readonly members: number
  readonly group: Group
  readonly tickets?: Tickets
  readonly rules?: Partial<PrintedRules>
}

export type PrintedSlots = Protocol<PrintedState, PrintedMessage, PrintedCommand, PrintedEvent>

const RESEND_TIMER = 'resend'
/** There was a life before: its key is lost. */
const MARK = new Uint8Array([1])

/** `peers` of each member is the whole ring, itself included, in the same order for all. */
export function printedSlots(options: PrintedOptions): PrintedSlots {
  const { settings, members, group } = options
  checkPrinted(settings, members)
  const tickets = options.tickets ?? tableTickets(group, members)
  const rules = { ...printedRules, ...options.rules }
  const around: Surroundings = { settings, group, tickets, rules }
  return {
    name: `slots, ${settings.level}, as printed`,
    init: (self, ring, saved) => ({
      self,
      ring,
      position: ring.indexOf(self),
      out: (saved.get('') ?? []).length > 0 && !rules.restartsAnew,
      secret: rules.restartsAnew ? saved.get('')?.[0] : undefined,
      keys: ring.map(() => undefined),
      waiting: [],
      seat: undefined,
      round: newRound(0, ring.length),
      early: new Map(),
    }),
    step(state, input, turn) {
      if (state.out) return input.kind === 'command' ? refuse(input.body.id, turn) : undefined
      switch (input.kind) {
        case 'start':
          return start(around, state, turn)
        case 'message':
          return hear(around, state, input.from, input.body, turn)
        case 'command':
          return command(state, input.body, turn)
        case 'timer':
          return timer(around, state, input.name, turn)
        case 'stop':
          return
      }
    },
  }
}

function start(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  const { group, rules } = around
  state.secret ??= keyPair(group, length => turn.bytes(length)).secret
  state.keys[state.position] = group.multiplyBase(state.secret)
  // READINGS OMA 11: the repair that comes to mind, a saved key, brings back the member but not what it knew.
  turn.do({ kind: 'save', record: rules.restartsAnew ? state.secret : MARK })
  sendKey(state, true, turn)
  turn.do({ kind: 'timer', name: RESEND_TIMER, after: around.settings.patience })
}

function sendKey(state: PrintedState, again: boolean, turn: PrintedTurn): void {
  for (const to of state.ring) if (to !== state.self) sendKeyTo(state, to, again, turn)
}

function sendKeyTo(state: PrintedState, to: NodeId, again: boolean, turn: PrintedTurn): void {
  turn.do({ kind: 'send', to, body: { kind: 'key', publicKey: state.keys[state.position]!, again } })
}

function command(state: PrintedState, asked: PrintedCommand, turn: PrintedTurn): void {
  const { id } = asked
  switch (asked.kind) {
    case 'request':
      if (state.waiting.length >= WAITING_MAX) return refuse(id, turn)
      state.waiting.push(id)
      return
    case 'release':
      if (state.seat?.id === id) state.seat = undefined
      state.waiting = state.waiting.filter(one => one !== id)
      return turn.do({ kind: 'emit', event: { kind: 'released', id } })
    default:
      return unreachable(asked, 'command')
  }
}

function refuse(id: number, turn: PrintedTurn): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id } })
}

function hear(around: Surroundings, state: PrintedState, from: NodeId, body: PrintedMessage, turn: PrintedTurn): void {
  const place = state.ring.indexOf(from)
  if (place < 0) return
  if (body.kind === 'key') return keyCame(around, state, place, body.publicKey, body.again, turn)
  if (allKeys(state) === undefined) return
  if (body.kind === 'newRound')
    return fromBefore(state, place) ? newRoundCame(around, state, body.round, turn) : undefined
  if (body.kind === 'request') meet(around, state, place, body.round, turn)
  if (body.kind === 'ask' && body.round > state.round.number) {
    state.early.set(place, { round: body.round, c1: body.ticket.c1 })
    return
  }
  // READINGS OMA 3: late shares belong to a ticket that is no more.
  const late = body.kind === 'share' && around.rules.passesUnopened
  if (body.round !== state.round.number && !late) return
  switch (body.kind) {
    case 'request':
      return fromBefore(state, place) ? requestCame(around, state, body, turn) : undefined
    case 'release':
      return fromBefore(state, place) ? releaseCame(around, state, body, turn) : undefined
    case 'ask':
      return askCame(around, state, place, body.ticket.c1, turn)
    case 'share':
      shareCame(around, state, place, body.share, turn)
      return ticketOpened(around, state, turn)
    default:
      return unreachable(body, 'message')
  }
}

/** A request token of a later round says that the last one is over. */
function meet(around: Surroundings, state: PrintedState, from: number, round: number, turn: PrintedTurn): void {
  if (!fromBefore(state, from)) return
  // READINGS OMA 11: with no numbers on the tokens, one that begins again is believed.
  const again = around.rules.restartsAnew && round < state.round.number
  if (round > state.round.number || again) enterRound(around, state, round, turn)
}

/** The first key of a member is its key: another one would make tickets that nobody can open. */
function keyCame(
  around: Surroundings,
  state: PrintedState,
  from: number,
  key: Element,
  again: boolean,
  turn: PrintedTurn,
): void {
  const known = state.keys[from]
  if (known !== undefined && !sameBytes(known, key)) return
  state.keys[from] = key
  if (again && from !== state.position) sendKeyTo(state, state.ring[from]!, false, turn)
  if (state.round.number === 0) coordinate(around, state, turn)
}

function timer(around: Surroundings, state: PrintedState, name: string, turn: PrintedTurn): void {
  if (name === LAP_TIMER) return beginLap(around, state, turn)
  if (name === PACE_TIMER) return paceDone(state, turn)
  if (name === ROUND_TIMER) return coordinate(around, state, turn)
  turn.do({ kind: 'timer', name: RESEND_TIMER, after: around.settings.patience })
  if (allKeys(state) === undefined) return sendKey(state, true, turn)
  askForShares(around, state, turn)
  const { said } = state.round
  if (said !== undefined) turn.do({ kind: 'send', ...said })
}
