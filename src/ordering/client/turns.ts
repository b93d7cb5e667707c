// Taking the turn (BACKOFF figure 2, lines 8-22, without the lock in front: the servers' turns and a random wait keep
// clients apart, the ranks keep them safe).

import type { Millis } from '../../core/index.ts'
import { prove } from '../rank-proofs.ts'
import type { OrderingSettings } from '../settings.ts'
import { COUNTER_MAX } from '../wire.ts'
import { submitNew, submitOpen } from './contacts.ts'
import { silentSessions } from './other-operations.ts'
import { hasOwnWork, ownWords } from './own-operations.ts'
import { send, sendAll } from './send.ts'
import { forgetReplies } from './shares.ts'
import type { ClientObject, ClientScene } from './state.ts'
import { clientTimers } from './state.ts'

const RETRY_DOUBLINGS_MAX = 6
/** Fewer attempts than this fail for ordinary reasons. The longest leap is an hour of a clock in milliseconds. */
const LEAPS_AFTER = 4
const LEAP_DOUBLINGS_MAX = 22
/** The year 4199: a clock that says more is wrong, and would use up the counters. */
const WALL_MAX: Millis = 2 ** 46

/** Others' operations are no reason to ask for the turn: their own clients ask for it. */
export function hasWork(settings: OrderingSettings, object: ClientObject, now: Millis): boolean {
  return hasOwnWork(object) || object.completes || silentSessions(object, settings, now).length > 0
}

/** Somebody has the turn and is at work: tells the servers, who tell that one. */
export function standInLine(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  waitFor(scene, object, object.othersUntil - turn.now)
  submitOpen(scene, object)
  submitNew(scene, object)
}

/** Another's version has answered some of what waits here: that client has the turn, and goes on. */
export function heardOfOthers(scene: ClientScene, object: ClientObject): void {
  const { settings, turn } = scene
  object.othersUntil = turn.now + settings.turnMs
  object.tries = 0
  if (object.phase === 'waiting' && object.outstanding.size > 0) waitFor(scene, object, settings.turnMs)
}

// Without an applier, or while a copy is on its way, a client can only ask others to do it.
export function beginAttempt(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  const able = settings.findApplier(object.name) !== undefined && object.copying === undefined
  if (able) startGet(scene, object)
  else comeAgain(scene, object)
}

export function comeAgain(scene: ClientScene, object: ClientObject): void {
  const { settings } = scene
  waitFor(scene, object, settings.retryMin)
  const operations = ownWords(scene, object)
  object.submitted = object.seq
  if (operations.length > 0) sendAll(scene, { kind: 'submit', object: object.name, operations })
}

export function rest(scene: ClientScene, object: ClientObject): void {
  const { turn } = scene
  object.phase = 'idle'
  object.tries = 0
  clientTimers.cancel(turn, 'turn', object.name)
}

export function startGet(scene: ClientScene, object: ClientObject): void {
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
  forgetReplies(state, object)
  object.refused.clear()
  object.busy.clear()
  const operations = ownWords(scene, object)
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
 * that from the rule of b + 1. A client that is refused again and again leaps, farther each time.
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
  clientTimers.set(turn, 'turn', after, object.name)
}

/** Gives up the attempt for as long as something else has to be done first. */
export function leaveTurn(scene: ClientScene, object: ClientObject): void {
  object.choice = undefined
  waitFor(scene, object)
  submitNew(scene, object)
}

/** Somebody with a higher rank came, or nothing is heard: starts over after a while. */
export function overtaken(scene: ClientScene, object: ClientObject): void {
  const at = object.tries++
  if (object.phase === 'proposing') object.shares = true
  object.proposal = undefined
  object.choice = undefined
  object.unannounced = undefined
  // The first time a counter was only unknown to us: it is known now. The holder of the turn is not disturbed by a get.
  if (at === 0) return startGet(scene, object)
  waitFor(scene, object)
  submitNew(scene, object)
}

export function waitFor(scene: ClientScene, object: ClientObject, remaining: Millis = 0): void {
  const { settings, turn } = scene
  object.phase = 'waiting'
  const spread = Math.min(settings.retryMax, settings.retryMin * 2 ** Math.min(object.tries, RETRY_DOUBLINGS_MAX)) / 2
  clientTimers.set(turn, 'turn', remaining + turn.below(Math.ceil(spread)), object.name)
}
