// What a member of the ring remembers. Nothing of it is saved but a mark that there was a first life: keys, permutations
// and opened tickets are secret, and a member without its key has no place in the ring.

import { assert, type Millis, type NodeId, type Scene, type Turn, timers } from '../../core/index.ts'
import { type Ciphertext, type Element, type Group, groupKey, type Scalar } from '../../crypto/index.ts'
import type { RingRules } from './rules.ts'
import type { RingSettings } from './settings.ts'
import type { Tickets } from './tickets.ts'
import type { PassSecret } from './tokens.ts'
import type { RingMessage } from './wire.ts'

export type RingCommand =
  | { kind: 'request'; id: number }
  /** Lets go of the seat, or no longer wants one. */
  | { kind: 'release'; id: number }

export type RingEvent =
  /** For this process alone. */
  | { kind: 'granted'; id: number; slot: number; round: number }
  | { kind: 'released'; id: number }
  | { kind: 'refused'; id: number }
  /** Found by nobody in a scheme that works: a ticket that opened to nothing known. */
  | { kind: 'unreadable'; round: number }
  | { kind: 'round'; round: number }

export type RingTurn = Turn<RingMessage, RingEvent>

export interface RingScene extends Scene<RingState, RingSettings, RingMessage, RingEvent> {
  readonly group: Group
  readonly tickets: Tickets
  readonly rules: RingRules
}

/** `lap`: a lap of the release token begins; `pace`: a token may leave; `round`: a round begins; `resend`: say it again. */
export const ringTimers = timers('lap', 'pace', 'round', 'resend')
export type RingTimer = ReturnType<typeof ringTimers.due>['kind']

export interface RingState {
  readonly self: NodeId
  /** In ring order. */
  readonly ring: readonly NodeId[]
  readonly position: number
  /** It came back without its key: it says nothing any more. */
  readonly out: boolean
  secret: Scalar | undefined
  readonly keys: (Element | undefined)[]
  /** Requests that wait, oldest first; they outlive rounds. */
  waiting: number[]
  seat: { readonly id: number; readonly ticket: number } | undefined
  round: RingRound
  /** Asked for in a round that we have not heard of yet, by position: news go round the ring, questions straight. */
  readonly early: Map<number, { readonly round: number; readonly c1: Element }>
}

/** A token on its way to the next member. */
export interface Passing {
  readonly to: NodeId
  readonly body: RingMessage
}

export interface RingRound {
  readonly number: number
  /** The request token was passed on, or made. */
  passed: boolean
  /** Ours, until it is opened. */
  ticket: Ciphertext | undefined
  /** resource: the number of the opened ticket, dummies included; secret. */
  opened: number | undefined
  /** By position; the own place stays empty. */
  readonly shares: (Element | undefined)[]
  /** What each other member has asked for: one point each. */
  readonly asked: Map<number, Element>
  /** The last lap of the release token that we passed on; 0: none. */
  lap: number
  /** A release token that came before our ticket was opened. */
  held: (RingMessage & { kind: 'release' }) | undefined
  /** As the coordinator: how many were free in the last lap, and the pause before the next. */
  free: number
  pause: Millis
  /** Said last, and said again after a while. */
  said: Passing | undefined
  /** Leaves when the pace allows. */
  leaving: Passing | undefined
  /** What a curious member keeps: where each ticket of its pass came from, with which randomness. Secret. */
  kept: PassSecret | undefined
}

/** Requests of one process that may wait: no user needs more, and a loop that asks for ever must not fill the memory. */
export const WAITING_MAX = 1_024

export function newRound(number: number, members: number): RingRound {
  return {
    number,
    passed: false,
    ticket: undefined,
    opened: undefined,
    shares: new Array<Element | undefined>(members).fill(undefined),
    asked: new Map(),
    lap: 0,
    held: undefined,
    free: -1,
    pause: 0,
    said: undefined,
    leaving: undefined,
    kept: undefined,
  }
}

/** What a ring is begun with: alone by its machine, or inside an epoch, which then brings the keys. */
export type NewRing = Pick<RingState, 'self' | 'ring' | 'position' | 'out' | 'secret' | 'keys'>

export function newRing(begun: NewRing): RingState {
  return { ...begun, waiting: [], seat: undefined, round: newRound(0, begun.ring.length), early: new Map() }
}

export function coordinates({ state, rules }: RingScene): boolean {
  return rules.coordinator(state.round.number, state.ring.length) === state.position
}

/** How far behind the coordinator in the ring; 0 for the coordinator itself. */
export function placeOf({ state, rules }: RingScene): number {
  const members = state.ring.length
  return (state.position - rules.coordinator(state.round.number, members) + members) % members
}

export function nextInRing(state: RingState): NodeId {
  return state.ring[(state.position + 1) % state.ring.length]!
}

/** Whether this position is just before ours in the ring. */
export function isJustBefore(state: RingState, position: number): boolean {
  const members = state.ring.length
  return position === (state.position - 1 + members) % members
}

/** All keys, by position, once they are there. */
export function allKeys(state: RingState): readonly Element[] | undefined {
  return state.keys.every(key => key !== undefined) ? (state.keys as Element[]) : undefined
}

export function wholeKey({ group, state }: RingScene): Element {
  return groupKey(group, allKeys(state)!)
}

/** What holds between messages, whatever came. */
export function checkRingState({ ring, position, out, secret, keys, waiting, round, early }: RingState): void {
  const members = ring.length
  assert(position < members && keys.length === members, 'a ring has a place and a key for each member')
  assert(!out || secret === undefined, 'a member that is out of the ring has no key')
  assert(waiting.length <= WAITING_MAX, 'more requests wait than may')
  assert(early.size <= members && round.asked.size <= members, 'each member is remembered to have asked for one point')
  assert(round.shares.length === members, 'one share of each member')
  assert(round.ticket === undefined || round.passed, 'a member has a ticket and still owes the list it took it from')
  assert(round.lap === 0 || round.passed, 'the release token overtook the request token')
  assert(round.held === undefined || round.opened === undefined, 'an opened ticket holds up no token')
}
