// The ordering as printed (BACKOFF §6, figure 2), for the lab. The product's is one folder up.
//
// Guarantees (theorem 1): one sequence of operations, and every response is consistent with it; safe also when the
// lock of line 2.9 is not. Faults: b servers may do anything, f of them (liars included) may be gone, clients may crash.
// n ≥ 2f + 4b + 1, q = n - f - b: a thread is not stopped by b honest RankExceptions beside b silent liars.
//
// Two readings that the figures leave open: an operation is submitted to every server, and again until its response
// is there (a submission may be lost); a get that finds neither a committed nor a proposed state at b + 1 servers is
// tried again.

import { type NodeId, orderingQuorum, type Protocol, type Turn } from '../../core/index.ts'
import { type Answer, choose, completedVersion, newestCommitted, pendingAtEnough } from './choose.ts'
import {
  type PrintedOrderingCommand,
  type PrintedOrderingEvent,
  type PrintedOrderingMessage,
  type PrintedOrderingSettings,
  type PrintedState,
  reflects,
} from './messages.ts'

interface ClientState {
  readonly self: NodeId
  readonly servers: readonly NodeId[]
  phase: 'idle' | 'contending' | 'getting' | 'proposing' | 'committing' | 'backing off'
  /** r: no other client's, since its own number is in the low digits. */
  rank: number
  /** Grows with every call of all servers: answers that name another one are old. */
  attempt: number
  /** Operations without a response, with what servers said. */
  readonly waiting: Map<string, Map<NodeId, number>>
  readonly got: Map<NodeId, Answer>
  readonly done: Set<NodeId>
  readonly refused: Map<NodeId, number>
  /** σ, while it is proposed and committed. */
  state: PrintedState
  completed: number
}

type ClientTurn = Turn<PrintedOrderingMessage, PrintedOrderingEvent>
export type PrintedOrderingClient = Protocol<
  ClientState,
  PrintedOrderingMessage,
  PrintedOrderingCommand,
  PrintedOrderingEvent
>

/** Room for the clients' own numbers in the low digits of a rank. */
export const RANK_STEP = 1_000
/** A server's word may not take a rank out of what a number holds. */
const RANK_MAX = Number.MAX_SAFE_INTEGER - 2 * RANK_STEP
const RESUBMIT_MS = 200

/** `place` is the client's own number, which no other client has. */
export function printedOrderingClient(settings: PrintedOrderingSettings, place: number): PrintedOrderingClient {
  return {
    name: 'printed ordering client',
    init: (self, servers) => ({
      self,
      servers,
      phase: 'idle',
      rank: place,
      attempt: 0,
      waiting: new Map(),
      got: new Map(),
      done: new Set(),
      refused: new Map(),
      state: { version: 0, operations: [] },
      completed: -1,
    }),
    step(state, input, turn) {
      const thread = new Thread(state, settings, turn)
      if (input.kind === 'command') thread.command(input.body)
      else if (input.kind === 'timer') thread.timer(input.name)
      else if (input.kind === 'message') thread.message(input.from, input.body)
    },
  }
}

/** One step of both threads of figure 2; it lives for that step only. */
class Thread {
  private readonly state: ClientState
  private readonly settings: PrintedOrderingSettings
  private readonly turn: ClientTurn

  constructor(state: ClientState, settings: PrintedOrderingSettings, turn: ClientTurn) {
    this.state = state
    this.settings = settings
    this.turn = turn
  }

  command(body: PrintedOrderingCommand): void {
    if (body.kind === 'submit') return this.submit(body.operation)
    if (this.state.phase === 'contending') this.get()
  }

  timer(name: string): void {
    if (name === 'resubmit') return this.resubmit()
    // Some server did not answer, or we gave way: from line 2.8 again.
    if (this.state.phase !== 'idle' && this.state.phase !== 'contending') this.begin()
  }

  message(from: NodeId, body: PrintedOrderingMessage): void {
    const { state } = this
    if (!state.servers.includes(from)) return
    if (body.kind === 'response') return this.response(from, body.operation, body.place)
    if (!('attempt' in body) || body.attempt !== state.attempt) return
    if (body.kind === 'refused') return this.rankException(from, body.rank)
    if (body.kind === 'got' && state.phase === 'getting') return this.gotState(from, body)
    if (body.kind === 'proposed' && state.phase === 'proposing') return this.acknowledged(from, body.version)
    if (body.kind === 'committed' && state.phase === 'committing') return this.acknowledged(from, body.version)
  }

  /** Lines 2.1–7. */
  private submit(operation: string): void {
    this.state.waiting.set(operation, new Map())
    this.resubmit()
    if (this.state.phase === 'idle') this.begin()
  }

  private resubmit(): void {
    for (const operation of this.state.waiting.keys()) this.all({ kind: 'submit', operation })
    if (this.state.waiting.size > 0) this.turn.do({ kind: 'timer', name: 'resubmit', after: RESUBMIT_MS })
  }

