// What of the lock's states and messages matters to what can still happen: for the explorer, which then keeps one of
// many states (src/simulator/explorer/system.ts says what is claimed, a test compares with the full exploration).
// All of it supposes the rules unbroken, clients that do not crash, and nobody who waits in the servers' lists.

import { assert, type NodeId } from '../../core/index.ts'
import type { Acquisition, Answer, ClientState } from '../client/state.ts'
import type { LockEntry, ServerState } from '../server/state.ts'
import type { ClientMessage, LockMessage, ServerMessage } from '../wire.ts'

/** What the users of a system do: the less, the less matters. */
export interface Scope {
  readonly renewals: boolean
  /** A client may want the lock a second time. */
  readonly again: boolean
}

/** `remaining` and `recovering` are told to the user and decide nothing. */
export function reducedMessage(body: LockMessage): LockMessage {
  return body.kind === 'locked' ? { ...body, remaining: 0, recovering: false } : body
}

/** Without the times that serve `inspect` and the sweep. `before` of a free name serves renewals only. */
export function reducedServer(state: ServerState, clock: number, renewals: boolean): unknown {
  const locks = new Map<string, unknown>()
  for (const [name, entry] of state.locks) locks.set(name, reducedEntry(entry, clock, renewals))
  const { floor, reserved, stopped } = state
  return { locks, floor, reserved, stopped, recoverUntil: clock < state.recoverUntil ? state.recoverUntil : 0 }
}

// A lease that has run out keeps its holder: a late release may still take its token back.
function reducedEntry(entry: LockEntry, clock: number, renewals: boolean): unknown {
  const { holder, token, maximum, before, closed } = entry
  assert(entry.waiters === undefined && entry.lease === undefined, 'a waiter in a system that claims to have none')
  const until = clock < entry.until ? entry.until : 0
  if (renewals) return { holder, token, until, maximum, before, closed }
  return holder === '' ? { maximum, closed } : { holder, token, until, maximum, before, closed }
}

/** A client that is done and will not want the lock again does nothing more, but for giving back late grants. */
export function reducedClient(state: ClientState, clock: number, scope: Scope): unknown {
  const { attempts, used, seen } = state
  const memory = scope.again ? { attempts, used, seen } : { used }
  if (state.acquisitions.size === 0) return { ...memory, over: attempts > 0 }
  const acquisitions = new Map<string, unknown>()
  for (const [name, acquisition] of state.acquisitions)
    acquisitions.set(name, reducedAcquisition(acquisition, seen, clock, scope.renewals))
  return { ...memory, acquisitions }
}

function reducedAcquisition(acquisition: Acquisition, seen: number, clock: number, renewals: boolean): unknown {
  const { phase, attempt, token, tries, waited, hint, hintedAt, sentAt } = acquisition
  assert(!acquisition.fair, 'a waiter in a system that claims to have none')
  const deadline = clock < acquisition.deadline ? acquisition.deadline : 0
  // The loss was told: answers change nothing any more, and at the deadline all is let go.
  if (phase === 'ending') return { phase, attempt, token, deadline }
  // Every grant of one try counts from the same moment, so a later one does not move the deadline.
  if (phase === 'held' && !renewals) return { phase, attempt, token, deadline }
  const next = { tries, waited, hint, hintedAt, seen }
  // The next try forgets the answers to this one.
  if (phase === 'backing off') return { phase, attempt, token, next }
  const answers = new Map([...acquisition.answers].map(([server, answer]) => [server, reducedAnswer(answer)]))
  return { phase, attempt, token, next, sentAt, deadline, answers, until: acquisition.until }
}

function reducedAnswer(answer: Answer): string {
  return answer.kind === 'tooLow' ? `tooLow ${answer.maximum}` : answer.kind
}

/**
 * Answers to a try that was given up: a grant is given back, and the others are ignored. It stays so, because the
 * attempts and tokens of one client grow. But what is given back is called unused until a later token is held.
 */
export function settledAtClient(state: ClientState, body: ServerMessage, scope: Scope): boolean {
  if (!('attempt' in body)) return false
  const acquisition = state.acquisitions.get(body.name)
  if (acquisition !== undefined && body.attempt >= acquisition.attempt) return false
  if (body.kind !== 'granted' || (acquisition === undefined && !scope.again)) return true
  return body.token <= state.used && body.token !== acquisition?.token
}

/** A release that comes too late: its lease is not out, and what could bring it about is not under way, nor ever sent again. */
export function settledAtServer(
  state: ServerState,
  from: NodeId,
  body: ClientMessage,
  beside: readonly ClientMessage[],
): boolean {
  if (body.kind !== 'release') return false
  const entry = state.locks.get(body.name)
  if (entry?.holder === from && entry.token === body.token) return false
  return !beside.some(other => (other.kind === 'try' || other.kind === 'renew') && other.token === body.token)
}
