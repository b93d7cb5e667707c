// LECTURE, "Leader election in ZooKeeper server group": votes (voteID, voteTX), the better vote is taken over.
//
// Guarantees that of the members up the one with the latest transaction leads, and of several such the highest,
// while a majority of all members is up; otherwise nobody leads. (2n-3)(n-1) messages when the lowest
// of n notices, one is down and all have the same transaction.
// Faults: crashes of a minority, at any time. Not late messages: a better vote that comes after the waiting time
// comes too late for some. In ZooKeeper the phase after this one, in which a quorum follows the leader, makes that
// harmless; it is not in the lecture, and not here.
//
// The lecture says how votes improve, not when the election is over. The reading here is that of ZooKeeper's fast
// leader election: a member that changes its vote tells all; a vote that a majority holds and that nothing better
// follows for a while is the result; a member that is not electing answers with its leader, so that one which comes
// back joins instead of disturbing. Votes that arrive at one moment are answered once, not one by one: that keeps n²
// from becoming n³.

import { type Codec, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
import {
  broadcast,
  COUNT_MAX,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  MEMBERS_MAX,
  majority,
  roundAfter,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

export type ZooKeeperMessage =
  /** ELECTION: (voteID, voteTX). */
  | { kind: 'vote'; round: number; id: number; transaction: number }
  /** There is a leader; no election here. */
  | { kind: 'led'; round: number; id: number }

const id = uint(MEMBERS_MAX - 1)
const round = uint(COUNT_MAX)
const vocabulary: Codec<ZooKeeperMessage> = variants<ZooKeeperMessage>({
  vote: { round, id, transaction: uint(COUNT_MAX) },
  led: { round, id },
})

interface Vote {
  readonly id: number
  readonly transaction: number
}

export interface ZooKeeperState extends ElectionState {
  electing: boolean
  /** A majority votes as this member does, and a better vote is being waited for. */
  settling: boolean
  /** leader(s): the place of the server that may be the final leader. */
  voteId: number
  /** lastTX(s): the most recent transaction known of. */
  voteTransaction: number
  /** The best that each member voted for in this round, the own vote included: an older vote may arrive later. */
  readonly votes: Map<number, Vote>
  /** Who said in this round that it is led, and by whom. */
  readonly led: Map<number, number>
}

export interface ZooKeeperSettings {
  /** How long to wait for a better vote. */
  readonly settleMs: Millis
  /** tx(s): the latest transaction that a member has handled. */
  transaction(member: NodeId): number
}

type ZooKeeperTurn = ElectionTurn<ZooKeeperMessage>

/** ZooKeeper's election: the latest transaction leads, then the largest place. */
export function zookeeper(
  settings: ZooKeeperSettings = { settleMs: TIMEOUT_MS, transaction: () => 0 },
): ElectionAlgorithm<ZooKeeperState, ZooKeeperMessage> {
  return electionAlgorithm<ZooKeeperState, ZooKeeperMessage>(
    {
      name: 'zookeeper',
      init: base => ({
        ...base,
        electing: false,
        settling: false,
        voteId: base.place,
        voteTransaction: 0,
        votes: new Map(),
        led: new Map(),
      }),
      elect(state, turn) {
        if (!state.electing) begin(state, roundAfter(state.round), settings, turn)
      },
      message(state, from, body, turn) {
        if (body.kind === 'led') return led(state, from, body.round, body.id, turn)
        voted(state, from, body, settings, turn)
      },
      timer(state, name, turn) {
        if (name === 'tell') tell(state, settings, turn)
        else if (state.electing) over(state, state.voteId, turn)
      },
    },
    vocabulary,
  )
}

function begin(state: ZooKeeperState, newRound: number, settings: ZooKeeperSettings, turn: ZooKeeperTurn): void {
  state.electing = true
  state.leader = undefined
  state.round = newRound
  state.voteId = state.place
  state.voteTransaction = settings.transaction(state.self)
  state.votes.clear()
  state.led.clear()
  stopWaiting(state, turn)
  // After all that arrives at this moment.
  turn.do({ kind: 'timer', name: 'tell', after: 0 })
}

function voted(
  state: ZooKeeperState,
  from: number,
  vote: ZooKeeperMessage & { kind: 'vote' },
  settings: ZooKeeperSettings,
  turn: ZooKeeperTurn,
): void {
  if (vote.round > state.round) begin(state, vote.round, settings, turn)
  else if (!state.electing) return answer(state, from, turn)
  else if (vote.round < state.round) return
  const { id: theirId, transaction } = vote
  const earlier = state.votes.get(from)
  if (earlier === undefined || isBetter(vote, earlier)) state.votes.set(from, { id: theirId, transaction })
  if (isBetter(vote, ownVote(state))) {
    state.voteId = vote.id
    state.voteTransaction = vote.transaction
    stopWaiting(state, turn)
    turn.do({ kind: 'timer', name: 'tell', after: 0 })
  }
  count(state, settings, turn)
}

/** lastTX(s*) < voteTX, or equal and leader(s*) < voteID. */
function isBetter(vote: Vote, than: Vote): boolean {
  if (vote.transaction !== than.transaction) return vote.transaction > than.transaction
  return vote.id > than.id
}

function ownVote(state: ZooKeeperState): Vote {
  return { id: state.voteId, transaction: state.voteTransaction }
}

function tell(state: ZooKeeperState, settings: ZooKeeperSettings, turn: ZooKeeperTurn): void {
  if (!state.electing) return
  state.votes.set(state.place, ownVote(state))
  broadcast(state, { kind: 'vote', round: state.round, ...ownVote(state) }, turn)
  count(state, settings, turn)
}

// Later votes for the same do not prolong the wait.
function count(state: ZooKeeperState, settings: ZooKeeperSettings, turn: ZooKeeperTurn): void {
  let same = 0
  for (const vote of state.votes.values()) if (vote.id === state.voteId) same++
  if (state.settling || same < majority(state)) return
  state.settling = true
  turn.do({ kind: 'timer', name: 'settle', after: settings.settleMs })
}

function stopWaiting(state: ZooKeeperState, turn: ZooKeeperTurn): void {
  state.settling = false
  turn.do({ kind: 'cancel', name: 'settle' })
}

function answer(state: ZooKeeperState, to: number, turn: ZooKeeperTurn): void {
  const leader = state.leader === undefined ? -1 : state.members.indexOf(state.leader)
  if (leader >= 0) send(state, to, { kind: 'led', round: state.round, id: leader }, turn)
}

function led(state: ZooKeeperState, from: number, theirRound: number, leader: number, turn: ZooKeeperTurn): void {
  if (!state.electing || theirRound < state.round) return
  if (theirRound > state.round) state.led.clear()
  state.round = theirRound
  state.led.set(from, leader)
  let same = 0
  for (const one of state.led.values()) if (one === leader) same++
  // With the own voice: a majority follows that leader already.
  if (same + 1 >= majority(state)) over(state, leader, turn)
}

function over(state: ZooKeeperState, leader: number, turn: ZooKeeperTurn): void {
  state.electing = false
  stopWaiting(state, turn)
  settle(state, leader, state.round, turn)
}
