// The release phase (OMA figure 3, figure 7): laps of the release token until nobody holds anything, then the next
// round. A lap tells the coordinator how many are free (curious), or one bit (strong). It does not spin: between two
// laps is a pause that grows while nothing changes.

import { type Element, groupKey } from '../../crypto/index.ts'
import type { PrintedMessage } from './messages.ts'
import { allKeys, enterRound, LAP_TIMER, meansOf, ROUND_TIMER, say, wholeKey } from './request.ts'
import { coordinates, nextInRing, type PrintedState, type PrintedTurn, placeOf, type Surroundings } from './state.ts'
import {
  beginOr,
  beginRelease,
  countFree,
  orIsFree,
  passOr,
  passRelease,
  passReleaseAsPrinted,
  remainingKey,
  type Vote,
} from './tokens.ts'

type Release = PrintedMessage & { kind: 'release' }

/** The pause grows to so many beats. */
const PAUSE_BEATS_MAX = 8

/** Figure 2, lines 11 to 13, and figure 3, lines 13 to 15: the coordinator begins a lap. */
export function beginLap(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  const { round } = state
  if (!coordinates(around, state) || !round.passed) return
  const means = meansOf(around, turn)
  const whole = wholeKey(around, state)
  const vote = voteOf(state)
  const entries =
    around.settings.level === 'strong' ? [beginOr(means, whole, vote.free)] : beginRelease(means, whole, vote)
  say(around, state, { kind: 'release', round: round.number, lap: round.lap, entries }, turn)
}

/** releasing: what was dealt is not held. */
function voteOf(state: PrintedState): Vote {
  return { free: state.seat === undefined, ticket: state.round.opened ?? -1, members: state.ring.length }
}

/** Figure 3, lines 03 to 17. */
export function releaseCame(around: Surroundings, state: PrintedState, token: Release, turn: PrintedTurn): void {
  const { round } = state
  if (token.entries.length !== entriesDue(around, state)) return
  if (coordinates(around, state)) {
    if (token.lap === round.lap && round.passed) lapCame(around, state, token, turn)
    return
  }
  if (!round.passed || token.lap <= round.lap) return
  // READINGS OMA 3: whoever passes it on before its ticket is open says "free", and then finds a slot in it.
  if (round.opened === undefined && !around.rules.passesUnopened) {
    round.held = token
    return
  }
  passOn(around, state, token, turn)
}

/** The ticket is open now: the token that waited goes on, or the coordinator's first lap begins. */
export function ticketOpened(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  const { round } = state
  if (round.opened === undefined) return
  if (coordinates(around, state)) {
    if (round.lap > 0 || round.ticket === undefined) return
    round.lap = 1
    return turn.do({ kind: 'timer', name: LAP_TIMER, after: 0 })
  }
  const { held } = round
  round.held = undefined
  if (held !== undefined && held.lap > round.lap) passOn(around, state, held, turn)
}

function passOn(around: Surroundings, state: PrintedState, token: Release, turn: PrintedTurn): void {
  const { round } = state
  round.lap = token.lap
  const means = meansOf(around, turn)
  const { secret } = state
  const vote = voteOf(state)
  const remaining = remainingKey(around.group, keysByPlace(around, state), placeOf(around, state))
  const entries =
    around.settings.level === 'strong'
      ? [passOr(means, secret!, remaining, token.entries[0]!, vote.free)]
      : around.rules.fullKeyRelease
        ? passReleaseAsPrinted(means, secret!, groupKey(around.group, allKeys(state)!), token.entries, vote)
        : passRelease(means, secret!, remaining, token.entries, vote)
  say(around, state, { kind: 'release', round: round.number, lap: token.lap, entries }, turn)
}

/** Figure 3, lines 09 to 16. */
function lapCame(around: Surroundings, state: PrintedState, token: Release, turn: PrintedTurn): void {
  const { round, secret } = state
  const members = state.ring.length
  const strong = around.settings.level === 'strong'
  const free = strong
    ? orIsFree(around.group, secret!, token.entries[0]!)
      ? members
      : 0
    : countFree(around.group, secret!, token.entries)
  if (free === members) return nextRound(around, state, turn)
  const { beat } = around.settings
  round.pause = free === round.free ? Math.min(2 * round.pause, PAUSE_BEATS_MAX * beat) : beat
  round.free = free
  round.lap++
  round.said = undefined
  turn.do({ kind: 'timer', name: LAP_TIMER, after: round.pause })
}

/** Figure 3, lines 10 to 12. */
function nextRound(around: Surroundings, state: PrintedState, turn: PrintedTurn): void {
  const number = state.round.number + 1
  enterRound(around, state, number, turn)
  announce(state, number, turn)
}

/** Figure 3, lines 18 to 22. READINGS OMA 6: only what is newer is forwarded, or it goes round for ever. */
export function newRoundCame(around: Surroundings, state: PrintedState, number: number, turn: PrintedTurn): void {
  const newer = number > state.round.number
  if (!newer && !around.rules.forwardsForEver) return
  if (newer) enterRound(around, state, number, turn)
  announce(state, number, turn)
  // On the beat, whether or not anybody wants a slot: rounds without a pause would be all that the members do.
  if (newer && coordinates(around, state)) {
    turn.do({ kind: 'timer', name: ROUND_TIMER, after: around.settings.beat })
  }
}

function announce(state: PrintedState, number: number, turn: PrintedTurn): void {
  const said = { to: nextInRing(state), body: { kind: 'newRound', round: number } } as const
  // A request token of the round tells the same, and more.
  state.round.said ??= said
  turn.do({ kind: 'send', ...said })
}

function entriesDue(around: Surroundings, state: PrintedState): number {
  const members = state.ring.length
  if (around.settings.level === 'strong') return 1
  if (around.rules.vectorRelease) return members
  const place = placeOf(around, state)
  return place === 0 ? members : place
}

/** The coordinator's first, then around the ring. */
function keysByPlace(around: Surroundings, state: PrintedState): readonly Element[] {
  const keys = allKeys(state)!
  const first = (state.position - placeOf(around, state) + keys.length) % keys.length
  return [...keys.slice(first), ...keys.slice(0, first)]
}
