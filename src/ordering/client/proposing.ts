// With the turn: a version is made of everything that waits, proposed to all, and decided when q have taken it in one
// rank (BACKOFF figure 2, lines 23-32). Its commit goes out with the next proposal, or alone when nothing waits.

import { type NodeId, sameBytes } from '../../core/index.ts'
import type { Applier } from '../applier.ts'
import { compareRanks } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { encodeChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import type { Operation, ServerMessage } from '../wire.ts'
import { applyOperation, type Batch, endSilent, isFull, newBatch, openSession, writesOf } from './batch.ts'
import { fillAlone } from './erasing.ts'
import { hearOf, silentSessions } from './other-operations.ts'
import { ownOpen, ownOperations } from './own-operations.ts'
import { send, sendAll } from './send.ts'
import type { ClientObject, ClientScene, OwnProposal } from './state.ts'
import { wake } from './state.ts'

import { overtaken, setTurnTimer } from './turns.ts'

/** Makes and proposes the next version; false where there is nothing to do. */
export function proposeNext(scene: ClientScene, object: ClientObject): boolean {
  const { settings, turn } = scene
  const applier = settings.findApplier(object.name)
  if (applier === undefined) return false
  const batch = newBatch(object.name, object.replica)
  fill(scene, object, batch, applier)
  const writes = writesOf(batch)
  if (writes.length === 0) return false
  const change = encodeChange(writes)
  const { replica } = object
  const digest = nextDigest(settings.hash, replica.digest, batch.version, change)
  propose(scene, object, {
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

function fill(scene: ClientScene, object: ClientObject, batch: Batch, applier: Applier): void {
  if (applier.alone === true) return fillAlone(scene, object, batch, applier)
  const { state, settings, turn } = scene
  for (const session of silentSessions(object, settings, turn.now)) {
    endSilent(batch, applier, session, settings.rules)
    if (isFull(batch)) return
  }
  const open = ownOpen(state, object)
  if (open !== undefined) openSession(batch, open)
  for (const operation of object.pool.opens.values()) openSession(batch, operation)
  object.pool.opens.clear()
  for (const operation of ownOperations(state, object)) {
    if (!isFull(batch)) applyOperation(batch, applier, operation, settings.rules)
  }
  for (const operations of object.pool.operations.values()) {
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

/** Proposes a version, new or somebody else's; its parent is committed. */
export function propose(scene: ClientScene, object: ClientObject, proposal: OwnProposal): void {
  const { state, turn } = scene
  object.phase = 'proposing'
  object.proposal = proposal
  object.unannounced = undefined
  object.sentAt = turn.now
  sendProposal(scene, object, state.servers)
  setTurnTimer(scene, object)
  wake(scene, object)
}

function sendProposal(scene: ClientScene, object: ClientObject, to: readonly NodeId[]): void {
  const { name, rank } = object
  const { version, parent, digest, change } = object.proposal!
  for (const server of to) send(scene, server, { kind: 'propose', object: name, rank, version, parent, digest, change })
}

/** To those who have not answered: the words may be lost. */
export function proposeAgain(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const { accepted, refused, sentAt } = object.proposal!
  const others = refused.size > settings.liars
  if (others || turn.now > sentAt + settings.attemptMax / 4) return overtaken(scene, object)
  const silent = state.servers.filter(server => !accepted.has(server) && !refused.has(server))
  sendProposal(scene, object, silent)
  object.tries++
  setTurnTimer(scene, object)
}

export function onAccepted(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'accepted' },
): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, object.rank) !== 0) return
  hearOf(scene, object, from, answer.pending)
  const { proposal } = object
  object.silent.set(from, { sentAt: object.sentAt, sessions: answer.silent })
  if (object.phase !== 'proposing' || proposal === undefined) return wake(scene, object)
  if (answer.version !== proposal.version || !sameBytes(answer.digest, proposal.digest)) return
  // An answer to words that are older than the longest attempt may be from a server that has lost its store since.
  if (turn.now > proposal.sentAt + settings.attemptMax) return overtaken(scene, object)
  proposal.accepted.add(from)
  wake(scene, object)
}

/** Nothing waits: the commit travels alone. */
export function tellCommit(scene: ClientScene, object: ClientObject): void {
  const { unannounced, name, rank } = object
  if (unannounced === undefined) return
  object.unannounced = undefined
  sendAll(scene, { kind: 'commit', object: name, rank, version: unannounced.version, digest: unannounced.digest })
}
