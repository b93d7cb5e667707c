// SRCEA, algorithms 1 and 2, as printed: for the lab, beside the field's other elections. The product's election is
// another machine, with terms, grants and signed ballots.
//
// Each node has a group view: the attributes of all members, in min-heaps. When the coordinator has failed, every node
// notices by itself (no message says so) and computes the same candidates. One candidate: it announces itself, the
// others verify. Several: everybody ranks them and sends its ballot to each; the candidates count, the winner
// announces itself, and is verified. Then it says now and then that it is alive.
//
// Faults: none. The paper assumes that nodes and links do not fail during an election; if they do, candidates count
// different ballots, and two may announce themselves.
//
// Where the print contradicts itself or cannot be meant, a switch has both readings; see `SrceaSwitches`.

import { type Codec, list, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
import {
  broadcast,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  MEMBERS_MAX,
  send,
  settle,
  TIMEOUT_MS,
} from '../elections/election.ts'
import { type HeapEntry, insert, root, type Ties } from './heap.ts'
import { tally, type Weights } from './tally.ts'

export type SrceaMessage =
  /** M_vote: candidates, the most wanted first. */
  | { kind: 'vote'; order: readonly number[] }
  /** M_iac */
  | { kind: 'coordinator' }
  /** M_v: so the sender says of that member. */
  | { kind: 'verified'; coordinator: number }
  /** M_iaa */
  | { kind: 'alive' }

const place = uint(MEMBERS_MAX - 1)
const vocabulary: Codec<SrceaMessage> = variants<SrceaMessage>({
  vote: { order: list(place, 3) },
  coordinator: {},
  verified: { coordinator: place },
  alive: {},
})

/** Distance from the centre, joining time-stamp, failure count: the smaller the better. */
export const ATTRIBUTES = ['distance', 'joined', 'failures'] as const
export type Attribute = (typeof ATTRIBUTES)[number]
/** A member's values, by attribute. */
export type Attributes = Readonly<Record<Attribute, number>>

/** The errata (readings SRCEA 1 to 6), each with the print and what is meant. */
export interface SrceaSwitches {
  /** Equation 2: first preference 1 (literal) or 3. */
  readonly weights: Weights
  /** Equal values in a heap: by arrival (as printed), or by id. */
  readonly ties: Ties
  /**
   * Who sends M_v to whom: algorithm 2 has the non-candidates tell the coordinator, section 3.2.1 the other candidates
   * tell all, section 3.2 anybody tell all.
   */
  readonly verification: 'algorithm 2' | 'candidates' | 'everybody'
  /** Line 11 encrypts M_vote where M_iac is meant. */
  readonly line11: 'literal' | 'meant'
  /** Line 19, `exit(P1)`: without a verification the first node is the coordinator. Meant: elect again. */
  readonly line19: 'literal' | 'meant'
}

export const meant: SrceaSwitches = {
  weights: 'meant',
  ties: 'id',
  verification: 'algorithm 2',
  line11: 'meant',
  line19: 'meant',
}

/** The symbols of the paper, and the switches for its errata. */
export interface SrceaSettings extends SrceaSwitches {
  /** δ */
  readonly waitMs: Millis
  /** How often a coordinator says that it is alive. 0: never. */
  readonly aliveMs: Millis
  attributes(member: NodeId): Attributes
  /** In which order a voter minds the attributes. The paper does not say; one for all would make all ballots equal. */
  priorities(voter: NodeId): readonly Attribute[]
  /** In which order a node learned of the members: what ties by arrival depend on. */
  arrivals(node: NodeId, members: readonly NodeId[]): readonly NodeId[]
}

/** The election as it is meant. */
export const srceaDefaults: SrceaSettings = {
  ...meant,
  waitMs: TIMEOUT_MS,
  aliveMs: 0,
  attributes: () => ({ distance: 0, joined: 0, failures: 0 }),
  priorities: () => ATTRIBUTES,
  arrivals: (_node, members) => members,
}

export interface SrceaState extends ElectionState {
  /** G_v: one min-heap per attribute. */
  readonly heaps: Readonly<Record<Attribute, HeapEntry[]>>
  electing: boolean
  /** Failed elections in a row. */
  attempts: number
  readonly ballots: Map<number, readonly number[]>
}

/** The paper re-elects without end; here somebody has to ask again after this many rounds. */
const ATTEMPTS_MAX = 3

type SrceaTurn = ElectionTurn<SrceaMessage>

/** The election as printed in SRCEA. */
export function srcea(settings: SrceaSettings = srceaDefaults): ElectionAlgorithm<SrceaState, SrceaMessage> {
  return electionAlgorithm<SrceaState, SrceaMessage>(
    {
      name: 'srcea',
      init: base => ({
        ...base,
        heaps: groupView(base, settings),
        electing: false,
        attempts: 0,
        ballots: new Map(),
      }),
      elect(state, turn) {
        if (state.electing) return
        state.attempts = 0
        begin(state, settings, turn)
      },
      message: (state, from, body, turn) => message(state, from, body, settings, turn),
      timer(state, name, turn) {
        if (name === 'alive') return alive(state, settings, turn)
        if (!state.electing) return
        if (name === 'count') count(state, settings, turn)
        else unverified(state, settings, turn)
      },
    },
    vocabulary,
  )
}

function groupView({ self, members }: ElectionState, settings: SrceaSettings): SrceaState['heaps'] {
  const heaps: Record<Attribute, HeapEntry[]> = { distance: [], joined: [], failures: [] }
  for (const member of settings.arrivals(self, members)) {
    const attributes = settings.attributes(member)
    for (const name of ATTRIBUTES) {
      insert(heaps[name], { value: attributes[name], id: members.indexOf(member) }, settings.ties)
    }
  }
  return heaps
}

/** Algorithm 1: the roots, in the order of the attributes, each once. */
export function candidateSelection(heaps: SrceaState['heaps']): number[] {
  const roots = ATTRIBUTES.map(name => root(heaps[name])).filter(id => id !== undefined)
  return [...new Set(roots)]
}

/** The own ballot: who is best in what matters most, then the next. */
function ranking(state: SrceaState, settings: SrceaSettings): number[] {
  const candidates = candidateSelection(state.heaps)
  const priorities = settings.priorities(state.self)
  const values = new Map(candidates.map(id => [id, settings.attributes(state.members[id]!)]))
  return candidates.sort((a, b) => {
    for (const name of priorities) {
      const difference = values.get(a)![name] - values.get(b)![name]
      if (difference !== 0) return difference
    }
    return a - b
  })
}

function begin(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  state.electing = true
  state.leader = undefined
  const candidates = candidateSelection(state.heaps)
  const stands = candidates.includes(state.place)
  if (candidates.length === 1) {
    if (stands) announce(state, settings, turn)
    return turn.do({ kind: 'timer', name: 'verified', after: 2 * settings.waitMs })
  }
  const order = ranking(state, settings)
  for (const candidate of candidates) {
    if (candidate === state.place) state.ballots.set(candidate, order)
    else send(state, candidate, { kind: 'vote', order }, turn)
  }
  if (stands) turn.do({ kind: 'timer', name: 'count', after: settings.waitMs })
  else turn.do({ kind: 'timer', name: 'verified', after: 3 * settings.waitMs })
}

function announce(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  const alone = candidateSelection(state.heaps).length === 1
  if (alone && settings.line11 === 'literal') broadcast(state, { kind: 'vote', order: [] }, turn)
  else broadcast(state, { kind: 'coordinator' }, turn)
}

/** Lines 32–40. */
function count(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  const candidates = candidateSelection(state.heaps)
  const { winner, enough } = tally(candidates, state.ballots.values(), state.members.length, settings.weights)
  if (!enough) return again(state, settings, turn)
  if (winner === state.place) announce(state, settings, turn)
  turn.do({ kind: 'timer', name: 'verified', after: settings.waitMs })
}

function message(state: SrceaState, from: number, body: SrceaMessage, settings: SrceaSettings, turn: SrceaTurn): void {
  switch (body.kind) {
    case 'vote':
      // Several ballots of one voter: the last counts. The paper does not say.
      if (body.order.length > 0) state.ballots.set(from, body.order)
      return
    case 'coordinator':
      return announced(state, from, settings, turn)
    case 'verified':
      if (body.coordinator === state.place && state.electing) return lead(state, settings, turn)
      return settings.verification === 'algorithm 2' ? undefined : finish(state, body.coordinator, turn)
    case 'alive':
      return
  }
}

/** Lines 21–22 and 41–43: verify, as far as one can, and say so. */
function announced(state: SrceaState, from: number, settings: SrceaSettings, turn: SrceaTurn): void {
  const candidates = candidateSelection(state.heaps)
  if (!candidates.includes(from)) return
  const stands = candidates.includes(state.place)
  const body: SrceaMessage = { kind: 'verified', coordinator: from }
  // Only a candidate has ballots to count; line 43 asks those to verify the count who have not seen one.
  if (stands) {
    const { winner } = tally(candidates, state.ballots.values(), state.members.length, settings.weights)
    if (winner !== from) return
  }
  if (settings.verification === 'everybody' || (settings.verification === 'candidates' && stands)) {
    broadcast(state, body, turn)
  } else if (candidates.length === 1 || (settings.verification === 'algorithm 2' && !stands)) {
    send(state, from, body, turn)
  }
  finish(state, from, turn)
}

function finish(state: SrceaState, leader: number, turn: SrceaTurn): void {
  state.electing = false
  state.ballots.clear()
  turn.do({ kind: 'cancel', name: 'count' })
  turn.do({ kind: 'cancel', name: 'verified' })
  settle(state, leader, state.round + 1, turn)
}

function lead(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  finish(state, state.place, turn)
  if (settings.aliveMs > 0) turn.do({ kind: 'timer', name: 'alive', after: settings.aliveMs })
}

function alive(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  if (state.leader !== state.self) return
  broadcast(state, { kind: 'alive' }, turn)
  turn.do({ kind: 'timer', name: 'alive', after: settings.aliveMs })
}

/** δ has passed: no verification, or no word of a coordinator. */
function unverified(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  const candidates = candidateSelection(state.heaps)
  if (candidates.length === 1) {
    if (settings.line19 === 'literal' && candidates[0] === state.place) return finish(state, 0, turn)
    return again(state, settings, turn)
  }
  // Lines 37–38 say what the winner waits for, and nothing on what it does in vain: with three nodes nobody verifies.
  const { winner, enough } = tally(candidates, state.ballots.values(), state.members.length, settings.weights)
  if (enough && winner === state.place) lead(state, settings, turn)
  else again(state, settings, turn)
}

function again(state: SrceaState, settings: SrceaSettings, turn: SrceaTurn): void {
  state.electing = false
  state.ballots.clear()
  state.attempts++
  if (state.attempts < ATTEMPTS_MAX) begin(state, settings, turn)
}
