// From the count to the quorum: a candidate that has most votes claims the term (IAC) and collects grants (VERIFIED).
//
// It grants itself last, when the others' grants suffice: a candidate in a minority that granted itself term after term
// would come back with terms that nobody else knows, and refuse the coordinator that the majority has.

import type { Millis, NodeId } from '../core/index.ts'
import { type OpenBallot, totals, winner } from './ballot.ts'
import { cancel, hear, isBound, mayPromise, others, quorum, send, setTimer } from './context.ts'
import { allow, patienceOf } from './doubting.ts'
import { memberOf } from './electorate.ts'
import { grant, isGrantOf, signGrant } from './granting.ts'
import { becomeCoordinator, prolong, warningOf } from './leading.ts'
import type { ElectionMessage } from './messages.ts'
import type { Attempt, Candidacy, Claim, Context, Race } from './state.ts'
import { settle } from './tallying.ts'

/** Of so many numbered claims and renewals it is remembered when they were sent. */
const SENT_MAX = 16

/** Counts, if all ballots are there, or time is up and a quorum is. */
export function count(context: Context, race: Race, attempt: Attempt): void {
  const { state, settings } = context
  const { candidates, ballots, voided } = attempt
  if (!candidates.includes(state.self) || !attempt.votes) return
  const electorate = state.electorate!
  const expected = electorate.members.filter(({ id }) => !attempt.view.leftOut.includes(id))
  const complete = expected.every(({ id }) => ballots.has(id) || voided.has(id))
  if (!complete && !attempt.due) return
  if (!settings.rules.checksTurnout(ballots.size, quorum(context, electorate))) return
  if (settings.mode === 'secret') return settle(context, race, attempt)
  const best = winner(candidates, totals(ballots.values(), candidates.length, settings.rules))
  if (best !== state.self) {
    return withdraw(context, race)
  }
  if (race.candidacy === undefined) return startClaim(context, race, attempt)
  if (race.candidacy.phase === 'claiming') race.candidacy.claim = claimOf(context, race, attempt)
}

export function claimOf({ state }: Context, race: Race, attempt: Attempt): Claim {
  const { term, view, tally } = attempt
  const ballots: readonly OpenBallot[] = tally?.ballots ?? [...attempt.ballots.values()]
  const voided = tally?.voided ?? [...attempt.voided.values()]
  const openings = tally === undefined ? [] : attempt.candidates.flatMap(id => tally.openings.get(id) ?? [])
  return {
    kind: 'claim',
    name: race.name,
    term,
    electorate: state.electorate!.number,
    asked: 0,
    view,
    ballots,
    voided,
    openings,
  }
}

export function startClaim(context: Context, race: Race, attempt: Attempt): void {
  if (race.candidacy !== undefined) return
  race.candidacy = {
    term: attempt.term,
    phase: 'claiming',
    claim: claimOf(context, race, attempt),
    sent: [],
    asked: 0,
    until: new Map(),
    grants: new Map(),
    aware: new Map(),
    deadline: 0,
    by: context.state.electorate!.number,
    refusedUntil: new Map(),
  }
  allow(context, race, attempt, patienceOf(context, race))
  sendClaim(context, race)
}

/** To everybody whose grant is missing or was so slow that it is over; then again, until the attempt is over. */
export function sendClaim(context: Context, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'claiming') return
  const { turn } = context
  const asked = number(candidacy, turn.now)
  for (const to of others(context)) {
    if (isUseful(context, candidacy.until.get(to)) || turn.now < (candidacy.refusedUntil.get(to) ?? 0)) continue
    send(context, to, { ...candidacy.claim, asked })
  }
  // A claim holds everybody's ballots: to check it takes a slow member a while, and another would only make it slower.
  setTimer(context, 'claim', race, 2 * context.settings.countAfter)
  tryToLead(context, race, candidacy)
}

/** The number of what is sent now; answers to it count from this moment. */
export function number(candidacy: Candidacy, now: Millis): number {
  candidacy.asked++
  candidacy.sent.push({ asked: candidacy.asked, at: now })
  if (candidacy.sent.length > SENT_MAX) candidacy.sent.shift()
  return candidacy.asked
}

/** Until when the promise may be believed in that answers what was numbered so. */
export function believedUntil({ settings, turn }: Context, candidacy: Candidacy, asked: number): Millis | undefined {
  const sent = candidacy.sent.find(one => one.asked === asked)
  if (sent === undefined) return undefined
  return settings.rules.beliefStart(sent.at, turn.now) + settings.rules.belief(settings.promise, settings.drift)
}

export function onGrant(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'grant' }>): void {
  const race = context.state.races.get(body.name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy?.term !== body.term || candidacy.phase === 'ending') return
  const signed = { granter: from, signature: body.signature }
  if (!isGrantOf(context, context.state.electorate!, body.name, body.term, context.state.self, signed)) return
  const until = believedUntil(context, candidacy, body.asked)
  if (until === undefined) return
  candidacy.grants.set(from, signed)
  candidacy.until.set(from, Math.max(until, candidacy.until.get(from) ?? 0))
  if (candidacy.phase === 'leading') prolong(context, race, candidacy)
  else tryToLead(context, race, candidacy)
}

/** A promise that is nearly over when it comes is as good as none: its end could not be told in time. */
function isUseful({ settings, turn }: Context, until: Millis | undefined): boolean {
  return until !== undefined && turn.now < until - 2 * warningOf(settings)
}

function tryToLead(context: Context, race: Race, candidacy: Candidacy): void {
  const { state, settings, turn } = context
  const electorate = state.electorate!
  const standing = [...candidacy.until.values()].filter(until => isUseful(context, until)).length
  if (standing < quorum(context, electorate) - 1) return
  if (memberOf(electorate, state.self) === undefined || !mayPromise(context)) return
  const again = race.term === candidacy.term && race.coordinator === state.self
  if (!again && !settings.rules.isNewTerm(candidacy.term, race.term)) return withdraw(context, race)
  if (!again && isBound(context, race)) return
  grant(context, race, state.self, candidacy.term, electorate.number)
  candidacy.grants.set(state.self, { granter: state.self, signature: signGrant(context, race) })
  candidacy.until.set(state.self, turn.now + settings.rules.belief(settings.promise, settings.drift))
  becomeCoordinator(context, race, candidacy)
}

/** Gives a claim up. It never led, so whoever granted it is free again. */
export function withdraw(context: Context, race: Race): void {
  const { candidacy, name } = race
  if (candidacy?.phase !== 'claiming') return
  for (const to of candidacy.grants.keys()) send(context, to, { kind: 'resigned', name, term: candidacy.term })
  race.candidacy = undefined
  cancel(context, race, 'claim')
}

/** Refused: for a while, or for good because a higher term was granted. The next attempt must be above it. */
export function onRefusal(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'refusal' }>): void {
  const race = context.state.races.get(body.name)
  if (race === undefined) return
  hear(race, body.highest)
  const { candidacy } = race
  if (candidacy?.phase !== 'claiming' || candidacy.term !== body.term) return
  const wait = body.highest >= body.term ? Number.POSITIVE_INFINITY : body.remaining
  candidacy.refusedUntil.set(from, context.turn.now + wait)
}
