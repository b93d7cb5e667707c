// Counting secret ballots, among the candidates. One of them, in turn from term to term, is the teller: it settles which
// ballots are counted, the others give their shares of the totals, and whoever has most of them claims.
//
// A candidate opens one set of ballots in a term, whoever asks: the difference of two sets is a ballot. So a teller that
// lies or falls silent, or a candidate that gives no share, costs the attempt, and is left out of a later one.

import type { NodeId } from '../core/index.ts'
import { type OpenBallot, type VoidedBallots, winner } from './ballot.ts'
import { ballotsFault, claimFault } from './claim.ts'
import { claimOf, startClaim } from './claiming.ts'
import { pollOf, quorum, send } from './context.ts'
import { memberOf, sameBytes } from './electorate.ts'
import { isSameList } from './lists.ts'
import type { ElectionMessage } from './messages.ts'
import { ballotKey, hiddenTotals, isOpening, openedTotals, openingOf, tallyDigest } from './secret.ts'
import type { Attempt, Context, Race, Tally } from './state.ts'

type Message<Kind extends ElectionMessage['kind']> = Extract<ElectionMessage, { kind: Kind }>

function tellerOf({ candidates, term }: Attempt): NodeId {
  return [...candidates].sort()[term % candidates.length]!
}

/** Ballots are there: the teller settles them, once a term, and asks the other candidates. */
export function settle(context: Context, race: Race, attempt: Attempt): void {
  const { state } = context
  if (attempt.tally !== undefined || tellerOf(attempt) !== state.self) return
  const tally = tallyOf(context, race, attempt, [...attempt.ballots.values()], [...attempt.voided.values()])
  if (tally === undefined) return
  attempt.tally = tally
  askAgain(context, race, attempt)
  conclude(context, race, attempt, tally)
}

/** The teller asks whoever has not answered, and tells the winner again, until it claims. */
export function askAgain(context: Context, race: Race, attempt: Attempt): void {
  const { state } = context
  const { tally, term } = attempt
  if (tally === undefined || tellerOf(attempt) !== state.self) return
  const { name } = race
  const { number: electorate } = state.electorate!
  const { ballots, voided } = tally
  for (const to of attempt.candidates) {
    if (!tally.openings.has(to)) send(context, to, { kind: 'tally', name, term, electorate, ballots, voided })
  }
  if (attempt.ticks > 0 && attempt.claimed.length === 0) conclude(context, race, attempt, tally)
}

/** What is counted, with this candidate's own opening of it. */
function tallyOf(
  context: Context,
  race: Race,
  attempt: Attempt,
  ballots: readonly OpenBallot[],
  voided: readonly VoidedBallots[],
): Tally | undefined {
  const { state, keys, turn } = context
  if (keys.counting === undefined) return undefined
  const { group, keys: pair } = keys.counting
  const digest = tallyDigest(pollOf(race, attempt, state.electorate!), ballots)
  const sums = hiddenTotals(group, ballots, attempt.candidates.length)
  const own = openingOf(group, pair, sums, digest, length => turn.bytes(length))
  return { ballots, voided, digest, openings: new Map([[state.self, own]]) }
}

export function onTally(context: Context, from: NodeId, body: Message<'tally'>): void {
  const { state, settings, keys } = context
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || !isSameList(context, from, body.electorate)) return
  if (!attempt.votes || from !== tellerOf(attempt) || !attempt.candidates.includes(state.self)) return
  if (attempt.tally === undefined) {
    const poll = pollOf(race, attempt, state.electorate!)
    const electorate = state.electorate!
    const secret = keys.counting && ballotKey(keys.counting.group, electorate, attempt.candidates, settings.rules)
    if (secret === undefined) return
    const needed = quorum(context, electorate)
    const { length } = attempt.candidates
    if (ballotsFault(body, poll, electorate, length, needed, settings, keys.signatures, secret) !== undefined) return
    attempt.tally = tallyOf(context, race, attempt, body.ballots, body.voided)
  }
  const { tally } = attempt
  if (
    tally === undefined ||
    !sameBytes(tally.digest, tallyDigest(pollOf(race, attempt, state.electorate!), body.ballots))
  )
    return
  const { name, term } = body
  send(context, from, { kind: 'opening', name, term, digest: tally.digest, opening: tally.openings.get(state.self)! })
}

export function onOpening(context: Context, from: NodeId, body: Message<'opening'>): void {
  const { state, settings, keys } = context
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || tellerOf(attempt) !== state.self) return
  const { tally } = attempt
  const candidate = memberOf(state.electorate, from)
  if (tally === undefined || keys.counting === undefined || candidate === undefined) return
  if (!attempt.candidates.includes(from) || !sameBytes(tally.digest, body.digest)) return
  const { group } = keys.counting
  const sums = hiddenTotals(group, tally.ballots, attempt.candidates.length)
  if (!isOpening(group, candidate.countKey, sums, tally.digest, body.opening, settings.rules)) return
  tally.openings.set(from, body.opening)
  conclude(context, race, attempt, tally)
}

/** All shares are there: the totals are known, and who has most of them is told. */
function conclude(context: Context, race: Race, attempt: Attempt, tally: Tally): void {
  const { state, settings, keys } = context
  const { candidates, term } = attempt
  const openings = candidates.flatMap(id => tally.openings.get(id) ?? [])
  if (openings.length < candidates.length || keys.counting === undefined || race.candidacy !== undefined) return
  const { group } = keys.counting
  const sums = hiddenTotals(group, tally.ballots, candidates.length)
  const totals = openedTotals(group, sums, openings, tally.ballots.length * settings.rules.weight(0))
  const best = totals === undefined ? undefined : winner(candidates, totals)
  if (best === state.self) startClaim(context, race, attempt)
  else if (best !== undefined) send(context, best, { kind: 'opened', name: race.name, term, openings })
}

/** The teller says that this candidate has won: it looks for itself, and claims. */
export function onOpened(context: Context, from: NodeId, body: Message<'opened'>): void {
  const { state, settings, keys } = context
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || race.candidacy !== undefined) return
  const { tally, candidates } = attempt
  if (tally === undefined || from !== tellerOf(attempt) || body.openings.length !== candidates.length) return
  const before = new Map(tally.openings)
  for (const [place, id] of candidates.entries()) tally.openings.set(id, body.openings[place]!)
  const electorate = state.electorate!
  const claim = claimOf(context, race, attempt)
  const needed = quorum(context, electorate)
  if (
    claimFault(claim, state.self, electorate, needed, settings, keys.signatures, keys.counting?.group) === undefined
  ) {
    return startClaim(context, race, attempt)
  }
  tally.openings.clear()
  for (const [id, opening] of before) tally.openings.set(id, opening)
}
