// Counting secret ballots (protocols/election, `secret`), as a candidate: the totals are opened together, the ballots
// never.
//
// Every candidate has every ballot, hidden. One of them, in turn from term to term, is the teller: it settles which
// ballots are counted, the others give their shares of the totals, and the candidate that has most votes claims.
//
// A candidate opens one set of ballots in a term, and no second one: the difference of two sets is a ballot. So a
// teller that lies or falls silent, or a candidate that gives no share, costs the attempt, and is left out of a later
// one.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { winner } from '../count/ballot.ts'
import { ballotsFault, openingsFault } from '../count/claim.ts'
import { memberOf } from '../count/electorate.ts'
import { hiddenTotals, isOpening, openedTotals, openingOf, tallyDigest } from '../count/secret.ts'
import type { MessageOf } from '../wire.ts'
import { ballotCheck } from './ballots.ts'
import { isSameList } from './lists.ts'
import { mayCheck, proofsIn } from './rate-limit.ts'
import { type ElectionScene, pollOf, quorum, send } from './scene.ts'
import type { Attempt, Race, Tally } from './state.ts'

function tellerOf({ candidates, term }: Attempt): NodeId {
  return [...candidates].sort()[term % candidates.length]!
}

/** Ballots are there: the teller settles them, once a term, and asks the other candidates. */
export function settle(scene: ElectionScene, race: Race, attempt: Attempt): void {
  if (attempt.tally !== undefined || tellerOf(attempt) !== scene.state.self) return
  const counted = { ballots: [...attempt.ballots.values()], voided: [...attempt.voided.values()] }
  const tally = tallyOf(scene, race, attempt, counted)
  if (tally === undefined) return
  attempt.tally = tally
  // Where the count timer asks for shares in the same input, it would say the same once more.
  race.news.delete('shares')
  askForShares(scene, race)
  conclude(scene, race, attempt, tally)
}

/** The teller asks those who have not answered, and tells the winner again, until it claims. */
export function askForShares(scene: ElectionScene, race: Race): void {
  const { attempt, name } = race
  const tally = attempt?.tally
  if (attempt === undefined || tally === undefined || tellerOf(attempt) !== scene.state.self) return
  const { term } = attempt
  const { number: electorate } = scene.state.electorate!
  const { ballots, voided } = tally
  for (const to of attempt.candidates) {
    if (!tally.openings.has(to)) send(scene, to, { kind: 'tally', name, term, electorate, ballots, voided })
  }
  if (attempt.reminders > 0 && attempt.claimed.length === 0) conclude(scene, race, attempt, tally)
}

/** What is counted, with this candidate's own opening of it. */
function tallyOf(
  { state, keys, turn }: ElectionScene,
  race: Race,
  attempt: Attempt,
  { ballots, voided }: Pick<Tally, 'ballots' | 'voided'>,
): Tally | undefined {
  if (keys.counting === undefined) return undefined
  const { group, keys: pair } = keys.counting
  const digest = tallyDigest(pollOf(race, attempt, state.electorate!), ballots)
  const sums = hiddenTotals(group, ballots, attempt.candidates.length)
  const own = openingOf(group, pair, sums, digest, length => turn.bytes(length))
  return { ballots, voided, digest, openings: new Map([[state.self, own]]) }
}

export function onTally(scene: ElectionScene, from: NodeId, body: MessageOf<'tally'>): void {
  const { state } = scene
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || !isSameList(scene, from, body.electorate)) return
  if (!attempt.votes || from !== tellerOf(attempt) || !attempt.candidates.includes(state.self)) return
  if (attempt.tally === undefined) {
    const check = ballotCheck(scene, race, attempt)
    if (check?.secret === undefined || !mayCheck(scene, from, proofsIn(body))) return
    if (ballotsFault(body, check, quorum(scene, state.electorate!)) !== undefined) return
    attempt.tally = tallyOf(scene, race, attempt, body)
  }
  const { tally } = attempt
  const digest = tallyDigest(pollOf(race, attempt, state.electorate!), body.ballots)
  if (tally === undefined || !sameBytes(tally.digest, digest)) return
  const { name, term } = body
  send(scene, from, { kind: 'opening', name, term, digest, opening: tally.openings.get(state.self)! })
}

export function onOpening(scene: ElectionScene, from: NodeId, body: MessageOf<'opening'>): void {
  const { state, settings, keys } = scene
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || tellerOf(attempt) !== state.self) return
  const { tally } = attempt
  const candidate = memberOf(state.electorate, from)
  if (tally === undefined || keys.counting === undefined || candidate === undefined) return
  const { digest, openings, ballots } = tally
  if (!attempt.candidates.includes(from) || !sameBytes(digest, body.digest)) return
  if (openings.has(from) || !mayCheck(scene, from, 1)) return
  const { group } = keys.counting
  const sums = hiddenTotals(group, ballots, attempt.candidates.length)
  if (!isOpening(group, { publicKey: candidate.countKey, sums, digest }, body.opening, settings.rules)) return
  openings.set(from, body.opening)
  conclude(scene, race, attempt, tally)
}

/** All shares are there: the totals are known, and who has most of them is told. */
function conclude(scene: ElectionScene, race: Race, attempt: Attempt, tally: Tally): void {
  const { state, settings, keys } = scene
  const { candidates, term } = attempt
  const openings = candidates.flatMap(id => tally.openings.get(id) ?? [])
  if (openings.length < candidates.length || keys.counting === undefined || race.candidacy !== undefined) return
  const { group } = keys.counting
  const sums = hiddenTotals(group, tally.ballots, candidates.length)
  const totals = openedTotals(group, sums, openings, tally.ballots.length * settings.rules.weight(0))
  const best = totals === undefined ? undefined : winner(candidates, totals)
  if (best === state.self) race.news.add('victory')
  else if (best !== undefined) send(scene, best, { kind: 'opened', name: race.name, term, openings })
}

/** The teller says that this candidate has won: it looks for itself, and claims. */
export function onOpened(scene: ElectionScene, from: NodeId, body: MessageOf<'opened'>): void {
  const { state } = scene
  const race = state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term || race.candidacy !== undefined) return
  const { tally, candidates } = attempt
  if (tally === undefined || from !== tellerOf(attempt) || body.openings.length !== candidates.length) return
  const check = ballotCheck(scene, race, attempt)
  // The ballots were checked when it opened them: a teller says a wrong word as often as it likes.
  const counted = { ballots: tally.ballots, openings: body.openings }
  if (check === undefined || !mayCheck(scene, from, body.openings.length)) return
  if (openingsFault(counted, check, candidates, state.self) !== undefined) return
  for (const [place, id] of candidates.entries()) tally.openings.set(id, body.openings[place]!)
  race.news.add('victory')
}
