// Taking the turn (BACKOFF figure 2, lines 8-22, without the lock in front: the servers' turns and a random wait keep
// clients apart, the ranks keep them safe).

import type { Millis, NodeId } from '../core/index.ts'
import { choose } from './choose.ts'
import type { ClientScene, Use } from './client-state.ts'
import { compareCommitted } from './evidence.ts'
import { COUNTER_MAX, type Head, type Rank, type ServerMessage } from './messages.ts'
import { hearOf } from './pool.ts'
import { isProven, prove } from './proofs.ts'
import { proposeAgain, proposeNext, silentSessions, tellCommit } from './proposing.ts'
import { completeChoice } from './replica.ts'
import { compareRanks } from './rules.ts'
import type { OrderingSettings } from './settings.ts'
import { hasOwnWork, ownWords, submitNew, submitOpen } from './submitting.ts'
import { quorumOf, send, sendAll } from './uses.ts'

const RETRY_DOUBLINGS_MAX = 6
/** So many attempts come to nothing for ordinary reasons. The longest leap is an hour of a clock in milliseconds. */
const LEAPS_AFTER = 4
const LEAP_DOUBLINGS_MAX = 22
/** The year 4199: a clock that says more is wrong, and would use up the counters. */
const WALL_MAX: Millis = 2 ** 46

/** Something may be there to do: does it where this client has the turn, or begins to take it. */
export function pump(scene: ClientScene, use: Use): void {
  const { settings, turn } = scene
  switch (use.phase) {
    case 'holding':
      if (isStale(settings, use, turn.now) && hasWork(settings, use, turn.now)) {
        tellCommit(scene, use)
        return begin(scene, use)
      }
      if (proposeNext(scene, use)) return
      tellCommit(scene, use)
      // Own operations that cannot follow: others have answered those before, so the turn was theirs meanwhile.
      if (hasOwnWork(use)) overtaken(scene, use)
      return
    case 'idle':
      if (!hasWork(settings, use, turn.now)) return
      if (turn.now < use.othersUntil) return standInLine(scene, use)
      return begin(scene, use)
    case 'waiting':
      if (hasWork(settings, use, turn.now)) return submitNew(scene, use)
      return rest(scene, use)
    case 'getting':
    case 'syncing':
    case 'proposing':
      return
  }
}

/** Others' operations are no reason to ask for the turn: whoever wants one done asks for it. */
function hasWork(settings: OrderingSettings, use: Use, now: Millis): boolean {
  return hasOwnWork(use) || use.completes || silentSessions(use, settings, now).length > 0
}

/** The turn was left alone for so long that another may have it, as it was the last time. */
function isStale(settings: OrderingSettings, use: Use, now: Millis): boolean {
  return use.shares && now > use.sentAt + settings.turnMs
}

/** Somebody has the turn and is at work: tells the servers, who tell that one. */
function standInLine(scene: ClientScene, use: Use): void {
  const { turn } = scene
  waitFor(scene, use, use.othersUntil - turn.now)
  submitOpen(scene, use)
  submitNew(scene, use)
}

/** Another's version has answered some of what waits here: whoever made it has the turn, and goes on. */
export function heardOfOthers(scene: ClientScene, use: Use): void {
  const { settings, turn } = scene
  use.othersUntil = turn.now + settings.turnMs
  use.tries = 0
  if (use.phase === 'waiting' && use.outstanding.size > 0) waitFor(scene, use, settings.turnMs)
}

// Without an applier, or while a copy is on its way, a client can only ask others to do it.
function begin(scene: ClientScene, use: Use): void {
  const { settings } = scene
  const able = settings.findApplier(use.object) !== undefined && use.copying === undefined
  if (able) startGet(scene, use)
  else comeAgain(scene, use)
}

function comeAgain(scene: ClientScene, use: Use): void {
  const { state, settings } = scene
  waitFor(scene, use, settings.retryMin)
  const operations = ownWords(state, use)
  use.submitted = use.seq
  if (operations.length > 0) sendAll(scene, { kind: 'submit', object: use.object, operations })
}

