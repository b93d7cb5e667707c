// With the turn: a version is made of everything that waits, proposed to all, and decided when q have taken it in one
// rank (BACKOFF figure 2, lines 23-32). Its commit goes out with the next proposal, or alone when nothing waits.

import type { Millis, NodeId } from '../core/index.ts'
import { applyOperation, type Batch, endSession, isFull, newBatch, openSession, writesOf } from './applying.ts'
import type { ClientState, OwnProposal, Use } from './client-state.ts'
import { encodeChange } from './content.ts'
import { nextDigest, sameBytes } from './digest.ts'
import type { Operation, ServerMessage } from './messages.ts'
import { hearOf } from './pool.ts'
import { serveCopies } from './reading.ts'
import { advanceReplica } from './replica.ts'
import { compareRanks } from './rules.ts'
import type { OrderingSettings } from './settings.ts'
import type { Applier, OrderingTurn } from './state.ts'
import { launch, ownOpen, ownOperations } from './submitting.ts'
import { overtaken, pump, setTurnTimer } from './turns.ts'
import { quorumOf, send, sendAll } from './uses.ts'

/** Reports of silence are put together only while they are so young: the servers hold their tongue for longer. */
export const REPORTS_MS: Millis = 500

/** Makes and proposes the next version; false where there is nothing to do. */
export function proposeNext(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): boolean {
  const applier = settings.findApplier(use.object)
  if (applier === undefined) return false
  const batch = newBatch(use.object, use.replica)
  fill(state, settings, use, batch, applier, turn)
  const writes = writesOf(batch)
  if (writes.length === 0) return false
  const change = encodeChange(writes)
  const { replica } = use
  const digest = nextDigest(settings.hash, replica.digest, batch.version, change)
  propose(state, settings, use, turn, {
    version: batch.version,
    digest,
    parent: replica.digest,
    change,
    writes,
    operations: batch.operations,
    accepted: new Set(),
    refused: new Map(),
    sentAt: turn.now,
  })
  return true
}

function fill(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  batch: Batch,
  applier: Applier,
  turn: OrderingTurn,
): void {
  for (const session of silentSessions(use, settings, turn.now)) {
    endSession(batch, applier, session)
    if (isFull(batch)) return
  }
  const open = ownOpen(state, use)
  if (open !== undefined) openSession(batch, open)
  for (const operation of use.pool.opens.values()) openSession(batch, operation)
  use.pool.opens.clear()
  for (const operation of ownOperations(state, use)) {
    if (!isFull(batch)) applyOperation(batch, applier, operation, settings.rules)
  }
  for (const operations of use.pool.operations.values()) {
    applySession(batch, applier, settings, operations)
    if (isFull(batch)) return
  }
}

// In the order of their numbers, as far as they follow each other.
function applySession(
  batch: Batch,
  applier: Applier,
  settings: OrderingSettings,
  operations: ReadonlyMap<number, Operation & { kind: 'apply' | 'end' }>,
): void {
  const numbers = [...operations.keys()].sort((a, b) => a - b)
  for (const seq of numbers) {
    if (isFull(batch)) return
    applyOperation(batch, applier, operations.get(seq)!, settings.rules)
  }
}

/** Those that f + b + 1 servers have not heard of for their time: one of any n - f that a living client hears is among them. */
export function silentSessions(use: Use, settings: OrderingSettings, now: Millis): string[] {
  const counts = new Map<string, number>()
  const needed = settings.crashes + settings.liars + 1
  const found: string[] = []
  for (const { sentAt, sessions } of use.silent.values()) {
    if (now > sentAt + REPORTS_MS) continue
    for (const session of sessions) {
      const count = (counts.get(session) ?? 0) + 1
      counts.set(session, count)
      if (count === needed) found.push(session)
    }
  }
  return found
}

/** Proposes a version, new or somebody else's; its parent is committed. */
export function propose(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  turn: OrderingTurn,
  proposal: OwnProposal,
): void {
  use.phase = 'proposing'
  use.proposal = proposal
  use.untold = undefined
  use.sentAt = turn.now
  sendProposal(use, turn, state.servers)
  setTurnTimer(settings, use, turn)
  if (settings.rules.acknowledgementsNeeded(quorumOf(state, settings)) === 0) decided(state, settings, use, turn)
}

function sendProposal(use: Use, turn: OrderingTurn, to: readonly NodeId[]): void {
  const { object, rank } = use
  const { version, parent, digest, change } = use.proposal!
  for (const server of to) send(turn, server, { kind: 'propose', object, rank, version, parent, digest, change })
}

/** To those who have not answered: the words may be lost. */
export function proposeAgain(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  const { accepted, refused, sentAt } = use.proposal!
  const others = refused.size > settings.liars
  if (others || turn.now > sentAt + settings.attemptMax / 4) return overtaken(state, settings, use, turn)
  const silent = state.servers.filter(server => !accepted.has(server) && !refused.has(server))
  sendProposal(use, turn, silent)
  use.tries++
  setTurnTimer(settings, use, turn)
}

export function accepted(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'accepted' },
  turn: OrderingTurn,
): void {
  if (compareRanks(answer.rank, use.rank) !== 0) return
  hearOf(use, settings, from, answer.pending)
  const { proposal } = use
  use.silent.set(from, { sentAt: use.sentAt, sessions: answer.silent })
  if (use.phase !== 'proposing' || proposal === undefined) return pump(state, settings, use, turn)
  if (answer.version !== proposal.version || !sameBytes(answer.digest, proposal.digest)) return
  // An answer to words that are older than the longest attempt may be from a server that has lost its store since.
  if (turn.now > proposal.sentAt + settings.attemptMax) return overtaken(state, settings, use, turn)
  proposal.accepted.add(from)
  const needed = settings.rules.acknowledgementsNeeded(quorumOf(state, settings))
  if (proposal.accepted.size >= needed) decided(state, settings, use, turn)
}

function decided(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  const proposal = use.proposal!
  const { version, digest, writes, change, operations } = proposal
  use.proposal = undefined
  use.tries = 0
  use.completes = false
  use.phase = 'holding'
  use.untold = { version, digest }
  turn.do({ kind: 'cancel', name: `turn:${use.object}` })
  turn.do({ kind: 'emit', event: { kind: 'decided', object: use.object, head: use.untold, operations } })
  advanceReplica(state, settings, use, { version, digest, change }, turn, writes)
  serveCopies(state, use, turn)
  launch(use)
  pump(state, settings, use, turn)
}

/** Nothing waits: the commit travels alone. */
export function tellCommit(state: ClientState, use: Use, turn: OrderingTurn): void {
  const { untold, object, rank } = use
  if (untold === undefined) return
  use.untold = undefined
  sendAll(state, turn, { kind: 'commit', object, rank, version: untold.version, digest: untold.digest })
}
