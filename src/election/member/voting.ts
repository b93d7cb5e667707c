// Voting (SRCEA algorithm 2, from line 24): each member sends its ballot to the candidates; a candidate counts.
//
// When a promise runs out everybody notices by its own clock, so the first attempt needs no call: members whose views
// agree send ballots on the same view at the same time, and an election takes at most 5(n - 1) messages. Who was
// not heard in time is called with the view; every later attempt begins with a call, in a term of its own, because a
// voter votes once a term.

import type { NodeId } from '../../core/index.ts'
import { candidatesOf } from '../count/view.ts'
import type { MessageOf, View } from '../wire.ts'
import { dropAttempt, extendAttempt, isOverdue, patienceOf } from './attempt-time.ts'
import { addEarlyBallots, castBallot, sendBallot } from './ballots.ts'
import { withdraw } from './candidacy.ts'
import { firstElectionWait, isFirstElection } from './first-election.ts'
import { tellWhoLeads } from './following.ts'
import { isSameList } from './lists.ts'
import { blame, isAcceptable, ownView } from './own-view.ts'
import { noteCaller } from './promise-limit.ts'
import { save } from './saving.ts'
import {
  type ElectionScene,
  emit,
  isBound,
  isLed,
  mayPromise,
  others,
  quorum,
  raceOf,
  send,
  setTimer,
} from './scene.ts'
import { type Attempt, newAttempt, type Race } from './state.ts'
import { forgetTerms, isReachable, nextTerm, noteTerm } from './terms.ts'

/** Perhaps nobody leads: then this member sees to it that somebody does. */
export function startElection(scene: ElectionScene, race: Race): void {
  if (!race.open || race.attempt !== undefined || race.candidacy !== undefined) return
  if (isLed(scene, race) || isBound(scene, race) || !mayPromise(scene)) return
  const view = ownView(scene, race)
  if (view === undefined) return
  const candidates = candidatesOf(scene.state.electorate!, view, scene.settings)
  const wait = firstElectionWait(scene, race, candidates)
  if (wait > 0) return setTimer(scene, 'start', race, wait)
  // What came to nothing once is not left to chance again, nor is the first: everybody is called, and votes.
  const calls = race.failures > 0 || (isFirstElection(scene, race) && candidates.length > 1)
  const term = nextTerm(scene, race)
  if (!isReachable(scene, race, term)) return
  begin(scene, race, term, view, calls)
  if (calls) race.news.add('call')
}

export function onStartTimer(_scene: ElectionScene, race: Race): void {
  race.news.add('vacancy')
}

function begin(scene: ElectionScene, race: Race, term: number, view: View, called: boolean): void {
  const { state, settings, turn } = scene
  const candidates = candidatesOf(state.electorate!, view, settings)
  race.begunTerm = Math.max(race.begunTerm, term)
  const attempt = newAttempt(term, view, candidates, called || candidates.length > 1)
  race.attempt = attempt
  const chance = race.failures > 0 ? turn.below(settings.attemptMax) : 0
  extendAttempt(scene, race, attempt, patienceOf(scene, race) + chance)
  setTimer(scene, 'count', race, settings.countAfter)
  if (attempt.votes) vote(scene, race, attempt)
  else if (candidates[0] === state.self) {
    takePart(scene, race, term)
    race.news.add('victory')
  }
}

function vote(scene: ElectionScene, race: Race, attempt: Attempt): void {
  takePart(scene, race, attempt.term)
  attempt.ownBallot = castBallot(scene, race, attempt)
  for (const candidate of attempt.candidates) sendBallot(scene, race, attempt, candidate)
  addEarlyBallots(scene, race, attempt)
  race.news.add('ballots')
}

// Saved first: a member that voted again after a crash would look like one that votes twice, and one that claimed the
// same term again would take old grants, which are still under way, for answers to its new claim.
function takePart(scene: ElectionScene, race: Race, term: number): void {
  race.votedTerm = term
  forgetTerms(scene, race)
  save(scene, { kind: 'voted', name: race.name, term })
}

