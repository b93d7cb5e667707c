// LECTURE, "Mutual exclusion: Ricart & Agrawala": ask everybody, and let the older request go first.
//
// Guarantees exclusion, and entry in the order of (Lamport clock, place in the group): nobody is passed over for ever.
// 2(N-1) messages an entry, all of them before it.
// Faults: any crash blocks everybody who asks afterwards, since silence means "wait" here too. So it has N points of
// failure where the centralised algorithm has one.
//
// A member replies at once if it has no interest, or waits with a younger request; otherwise when it leaves.
// Of two that wait, the older request is answered by both and the younger by one: they cannot both have all replies.

import { type Codec, type NodeId, uint, variants } from '../../core/index.ts'
import { COUNT_MAX, enter, type MutexState, type MutexTurn, mutexAlgorithm, send } from './mutex.ts'

export type RicartAgrawalaMessage =
  | { kind: 'request'; clock: number }
  /** OK to the request of that clock. */
  | { kind: 'reply'; clock: number }

const clock = uint(COUNT_MAX)
const vocabulary: Codec<RicartAgrawalaMessage> = variants<RicartAgrawalaMessage>({
  request: { clock },
  reply: { clock },
})

export interface RicartAgrawalaState extends MutexState {
  /** Lamport's clock: above every request seen, so that a request made later is younger. */
  clock: number
  /** The clock of the own request; means something while waiting or inside. */
  requested: number
  /** Whose reply is still missing. Empty when inside. */
  readonly missing: Map<NodeId, true>
  /** Who waits for a reply of ours, with the clock of its request. Empty when outside. */
  readonly deferred: Map<NodeId, number>
}

type RicartAgrawalaTurn = MutexTurn<RicartAgrawalaMessage>

/** Ricart and Agrawala: all others must agree, the earliest Lamport time first. */
export const ricartAgrawala = mutexAlgorithm<RicartAgrawalaState, RicartAgrawalaMessage>(
  {
    name: 'ricart-agrawala',
    init: base => ({ ...base, clock: 0, requested: 0, missing: new Map(), deferred: new Map() }),
    ask,
    giveBack(state, turn) {
      for (const [member, asked] of state.deferred) send(member, { kind: 'reply', clock: asked }, turn)
      state.deferred.clear()
    },
    message(state, from, body, turn) {
      if (!state.members.includes(from)) return
      switch (body.kind) {
        case 'request':
          return onRequest(state, from, body.clock, turn)
        case 'reply':
          return onReply(state, from, body.clock, turn)
      }
    },
  },
  vocabulary,
)

function ask(state: RicartAgrawalaState, turn: RicartAgrawalaTurn): void {
  state.clock++
  state.requested = state.clock
  for (const member of state.members) {
    if (member === state.self) continue
    state.missing.set(member, true)
    send(member, { kind: 'request', clock: state.requested }, turn)
  }
  if (state.missing.size === 0) enter(state, turn)
}

function onRequest(state: RicartAgrawalaState, from: NodeId, asked: number, turn: RicartAgrawalaTurn): void {
  state.clock = Math.max(state.clock, asked)
  const wait = state.phase === 'inside' || (state.phase === 'waiting' && isOlder(state, from, asked))
  if (wait) state.deferred.set(from, asked)
  else send(from, { kind: 'reply', clock: asked }, turn)
}

/** Is our request older than theirs? Equal clocks are told apart by the place in the group. */
function isOlder(state: RicartAgrawalaState, from: NodeId, theirs: number): boolean {
  if (state.requested !== theirs) return state.requested < theirs
  return state.members.indexOf(state.self) < state.members.indexOf(from)
}

// A reply names its request: a second copy of an old one must not count for the next.
function onReply(state: RicartAgrawalaState, from: NodeId, to: number, turn: RicartAgrawalaTurn): void {
  if (state.phase !== 'waiting' || to !== state.requested) return
  if (state.missing.delete(from) && state.missing.size === 0) enter(state, turn)
}