function rest(scene: ClientScene, use: Use): void {
  const { turn } = scene
  use.phase = 'idle'
  use.tries = 0
  turn.do({ kind: 'cancel', name: `turn:${use.object}` })
}

function startGet(scene: ClientScene, use: Use): void {
  const { state, settings, turn } = scene
  const { rules, liars, crashes } = settings
  const fresh = !rules.reusesRank() || use.rank.counter === 0
  if (fresh) {
    const above = rules.nextCounter(use.rank.counter, [...use.counters.values()], liars)
    const counter = Math.max(above + leap(use.tries), guess(use, turn.now))
    use.rank = { counter: Math.min(counter, COUNTER_MAX), client: state.self }
  }
  use.phase = 'getting'
  use.sentAt = turn.now
  use.choice = undefined
  use.proposal = undefined
  use.replies.clear()
  use.refused.clear()
  use.busy.clear()
  const operations = ownWords(state, use)
  use.submitted = use.seq
  const { object, rank } = use
  const first = turn.below(state.servers.length)
  const proof = prove(settings, object, rank)
  for (const [place, server] of state.servers.entries()) {
    // Content from f + b + 1 of them: one is honest, and among the first n - f that answer. Of the others the digests
    // will do.
    const content = (place - first + state.servers.length) % state.servers.length <= crashes + liars
    send(scene, server, { kind: 'get', object, rank, have: use.replica.version, content, operations, proof })
  }
  setTurnTimer(scene, use)
}

/**
 * One server may have promised a rank far above all others, to somebody who is gone; a liar that reports less can hide
 * that from the rule of b + 1. Whoever is refused again and again leaps, farther each time.
 */
function leap(tries: number): number {
  return tries < LEAPS_AFTER ? 0 : 2 ** Math.min(tries, LEAP_DOUBLINGS_MAX)
}

/** Above those that others had before, if their wall clocks go right; where they do not, a refusal says what is. */
function guess({ wallLead }: Use, now: Millis): number {
  if (wallLead === undefined) return 0
  const wall = Math.floor(now + wallLead)
  return wall > 0 && wall < WALL_MAX ? wall : 0
}

export function setTurnTimer(scene: ClientScene, use: Use): void {
  const { settings, turn } = scene
  const longest = Math.min(settings.retryMax, settings.retryMin * 2 ** Math.min(use.tries, RETRY_DOUBLINGS_MAX))
  const after = longest / 2 + turn.below(Math.ceil(longest / 2) + 1)
  turn.do({ kind: 'timer', name: `turn:${use.object}`, after })
}

export function turnTimer(scene: ClientScene, use: Use): void {
  const { settings, turn } = scene
  switch (use.phase) {
    case 'proposing':
      return proposeAgain(scene, use)
    case 'getting':
    case 'syncing':
      use.tries++
      return startGet(scene, use)
    case 'waiting':
      if (!hasWork(settings, use, turn.now)) return rest(scene, use)
      if (settings.findApplier(use.object) === undefined) return comeAgain(scene, use)
      if (use.copying !== undefined) return waitFor(scene, use)
      return startGet(scene, use)
    case 'idle':
    case 'holding':
      return
  }
}

/** Gives up the attempt for as long as something else has to be done first. */
export function leaveTurn(scene: ClientScene, use: Use): void {
  use.choice = undefined
  waitFor(scene, use)
  submitNew(scene, use)
}

/** Somebody with a higher rank came, or nothing is heard: starts anew after a while. */
export function overtaken(scene: ClientScene, use: Use): void {
  const at = use.tries++
  if (use.phase === 'proposing') use.shares = true
  use.proposal = undefined
  use.choice = undefined
  use.untold = undefined
  // The first time a counter was only unknown to us: it is known now. Whoever has the turn is not disturbed by a get.
  if (at === 0) return startGet(scene, use)
  waitFor(scene, use)
  submitNew(scene, use)
}

