// What a member remembers. Nothing of it is saved but a mark that there was a first life: keys, permutations and opened
// tickets are secret, and a member without its key has no place in the ring.

import type { Millis, NodeId, Turn } from '../../core/index.ts'
import type { Ciphertext, Element, Group, Scalar } from '../../crypto/index.ts'
import type { PrintedMessage } from './messages.ts'
import type { PrintedRules } from './rules.ts'
import type { PrintedSettings } from './settings.ts'
import type { Tickets } from './tickets.ts'

export type PrintedCommand =
  | { kind: 'request'; id: number }
  /** Lets go of the seat, or no longer wants one. */
  | { kind: 'release'; id: number }

export type PrintedEvent =
  /** grantResource: for this process alone. */
  | { kind: 'granted'; id: number; slot: number; round: number }
  | { kind: 'released'; id: number }
  | { kind: 'refused'; id: number }
  /** Found by nobody in a scheme that works: a ticket that opened to nothing known. */
  | { kind: 'unreadable'; round: number }
  | { kind: 'round'; round: number }

export interface Surroundings {
  readonly settings: PrintedSettings
  readonly group: Group
  readonly tickets: Tickets
  readonly rules: PrintedRules
}

export type PrintedTurn = Turn<PrintedMessage, PrintedEvent>

export interface PrintedState {
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
  round: Round
  /** Asked for in a round that we have not heard of yet, by position: news go round the ring, questions straight. */
  readonly early: Map<number, { readonly round: number; readonly c1: Element }>
}

export interface Round {
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
  /** Came before our ticket was opened. */
  held: (PrintedMessage & { kind: 'release' }) | undefined
  /** As the coordinator: how many were free in the last lap, and the pause before the next. */
  free: number
  pause: Millis
  /** Said last, and said again after a while. */
  said: { readonly to: NodeId; readonly body: PrintedMessage } | undefined
  /** Leaves when the pace allows. */
  leaving: { readonly to: NodeId; readonly body: PrintedMessage } | undefined
  /** What a curious member keeps: where each ticket of its pass came from, with which randomness. Secret. */
  kept: PassSecret | undefined
}

export interface PassSecret {
  /** Place of the output → place of the input. */
  readonly permutation: readonly number[]
  readonly randomness: readonly Scalar[]
  /** Which place of the shuffled list was taken; -1: none. */
  readonly taken: number
}

/**
 * Requests of one process that may wait: no user needs more, and a loop that asks for ever must not fill the memory.
 */
export const WAITING_MAX = 1_024

export function newRound(number: number, members: number): Round {
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

export function coordinatorOf(round: number, members: number): number {
  return round % members
}

/** Who coordinates, as a position; -1: nobody, which the page allows (READINGS OMA 5). */
export function coordinator(around: Surroundings, state: PrintedState): number {
  const { number } = state.round
  const members = state.ring.length
  if (!around.rules.countsFromOne) return coordinatorOf(number, members)
  // As printed: rounds and ids count from 1, and p_i coordinates if i = round mod n.
  return ((number + 1) % members) - 1
}

export function coordinates(around: Surroundings, state: PrintedState): boolean {
  return coordinator(around, state) === state.position
}

/** How far behind the coordinator in the ring; 0 for the coordinator itself. */
export function placeOf(around: Surroundings, state: PrintedState): number {
  const members = state.ring.length
  return (state.position - coordinator(around, state) + members) % members
}

export function nextInRing(state: PrintedState): NodeId {
  return state.ring[(state.position + 1) % state.ring.length]!
}