  private response(from: NodeId, operation: string, place: number): void {
    const heard = this.state.waiting.get(operation)
    if (heard === undefined || heard.has(from)) return
    heard.set(from, place)
    const same = [...heard.values()].filter(other => other === place).length
    if (same <= this.settings.liars) return
    this.state.waiting.delete(operation)
    this.turn.do({ kind: 'emit', event: { kind: 'done', operation, place } })
  }

  /** Lines 2.8, 2.9. */
  private begin(): void {
    if (this.state.waiting.size === 0) return this.rest()
    if (!this.settings.contends) return this.get()
    this.state.phase = 'contending'
    this.turn.do({ kind: 'cancel', name: 'again' })
    this.turn.do({ kind: 'emit', event: { kind: 'contend' } })
  }

  private rest(): void {
    this.state.phase = 'idle'
    this.turn.do({ kind: 'cancel', name: 'again' })
  }

  private all(body: PrintedOrderingMessage): void {
    for (const to of this.state.servers) this.turn.do({ kind: 'send', to, body })
  }

  private call(phase: 'getting' | 'proposing' | 'committing', body: PrintedOrderingMessage): void {
    const { state } = this
    state.phase = phase
    state.got.clear()
    state.done.clear()
    state.refused.clear()
    this.all(body)
    this.turn.do({ kind: 'timer', name: 'again', after: this.settings.retryMax })
  }

  /** Lines 2.10–13, with a rank of its own for every get. */
  private get(): void {
    // At the end of the numbers it stays where it is, and no server that heard it once will answer again.
    if (this.state.rank <= RANK_MAX - RANK_STEP) this.state.rank += RANK_STEP
    this.call('getting', { kind: 'get', attempt: ++this.state.attempt, rank: this.state.rank })
  }

  private quorum(): number {
    return orderingQuorum(this.state.servers.length, this.settings.liars, this.settings.crashes)
  }

  private gotState(from: NodeId, answer: Answer): void {
    const { state } = this
    state.got.set(from, answer)
    if (state.got.size === this.quorum()) this.conclude([...state.got.values()])
  }

  /** Lines 2.14–25. */
  private conclude(answers: readonly Answer[]): void {
    const { state } = this
    const { liars } = this.settings
    const committed = newestCommitted(answers, liars)
    const proposed = choose(answers, liars)
    state.completed = Math.max(state.completed, completedVersion(answers, liars))
    if (committed !== undefined && committed.version > state.completed) this.propose(committed)
    else if (proposed !== undefined && proposed.version > state.completed) this.propose(proposed)
    else if (committed !== undefined) this.propose(this.apply(pendingAtEnough(answers, liars), committed))
    else this.backOff()
  }

  /** Lines 2.44–51: in any order, each once. */
  private apply(pending: readonly string[], state: PrintedState): PrintedState {
    const left = pending.filter(operation => !reflects(state, operation, this.settings.reflects))
    const operations = [...state.operations]
    while (left.length > 0) operations.push(...left.splice(this.turn.below(left.length), 1))
    return { version: state.version + 1, operations }
  }

  /** Lines 2.26–28. */
  private propose(next: PrintedState): void {
    this.state.state = next
    this.call('proposing', { kind: 'propose', attempt: ++this.state.attempt, rank: this.state.rank, state: next })
  }

  private acknowledged(from: NodeId, version: number): void {
    const { state } = this
    if (version !== state.state.version) return
    state.done.add(from)
    if (state.done.size < this.quorum()) return
    if (state.phase === 'committing') return this.committed()
    const { rank, self: by } = state
    this.turn.do({ kind: 'emit', event: { kind: 'decided', state: state.state, rank, by } })
    this.call('committing', { kind: 'commit', attempt: ++state.attempt, rank, state: state.state })
  }

  /** Lines 2.31–33. */
  private committed(): void {
    const { state } = this
    state.completed = Math.max(state.completed, state.state.version)
    if (!this.settings.skipsGet || state.waiting.size === 0) return this.begin()
    this.propose(this.apply([...state.waiting.keys()], state.state))
  }

  /** §6.2: b + 1 refusals end the attempt. */
  private rankException(from: NodeId, rank: number): void {
    const { state, settings } = this
    state.refused.set(from, rank)
    if (state.refused.size <= settings.liars) return
    const reported = [...state.refused.values()].sort((one, other) => other - one)
    const above = Math.min(settings.rankRule === 'maximum' ? reported[0]! : reported[settings.liars]!, RANK_MAX)
    const own = state.rank % RANK_STEP
    const raised = Math.floor(above / RANK_STEP) * RANK_STEP + own
    state.rank = Math.max(state.rank, raised)
    this.backOff()
  }

  private backOff(): void {
    this.state.phase = 'backing off'
    this.state.attempt++
    this.turn.do({ kind: 'timer', name: 'again', after: 1 + this.turn.below(this.settings.retryMax) })
  }
}
