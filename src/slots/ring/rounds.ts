// From round to round (OMA figure 1, lines 04 to 08; figure 3, lines 10 to 12 and 18 to 22): the news goes once around
// the ring.

import { giveShare } from './shares.ts'
import { coordinates, isJustBefore, newRound, nextInRing, type RingScene, ringTimers } from './state.ts'
import type { RingMessage } from './wire.ts'

/** Figure 1, lines 04 to 08. */
export function enterRound(scene: RingScene, number: number): void {
  const { state, rules, turn } = scene
  state.round = newRound(number, state.ring.length)
  if (!rules.keepsRequests()) state.waiting = []
  turn.do({ kind: 'emit', event: { kind: 'round', round: number } })
  for (const [from, { round, c1 }] of state.early) if (round === number) giveShare(scene, from, c1)
  state.early.clear()
}

/** Figure 3, lines 10 to 12: everybody is free. */
export function nextRound(scene: RingScene): void {
  const number = scene.state.round.number + 1
  enterRound(scene, number)
  announce(scene, number)
}

/** Figure 3, lines 18 to 22. */
export function onNewRound(
  scene: RingScene,
  from: number,
  { round: number }: RingMessage & { kind: 'newRound' },
): void {
  const { state, rules, settings, turn } = scene
  if (!isJustBefore(state, from)) return
  const isNewer = number > state.round.number
  if (!rules.forwardsNews(isNewer)) return
  if (isNewer) enterRound(scene, number)
  announce(scene, number)
  // On the beat, whether or not anybody wants a slot: rounds without a pause would be all that the members do.
  if (isNewer && coordinates(scene)) ringTimers.set(turn, 'round', settings.beat)
}

function announce({ state, turn }: RingScene, number: number): void {
  const said = { to: nextInRing(state), body: { kind: 'newRound', round: number } } as const
  // A request token of the round tells the same, and more.
  state.round.said ??= said
  turn.do({ kind: 'send', ...said })
}
