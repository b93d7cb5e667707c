// With the turn: a version is made of everything that waits, proposed to all, and decided when q have taken it in one
// rank (BACKOFF figure 2, lines 23-32). Its commit goes out with the next proposal, or alone when nothing waits.

import type { Millis, NodeId } from '../core/index.ts'
import { applyOperation, type Batch, endSession, isFull, newBatch, openSession, writesOf } from './applying.ts'
import type { ClientScene, OwnProposal, Use } from './client-state.ts'
import { encodeChange } from './content.ts'
import { nextDigest, sameBytes } from './digest.ts'
import type { Operation, ServerMessage } from './messages.ts'
import { hearOf } from './pool.ts'
import { serveCopies } from './reading.ts'
import { advanceReplica } from './replica.ts'
import { compareRanks } from './rules.ts'
import type { OrderingSettings } from './settings.ts'
import type { Applier } from './state.ts'
import { launch, ownOpen, ownOperations } from './submitting.ts'
import { overtaken, pump, setTurnTimer } from './turns.ts'
import { quorumOf, send, sendAll } from './uses.ts'

/** Reports of silence are put together only while they are so young: the servers hold their tongue for longer. */
export const REPORTS_MS: Millis = 500

/** Makes and proposes the next version; false where there is nothing to do. */
export function proposeNext(scene: ClientScene, use: Use): boolean {
  const { settings, turn } = scene
  const applier = settings.findApplier(use.object)
  if (applier === undefined) return false
  const batch = newBatch(use.object, use.replica)
  fill(scene, use, batch, applier)
  const writes = writesOf(batch)
  if (writes.length === 0) return false
  const change = encodeChange(writes)
  const { replica } = use
  const digest = nextDigest(settings.hash, replica.digest, batch.version, change)
  propose(scene, use, {
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

function fill(scene: ClientScene, use: Use, batch: Batch, applier: Applier): void {
  const { state, settings, turn } = scene
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
export function propose(scene: ClientScene, use: Use, proposal: OwnProposal): void {
  const { state, settings, turn } = scene
  use.phase = 'proposing'
  use.proposal = proposal
  use.untold = undefined
  use.sentAt = turn.now
  sendProposal(scene, use, state.servers)
  setTurnTimer(scene, use)
  if (settings.rules.acknowledgementsNeeded(quorumOf(scene)) === 0) decided(scene, use)
}

function sendProposal(scene: ClientScene, use: Use, to: readonly NodeId[]): void {
  const { object, rank } = use
  const { version, parent, digest, change } = use.proposal!
  for (const server of to) send(scene, server, { kind: 'propose', object, rank, version, parent, digest, change })
}

/** To those who have not answered: the words may be lost. */
export function proposeAgain(scene: ClientScene, use: Use): void {
  const { state, settings, turn } = scene
  const { accepted, refused, sentAt } = use.proposal!
  const others = refused.size > settings.liars
  if (others || turn.now > sentAt + settings.attemptMax / 4) return overtaken(scene, use)
  const silent = state.servers.filter(server => !accepted.has(server) && !refused.has(server))
  sendProposal(scene, use, silent)
  use.tries++
  setTurnTimer(scene, use)
}

export function accepted(
  scene: ClientScene,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'accepted' },
): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, use.rank) !== 0) return
  hearOf(use, settings, from, answer.pending)
  const { proposal } = use
  use.silent.set(from, { sentAt: use.sentAt, sessions: answer.silent })
  if (use.phase !== 'proposing' || proposal === undefined) return pump(scene, use)
  if (answer.version !== proposal.version || !sameBytes(answer.digest, proposal.digest)) return
  // An answer to words that are older than the longest attempt may be from a server that has lost its store since.
  if (turn.now > proposal.sentAt + settings.attemptMax) return overtaken(scene, use)
  proposal.accepted.add(from)
  const needed = settings.rules.acknowledgementsNeeded(quorumOf(scene))
  if (proposal.accepted.size >= needed) decided(scene, use)
}

function decided(scene: ClientScene, use: Use): void {
  const { turn } = scene
  const proposal = use.proposal!
  const { version, digest, writes, change, operations } = proposal
  use.proposal = undefined
  use.tries = 0
  use.completes = false
  use.phase = 'holding'
  use.untold = { version, digest }
  turn.do({ kind: 'cancel', name: `turn:${use.object}` })
  turn.do({ kind: 'emit', event: { kind: 'decided', object: use.object, head: use.untold, operations } })
  advanceReplica(scene, use, { version, digest, change }, writes)
  serveCopies(scene, use)
  launch(use)
  pump(scene, use)
}

/** Nothing waits: the commit travels alone. */
export function tellCommit(scene: ClientScene, use: Use): void {
  const { untold, object, rank } = use
  if (untold === undefined) return
  use.untold = undefined
  sendAll(scene, { kind: 'commit', object, rank, version: untold.version, digest: untold.digest })
}
