// A waiter that cannot win must not keep others from the lock.
//
// The obvious waiter pings for as long as it wants the lock. Cut off from all but two of five servers, it is granted by
// those two, keeps their grants alive with its pings and never wins; whoever sees the other three and needs one of the
// two waits for ever behind it, since its ticket is earlier. So a waiter that hears from fewer servers than make a
// holder leaves all the lists, rests, and comes back with the same ticket: it loses time, not its place.

import type { Millis } from '../core/index.ts'
import { grantsNeeded } from './answers.ts'
import { exponentialBackoff } from './backoff.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn, Pursuit } from './state.ts'
import { startWaiting } from './waiting.ts'

/** Long enough for others to come in and go, short enough to notice soon that the network is whole again. */
const REST: Millis = 1_000
const REST_MAX: Millis = 4_000

/** Too few servers have answered anything of late. */
export function isCutOff(state: ClientState, settings: LockSettings, pursuit: Pursuit, now: Millis): boolean {
  const late = now - settings.answerMax
  if (pursuit.waitsSince > late) return false
  let heard = 0
  for (const at of pursuit.heard.values()) if (at >= late) heard++
  return heard < grantsNeeded(state, settings)
}

export function rest(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, token } = pursuit
  // Answers to what was asked before are those of another attempt from here on: a late grant is given back.
  pursuit.attempt = ++state.attempts
  pursuit.phase = 'backing off'
  pursuit.until.clear()
  pursuit.rests++
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: true } })
  const after = exponentialBackoff(REST, pursuit.rests, REST_MAX, bound => turn.below(bound))
  turn.do({ kind: 'timer', name: `backoff:${name}`, after })
}

/** Under a new token: the old one is closed where it was granted. */
export function comeBack(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  startWaiting(state, pursuit, state.seen + 1, turn)
  pursuit.waitsSince = turn.now
}
