// When a member stops making a promise longer. Not renewing is always safe; renewing for ever is not always live.
//
// A liar that was granted a term once says its old claim again, now to one and now to another: each is bound whenever
// the others are free, and nobody gets a quorum. So a promise to a claimant that q grants have not proved to lead lasts
// as long as an honest claim can take, and no longer. A liar that was proved once renews with a few members only: the
// others elect, and those few would refuse them. So a member that hears n - q + 1 others call for a later term lets go:
// no quorum is left.

import type { Millis, NodeId } from '../../core/index.ts'
import { longestAttempt } from './attempt-time.ts'
import { type ElectionScene, quorum } from './scene.ts'
import type { Race } from './state.ts'

/** Somebody wants a later term than the one that was granted: to it, nobody leads. */
export function noteCaller(scene: ElectionScene, race: Race, from: NodeId, term: number): void {
  const { state, turn } = scene
  const electorate = state.electorate!
  // Where the others are too few to matter, nothing is remembered.
  if (electorate.members.length - 2 < callersNeeded(scene) || term <= race.grantedTerm || from === race.grantedTo)
    return
  for (const [caller, at] of race.callers) if (isOver(scene, at)) race.callers.delete(caller)
  race.callers.set(from, turn.now)
}

/** When this many call, fewer than a quorum are left: n - q + 1. */
function callersNeeded(scene: ElectionScene): number {
  const electorate = scene.state.electorate!
  return electorate.members.length - quorum(scene, electorate) + 1
}

// Calls are repeated after an attempt, a claim in it and a pause, each as long as an attempt at most.
function isOver({ settings, turn }: ElectionScene, at: Millis): boolean {
  return turn.now - at > settings.promise + 3 * longestAttempt(settings)
}

/** Whether the promise that was given may be given for longer, to the same coordinator in the same term. */
export function mayProlong(scene: ElectionScene, race: Race, proved: boolean): boolean {
  const { settings, turn } = scene
  if (!settings.rules.endsPromise()) return true
  if (!proved && turn.now - race.grantedAt > longestAttempt(settings)) return false
  return !isOutvoted(scene, race)
}

function isOutvoted(scene: ElectionScene, race: Race): boolean {
  const callers = [...race.callers].filter(([from, at]) => from !== race.grantedTo && !isOver(scene, at))
  return callers.length > 0 && callers.length >= callersNeeded(scene)
}
