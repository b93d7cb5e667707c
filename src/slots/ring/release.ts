// The release phase (OMA figure 3, figure 7): laps of the release token until nobody holds anything, then the next
// round. A lap tells the coordinator how many are free (curious), or one bit (strong). It does not spin: between two
// laps is a pause that grows while nothing changes.

import type { Element } from '../../crypto/index.ts'
import { meansOf, pass } from './passing.ts'
import { nextRound } from './rounds.ts'
import { allKeys, coordinates, isJustBefore, placeOf, type RingScene, ringTimers, wholeKey } from './state.ts'
import { beginOr, countFree, type OrVote, orIsFree, passOr, remainingKey, type Vote } from './tokens.ts'
import type { RingMessage } from './wire.ts'

type Release = RingMessage & { kind: 'release' }

/** The pause grows to this many beats. */
const PAUSE_BEATS_MAX = 8

/** Figure 2, lines 11 to 13, and figure 3, lines 13 to 15: the coordinator begins a lap. */
export function onLap(scene: RingScene): void {
  const { state, settings, rules } = scene
  const { round } = state
  if (!coordinates(scene) || !round.passed) return
  const means = meansOf(scene)
  const whole = wholeKey(scene)
  const entries =
    settings.level === 'strong'
      ? [beginOr(means, whole, orVoteOf(scene))]
      : rules.release.begin(means, whole, voteOf(scene))
  pass(scene, { kind: 'release', round: round.number, lap: round.lap, entries })
}

/** releasing: what was dealt is not held. */
function voteOf({ state }: RingScene): Vote {
  return { free: state.seat === undefined, ticket: state.round.opened ?? -1, members: state.ring.length }
}

function orVoteOf({ state, rules }: RingScene): OrVote {
  return { free: state.seat === undefined, veil: rules.veil }
}

/** Figure 3, lines 03 to 17. */
export function onRelease(scene: RingScene, from: number, token: Release): void {
  const { state, rules } = scene
  const { round } = state
  if (token.round !== round.number || !isJustBefore(state, from)) return
  if (token.entries.length !== entriesDue(scene)) return
  if (coordinates(scene)) {
    if (token.lap === round.lap && round.passed) lapDone(scene, token)
    return
  }
  if (!round.passed || token.lap <= round.lap) return
  if (round.opened === undefined && !rules.passesUnopened()) {
    round.held = token
    return
  }
  passOn(scene, token)
}

/** The ticket is open now: the token that waited goes on, or the coordinator's first lap begins. */
export function ticketOpened(scene: RingScene): void {
  const { round } = scene.state
  if (round.opened === undefined) return
  if (coordinates(scene)) {
    if (round.lap > 0 || round.ticket === undefined) return
    round.lap = 1
    return ringTimers.set(scene.turn, 'lap', 0)
  }
  const { held } = round
  round.held = undefined
  if (held !== undefined && held.lap > round.lap) passOn(scene, held)
}

function passOn(scene: RingScene, token: Release): void {
  const { state, settings, rules, group } = scene
  const { round } = state
  round.lap = token.lap
  const means = meansOf(scene)
  const remaining = remainingKey(group, keysByPlace(scene), placeOf(scene))
  const keys = { secret: state.secret!, remaining, all: allKeys(state)! }
  const entries =
    settings.level === 'strong'
      ? [passOr(means, keys, token.entries[0]!, orVoteOf(scene))]
      : rules.release.pass(means, keys, token.entries, voteOf(scene))
  pass(scene, { kind: 'release', round: round.number, lap: token.lap, entries })
}

/** Figure 3, lines 09 to 16. */
function lapDone(scene: RingScene, token: Release): void {
  const { state, settings, group, turn } = scene
  const { round, secret } = state
  const members = state.ring.length
  const allFree = settings.level === 'strong' && orIsFree(group, secret!, token.entries[0]!)
  const free = settings.level === 'strong' ? (allFree ? members : 0) : countFree(group, secret!, token.entries)
  if (free === members) return nextRound(scene)
  const { beat } = settings
  round.pause = free === round.free ? Math.min(2 * round.pause, PAUSE_BEATS_MAX * beat) : beat
  round.free = free
  round.lap++
  round.said = undefined
  ringTimers.set(turn, 'lap', round.pause)
}

function entriesDue(scene: RingScene): number {
  const members = scene.state.ring.length
  return scene.settings.level === 'strong' ? 1 : scene.rules.release.entries(placeOf(scene), members)
}

/** The coordinator's first, then around the ring. */
function keysByPlace(scene: RingScene): readonly Element[] {
  const { state } = scene
  const keys = allKeys(state)!
  const first = (state.position - placeOf(scene) + keys.length) % keys.length
  return [...keys.slice(first), ...keys.slice(0, first)]
}
