// get, propose and commit at a server (BACKOFF figure 3, lines 5-27, with protocols/ordering 1, 2, 5).

import { type NodeId, sameBytes } from '../../core/index.ts'
import { isProven } from '../rank-proofs.ts'
import { compareRanks } from '../rules.ts'
import { longestTurn } from '../settings.ts'
import { decodeChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import type { ClientMessage, Rank, ServerMessage } from '../wire.ts'
import { continueCheckpoint } from './checkpoint.ts'
import { commitTo } from './committing.ts'
import { handOverPending, markKnown, pushRemaining, takeOperations } from './pending.ts'
import { isBeyond } from './ranks.ts'
import { changesAfter } from './recent-changes.ts'
import { save, saveLazily } from './records.ts'
import { reply } from './send.ts'
import { answerFromProposed, nameSilent } from './sessions.ts'
import type { ServerScene } from './state.ts'
import { type Proposal, proposedHead, type ServerObject } from './state.ts'
import { heldByAnother, keepTurn, takeTurn } from './turns.ts'
import { isLaden, keepDoubtful } from './unapplied.ts'
import { headOf, isVouched, releaseWaiting, takeVoucher } from './vouching.ts'

export function onGet(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'get' },
): void {
  const { settings, turn } = scene
  const { rank, have, content } = asked
  // Somebody that speaks under another client's rank is no client of ours.
  if (rank.client !== from || !isProven(settings, object.name, rank, asked.proof)) return
  if (isBeyond(scene, object, from, rank))
    return reply(scene, from, { kind: 'full', object: object.name, what: 'ranks' })
  takeOperations(scene, object, from, asked.operations, 'all')
  if (heldByAnother(object, from, turn.now)) {
    // Clocks have fractions: rounded up, the longest turn must not look longer than any.
    const remaining = Math.min(Math.ceil(object.holdsUntil - turn.now), longestTurn(settings))
    return reply(scene, from, { kind: 'busy', object: object.name, rank, promised: object.promised, remaining })
  }
  if (compareRanks(rank, object.promised) <= 0) return refuse(scene, object, from, rank)
  object.promised = rank
  object.proof = asked.proof
  takeTurn(object, from, settings, turn.now)
  save(scene, { kind: 'rank', object: object.name, rank, proof: asked.proof })
  reply(scene, from, {
    kind: 'got',
    object: object.name,
    rank,
    committed: object.committed,
    proposed: proposedHead(object),
    change: content ? object.proposed?.change : undefined,
    changes: content ? (changesAfter(object, have) ?? []) : [],
    pending: handOverPending(object, rank),
    silent: nameSilent(object, turn.now),
  })
}

function refuse(scene: ServerScene, object: ServerObject, from: NodeId, rank: Rank): void {
  const { name, promised, proof } = object
  reply(scene, from, { kind: 'refused', object: name, rank, promised, proof })
}

export function onPropose(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' },
): void {
  const { settings, turn } = scene
  const { rank, version, digest, parent, change } = asked
  if (rank.client !== from || version === 0 || isBeyond(scene, object, from, rank)) return
  if (compareRanks(rank, object.promised) < 0) return refuse(scene, object, from, rank)
  const before = object.proposed
  if (before !== undefined && compareRanks(before.rank, rank) === 0) {
    if (before.version === version && !before.heard) return repeated(scene, object, before, from, asked)
    if (before.version !== version && !settings.rules.mayFollow(version, before.version)) return
  }
  if (version < object.committed.version || isForged(scene, object, asked)) return
  if (isLaden(object, version) || !isVouched(scene, object, from, asked)) return
  if (settings.rules.commitsParent()) {
    commitTo(scene, object, { version: version - 1, digest: parent })
  }
  if (before !== undefined) keepApplied(scene, object, before, asked)
  keepDoubtful(object, before, version)
  object.promised = rank
  object.proposed = { rank, version, parent, digest, change, writes: decodeChange(change), heard: false }
  keepTurn(object, from, settings, turn.now)
  save(scene, { kind: 'proposal', object: object.name, proposed: { rank, version, parent, digest }, change })
  markKnown(object, object.proposed)
  accept(scene, object, from, object.proposed)
  if (settings.rules.answersFromProposed()) answerFromProposed(scene, object)
  if (sameBytes(object.committed.digest, digest)) commitTo(scene, object, object.committed)
  continueCheckpoint(scene)
}

// Nobody could check what follows it: of a committed version there is one state, and a digest is that of its change.
function isForged(
  { settings }: ServerScene,
  { committed }: ServerObject,
  { version, digest, parent, change }: ClientMessage & { kind: 'propose' },
): boolean {
  if (version === committed.version && !sameBytes(digest, committed.digest)) return true
  return !sameBytes(nextDigest(settings.hash, parent, version, change), digest)
}

// A commit has no record of its own: the log says that a proposal was committed where the next one is built on it. One
// that is not, after versions that this server has missed, would leave a log that leads past a version.
function keepApplied(
  scene: ServerScene,
  { name, content }: ServerObject,
  before: Proposal,
  next: ClientMessage & { kind: 'propose' },
): void {
  if (!sameBytes(before.digest, content.digest) || next.version <= content.version + 1) return
  const { version, digest, parent, change } = before
  saveLazily(scene, { kind: 'caught', object: name, head: { version, digest }, parent, change })
}

// The same words again: the answer was lost. What is on disk is on disk.
function repeated(
  scene: ServerScene,
  object: ServerObject,
  before: Proposal,
  from: NodeId,
  asked: ClientMessage & { kind: 'propose' },
): void {
  const { settings, turn } = scene
  if (!sameBytes(before.digest, asked.digest)) return
  keepTurn(object, from, settings, turn.now)
  accept(scene, object, from, before)
}

function accept(scene: ServerScene, object: ServerObject, from: NodeId, { rank, version, digest }: Proposal): void {
  const { settings, turn } = scene
  const pending = settings.rules.tellsPending() ? handOverPending(object, rank) : []
  reply(scene, from, {
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
export function onCommit(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  asked: ClientMessage & { kind: 'commit' },
): void {
  const { settings } = scene
  if (!isVouched(scene, object, from, asked)) return
  commitTo(scene, object, asked)
  if (settings.rules.tellsPending()) pushRemaining(scene, object, from)
}

/** Others know the version: it is committed, and what rests on it is heard as if it came now. */
export function onVouched(
  scene: ServerScene,
  object: ServerObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'vouched' },
): void {
  const entry = takeVoucher(scene, object, from, answer)
  if (entry === undefined) return
  commitTo(scene, object, headOf(entry.asked))
  for (let free = releaseWaiting(scene.state, object); free.length > 0; free = releaseWaiting(scene.state, object)) {
    for (const { from: client, asked } of free) {
      if (asked.kind === 'propose') onPropose(scene, object, client, asked)
      else onCommit(scene, object, client, asked)
    }
  }
}
