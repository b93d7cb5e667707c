// LECTURE, "Permission-based, centralized": simply use a coordinator.
//
// Guarantees exclusion, and entry in the order in which requests reach the coordinator. Three messages an entry
// (request, grant, release), two of them before it; none for the coordinator itself.
// Faults: a crash of the coordinator, or of the member inside, blocks everybody; so does a crash of one that waits, as
// soon as its turn comes. A crash of one that wants nothing is not noticed.
//
// (a) A member asks; nobody is inside: granted. (b) Another asks; the coordinator is silent, and queues it.
// (c) The first releases; the coordinator grants to the next in the queue.
// Silence is both "wait" and "I am dead": that is the price of three messages.

import { type Codec, type NodeId, uint, variants } from '../../core/index.ts'
import { COUNT_MAX, enter, type MutexState, type MutexTurn, mutexAlgorithm, send } from './mutex.ts'

export type CentralisedMessage =
  | { kind: 'request'; ticket: number }
  | { kind: 'grant'; ticket: number }
  | { kind: 'release'; ticket: number }

const ticket = uint(COUNT_MAX)
const vocabulary: Codec<CentralisedMessage> = variants<CentralisedMessage>({
  request: { ticket },
  grant: { ticket },
  release: { ticket },
})

interface Place {
  readonly member: NodeId
  readonly ticket: number
}

export interface CentralisedState extends MutexState {
  readonly coordinator: NodeId | undefined
  /** Numbers this member's requests: a second copy of an old message then means nothing. */
  ticket: number
  /** At the coordinator: who was granted it and has not released. */
  holder: Place | undefined
  /** At the coordinator: at most one place a member. */
  readonly queue: Place[]
  /** At the coordinator: the last ticket of each member, so that a request counts once. */
  readonly seen: Map<NodeId, number>
}

type CentralisedTurn = MutexTurn<CentralisedMessage>

/** One member coordinates: it is asked, and lets in one after the other. */
export const centralised = mutexAlgorithm<CentralisedState, CentralisedMessage>(
  {
    name: 'centralised',
    init: base => ({
      ...base,
      coordinator: base.members[0],
      ticket: 0,
      holder: undefined,
      queue: [],
      seen: new Map(),
    }),
    ask(state, turn) {
      state.ticket++
      toCoordinator(state, { kind: 'request', ticket: state.ticket }, turn)
    },
    giveBack(state, turn) {
      toCoordinator(state, { kind: 'release', ticket: state.ticket }, turn)
    },
    message(state, from, body, turn) {
      switch (body.kind) {
        case 'request':
          return onRequest(state, from, body.ticket, turn)
        case 'release':
          return onRelease(state, from, body.ticket, turn)
        case 'grant':
          if (from === state.coordinator) onGrant(state, body.ticket, turn)
          return
      }
    },
  },
  vocabulary,
)

// The coordinator's own requests take the same way, without a message.
function toCoordinator(
  state: CentralisedState,
  body: CentralisedMessage & { kind: 'request' | 'release' },
  turn: CentralisedTurn,
): void {
  const { coordinator, self } = state
  if (coordinator === undefined) return
  if (coordinator !== self) return send(coordinator, body, turn)
  if (body.kind === 'request') onRequest(state, self, body.ticket, turn)
  else onRelease(state, self, body.ticket, turn)
}

function onRequest(state: CentralisedState, member: NodeId, asked: number, turn: CentralisedTurn): void {
  if (state.self !== state.coordinator || asked <= (state.seen.get(member) ?? 0)) return
  if (!state.members.includes(member)) return
  state.seen.set(member, asked)
  state.queue.push({ member, ticket: asked })
  grantNext(state, turn)
}

function onRelease(state: CentralisedState, member: NodeId, given: number, turn: CentralisedTurn): void {
  if (state.holder?.member !== member || state.holder.ticket !== given) return
  state.holder = undefined
  grantNext(state, turn)
}

function grantNext(state: CentralisedState, turn: CentralisedTurn): void {
  if (state.holder !== undefined) return
  const next = state.queue.shift()
  if (next === undefined) return
  state.holder = next
  if (next.member === state.self) onGrant(state, next.ticket, turn)
  else send(next.member, { kind: 'grant', ticket: next.ticket }, turn)
}

function onGrant(state: CentralisedState, given: number, turn: CentralisedTurn): void {
  if (given === state.ticket) enter(state, turn)
}
