// What the LECTURE's four algorithms for mutual exclusion share: the commands, the events, the life of a request.
//
// A member is outside, waiting or inside. `enter` makes it wait, the algorithm lets it in, `leave` takes it out.
// An algorithm says only how one asks, how one gives back and what messages and timers mean; everything else, the
// one switch included, is here, so that four files differ exactly where the algorithms differ.
//
// All four assume messages that arrive (in any order, perhaps twice) and members that do not lie. The lecture lets a
// crashed process stay away. Ours come back, with nothing remembered; and a member that takes part again without
// memory breaks exclusion (a coordinator grants twice, a ring gets a second token, a Lamport clock starts below a promise).
// So each life leaves a mark, and a member that finds one stays silent: a crash costs progress, never exclusion.

import type { Codec, NodeId, Protocol, Saved, Turn } from '../../core/index.ts'

/** What a user asks: to be let in, and to leave. */
export type MutexCommand = { kind: 'enter'; id: number } | { kind: 'leave'; id: number }

/** What a member tells its user. */
export type MutexEvent =
  | { kind: 'entered'; id: number }
  | { kind: 'left'; id: number }
  /** An attempt failed and another follows; `attempts` have failed. Only where votes can split. */
  | { kind: 'retrying'; id: number; attempts: number }
  /** Certainly nothing happened. */
  | { kind: 'refused'; id: number; why: Refusal }

export type Refusal =
  /** One request at a time. */
  | 'busy'
  | 'not inside'
  /** This member has forgotten what it promised, and stays out. */
  | 'restarted'

/** What a member remembers in every algorithm. */
export interface MutexState {
  readonly self: NodeId
  /** All members, in the same order everywhere: the order of the ring; the first coordinates. */
  readonly members: readonly NodeId[]
  /** It had a life before this one. */
  readonly restarted: boolean
  phase: 'outside' | 'waiting' | 'inside'
  /** Of the command that it is waiting or inside for. */
  id: number
}

export type MutexTurn<Message> = Turn<Message, MutexEvent>

/** What an algorithm adds. `ask` and `message` may call `enter`; nothing here may throw. */
export interface MutexRules<State extends MutexState, Message> {
  readonly name: string
  /** What it keeps beside the common part. */
  init(base: MutexState): State
  /** The first start of the first life. */
  begin?(state: State, turn: MutexTurn<Message>): void
  /** The member waits: ask for permission. */
  ask(state: State, turn: MutexTurn<Message>): void
  /** The member is outside again: pass permission on. */
  giveBack(state: State, turn: MutexTurn<Message>): void
  message(state: State, from: NodeId, body: Message, turn: MutexTurn<Message>): void
  timer?(state: State, name: string, turn: MutexTurn<Message>): void
  /** Whether a member that restarted still answers others: where forgetting is allowed for. */
  readonly forgets?: boolean
}

/** One algorithm of the folder: what a driver, the simulator or the lab needs to run it. */
export interface MutexAlgorithm<State extends MutexState = MutexState, Message = unknown> {
  readonly name: string
  readonly protocol: Protocol<State, Message, MutexCommand, MutexEvent>
  readonly vocabulary: Codec<Message>
}

/** An algorithm whose messages are not known here. */
// biome-ignore lint/suspicious/noExplicitAny: the one place where an algorithm of unknown vocabulary is named
export type AnyMutexAlgorithm = MutexAlgorithm<any, any>

/** Request numbers, clocks and hops. At a million a second it takes a century to get there. */
export const COUNT_MAX = 2 ** 52
/** Members of a group. Votes and replies are counted one by one; the lab goes to 64. */
export const MEMBERS_MAX = 1024

const MARK = new Uint8Array([1])

export function mutexAlgorithm<State extends MutexState, Message>(
  rules: MutexRules<State, Message>,
  vocabulary: Codec<Message>,
): MutexAlgorithm<State, Message> {
  const { name } = rules
  return {
    name,
    vocabulary,
    protocol: {
      name,
      init: (self, members, saved) => rules.init(newMember(self, members.slice(0, MEMBERS_MAX), saved)),
      step(state, input, turn) {
        switch (input.kind) {
          case 'start':
            return state.restarted ? undefined : begin(rules, state, turn)
          case 'command':
            return command(rules, state, input.body, turn)
          case 'message':
            return state.restarted && !rules.forgets ? undefined : rules.message(state, input.from, input.body, turn)
          case 'timer':
            return rules.timer?.(state, input.name, turn)
          case 'stop':
            return
        }
      },
    },
  }
}

function newMember(self: NodeId, members: readonly NodeId[], saved: Saved): MutexState {
  const restarted = [...saved.values()].some(records => records.length > 0)
  return { self, members, restarted, phase: 'outside', id: 0 }
}

// Before the first word to anybody: a crash in between must not look like no life at all.
function begin<State extends MutexState, Message>(
  rules: MutexRules<State, Message>,
  state: State,
  turn: MutexTurn<Message>,
): void {
  turn.do({ kind: 'save', record: MARK })
  rules.begin?.(state, turn)
}

function command<State extends MutexState, Message>(
  rules: MutexRules<State, Message>,
  state: State,
  asked: MutexCommand,
  turn: MutexTurn<Message>,
): void {
  const { kind, id } = asked
  if (state.restarted) return refuse(id, 'restarted', turn)
  if (kind === 'enter') {
    if (state.phase !== 'outside') return refuse(id, 'busy', turn)
    state.phase = 'waiting'
    state.id = id
    return rules.ask(state, turn)
  }
  if (state.phase !== 'inside' || state.id !== id) return refuse(id, 'not inside', turn)
  state.phase = 'outside'
  // Out before the word is given: the one that is let in by it must find nobody inside.
  turn.do({ kind: 'emit', event: { kind: 'left', id } })
  rules.giveBack(state, turn)
}

function refuse<Message>(id: number, why: Refusal, turn: MutexTurn<Message>): void {
  turn.do({ kind: 'emit', event: { kind: 'refused', id, why } })
}

/** The permission is there. */
export function enter<Message>(state: MutexState, turn: MutexTurn<Message>): void {
  if (state.phase !== 'waiting') return
  state.phase = 'inside'
  turn.do({ kind: 'emit', event: { kind: 'entered', id: state.id } })
}

export function send<Message>(to: NodeId, body: Message, turn: MutexTurn<Message>): void {
  turn.do({ kind: 'send', to, body })
}
