// What the LECTURE's elections share: one command, one event, the names of the members and the leader one believes in.
//
// A member is told that the coordinator does not respond (`elect`), and some messages later every member that is up
// has the same `leader`. How it comes to be noticed is not part of an election; only Raft's has a clock of its own.
// An algorithm says what it sends and what messages and timers mean; the one switch is here, so that seven files
// differ exactly where the algorithms differ.
//
// The lecture's assumptions: unique ids, everybody knows all ids, nobody knows who is up. An id is the place in the
// list of members. Messages arrive (late, out of order, perhaps twice) unless the receiver is down; nobody lies. A
// member that is down may come back with nothing remembered; only Raft keeps something on disk, for only Raft promises
// something that forgetting would break.

import type { Codec, Millis, NodeId, Protocol, Saved, Turn } from '../../core/index.ts'

/** The coordinator does not respond: find another. Nothing answers it but the event. */
export type ElectionCommand = { kind: 'elect' }

/** This member now takes `leader` for the coordinator. */
export type ElectionEvent = { kind: 'elected'; leader: NodeId; round: number }

/** What a member remembers in every algorithm. */
export interface ElectionState {
  readonly self: NodeId
  /** All members, in the same order everywhere: the place is the id. */
  readonly members: readonly NodeId[]
  /** The own place, or -1 for one that is not a member and does nothing. */
  readonly place: number
  /** Whom this member takes for the coordinator; nobody while it looks for one. */
  leader: NodeId | undefined
  /** The newest election, term or round known here. What it counts is the algorithm's business. */
  round: number
}

export type ElectionTurn<Message> = Turn<Message, ElectionEvent>

/** What an algorithm adds. Nothing here may throw. */
export interface ElectionRules<State extends ElectionState, Message> {
  readonly name: string
  init(base: ElectionState, saved: Saved): State
  begin?(state: State, turn: ElectionTurn<Message>): void
  /** The coordinator does not respond. */
  elect(state: State, turn: ElectionTurn<Message>): void
  /** `from` is the sender's place. Strangers are not heard. */
  message(state: State, from: number, body: Message, turn: ElectionTurn<Message>): void
  timer(state: State, name: string, turn: ElectionTurn<Message>): void
}

/** One algorithm of the folder: what a driver, the simulator or the lab needs to run it. */
export interface ElectionAlgorithm<State extends ElectionState = ElectionState, Message = unknown> {
  readonly name: string
  readonly protocol: Protocol<State, Message, ElectionCommand, ElectionEvent>
  readonly vocabulary: Codec<Message>
}

/** An algorithm whose messages are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where an algorithm of unknown vocabulary is named
export type AnyElectionAlgorithm = ElectionAlgorithm<any, any>

/** Rounds and terms. At a million a second it takes a century to get there. */
export const COUNT_MAX = 2 ** 52
/** Members of a group. Lists of them travel in messages; the lab goes to 256. */
export const MEMBERS_MAX = 1024
/** Longer than a message and its answer take: a member that is silent for this long is down. */
export const TIMEOUT_MS: Millis = 100

export function electionAlgorithm<State extends ElectionState, Message>(
  rules: ElectionRules<State, Message>,
  vocabulary: Codec<Message>,
): ElectionAlgorithm<State, Message> {
  const { name } = rules
  return {
    name,
    vocabulary,
    protocol: {
      name,
      init: (self, members, saved) => rules.init(newMember(self, members.slice(0, MEMBERS_MAX)), saved),
      step(state, input, turn) {
        if (state.place < 0) return
        switch (input.kind) {
          case 'start':
            return rules.begin?.(state, turn)
          case 'command':
            return rules.elect(state, turn)
          case 'message':
            return heard(rules, state, input.from, input.body, turn)
          case 'timer':
            return rules.timer(state, input.name, turn)
          case 'stop':
            return
        }
      },
    },
  }
}

function newMember(self: NodeId, members: readonly NodeId[]): ElectionState {
  return { self, members, place: members.indexOf(self), leader: undefined, round: 0 }
}

function heard<State extends ElectionState, Message>(
  rules: ElectionRules<State, Message>,
  state: State,
  from: NodeId,
  body: Message,
  turn: ElectionTurn<Message>,
): void {
  const place = state.members.indexOf(from)
  if (place >= 0 && place !== state.place) rules.message(state, place, body, turn)
}

/** This member has found its leader; it says so once. */
export function settle<Message>(
  state: ElectionState,
  leader: number,
  round: number,
  turn: ElectionTurn<Message>,
): void {
  const name = state.members[leader]
  if (name === undefined || (state.leader === name && state.round === round)) return
  state.leader = name
  state.round = round
  turn.do({ kind: 'emit', event: { kind: 'elected', leader: name, round } })
}

export function send<Message>(state: ElectionState, to: number, body: Message, turn: ElectionTurn<Message>): void {
  const name = state.members[to]
  if (name !== undefined) turn.do({ kind: 'send', to: name, body })
}

/** To all others, whether they are up or not. */
export function broadcast<Message>(state: ElectionState, body: Message, turn: ElectionTurn<Message>): void {
  for (let place = 0; place < state.members.length; place++) {
    if (place !== state.place) send(state, place, body, turn)
  }
}

/** The round after that one. It stops at the largest: a message with that number must not make anybody throw. */
export function roundAfter(round: number): number {
  return Math.min(round + 1, COUNT_MAX)
}

export function majority(state: ElectionState): number {
  return Math.floor(state.members.length / 2) + 1
}