function waitFor(scene: ClientScene, use: Use, remaining: Millis = 0): void {
  const { settings, turn } = scene
  use.phase = 'waiting'
  const spread = Math.min(settings.retryMax, settings.retryMin * 2 ** Math.min(use.tries, RETRY_DOUBLINGS_MAX)) / 2
  turn.do({ kind: 'timer', name: `turn:${use.object}`, after: remaining + turn.below(Math.ceil(spread)) })
}

export function got(scene: ClientScene, use: Use, from: NodeId, answer: ServerMessage & { kind: 'got' }): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, use.rank) !== 0) return
  hearOf(use, settings, from, answer.pending)
  use.silent.set(from, { sentAt: use.sentAt, sessions: answer.silent })
  if (use.phase !== 'getting' && use.phase !== 'syncing') return
  if (turn.now > use.sentAt + settings.attemptMax) return
  use.replies.set(from, answer)
  if (use.replies.size < quorumOf(scene)) return
  if (use.phase === 'getting') use.choice = choose(use.replies, settings.liars, settings.rules)
  if (use.choice === undefined) return
  if (use.phase === 'getting') use.shares = use.shares && use.choice.version !== use.replica.version
  if (use.choice.committed) compareCommitted(scene, use, use.choice, heads(use))
  use.phase = 'syncing'
  completeChoice(scene, use)
}

function* heads({ replies }: Use): Iterable<readonly [NodeId, Head]> {
  for (const [server, { committed }] of replies) yield [server, committed]
}

export function busy(scene: ClientScene, use: Use, from: NodeId, answer: ServerMessage & { kind: 'busy' }): void {
  const { settings, turn } = scene
  if (compareRanks(answer.rank, use.rank) !== 0 || use.phase !== 'getting') return
  use.counters.set(from, answer.promised.counter)
  use.busy.set(from, answer.remaining)
  if (!isHopeless(scene, use)) return
  const remaining = [...use.busy.values()].sort((a, b) => a - b)
  const longest = Math.min(remaining[Math.min(settings.liars, remaining.length - 1)]!, settings.turnMs)
  use.othersUntil = turn.now + longest
  use.tries++
  waitFor(scene, use, longest)
  submitNew(scene, use)
}

/** So many said no that no quorum is left to say yes. */
function isHopeless(scene: ClientScene, use: Use): boolean {
  const { state } = scene
  const no = use.phase === 'proposing' ? use.proposal!.refused : new Set([...use.busy.keys(), ...use.refused.keys()])
  return state.servers.length - no.size < quorumOf(scene)
}

/**
 * Refusals end the attempt when no quorum is left, or when one shows a rank that its client has signed. b + 1 of them,
 * as BACKOFF §6.2 has it, say that a higher rank exists, and not that it will ever do anything: with one server that
 * promised much to somebody who is gone and a liar beside it, nobody would be served. After a while they do count.
 */
export function refused(scene: ClientScene, use: Use, from: NodeId, answer: ServerMessage & { kind: 'refused' }): void {
  const { state, settings } = scene
  if (compareRanks(answer.rank, use.rank) !== 0 || compareRanks(answer.promised, use.rank) <= 0) return
  use.counters.set(from, answer.promised.counter)
  const refusals = use.phase === 'proposing' ? use.proposal?.refused : use.refused
  if (refusals === undefined || use.phase === 'idle' || use.phase === 'waiting') return
  refusals.set(from, answer.promised)
  const shown = settings.proofs !== undefined && isShown(settings, use, answer.promised, answer.proof)
  if (shown) for (const server of state.servers) raise(use, server, answer.promised.counter)
  if (use.phase !== 'getting' && use.phase !== 'proposing') return
  if (shown || isHopeless(scene, use)) overtaken(scene, use)
}

function isShown(settings: OrderingSettings, use: Use, promised: Rank, proof: Uint8Array): boolean {
  return isProven(settings, use.object, promised, proof)
}

function raise(use: Use, server: NodeId, counter: number): void {
  use.counters.set(server, Math.max(counter, use.counters.get(server) ?? 0))
}
