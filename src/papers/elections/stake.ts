// LECTURE, "Elections by proof of stake": draw a token; its owner leads.
//
// Guarantees that all members up agree, that a member's chance is its share of the tokens of those that took part,
// and that everybody can check the draw. 5n - 7 messages with one member down.
// Faults: crashes at any time. Against a liar: nobody can choose its number after seeing another's, for all commit
// first. But who reveals last may keep silent when it dislikes the outcome, and the initiator may leave a number out:
// each has one other outcome to prefer, and is named by the missing number. Only a beacon or delay function stops
// that; it is not here.
//
// The lecture says "draw a random number", not who draws. Here all that answer do: the initiator asks for commitments
// (hashes of random numbers), publishes them, asks for the numbers, publishes those; the hash of all of them is the
// draw. Tokens of members that are down take no part: a dead one could be drawn.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytes, type Codec, list, type Millis, type NodeId, option, struct, uint, variants } from '../../core/index.ts'
import {
  broadcast,
  COUNT_MAX,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  MEMBERS_MAX,
  roundAfter,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

interface Commitment {
  readonly place: number
  readonly hash: Uint8Array
}
interface Entry extends Commitment {
  /** Missing if it was not revealed in time. */
  readonly number: Uint8Array | undefined
}

export type StakeMessage =
  | { kind: 'start'; round: number }
  | { kind: 'commit'; round: number; hash: Uint8Array }
  | { kind: 'commitments'; round: number; entries: readonly Commitment[] }
  | { kind: 'reveal'; round: number; number: Uint8Array }
  | { kind: 'draw'; round: number; entries: readonly Entry[] }
  /** That round is over, or past: start a newer one. */
  | { kind: 'later'; round: number }

const HASH_BYTES = 32
const round = uint(COUNT_MAX)
const place = uint(MEMBERS_MAX - 1)
const hash = bytes(HASH_BYTES)
const vocabulary: Codec<StakeMessage> = variants<StakeMessage>({
  start: { round },
  commit: { round, hash },
  commitments: { round, entries: list(struct<Commitment>({ place, hash }), MEMBERS_MAX) },
  reveal: { round, number: hash },
  draw: { round, entries: list(struct<Entry>({ place, hash, number: option(hash) }), MEMBERS_MAX) },
  later: { round },
})

export interface StakeState extends ElectionState {
  /** Whose draw this member takes part in, in this round. -1: none. */
  initiator: number
  drawing: boolean
  /** The own number, secret until the commitments are published. */
  number: Uint8Array
  /** As published by the initiator; at the initiator itself, what has come in. */
  readonly commitments: Map<number, Uint8Array>
  /** At the initiator: the commitments are out, and numbers come in. */
  published: boolean
  readonly numbers: Map<number, Uint8Array>
}

export interface StakeSettings {
  readonly timeoutMs: Millis
  /** How many tokens a member owns. Everybody knows. */
  tokens(member: NodeId): number
}

/** Commitments, numbers, and the way of five messages: four time-outs, and some for late ones. */
const PATIENCE = 6

type StakeTurn = ElectionTurn<StakeMessage>

/** Proof of stake: the more tokens, the likelier the draw. */
export function proofOfStake(
  settings: StakeSettings = { timeoutMs: TIMEOUT_MS, tokens: () => 1 },
): ElectionAlgorithm<StakeState, StakeMessage> {
  return electionAlgorithm<StakeState, StakeMessage>(
    {
      name: 'proof-of-stake',
      init: base => ({
        ...base,
        initiator: -1,
        drawing: false,
        number: new Uint8Array(HASH_BYTES),
        commitments: new Map(),
        published: false,
        numbers: new Map(),
      }),
      elect(state, turn) {
        if (!state.drawing) start(state, roundAfter(state.round), settings, turn)
      },
      message: (state, from, body, turn) => message(state, from, body, settings, turn),
      timer(state, name, turn) {
        if (!state.drawing) return
        if (name === 'finish') return start(state, roundAfter(state.round), settings, turn)
        if (name === 'collect' && state.initiator === state.place) next(state, settings, turn)
      },
    },
    vocabulary,
  )
}

function start(state: StakeState, newRound: number, settings: StakeSettings, turn: StakeTurn): void {
  join(state, newRound, state.place, settings, turn)
  state.commitments.set(state.place, sha256(state.number))
  broadcast(state, { kind: 'start', round: newRound }, turn)
  turn.do({ kind: 'timer', name: 'collect', after: settings.timeoutMs })
  if (state.members.length === 1) next(state, settings, turn)
}

function join(state: StakeState, newRound: number, initiator: number, settings: StakeSettings, turn: StakeTurn): void {
  state.drawing = true
  state.leader = undefined
  state.round = newRound
  state.initiator = initiator
  state.number = turn.bytes(HASH_BYTES)
  state.commitments.clear()
  state.numbers.clear()
  state.published = false
  turn.do({ kind: 'cancel', name: 'collect' })
  turn.do({ kind: 'timer', name: 'finish', after: PATIENCE * settings.timeoutMs })
}

function message(state: StakeState, from: number, body: StakeMessage, settings: StakeSettings, turn: StakeTurn): void {
  if (body.kind === 'start') return called(state, from, body.round, settings, turn)
  if (body.kind === 'later') {
    const newer = roundAfter(body.round)
    const wanted = state.drawing && state.initiator === state.place && newer > state.round
    return wanted ? start(state, newer, settings, turn) : undefined
  }
  if (body.kind === 'draw') return drawn(state, from, body, settings, turn)
  if (!state.drawing || body.round !== state.round) return
  const collects = state.initiator === state.place
  if (body.kind === 'commitments') return collects ? undefined : published(state, from, body.entries, turn)
  if (!collects) return
  if (body.kind === 'commit') {
    if (state.published) return
    state.commitments.set(from, body.hash)
    return state.commitments.size === state.members.length ? next(state, settings, turn) : undefined
  }
  const promised = state.commitments.get(from)
  if (!state.published || promised === undefined || !same(sha256(body.number), promised)) return
  state.numbers.set(from, body.number)
  if (state.numbers.size === state.commitments.size) next(state, settings, turn)
}

// Of several that start one round, the one with the lowest place goes on; all hear of it, since all were called.
function called(state: StakeState, from: number, theirs: number, settings: StakeSettings, turn: StakeTurn): void {
  if (theirs < state.round || (theirs === state.round && !state.drawing)) {
    return send(state, from, { kind: 'later', round: state.round }, turn)
  }
  if (theirs === state.round && from > state.initiator) return
  if (theirs > state.round || from < state.initiator) join(state, theirs, from, settings, turn)
  send(state, from, { kind: 'commit', round: theirs, hash: sha256(state.number) }, turn)
}

/** At the initiator: all that can be hoped for has come in. */
function next(state: StakeState, settings: StakeSettings, turn: StakeTurn): void {
  const promised = [...state.commitments].sort(([a], [b]) => a - b)
  if (!state.published) {
    state.published = true
    state.numbers.set(state.place, state.number)
    const entries = promised.map(([at, promise]) => ({ place: at, hash: promise }))
    broadcast(state, { kind: 'commitments', round: state.round, entries }, turn)
    turn.do({ kind: 'timer', name: 'collect', after: settings.timeoutMs })
    if (state.numbers.size < state.commitments.size) return
  }
  const entries = promised.map(([at, promise]) => ({ place: at, hash: promise, number: state.numbers.get(at) }))
  broadcast(state, { kind: 'draw', round: state.round, entries }, turn)
  over(state, outcome(state.members, entries, settings), turn)
}

function published(state: StakeState, from: number, entries: readonly Commitment[], turn: StakeTurn): void {
  if (from !== state.initiator) return
  if (state.commitments.size === 0) {
    for (const entry of entries) state.commitments.set(entry.place, entry.hash)
  }
  // Not before the own commitment is among them: a number shown too early is one that others can choose theirs by.
  const own = state.commitments.get(state.place)
  if (own === undefined || !same(own, sha256(state.number))) return
  send(state, from, { kind: 'reveal', round: state.round, number: state.number }, turn)
}

function drawn(
  state: StakeState,
  from: number,
  draw: StakeMessage & { kind: 'draw' },
  settings: StakeSettings,
  turn: StakeTurn,
): void {
  if (draw.round < state.round || (draw.round === state.round && (!state.drawing || from !== state.initiator))) return
  const asPublished =
    draw.round > state.round ||
    [...state.commitments].every(([at, promise]) =>
      draw.entries.some(entry => entry.place === at && same(entry.hash, promise)),
    )
  const leader = outcome(state.members, draw.entries, settings)
  if (!asPublished || leader < 0) return
  state.round = draw.round
  over(state, leader, turn)
}

function over(state: StakeState, leader: number, turn: StakeTurn): void {
  state.drawing = false
  turn.do({ kind: 'cancel', name: 'collect' })
  turn.do({ kind: 'cancel', name: 'finish' })
  settle(state, leader, state.round, turn)
}

/** The place that a draw elects, or -1 if a number does not fit its commitment or nobody has a token. */
export function outcome(members: readonly NodeId[], entries: readonly Entry[], settings: StakeSettings): number {
  const shown = entries.filter(entry => entry.number !== undefined)
  const ordered = entries.every((entry, at) => at === 0 || entries[at - 1]!.place < entry.place)
  const known = shown.every(entry => entry.place < members.length && same(sha256(entry.number!), entry.hash))
  if (!ordered || !known || shown.length === 0) return -1
  const stakes = shown.map(entry => settings.tokens(members[entry.place]!))
  const seed = sha256(new Uint8Array(shown.flatMap(entry => [...entry.number!])))
  const owner = drawOwner(seed, stakes)
  return owner < 0 ? -1 : shown[owner]!.place
}

const DRAW_BYTES = 6
const DRAW_RANGE = 2 ** (8 * DRAW_BYTES)

/**
 * Draws one of all tokens, each with the same chance, and returns the index of its owner; -1 if there are none.
 * The incomplete last block of the range is drawn again, so that no token is favoured.
 */
export function drawOwner(seed: Uint8Array, stakes: readonly number[]): number {
  const total = stakes.reduce((sum, tokens) => sum + tokens, 0)
  if (!(total >= 1 && total <= DRAW_RANGE)) return -1
  const limit = DRAW_RANGE - (DRAW_RANGE % total)
  let digest = seed
  let value = DRAW_RANGE
  while (value >= limit) {
    digest = sha256(digest)
    value = digest.slice(0, DRAW_BYTES).reduce((number, byte) => number * 0x100 + byte, 0)
  }
  let token = value % total
  return stakes.findIndex(tokens => {
    token -= tokens
    return token < 0
  })
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
