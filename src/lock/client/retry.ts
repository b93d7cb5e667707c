// A try that is not won, or no longer wanted (BACKOFF §4, figure 1a): what was granted is given back, and the next try
// comes after a backoff.

import { backoffStrategies } from '../backoff.ts'
import { fail, grantsNeeded, inWords, reasonOf } from './answers.ts'
import { next, tryOnce } from './attempt.ts'
import { rejoinLists } from './cut-off.ts'
import { type Acquisition, type ClientScene, clientTimers, inPhase, raisedToken } from './state.ts'

/** The time for answers to a try is over. */
export function onAnswersTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'trying')
  if (acquisition !== undefined) retry(scene, acquisition)
}

export function onBackoffTimer(scene: ClientScene, name: string): void {
  const acquisition = inPhase(scene.state, name, 'backing off')
  if (acquisition === undefined) return
  if (acquisition.cutOffs > 0) rejoinLists(scene, acquisition)
  else tryOnce(scene, acquisition)
}

export function retry(scene: ClientScene, acquisition: Acquisition): void {
  const { state, settings } = scene
  takeBack(scene, acquisition)
  const reported: number[] = []
  let others = 0
  for (const answer of acquisition.answers.values()) {
    if (answer.kind === 'tooLow') reported.push(answer.maximum)
    else if (answer.kind !== 'granted') others++
  }
  acquisition.tries++
  const onlyTooLow = reported.length > 0 && state.servers.length - others >= grantsNeeded(scene)
  if (reported.length > 0) state.seen = Math.max(state.seen, raisedToken(scene, acquisition, reported))
  if (onlyTooLow && acquisition.tries <= settings.quickTries) return tryOnce(scene, acquisition)
  if (acquisition.wait) return backOff(scene, acquisition)
  fail(scene, acquisition, reasonOf(scene, acquisition), inWords(scene, acquisition))
  next(scene, acquisition)
}

function backOff({ settings, turn }: ClientScene, acquisition: Acquisition): void {
  acquisition.phase = 'backing off'
  const { backoffBase: base, backoffMax: max } = settings
  const { tries, waited: last } = acquisition
  const strategy = backoffStrategies[acquisition.strategy]
  const after = strategy.wait({ base, max, tries, last }, bound => turn.below(bound))
  if (strategy.remembers) acquisition.waited = after
  clientTimers.cancel(turn, 'answers', acquisition.name)
  clientTimers.set(turn, 'backoff', after, acquisition.name)
}

// Servers that said no to a try hold nothing for us. The others granted, or may still grant when it arrives. Those that
// have us in their lists would grant later, to nobody.
export function takeBack({ state, turn }: ClientScene, { name, token, phase, answers }: Acquisition): void {
  for (const to of state.servers) {
    const answer = answers.get(to)
    if (phase !== 'waiting' && answer !== undefined && answer.kind !== 'granted') continue
    turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: true } })
  }
}
