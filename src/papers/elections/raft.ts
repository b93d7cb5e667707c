// LECTURE, "Leader election in Raft": volunteer for the next term, vote once a term, a majority leads.
//
// Guarantees at most one leader a term, whatever is lost, late, cut off or restarted: a vote is on disk before it is
// sent. Somebody leads once a majority is up and hears each other. It promises nothing on who. 3n - 4 messages when
// one volunteers and one is down.
// Faults: anything but liars.
//
// As the lecture has it, a leader that hears a volunteer answers that it still leads, and the volunteer goes back;
// in Raft proper it would step down. So the term one follows and the highest term one has voted in are two numbers,
// and only the second never goes back. Members wait for different times before they volunteer, drawn at random.

import { type Codec, decode, encode, type Millis, type Saved, struct, uint, variants } from '../../core/index.ts'
import {
  broadcast,
  COUNT_MAX,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  majority,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

export type RaftMessage =
  | { kind: 'volunteer'; term: number }
  | { kind: 'vote'; term: number }
  | { kind: 'heartbeat'; term: number }
  /** To a volunteer: the leader of that term is still there. */
  | { kind: 'still'; term: number }

const term = uint(COUNT_MAX)
const vocabulary: Codec<RaftMessage> = variants<RaftMessage>({
  volunteer: { term },
  vote: { term },
  heartbeat: { term },
  still: { term },
})
const record = struct({ term })

export interface RaftState extends ElectionState {
  role: 'follower' | 'candidate' | 'leader'
  /** The highest term voted in, on disk before the vote is out. `round` is the term of the leader followed. */
  voted: number
  /** Who voted for this member in its term `voted`. Empty unless it is a candidate. */
  readonly votes: Map<number, true>
  /** A time to volunteer is set. */
  waiting: boolean
}

export interface RaftSettings {
  /** How long a candidate waits for votes, and a follower for its leader, at least. */
  readonly timeoutMs: Millis
  /** What each may add to that, by chance: the one whose wait ends first volunteers alone. */
  readonly spreadMs: Millis
  /** How often a leader is heard. 0: never, and a member must be told that the leader is silent. */
  readonly heartbeatMs: Millis
  /** A bug to be found: votes are not saved. */
  readonly planted?: 'forgets its vote'
}

/** Time-outs that fit the simulator's network. */
export const raftDefaults: RaftSettings = { timeoutMs: TIMEOUT_MS, spreadMs: 2 * TIMEOUT_MS, heartbeatMs: 0 }

type RaftTurn = ElectionTurn<RaftMessage>

/** Raft's election: a majority of votes in a term, saved before they are given. */
export function raft(settings: RaftSettings = raftDefaults): ElectionAlgorithm<RaftState, RaftMessage> {
  return electionAlgorithm<RaftState, RaftMessage>(
    {
      name: 'raft',
      init: (base, saved) => ({
        ...base,
        role: 'follower',
        voted: highestVote(saved),
        votes: new Map(),
        waiting: false,
      }),
      begin: (state, turn) => listen(state, settings, turn),
      elect(state, turn) {
        if (state.role !== 'follower' || (state.waiting && settings.heartbeatMs === 0)) return
        state.leader = undefined
        volunteerIn(state, 0, settings, turn)
      },
      message: (state, from, body, turn) => message(state, from, body, settings, turn),
      timer(state, name, turn) {
        if (name === 'volunteer') volunteer(state, settings, turn)
        else if (state.role === 'leader') beat(state, settings, turn)
      },
    },
    vocabulary,
  )
}

function highestVote(saved: Saved): number {
  let highest = 0
  for (const records of saved.values()) {
    for (const bytes of records) {
      const read = decode(record, bytes)
      if (read.ok) highest = Math.max(highest, read.value.term)
    }
  }
  return highest
}

function volunteerIn(state: RaftState, least: Millis, settings: RaftSettings, turn: RaftTurn): void {
  state.waiting = true
  turn.do({ kind: 'timer', name: 'volunteer', after: least + turn.below(Math.max(1, settings.spreadMs)) })
}

/** All is well; where leaders are heard regularly, silence is noticed. */
function listen(state: RaftState, settings: RaftSettings, turn: RaftTurn): void {
  state.waiting = false
  if (settings.heartbeatMs > 0) volunteerIn(state, settings.timeoutMs, settings, turn)
  else turn.do({ kind: 'cancel', name: 'volunteer' })
}

function volunteer(state: RaftState, settings: RaftSettings, turn: RaftTurn): void {
  const next = Math.max(state.voted, state.round) + 1
  // The last term there is has been voted in: a second vote in it would break the promise.
  if (next > COUNT_MAX) return
  state.role = 'candidate'
  state.leader = undefined
  state.votes.clear()
  vote(state, next, settings, turn)
  state.votes.set(state.place, true)
  broadcast(state, { kind: 'volunteer', term: state.voted }, turn)
  // Votes may be split, or too few are up: then again, after another wait.
  volunteerIn(state, settings.timeoutMs, settings, turn)
  count(state, settings, turn)
}

function vote(state: RaftState, newTerm: number, settings: RaftSettings, turn: RaftTurn): void {
  state.voted = newTerm
  if (settings.planted === 'forgets its vote') return
  turn.do({ kind: 'snapshot', record: encode(record, { term: newTerm }) })
}

function count(state: RaftState, settings: RaftSettings, turn: RaftTurn): void {
  if (state.role !== 'candidate' || state.votes.size < majority(state)) return
  state.role = 'leader'
  state.votes.clear()
  state.waiting = false
  turn.do({ kind: 'cancel', name: 'volunteer' })
  settle(state, state.place, state.voted, turn)
  beat(state, settings, turn)
}

function beat(state: RaftState, settings: RaftSettings, turn: RaftTurn): void {
  broadcast(state, { kind: 'heartbeat', term: state.round }, turn)
  if (settings.heartbeatMs > 0) turn.do({ kind: 'timer', name: 'heartbeat', after: settings.heartbeatMs })
}

function message(state: RaftState, from: number, body: RaftMessage, settings: RaftSettings, turn: RaftTurn): void {
  switch (body.kind) {
    case 'volunteer':
      return asked(state, from, body.term, settings, turn)
    case 'vote':
      if (state.role !== 'candidate' || body.term !== state.voted) return
      state.votes.set(from, true)
      return count(state, settings, turn)
    case 'heartbeat':
    case 'still':
      // Between a leader and a candidate of a higher term votes decide, not the older leader's word to others.
      if (body.kind === 'still' && state.role !== 'candidate') return
      return led(state, from, body.term, settings, turn)
  }
}

function asked(state: RaftState, from: number, theirs: number, settings: RaftSettings, turn: RaftTurn): void {
  if (state.role === 'leader') return send(state, from, { kind: 'still', term: state.round }, turn)
  // A leader's word may overtake the question that made it leader.
  if (theirs <= state.voted || theirs <= state.round) return
  state.role = 'follower'
  state.votes.clear()
  vote(state, theirs, settings, turn)
  send(state, from, { kind: 'vote', term: theirs }, turn)
  // The one that was voted for may not get there. But one that has a leader and is not told otherwise leaves it at
  // that: without heartbeats nothing would call it back, and volunteers would make volunteers for ever.
  if (state.leader === undefined || settings.heartbeatMs > 0) {
    volunteerIn(state, settings.timeoutMs, settings, turn)
  }
}

function led(state: RaftState, from: number, theirs: number, settings: RaftSettings, turn: RaftTurn): void {
  if (theirs < state.round || (state.role === 'leader' && theirs === state.round)) return
  if (state.role === 'leader') turn.do({ kind: 'cancel', name: 'heartbeat' })
  state.role = 'follower'
  state.votes.clear()
  settle(state, from, theirs, turn)
  listen(state, settings, turn)
}
