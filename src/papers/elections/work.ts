// LECTURE, "Elections by proof of work": the first to solve a puzzle leads, and everybody can check the solution.
//
// Guarantees that all members up agree on one that solved the puzzle of the round, and that the chance to lead is the
// share of all tries. 2(n-1) messages when nobody else solves it meanwhile; 2^K tries, whatever n is.
// Faults: crashes of any number, at any time; messages that are late make more solvers, not more leaders in the end.
//
// The puzzle: h = H_i(m), where m names the round and H_i is the hash of member i (its name goes in first). Find h~
// with H*(H_i(h~ ⊕ h)) having K leading zero bits; ⊕ is the lecture's "predetermined bitwise operation". p = 2^-K.
// The lecture assumes a procedure for several victories; here the smallest h* wins, which all can see.
// `step` tries a few guesses a tick, so that tries a second are a setting and not this machine's speed.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytes, type Codec, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
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

export type WorkMessage =
  /** The race of that round is on. */
  | { kind: 'race'; round: number }
  /** That member has solved it; anybody may pass the solution on. */
  | { kind: 'victory'; round: number; winner: number; guess: Uint8Array }

const HASH_BYTES = 32
const round = uint(COUNT_MAX)
const vocabulary: Codec<WorkMessage> = variants<WorkMessage>({
  race: { round },
  victory: { round, winner: uint(MEMBERS_MAX - 1), guess: bytes(HASH_BYTES) },
})

interface Solution {
  readonly winner: number
  readonly guess: Uint8Array
  readonly hash: Uint8Array
}

export interface WorkState extends ElectionState {
  racing: boolean
  /** The next guess; the first of a round is drawn at random. */
  guess: Uint8Array
  /** Guesses made in this round. */
  tries: number
  /** The smallest solution seen in this round. */
  best: Solution | undefined
}

export interface WorkSettings {
  /** K: leading zero bits. */
  readonly difficulty: number
  readonly tickMs: Millis
  /** How long to wait for other victories. */
  readonly settleMs: Millis
  /** Guesses that a member makes in one tick: its computing power. */
  tries(member: NodeId): number
}

/** A puzzle that a simulated member solves in about a hundred milliseconds. */
export const workDefaults: WorkSettings = { difficulty: 8, tickMs: 1, settleMs: TIMEOUT_MS, tries: () => 2 }

/** What K costs: the mean number of guesses, by all members together. */
export function expectedTries(difficulty: number): number {
  return 2 ** difficulty
}

type WorkTurn = ElectionTurn<WorkMessage>

/** Proof of work: the first to solve a puzzle leads. */
export function proofOfWork(settings: WorkSettings = workDefaults): ElectionAlgorithm<WorkState, WorkMessage> {
  return electionAlgorithm<WorkState, WorkMessage>(
    {
      name: 'proof-of-work',
      init: base => ({ ...base, racing: false, guess: new Uint8Array(HASH_BYTES), tries: 0, best: undefined }),
      elect(state, turn) {
        if (state.racing) return
        race(state, roundAfter(state.round), settings, turn)
        broadcast(state, { kind: 'race', round: state.round }, turn)
      },
      message(state, from, body, turn) {
        if (body.kind === 'race') return called(state, from, body.round, settings, turn)
        claimed(state, body, settings, turn)
      },
      timer(state, name, turn) {
        if (name === 'tick') tick(state, settings, turn)
        else over(state, turn)
      },
    },
    vocabulary,
  )
}

function race(state: WorkState, newRound: number, settings: WorkSettings, turn: WorkTurn): void {
  state.racing = true
  state.leader = undefined
  state.round = newRound
  state.best = undefined
  state.tries = 0
  state.guess = turn.bytes(HASH_BYTES)
  turn.do({ kind: 'cancel', name: 'settle' })
  turn.do({ kind: 'timer', name: 'tick', after: settings.tickMs })
}

function called(state: WorkState, from: number, theirs: number, settings: WorkSettings, turn: WorkTurn): void {
  if (theirs > state.round) return race(state, theirs, settings, turn)
  // It has been away: the result of the newest round is what it looks for.
  if (!state.racing && state.best !== undefined) {
    const { winner, guess } = state.best
    send(state, from, { kind: 'victory', round: state.round, winner, guess }, turn)
  }
}

function tick(state: WorkState, settings: WorkSettings, turn: WorkTurn): void {
  if (!state.racing || state.best !== undefined) return
  for (let left = settings.tries(state.self); left > 0; left--) {
    state.tries++
    const hash = solutionHash(state.self, state.round, state.guess)
    if (leadingZeros(hash) >= settings.difficulty) {
      const { round: own, place, guess } = state
      broadcast(state, { kind: 'victory', round: own, winner: place, guess }, turn)
      return solved(state, { winner: place, guess, hash }, settings, turn)
    }
    state.guess = successor(state.guess)
  }
  turn.do({ kind: 'timer', name: 'tick', after: settings.tickMs })
}

function claimed(
  state: WorkState,
  claim: WorkMessage & { kind: 'victory' },
  settings: WorkSettings,
  turn: WorkTurn,
): void {
  const winner = state.members[claim.winner]
  if (claim.round < state.round || winner === undefined || claim.guess.length !== HASH_BYTES) return
  const hash = solutionHash(winner, claim.round, claim.guess)
  if (leadingZeros(hash) < settings.difficulty) return
  if (claim.round > state.round) race(state, claim.round, settings, turn)
  solved(state, { winner: claim.winner, guess: claim.guess, hash }, settings, turn)
}

function solved(state: WorkState, solution: Solution, settings: WorkSettings, turn: WorkTurn): void {
  const first = state.best === undefined
  if (state.best !== undefined && compare(state.best, solution) <= 0) return
  state.best = solution
  turn.do({ kind: 'cancel', name: 'tick' })
  if (first) turn.do({ kind: 'timer', name: 'settle', after: settings.settleMs })
  // A better one that comes late: better to change one's mind than to disagree.
  else if (!state.racing) settle(state, solution.winner, state.round, turn)
}

function over(state: WorkState, turn: WorkTurn): void {
  state.racing = false
  if (state.best !== undefined) settle(state, state.best.winner, state.round, turn)
}

/** Smaller hash first; the same hash twice is one solution, or somebody found two of SHA-256. */
function compare(a: Solution, b: Solution): number {
  for (let i = 0; i < HASH_BYTES; i++) if (a.hash[i] !== b.hash[i]) return a.hash[i]! - b.hash[i]!
  return a.winner - b.winner
}

const text = new TextEncoder()

/** h* = H*(H_i(h~ ⊕ h)), h = H_i(m): what must begin with K zero bits. */
export function solutionHash(member: NodeId, puzzle: number, guess: Uint8Array): Uint8Array {
  const own = text.encode(`${member}\n`)
  const ownHash = (data: Uint8Array) => sha256(new Uint8Array([...own, ...data]))
  const puzzleHash = ownHash(text.encode(`round ${puzzle}`))
  return sha256(ownHash(puzzleHash.map((byte, place) => byte ^ (guess[place] ?? 0))))
}

/** How many zero bits a hash begins with. */
export function leadingZeros(hash: Uint8Array): number {
  for (let i = 0; i < hash.length; i++) if (hash[i] !== 0) return 8 * i + Math.clz32(hash[i]!) - 24
  return 8 * hash.length
}

function successor(guess: Uint8Array): Uint8Array {
  const next = guess.slice()
  for (let i = next.length - 1; i >= 0; i--) {
    next[i] = (next[i]! + 1) & 0xff
    if (next[i] !== 0) break
  }
  return next
}
