// Passing a token on to the next member: when the pace allows, and again after a while unless something newer comes.

import { nextInRing, type Passing, type RingScene, ringTimers } from './state.ts'
import type { Means } from './tokens.ts'
import type { RingMessage } from './wire.ts'

/** What arithmetic needs of a scene. */
export function meansOf({ group, turn }: RingScene): Means {
  return { group, random: length => turn.bytes(length) }
}

/** How long a token is kept: so that how long the work took tells nothing. */
export function pass(scene: RingScene, body: RingMessage): void {
  const { state, settings, rules, turn } = scene
  const { round } = state
  const token = { to: nextInRing(state), body }
  const work = body.kind === 'release' ? rules.workOnRelease(round.opened) : 0
  const after = Math.max(settings.pace, work)
  if (after === 0) return leave(scene, token)
  round.leaving = token
  ringTimers.set(turn, 'pace', after)
}

export function onPace(scene: RingScene): void {
  const { round } = scene.state
  const { leaving } = round
  round.leaving = undefined
  if (leaving !== undefined) leave(scene, leaving)
}

function leave({ state, turn }: RingScene, token: Passing): void {
  state.round.said = token
  turn.do({ kind: 'send', ...token })
}
