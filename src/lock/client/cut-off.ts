// A waiter that cannot win must not keep others from the lock.
//
// The obvious waiter pings for as long as it wants the lock. Cut off from all but two of five servers, it is granted by
// those two, keeps their grants alive with its pings and never wins. A client that sees the other three needs one of
// the two, and waits for ever behind the earlier ticket. So a waiter that hears from fewer servers than make a
// holder leaves all the lists for a while, and comes back with the same ticket: it loses time, not its place.

import type { Millis } from '../../core/index.ts'
import { exponentialBackoff } from '../backoff.ts'
import { grantsNeeded } from './answers.ts'
import { type Acquisition, type ClientScene, clientTimers, inPhase } from './state.ts'
import { pingAgain, startWaiting } from './waiting.ts'

/** Long enough for others to come in and go, short enough to notice soon that the network is whole again. */
const ABSENCE: Millis = 1_000
const ABSENCE_MAX: Millis = 4_000

export function onPingTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'waiting')
  if (acquisition === undefined) return
  if (isCutOff(scene, acquisition)) leaveLists(scene, acquisition)
  else pingAgain(scene, acquisition)
}

/** Too few servers have answered anything of late. */
function isCutOff(scene: ClientScene, { waitsSince, heardAt }: Acquisition): boolean {
  const late = scene.turn.now - scene.settings.answerMax
  if (waitsSince > late) return false
  let heard = 0
  for (const at of heardAt.values()) if (at >= late) heard++
  return heard < grantsNeeded(scene)
}

function leaveLists({ state, turn }: ClientScene, acquisition: Acquisition): void {
  const { name, token } = acquisition
  // Answers to what was asked before are those of another attempt from here on: a late grant is given back.
  acquisition.attempt = ++state.attempts
  acquisition.phase = 'backing off'
  acquisition.until.clear()
  acquisition.cutOffs++
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: true } })
  const after = exponentialBackoff(ABSENCE, acquisition.cutOffs, ABSENCE_MAX, bound => turn.below(bound))
  clientTimers.set(turn, 'backoff', after, name)
}

/** Under a new token: the old one is closed where it was granted. */
export function rejoinLists(scene: ClientScene, acquisition: Acquisition): void {
  startWaiting(scene, acquisition, scene.state.seen + 1)
  acquisition.waitsSince = scene.turn.now
}
