// Taking the turn (BACKOFF figure 2, lines 8-22, without the lock in front: the servers' turns and a random wait keep
// clients apart, the ranks keep them safe).

import type { Millis, NodeId } from '../../core/index.ts'
import { choose } from '../choose.ts'
import { isProven, prove } from '../rank-proofs.ts'
import { compareRanks } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { COUNTER_MAX, type Head, type Rank, type ServerMessage } from '../wire.ts'
import { completeChoice } from './catching-up.ts'
import { compareCommitted } from './evidence.ts'
import { hearOf } from './other-operations.ts'
import { proposeAgain, proposeNext, silentSessions, tellCommit } from './proposing.ts'
import { quorumOf, send, sendAll } from './send.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { hasOwnWork, ownWords, submitNew, submitOpen } from './submitting.ts'

const RETRY_DOUBLINGS_MAX = 6
/** So many attempts come to nothing for ordinary reasons. The longest leap is an hour of a clock in milliseconds. */
const LEAPS_AFTER = 4
const LEAP_DOUBLINGS_MAX = 22
/** The year 4199: a clock that says more is wrong, and would use up the counters. */
const WALL_MAX: Millis = 2 ** 46

/** Something may be there to do: does it where this client has the turn, or begins to take it. */
export function pump(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  switch (object.phase) {
    case 'holding':
      if (isStale(settings, object, turn.now) && hasWork(settings, object, turn.now)) {
        tellCommit(scene, object)
        return begin(scene, object)
      }
      if (proposeNext(scene, object)) return
      tellCommit(scene, object)
      // Own operations that cannot follow: others have answered those before, so the turn was theirs meanwhile.
      if (hasOwnWork(object)) overtaken(scene, object)
      return
    case 'idle':
      if (!hasWork(settings, object, turn.now)) return
      if (turn.now < object.othersUntil) return standInLine(scene, object)
      return begin(scene, object)
    case 'waiting':
      if (hasWork(settings, object, turn.now)) return submitNew(scene, object)
      return rest(scene, object)
    case 'getting':
    case 'syncing':
    case 'proposing':
      return
  }
}

/** Others' operations are no reason to ask for the turn: whoever wants one done asks for it. */
function hasWork(settings: OrderingSettings, object: ClientObject, now: Millis): boolean {
  return hasOwnWork(object) || object.completes || silentSessions(object, settings, now).length > 0
}

/** The turn was left alone for so long that another may have it, as it was the last time. */
function isStale(settings: OrderingSettings, object: ClientObject, now: Millis): boolean {
  return object.shares && now > object.sentAt + settings.turnMs
}

/** Somebody has the turn and is at work: tells the servers, who tell that one. */
function standInLine(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  waitFor(scene, object, object.othersUntil - turn.now)
  submitOpen(scene, object)
  submitNew(scene, object)
}

/** Another's version has answered some of what waits here: whoever made it has the turn, and goes on. */
export function heardOfOthers(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  object.othersUntil = turn.now + settings.turnMs
  object.tries = 0
  if (object.phase === 'waiting' && object.outstanding.size > 0) waitFor(scene, object, settings.turnMs)
}

// Without an applier, or while a copy is on its way, a client can only ask others to do it.
function begin(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  const able = settings.findApplier(object.name) !== undefined && object.copying === undefined
  if (able) startGet(scene, object)
  else comeAgain(scene, object)
}

function comeAgain(scene: ClientScene, object: ClientObject): void {
  const { state, settings } = scene
  waitFor(scene, object, settings.retryMin)
  const operations = ownWords(state, object)
  object.submitted = object.seq
  if (operations.length > 0) sendAll(scene, { kind: 'submit', object: object.name, operations })
}

function rest(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  object.phase = 'idle'
  object.tries = 0
  turn.do({ kind: 'cancel', name: `turn:${object.name}` })
}

