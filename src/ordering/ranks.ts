// get, propose and commit at a server (BACKOFF figure 3, lines 5-27, with PROTOCOLS F 1, 2, 5).

import type { NodeId } from '../core/index.ts'
import { goOn } from './checkpoint.ts'
import { commitTo, keepDoubtful } from './committing.ts'
import { decodeChange } from './content.ts'
import { sameBytes } from './digest.ts'
import type { ClientMessage, Rank } from './messages.ts'
import {
  heldByAnother,
  keepTurn,
  type Proposal,
  proposedHead,
  reply,
  type ServerObject,
  type ServerState,
  type ServerTurn,
  takeTurn,
} from './objects.ts'
import { pushUntold, submit, tellPending, toldBy } from './pending.ts'
import { isProven } from './proofs.ts'
import { save, saveLazily } from './records.ts'
import { compareRanks } from './rules.ts'
import { answerFromProposed, nameSilent } from './sessions.ts'
import type { OrderingSettings } from './settings.ts'
import { changesAfter } from './suffix.ts'

export function get(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'get' },
  turn: ServerTurn,
): void {
  const { rank, have, content } = asked
  // Who speaks under another's rank is no client of ours.
  if (rank.client !== from || !isProven(settings, object.name, rank, asked.proof)) return
  submit(state, settings, object, from, asked.operations, 'all', turn)
  if (heldByAnother(object, from, turn.now)) {
    const remaining = Math.ceil(object.holdsUntil - turn.now)
    return reply(turn, from, { kind: 'busy', object: object.name, rank, promised: object.promised, remaining })
  }
  if (compareRanks(rank, object.promised) <= 0) return refuse(object, from, rank, turn)
  object.promised = rank
  object.proof = asked.proof
  takeTurn(object, from, settings, turn.now)
  save(state, { kind: 'rank', object: object.name, rank, proof: asked.proof }, turn)
  reply(turn, from, {
    kind: 'got',
    object: object.name,
    rank,
    committed: object.committed,
    proposed: proposedHead(object),
    change: content ? object.proposed?.change : undefined,
    changes: content ? (changesAfter(object, have) ?? []) : [],
    pending: tellPending(object, rank),
    silent: nameSilent(object, turn.now),
  })
}

function refuse(object: ServerObject, from: NodeId, rank: Rank, turn: ServerTurn): void {
  const { name, promised, proof } = object
  reply(turn, from, { kind: 'refused', object: name, rank, promised, proof })
}

export function propose(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' },
  turn: ServerTurn,
): void {
  const { rank, version, digest, parent, change } = asked
  if (rank.client !== from || version === 0) return
  if (compareRanks(rank, object.promised) < 0) return refuse(object, from, rank, turn)
  const before = object.proposed
  if (before !== undefined && compareRanks(before.rank, rank) === 0) {
    if (before.version === version && !before.heard) return repeated(settings, object, before, from, asked, turn)
    if (before.version !== version && !settings.rules.mayFollow(version, before.version)) return
  }
  if (version < object.committed.version) return
  if (settings.rules.commitsParent()) {
    commitTo(state, settings, object, { version: version - 1, digest: parent }, turn)
  }
  if (before !== undefined) keepApplied(state, object, before, asked, turn)
  keepDoubtful(object, before, version)
  object.promised = rank
  object.proposed = { rank, version, parent, digest, change, writes: decodeChange(change), heard: false }
  keepTurn(object, from, settings, turn.now)
  save(state, { kind: 'proposal', object: object.name, proposed: { rank, version, parent, digest }, change }, turn)
  toldBy(object, object.proposed)
  accept(settings, object, from, object.proposed, turn)
  if (settings.rules.answersFromProposed()) answerFromProposed(state, settings, object, turn)
  if (sameBytes(object.committed.digest, digest)) commitTo(state, settings, object, object.committed, turn)
  goOn(state, settings, turn)
}

// A commit has no record of its own: the log says that a proposal was committed where the next one is built on it. One
// that is not, after versions that this server has missed, would leave a log that leads past a version.
function keepApplied(
  state: ServerState,
  { name, content }: ServerObject,
  before: Proposal,
  next: ClientMessage & { kind: 'propose' },
  turn: ServerTurn,
): void {
  if (!sameBytes(before.digest, content.digest) || next.version <= content.version + 1) return
  const { version, digest, parent, change } = before
  saveLazily(state, { kind: 'caught', object: name, head: { version, digest }, parent, change }, turn)
}

// The same words again: the answer was lost. What is on disk is on disk.
function repeated(
  settings: OrderingSettings,
  object: ServerObject,
  before: Proposal,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' },
  turn: ServerTurn,
): void {
  if (!sameBytes(before.digest, asked.digest)) return
  keepTurn(object, from, settings, turn.now)
  accept(settings, object, from, before, turn)
}

function accept(
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  { rank, version, digest }: Proposal,
  turn: ServerTurn,
): void {
  const pending = settings.rules.tellsPending() ? tellPending(object, rank) : []
  reply(turn, from, {
    kind: 'accepted',
    object: object.name,
    rank,
    version,
    digest,
    pending,
    silent: nameSilent(object, turn.now),
  })
}

// From a client, who does not lie: that a version is decided is true whatever ranks came since.
export function commit(
  state: ServerState,
  settings: OrderingSettings,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'commit' },
  turn: ServerTurn,
): void {
  commitTo(state, settings, object, asked, turn)
  if (settings.rules.tellsPending()) pushUntold(object, from, turn)
}
