// A try that is not won, or no longer wanted (BACKOFF §4, figure 1a): what was granted is given back, and the next try
// comes after a backoff.

import { fail, grantsNeeded, inWords, reasonOf } from './answers.ts'
import { backoffStrategies } from './backoff.ts'
import { next, tryOnce } from './pursuits.ts'
import { raiseToken } from './rules.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn, Pursuit } from './state.ts'

export function retry(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  takeBack(state, pursuit, turn)
  const reported: number[] = []
  let others = 0
  for (const answer of pursuit.answers.values()) {
    if (answer.kind === 'tooLow') reported.push(answer.maximum)
    else if (answer.kind !== 'granted') others++
  }
  pursuit.tries++
  const onlyTooLow = reported.length > 0 && state.servers.length - others >= grantsNeeded(state, settings)
  if (reported.length > 0)
    state.seen = Math.max(state.seen, raiseToken(pursuit.token, reported, settings.liars, pursuit.tries))
  if (onlyTooLow && pursuit.tries <= settings.quickTries) return tryOnce(state, settings, pursuit, turn)
  if (!pursuit.wait) {
    fail(pursuit.id, pursuit.name, reasonOf(state, settings, pursuit), inWords(state, pursuit), turn)
    return next(state, settings, pursuit, turn)
  }
  pursuit.phase = 'backing off'
  const { backoffBase: base, backoffMax: max } = settings
  const strategy = backoffStrategies[pursuit.strategy]
  const after = strategy.wait({ base, max, tries: pursuit.tries, last: pursuit.waited }, bound => turn.below(bound))
  if (strategy.remembers) pursuit.waited = after
  turn.do({ kind: 'cancel', name: `answers:${pursuit.name}` })
  turn.do({ kind: 'timer', name: `backoff:${pursuit.name}`, after })
}

// Servers that said no to a try hold nothing for us. The others granted, or may still grant when it arrives. Those that
// have us in their lists would grant later, to nobody.
export function takeBack(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, token } = pursuit
  for (const to of state.servers) {
    const answer = pursuit.answers.get(to)
    if (pursuit.phase !== 'waiting' && answer !== undefined && answer.kind !== 'granted') continue
    turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: true } })
  }
}