function startGet(scene: ClientScene, object: ClientObject): void {
  const { state, settings, turn } = scene
  const { rules, liars, crashes } = settings
  const fresh = !rules.reusesRank() || object.rank.counter === 0
  if (fresh) {
    const above = rules.nextCounter(object.rank.counter, [...object.counters.values()], liars)
    const counter = Math.max(above + leap(object.tries), guess(object, turn.now))
    object.rank = { counter: Math.min(counter, COUNTER_MAX), client: state.self }
  }
  object.phase = 'getting'
  object.sentAt = turn.now
  object.choice = undefined
  object.proposal = undefined
  object.replies.clear()
  object.refused.clear()
  object.busy.clear()
  const operations = ownWords(state, object)
  object.submitted = object.seq
  const { name, rank } = object
  const first = turn.below(state.servers.length)
  const proof = prove(settings, name, rank)
  for (const [place, server] of state.servers.entries()) {
    // Content from f + b + 1 of them: one is honest, and among the first n - f that answer. Of the others the digests
    // will do.
    const content = (place - first + state.servers.length) % state.servers.length <= crashes + liars
    send(scene, server, { kind: 'get', object: name, rank, have: object.replica.version, content, operations, proof })
  }
  setTurnTimer(scene, object)
}

/**
 * One server may have promised a rank far above all others, to somebody who is gone; a liar that reports less can hide
 * that from the rule of b + 1. Whoever is refused again and again leaps, farther each time.
 */
function leap(tries: number): number {
  return tries < LEAPS_AFTER ? 0 : 2 ** Math.min(tries, LEAP_DOUBLINGS_MAX)
}

/** Above those that others had before, if their wall clocks go right; where they do not, a refusal says what is. */
function guess({ wallLead }: ClientObject, now: Millis): number {
  if (wallLead === undefined) return 0
  const wall = Math.floor(now + wallLead)
  return wall > 0 && wall < WALL_MAX ? wall : 0
}

export function setTurnTimer(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  const longest = Math.min(settings.retryMax, settings.retryMin * 2 ** Math.min(object.tries, RETRY_DOUBLINGS_MAX))
  const after = longest / 2 + turn.below(Math.ceil(longest / 2) + 1)
  turn.do({ kind: 'timer', name: `turn:${object.name}`, after })
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

/** Gives up the attempt for as long as something else has to be done first. */
export function leaveTurn(scene: ClientScene, object: ClientObject): void {
  object.choice = undefined
  waitFor(scene, object)
  submitNew(scene, object)
}

/** Somebody with a higher rank came, or nothing is heard: starts anew after a while. */
export function overtaken(scene: ClientScene, object: ClientObject): void {
  const at = object.tries++
  if (object.phase === 'proposing') object.shares = true
  object.proposal = undefined
  object.choice = undefined
  object.unannounced = undefined
  // The first time a counter was only unknown to us: it is known now. Whoever has the turn is not disturbed by a get.
  if (at === 0) return startGet(scene, object)
  waitFor(scene, object)
  submitNew(scene, object)
}

function waitFor(scene: ClientScene, object: ClientObject, remaining: Millis = 0): void {
  const { settings, turn } = scene
  object.phase = 'waiting'
  const spread = Math.min(settings.retryMax, settings.retryMin * 2 ** Math.min(object.tries, RETRY_DOUBLINGS_MAX)) / 2
  turn.do({ kind: 'timer', name: `turn:${object.name}`, after: remaining + turn.below(Math.ceil(spread)) })
}

export function onGot(
  scene: ClientScene,
  object: ClientObject,
  from: NodeId,
  answer: ServerMessage & { kind: 'got' },
): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, object.rank) !== 0) return
  hearOf(object, settings, from, answer.pending)
  object.silent.set(from, { sentAt: object.sentAt, sessions: answer.silent })
  if (object.phase !== 'getting' && object.phase !== 'syncing') return
  if (turn.now > object.sentAt + settings.attemptMax) return
  object.replies.set(from, answer)
  if (object.replies.size < quorumOf(scene)) return
  if (object.phase === 'getting') object.choice = choose(object.replies, settings.liars, settings.rules)
  if (object.choice === undefined) return
  if (object.phase === 'getting') object.shares = object.shares && object.choice.version !== object.replica.version
  if (object.choice.committed) compareCommitted(scene, object, object.choice, heads(object))
  object.phase = 'syncing'
  completeChoice(scene, object)
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

/** So many said no that no quorum is left to say yes. */
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
