// When a member stops making a promise longer. Not renewing is always safe; renewing for ever is not always live.
//
// A liar that was granted a term once says its old claim again, now to one and now to another: each is bound whenever
// the others are free, and nobody gets a quorum. So a promise to whom q grants have not proved to lead lasts as long as
// an honest claim can take, and no longer. A liar that was proved once renews with a few members only: the others elect,
// and those few would refuse them. So whoever hears so many calls for a later term that no quorum can be left, lets go.

import type { Millis, NodeId } from '../core/index.ts'
import { quorum, setTimer } from './context.ts'
import { isGathering } from './gathering.ts'
import type { ElectionSettings } from './settings.ts'
import type { Attempt, Context, Race } from './state.ts'

/** Attempts take up to 2^2 times as long while they fail. */
const DOUBLINGS_MAX = 2

/** The longest that an honest claim, or the way to it, takes: the patience, and what chance adds to it. */
function longestAttempt({ attemptMax }: ElectionSettings): Millis {
  return attemptMax * (2 ** DOUBLINGS_MAX + 1)
}

/**
 * How long an attempt may take, and a claim after it: the longer, the more attempts have failed. While members come, they
 * have connections to make and code to load besides: a first attempt has as much time as a second one.
 */
export function patienceOf(context: Context, race: Race): Millis {
  const doublings = race.failures + (isGathering(context, race) ? 1 : 0)
  return context.settings.attemptMax * 2 ** Math.min(doublings, DOUBLINGS_MAX)
}

/** From now on the attempt has so long, or as long as it had: whoever claims must not be the first to give up each time. */
export function allow(context: Context, race: Race, attempt: Attempt, time: Millis): void {
  const { now } = context.turn
  attempt.until = Math.max(attempt.until, now + time)
  setTimer(context, 'attempt', race, attempt.until - now)
}

/**
 * Whether the time is over. Not if this process has just been stopped or starved: what the others sent meanwhile is
 * still to be read, and who gives up first makes everybody begin again, on a machine that is busy as it is.
 */
export function isOverdue(context: Context, race: Race, attempt: Attempt): boolean {
  const { settings, turn } = context
  if (attempt.excused || turn.now - attempt.until < settings.countAfter) return true
  attempt.excused = true
  allow(context, race, attempt, 2 * settings.countAfter)
  return false
}

/** Somebody wants a later term than the one that was granted: to it, nobody leads. */
export function noteCaller(context: Context, race: Race, from: NodeId, term: number): void {
  const { state, turn } = context
  const electorate = state.electorate!
  // Where the others are too few to matter, nothing is remembered.
  if (electorate.members.length - 2 < callersNeeded(context) || term <= race.term || from === race.coordinator) return
  for (const [caller, at] of race.callers) if (isOver(context, at)) race.callers.delete(caller)
  race.callers.set(from, turn.now)
}

/** So many that fewer than a quorum are left: n - q + 1. */
function callersNeeded(context: Context): number {
  const electorate = context.state.electorate!
  return electorate.members.length - quorum(context, electorate) + 1
}

// Calls are repeated after an attempt, a claim in it and a pause, each as long as an attempt at most.
function isOver({ settings, turn }: Context, at: Millis): boolean {
  return turn.now - at > settings.promise + 3 * longestAttempt(settings)
}

/** Whether the promise that was given may be given for longer, to the same coordinator in the same term. */
export function mayProlong(context: Context, race: Race, proved: boolean): boolean {
  const { settings, turn } = context
  if (!settings.rules.letsGo()) return true
  if (!proved && turn.now - race.grantedAt > longestAttempt(settings)) return false
  return !isDoubted(context, race)
}

function isDoubted(context: Context, race: Race): boolean {
  const callers = [...race.callers].filter(([from, at]) => from !== race.coordinator && !isOver(context, at))
  return callers.length > 0 && callers.length >= callersNeeded(context)
}