export function onCall(scene: ElectionScene, from: NodeId, body: MessageOf<'call'>): void {
  const race = raceOf(scene, body.name, from)
  if (race === undefined || !isSameList(scene, from, body.electorate)) return
  noteTerm(scene, race, from, body.term)
  noteCaller(scene, race, from, body.term)
  const { attempt } = race
  if (attempt !== undefined && attempt.term >= body.term) {
    if (attempt.term === body.term && attempt.candidates.includes(from)) sendBallot(scene, race, attempt, from)
    return
  }
  // While somebody leads, a call is a mistake or a lie.
  if (isLed(scene, race)) return tellWhoLeads(scene, race, from)
  if (isBound(scene, race) || race.candidacy?.phase === 'leading') return
  if (body.term <= Math.max(race.grantedTerm, race.votedTerm)) return
  if (!isReachable(scene, race, body.term) || !mayPromise(scene)) return
  if (!isAcceptable(scene, race, body.view) || !mayInterrupt(scene, race, from)) return
  race.followedAt.set(from, scene.turn.now)
  withdraw(scene, race)
  begin(scene, race, body.term, body.view, true)
}

// An attempt that an honest member called has its time before that member calls again. One that calls for term after
// term would let nobody count.
function mayInterrupt(scene: ElectionScene, race: Race, caller: NodeId): boolean {
  const followed = race.followedAt.get(caller)
  if (race.attempt === undefined || followed === undefined) return true
  return scene.settings.rules.mayCallAgain(scene.turn.now - followed, patienceOf(scene, race))
}

export function callOthers(scene: ElectionScene, race: Race): void {
  call(scene, race, others(scene))
}

function call(scene: ElectionScene, race: Race, members: readonly NodeId[]): void {
  const { attempt } = race
  if (attempt === undefined) return
  const { number: electorate } = scene.state.electorate!
  const { term, view } = attempt
  for (const to of members) send(scene, to, { kind: 'call', name: race.name, term, electorate, view })
}

/** Ballots have been waited for: a quorum of them is counted, and what is missing is asked for again. */
export function onCountTimer(_scene: ElectionScene, race: Race): void {
  const { attempt, news } = race
  if (attempt === undefined || !attempt.votes) return
  attempt.waitIsOver = true
  news.add('ballots').add('shares').add('reminder')
}

/** Asks those whose ballots are missing, and says the own one again. */
export function remind(scene: ElectionScene, race: Race): void {
  const { attempt } = race
  if (attempt === undefined) return
  const { state, settings } = scene
  const place = [...attempt.candidates].sort().indexOf(state.self)
  // The candidates take turns, or all of them would call everybody.
  const isOurTurn = place === attempt.reminders % attempt.candidates.length
  if (isOurTurn && race.candidacy === undefined) call(scene, race, missing(scene, attempt))
  if (attempt.claimed.length === 0 && attempt.reminders > 0) {
    for (const candidate of attempt.candidates) {
      if (candidate !== state.self) sendBallot(scene, race, attempt, candidate)
    }
  }
  attempt.reminders++
  setTimer(scene, 'count', race, settings.countAfter)
}

/** Whose ballots a candidate has not seen. */
function missing(scene: ElectionScene, attempt: Attempt): NodeId[] {
  return others(scene).filter(id => !attempt.ballots.has(id) && !attempt.voided.has(id))
}

/** The attempt took too long: who did not claim is left out of the next. */
export function onAttemptTimer(scene: ElectionScene, race: Race): void {
  const { attempt } = race
  if (attempt === undefined || !isOverdue(scene, race, attempt)) return
  const { state, turn } = scene
  if (attempt.votes && attempt.candidates.includes(state.self)) reportTurnout(scene, race, attempt)
  const silent = attempt.candidates.filter(id => id !== state.self && !attempt.claimed.includes(id))
  race.silentCandidates = blame(scene, race, race.silentCandidates, silent)
  race.failures++
  withdraw(scene, race)
  dropAttempt(scene, race)
  const pause = 1 + turn.below(patienceOf(scene, race))
  race.pausedUntil = turn.now + pause
  setTimer(scene, 'start', race, pause)
}

function reportTurnout(scene: ElectionScene, { name }: Race, attempt: Attempt): void {
  const { term, ballots } = attempt
  const needed = quorum(scene, scene.state.electorate!)
  emit(scene, { kind: 'turnout', name, term, ballots: ballots.size, needed, missing: missing(scene, attempt) })
}
