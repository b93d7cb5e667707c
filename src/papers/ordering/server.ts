// The printed ordering's server (BACKOFF §6, figure 3). It answers the highest rank it has heard of and no other,
// stores what is proposed and committed without looking into it, and tells a client the response to its operation.
// Everything is saved before it is answered: the paper's servers do not crash, ours do.

import {
  decode,
  encode,
  type NodeId,
  option,
  type Protocol,
  type Saved,
  struct,
  type Turn,
  uint,
} from '../../core/index.ts'
import { type PrintedOrderingMessage, type PrintedState, printedStateCodec } from './messages.ts'

interface Durable {
  readonly maxRank: number
  readonly proposer: number
  readonly committed: PrintedState
  readonly proposed: PrintedState | undefined
}

interface ServerState {
  durable: Durable
  /** Operations that no committed state reflects, with who waits for them. */
  readonly pending: Map<string, NodeId>
}

type ServerTurn = Turn<PrintedOrderingMessage, never>
export type PrintedOrderingServer = Protocol<ServerState, PrintedOrderingMessage, never, never>

const record = struct<Durable>({
  maxRank: uint(),
  proposer: uint(),
  committed: printedStateCodec,
  proposed: option(printedStateCodec),
})

/** σ⁰ (§7): every history begins with its complete propose and commit, of rank 0. */
const START: PrintedState = { version: 0, operations: [] }
const FIRST: Durable = { maxRank: 0, proposer: 0, committed: START, proposed: START }
/** Beyond what all clients of a run submit. */
const PENDING_MAX = 1_000

function recover(saved: Saved): Durable {
  const last = saved.get('')?.at(-1)
  const found = last === undefined ? undefined : decode(record, last)
  return found?.ok ? found.value : FIRST
}

/** The server's half of the printed ordering. */
export function printedOrderingServer(): PrintedOrderingServer {
  return {
    name: 'printed ordering server',
    init: (_self, _peers, saved) => ({ durable: recover(saved), pending: new Map() }),
    step(state, input, turn) {
      if (input.kind === 'message') hear(state, input.from, input.body, turn)
    },
  }
}

function hear(state: ServerState, from: NodeId, body: PrintedOrderingMessage, turn: ServerTurn): void {
  switch (body.kind) {
    case 'submit':
      return submit(state, from, body.operation, turn)
    case 'get':
      return get(state, from, body, turn)
    case 'propose':
      return propose(state, from, body, turn)
    case 'commit':
      return commit(state, from, body, turn)
    default:
      return
  }
}

function keep(state: ServerState, change: Partial<Durable>, turn: ServerTurn): void {
  state.durable = { ...state.durable, ...change }
  turn.do({ kind: 'snapshot', record: encode(record, state.durable) })
}

/** Lines 3.1–4. The response is asked of the committed state, so nothing of it has to be kept. */
function submit(state: ServerState, from: NodeId, operation: string, turn: ServerTurn): void {
  const place = state.durable.committed.operations.indexOf(operation)
  if (place >= 0) return turn.do({ kind: 'send', to: from, body: { kind: 'response', operation, place } })
  if (state.pending.size < PENDING_MAX) state.pending.set(operation, from)
}

function refuse(state: ServerState, to: NodeId, attempt: number, turn: ServerTurn): void {
  turn.do({ kind: 'send', to, body: { kind: 'refused', attempt, rank: state.durable.maxRank } })
}

/** Lines 3.5–10. */
function get(state: ServerState, from: NodeId, asked: { attempt: number; rank: number }, turn: ServerTurn): void {
  const { attempt, rank } = asked
  if (rank <= state.durable.maxRank) return refuse(state, from, attempt, turn)
  keep(state, { maxRank: rank }, turn)
  const { committed, proposed, proposer } = state.durable
  const pending = [...state.pending.keys()]
  turn.do({ kind: 'send', to: from, body: { kind: 'got', attempt, committed, proposed, proposer, pending } })
}

interface Put {
  readonly attempt: number
  readonly rank: number
  readonly state: PrintedState
}

/** Lines 3.11–18. */
function propose(state: ServerState, from: NodeId, put: Put, turn: ServerTurn): void {
  if (put.rank < state.durable.maxRank) return refuse(state, from, put.attempt, turn)
  keep(state, { maxRank: put.rank, proposer: put.rank, proposed: put.state }, turn)
  const { version } = put.state
  turn.do({ kind: 'send', to: from, body: { kind: 'proposed', attempt: put.attempt, version } })
}

/** Lines 3.19–27. */
function commit(state: ServerState, from: NodeId, put: Put, turn: ServerTurn): void {
  if (put.rank < state.durable.maxRank) return refuse(state, from, put.attempt, turn)
  keep(state, { maxRank: put.rank, committed: put.state }, turn)
  for (const [operation, client] of state.pending) {
    const place = put.state.operations.indexOf(operation)
    if (place < 0) continue
    state.pending.delete(operation)
    turn.do({ kind: 'send', to: client, body: { kind: 'response', operation, place } })
  }
  const { version } = put.state
  turn.do({ kind: 'send', to: from, body: { kind: 'committed', attempt: put.attempt, version } })
}
