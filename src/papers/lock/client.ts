// The lock as printed (BACKOFF §4, figure 1), for the lab. The product's lock is ../client.ts and ../server.ts.
//
// Guarantees (lemma 1): when a contend returns at T, no other returns in [T, T + Δ]. In synchronous runs only: every
// message arrives within δ and clocks run at the rate of true time. Late messages make two holders.
// Faults: b servers may do anything, f of them (liars included) may be gone, clients may crash.
// Servers: n ≥ 2f + 3b + 1, so that two quorums of q = n - f share 2b + 1 honest servers. Each client is refused by
// at most b of those, so one honest server has said FREE to both: too soon. With n = 5b it need not exist.
//
// Corrected, since as printed it does not work: statuses are reset for every attempt, answers to old attempts are
// ignored, lastGranted starts at minus infinity, and after a restart a server stays locked for the longest lease.
// There is no release: whoever entered runs for Δ.

import type { Millis, NodeId, Protocol, Turn } from '../../core/index.ts'
import { exponentialBackoff } from '../../lock/backoff.ts'
import type { PrintedCommand, PrintedEvent, PrintedMessage, PrintedSettings } from './messages.ts'

interface PrintedClientState {
  readonly servers: readonly NodeId[]
  phase: 'idle' | 'trying' | 'backing off' | 'inside'
  id: number
  /** Grows with every attempt of this process: answers that name another one are old. */
  attempt: number
  /** s: failed attempts of this contend. */
  retries: number
  /** Who answered this attempt, and whether it said LOCKED. */
  readonly statuses: Map<NodeId, boolean>
}

type ClientTurn = Turn<PrintedMessage, PrintedEvent>
export type PrintedClient = Protocol<PrintedClientState, PrintedMessage, PrintedCommand, PrintedEvent>

/** 24 days: no run of the lab lasts as long, and chance draws whole numbers below 2^32. */
const BACKOFF_MAX: Millis = 2 ** 31

/** Figure 1a: contend. */
export function printedClient(settings: PrintedSettings): PrintedClient {
  return {
    name: 'printed lock client',
    init: (_self, servers) => ({ servers, phase: 'idle', id: 0, attempt: 0, retries: 0, statuses: new Map() }),
    step(state, input, turn) {
      switch (input.kind) {
        case 'command':
          return contend(state, input.body.id, turn)
        case 'message':
          return status(state, settings, input.from, input.body, turn)
        case 'timer':
          return state.phase === 'inside' ? leave(state, turn) : tryAll(state, turn)
        case 'start':
        case 'stop':
          return
      }
    },
  }
}

function contend(state: PrintedClientState, id: number, turn: ClientTurn): void {
  if (state.phase !== 'idle') return turn.do({ kind: 'emit', event: { kind: 'busy', id } })
  state.id = id
  state.retries = 0
  tryAll(state, turn)
}

function tryAll(state: PrintedClientState, turn: ClientTurn): void {
  state.phase = 'trying'
  state.attempt++
  state.statuses.clear()
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'try', attempt: state.attempt } })
}

function status(
  state: PrintedClientState,
  settings: PrintedSettings,
  from: NodeId,
  body: PrintedMessage,
  turn: ClientTurn,
): void {
  if (body.kind !== 'status' || state.phase !== 'trying' || body.attempt !== state.attempt) return
  // A server's first word counts, or one liar would be a quorum.
  if (!state.servers.includes(from) || state.statuses.has(from)) return
  state.statuses.set(from, body.locked)
  if (state.statuses.size < state.servers.length - settings.crashes) return
  const locked = [...state.statuses.values()].filter(Boolean).length
  if (locked <= settings.liars) enter(state, settings, turn)
  else backOff(state, settings, turn)
}

function enter(state: PrintedClientState, settings: PrintedSettings, turn: ClientTurn): void {
  const { id, retries } = state
  state.phase = 'inside'
  turn.do({ kind: 'timer', name: 'wake', after: settings.hold })
  turn.do({ kind: 'emit', event: { kind: 'entered', id, deadline: turn.now + settings.hold, attempts: retries + 1 } })
}

function backOff(state: PrintedClientState, settings: PrintedSettings, turn: ClientTurn): void {
  state.phase = 'backing off'
  state.retries++
  const base = settings.hold + 4 * settings.delayMax
  const after = exponentialBackoff(base, state.retries, BACKOFF_MAX, bound => turn.below(bound))
  turn.do({ kind: 'timer', name: 'wake', after })
}

function leave(state: PrintedClientState, turn: ClientTurn): void {
  state.phase = 'idle'
  turn.do({ kind: 'emit', event: { kind: 'left', id: state.id } })
}
