// LECTURE, "Election in a ring": a list goes round, everybody who is up adds itself, the highest on it leads.
//
// Guarantees that the highest member that is up leads. Two laps: with one member down 2(n-1) hops and one lost, and
// as many acknowledgements, for somebody must notice that a successor is down. Each lap takes n message times.
// Faults: crashes at any time. A list that is lost with its carrier is missed by its initiator, which starts again;
// if the initiator is gone too, the next that misses the coordinator does. Not late messages: a slow successor is
// passed over, and then is not on the list.
//
// Several may start at once (the figure's P3 and P6): their lists go round side by side and come out the same.
// An election has a number drawn at random, so that a member which has forgotten its earlier ones uses none again.

import { type Codec, list, type Millis, uint, variants } from '../../core/index.ts'
import {
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  MEMBERS_MAX,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

export type RingMessage =
  /** First lap. `seen` are the places so far; the first is the initiator's. */
  | { kind: 'election'; number: number; seen: readonly number[] }
  /** Second lap: who is up. */
  | { kind: 'coordinator'; number: number; seen: readonly number[] }
  /** The successor has it, and is not down. */
  | { kind: 'received'; number: number; lap: number }

const NUMBERS = 2 ** 32
const number = uint(NUMBERS - 1)
const seen = list(uint(MEMBERS_MAX - 1), MEMBERS_MAX)
const vocabulary: Codec<RingMessage> = variants<RingMessage>({
  election: { number, seen },
  coordinator: { number, seen },
  received: { number, lap: uint(1) },
})

type Lap = Exclude<RingMessage, { kind: 'received' }>

export interface RingState extends ElectionState {
  /** The number of the own election that is under way. */
  own: number | undefined
  /** Passed on and not yet acknowledged, by number and lap: to whom. */
  readonly passing: Map<string, { readonly body: Lap; readonly to: number }>
  /** The last number and lap of each initiator: a second copy is not passed on. */
  readonly last: Map<number, string>
}

export interface RingSettings {
  readonly timeoutMs: Millis
}

type RingTurn = ElectionTurn<RingMessage>

/** The ring: a list goes round and collects who is up. */
export function ring(settings: RingSettings = { timeoutMs: TIMEOUT_MS }): ElectionAlgorithm<RingState, RingMessage> {
  const { timeoutMs } = settings
  return electionAlgorithm<RingState, RingMessage>(
    {
      name: 'ring',
      init: base => ({ ...base, own: undefined, passing: new Map(), last: new Map() }),
      elect(state, turn) {
        if (state.own === undefined) start(state, timeoutMs, turn)
      },
      message(state, from, body, turn) {
        if (body.kind === 'received') return received(state, from, body.number, body.lap, turn)
        send(state, from, { kind: 'received', number: body.number, lap: lapOf(body) }, turn)
        came(state, body, timeoutMs, turn)
      },
      timer(state, name, turn) {
        if (name === 'lap') return start(state, timeoutMs, turn)
        const held = state.passing.get(name)
        if (held !== undefined) pass(state, held.body, held.to, timeoutMs, turn)
      },
    },
    vocabulary,
  )
}

const lapOf = (body: Lap) => (body.kind === 'election' ? 0 : 1)
const nameOf = (electionNumber: number, lap: number) => `pass ${electionNumber} ${lap}`

function start(state: RingState, timeoutMs: Millis, turn: RingTurn): void {
  state.own = turn.below(NUMBERS)
  state.leader = undefined
  // One member after the other may have to be waited for, in two laps.
  turn.do({ kind: 'timer', name: 'lap', after: 2 * timeoutMs * (state.members.length + 1) })
  pass(state, { kind: 'election', number: state.own, seen: [state.place] }, state.place, timeoutMs, turn)
}

/** Sends it to the next member after `after`: of all in the first lap, of those that are up in the second. */
function pass(state: RingState, body: Lap, after: number, timeoutMs: Millis, turn: RingTurn): void {
  const size = state.members.length
  const name = nameOf(body.number, lapOf(body))
  let next = (after + 1) % size
  while (body.kind === 'coordinator' && next !== state.place && !body.seen.includes(next)) next = (next + 1) % size
  if (next === state.place) {
    // Nobody else is up: what would have come back is here already.
    state.passing.delete(name)
    return body.seen[0] === state.place ? came(state, body, timeoutMs, turn) : undefined
  }
  state.passing.set(name, { body, to: next })
  send(state, next, body, turn)
  turn.do({ kind: 'timer', name, after: timeoutMs })
}

function received(state: RingState, from: number, electionNumber: number, lap: number, turn: RingTurn): void {
  const name = nameOf(electionNumber, lap)
  if (state.passing.get(name)?.to !== from) return
  state.passing.delete(name)
  turn.do({ kind: 'cancel', name })
}

function came(state: RingState, body: Lap, timeoutMs: Millis, turn: RingTurn): void {
  const initiator = body.seen[0]
  if (initiator === undefined) return
  if (initiator === state.place) return cameBack(state, body, timeoutMs, turn)
  const copy = nameOf(body.number, lapOf(body))
  if (state.last.get(initiator) === copy) return
  state.last.set(initiator, copy)
  if (body.kind === 'coordinator') {
    settle(state, highest(body.seen), body.number, turn)
    return pass(state, body, state.place, timeoutMs, turn)
  }
  // Its initiator is gone and nobody stops it: it has been here before.
  if (body.seen.includes(state.place)) return
  pass(state, { ...body, seen: [...body.seen, state.place].slice(0, MEMBERS_MAX) }, state.place, timeoutMs, turn)
}

function cameBack(state: RingState, body: Lap, timeoutMs: Millis, turn: RingTurn): void {
  if (body.number !== state.own) return
  if (body.kind === 'election') {
    // The first copy ends the first lap; a second finds `last` set.
    const copy = nameOf(body.number, 0)
    if (state.last.get(state.place) === copy) return
    state.last.set(state.place, copy)
    return pass(state, { ...body, kind: 'coordinator' }, state.place, timeoutMs, turn)
  }
  state.own = undefined
  turn.do({ kind: 'cancel', name: 'lap' })
  settle(state, highest(body.seen), body.number, turn)
}

function highest(places: readonly number[]): number {
  return places.reduce((best, place) => Math.max(best, place), 0)
}
