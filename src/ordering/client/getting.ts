// Answers to a get, and to a proposal that is refused (BACKOFF figure 2, lines 13-22).

import type { NodeId } from '../../core/process.ts'
import { choose } from '../choose.ts'
import { isProven } from '../rank-proofs.ts'
import { compareRanks } from '../rules.ts'
import { longestTurn, type OrderingSettings } from '../settings.ts'
import type { Head, Rank, ServerMessage } from '../wire.ts'
import { completeChoice } from './catching-up.ts'
import { submitNew } from './contacts.ts'
import { accuse, compareCommitted, denyClaims, hearClaim } from './evidence.ts'
import { hearOf } from './other-operations.ts'
import { proposeAgain } from './proposing.ts'
import { quorumOf } from './send.ts'
import { keep } from './shares.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { comeAgain, hasWork, overtaken, rest, startGet, waitFor } from './turns.ts'

export function onGot(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'got' },
): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, object.rank) !== 0) return
  hearOf(scene, object, from, answer.pending)
  hearClaim(scene, object, from, answer.committed)
  object.silent.set(from, { sentAt: object.sentAt, sessions: answer.silent })
  if (object.phase !== 'getting' && object.phase !== 'syncing') return
  if (turn.now > object.sentAt + settings.attemptMax) return
  keepReply(scene, object, from, answer)
  if (object.replies.size < quorumOf(scene)) return
  if (object.phase === 'getting') object.choice = choose(object.replies, settings.liars, settings.rules)
  if (object.choice === undefined) return
  if (object.phase === 'getting') denyClaims(scene, object, object.choice)
  if (object.phase === 'getting') object.shares = object.shares && object.choice.version !== object.replica.version
  if (object.choice.committed) compareCommitted(scene, object, object.choice, heads(object))
  object.phase = 'syncing'
  completeChoice(scene, object)
}

// What waits and who is silent was heard already.
function keepReply(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'got' },
): void {
  let bytes = answer.change?.length ?? 0
  for (const { change } of answer.changes) bytes += change.length
  object.replies.set(from, { ...answer, pending: [], silent: [] })
  if (bytes > 0) keep(scene, from, { kind: 'got', object: object.name }, bytes)
}

function* heads({ replies }: ClientObject): Iterable<readonly [NodeId, Head]> {
  for (const [server, { committed }] of replies) yield [server, committed]
}

export function onBusy(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'busy' },
): void {
  const { settings, turn } = scene
  // That proves a lie also when the others' answers have come before it.
  if (answer.remaining > longestTurn(settings)) {
    accuse(scene, object, from, object.replica.version, 'a turn that is longer than any')
  }
  if (compareRanks(answer.rank, object.rank) !== 0 || object.phase !== 'getting') return
  object.counters.set(from, answer.promised.counter)
  object.busy.set(from, answer.remaining)
  if (!isHopeless(scene, object)) return
  const remaining = [...object.busy.values()].sort((a, b) => a - b)
  const longest = Math.min(remaining[Math.min(settings.liars, remaining.length - 1)]!, settings.turnMs)
  object.othersUntil = turn.now + longest
  object.tries++
  waitFor(scene, object, longest)
  submitNew(scene, object)
}

/** Too many said no: no quorum is left to say yes. */
function isHopeless(scene: ClientScene, object: ClientObject): boolean {
  const { state } = scene
  const no =
    object.phase === 'proposing' ? object.proposal!.refused : new Set([...object.busy.keys(), ...object.refused.keys()])
  return state.servers.length - no.size < quorumOf(scene)
}

/**
 * Refusals end the attempt when no quorum is left, or when one shows a rank that its client has signed. b + 1 of them,
 * as BACKOFF §6.2 has it, say that a higher rank exists, and not that it will ever do anything: with one server that
 * promised much to somebody who is gone and a liar beside it, nobody would be served. After a while they do count.
 */
export function onRefused(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'refused' },
): void {
  const { state, settings } = scene
  if (compareRanks(answer.rank, object.rank) !== 0 || compareRanks(answer.promised, object.rank) <= 0) return
  object.counters.set(from, answer.promised.counter)
  const refusals = object.phase === 'proposing' ? object.proposal?.refused : object.refused
  if (refusals === undefined || object.phase === 'idle' || object.phase === 'waiting') return
  refusals.set(from, answer.promised)
  const shown = settings.proofs !== undefined && isShown(settings, object, answer.promised, answer.proof)
  if (shown) for (const server of state.servers) raise(object, server, answer.promised.counter)
  if (object.phase !== 'getting' && object.phase !== 'proposing') return
  if (shown || isHopeless(scene, object)) overtaken(scene, object)
}

function isShown(settings: OrderingSettings, object: ClientObject, promised: Rank, proof: Uint8Array): boolean {
  return isProven(settings, object.name, promised, proof)
}

function raise(object: ClientObject, server: NodeId, counter: number): void {
  object.counters.set(server, Math.max(counter, object.counters.get(server) ?? 0))
}

export function onTurn(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  switch (object.phase) {
    case 'proposing':
      return proposeAgain(scene, object)
    case 'getting':
    case 'syncing':
      object.tries++
      return startGet(scene, object)
    case 'waiting':
      if (!hasWork(settings, object, turn.now)) return rest(scene, object)
      if (settings.findApplier(object.name) === undefined) return comeAgain(scene, object)
      if (object.copying !== undefined) return waitFor(scene, object)
      return startGet(scene, object)
    case 'idle':
    case 'holding':
      return
  }
}
