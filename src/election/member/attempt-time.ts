// How long an attempt to elect may take, and when it is given up.

import type { Millis } from '../../core/index.ts'
import type { ElectionSettings } from '../settings.ts'
import { isFirstElection } from './first-election.ts'
import { cancelTimers, type ElectionScene, setTimer } from './scene.ts'
import type { Attempt, Race } from './state.ts'

/** Attempts take up to 2^2 times as long while they fail. */
const DOUBLINGS_MAX = 2

/** The longest that an honest claim, or the way to it, takes: the patience, and what chance adds to it. */
export function longestAttempt({ attemptMax }: ElectionSettings): Millis {
  return attemptMax * (2 ** DOUBLINGS_MAX + 1)
}

/**
 * How long an attempt may take, and a claim after it: the longer, the more attempts have failed. While members come, they
 * have connections to make and code to load besides: a first attempt has as much time as a second one.
 */
export function patienceOf(scene: ElectionScene, race: Race): Millis {
  const doublings = race.failures + (isFirstElection(scene, race) ? 1 : 0)
  return scene.settings.attemptMax * 2 ** Math.min(doublings, DOUBLINGS_MAX)
}

/** The attempt has this long from now, and no less than it had: who claims must not be the first to give up each time. */
export function extendAttempt(scene: ElectionScene, race: Race, attempt: Attempt, time: Millis): void {
  const { now } = scene.turn
  attempt.until = Math.max(attempt.until, now + time)
  setTimer(scene, 'attempt', race, attempt.until - now)
}

/**
 * Whether the time is over. Not if this process has just been stopped or starved: what the others sent meanwhile is
 * still to be read, and who gives up first makes everybody begin again, on a machine that is busy as it is.
 */
export function isOverdue(scene: ElectionScene, race: Race, attempt: Attempt): boolean {
  const { settings, turn } = scene
  if (attempt.excused || turn.now - attempt.until < settings.countAfter) return true
  attempt.excused = true
  extendAttempt(scene, race, attempt, 2 * settings.countAfter)
  return false
}

export function dropAttempt(scene: ElectionScene, race: Race): void {
  if (race.attempt === undefined) return
  race.attempt = undefined
  cancelTimers(scene, race, 'attempt', 'count')
}
