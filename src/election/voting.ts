// Voting (SRCEA algorithm 2, from line 24): each member sends its ballot to the candidates; a candidate counts.
//
// When a promise runs out everybody notices by its own clock, so the first attempt needs no call: members whose views
// agree send ballots on the same view at the same time, and an election takes at most 5(n - 1) messages. Who was
// not heard in time is called with the view; every later attempt begins with a call, in a term of its own, because a
// voter votes once a term.

import { decode, encode, type NodeId } from '../core/index.ts'
import { isBallotOf, isSameBallot, type OpenBallot, type Poll, signBallot } from './ballot.ts'
import { count, startClaim, withdraw } from './claiming.ts'
import {
  cancel,
  hear,
  isBound,
  isLed,
  isReachable,
  mayPromise,
  nextTerm,
  others,
  pollOf,
  quorum,
  raceOf,
  send,
  setTimer,
} from './context.ts'
import { allow, isOverdue, noteCaller, patienceOf } from './doubting.ts'
import { memberOf, sameBytes } from './electorate.ts'
import { couldBecomeOwn, gatheringTime, isGathering } from './gathering.ts'
import { save } from './keeping.ts'
import { isSameList } from './lists.ts'
import { type ElectionMessage, openBallot } from './messages.ts'
import { type BallotKey, ballotKey, hide } from './secret.ts'
import type { Attempt, Context, ElectionTurn, Keys, Race } from './state.ts'
import { askAgain } from './tallying.ts'
import { agrees, candidatesOf, isOrdered, ranking, standing, type View, viewDigest } from './view.ts'

type BallotMessage = Extract<ElectionMessage, { kind: 'ballot' }>

/** Voters of whom two ballots were told; a liar gains nothing by more. */
const TOLD_MAX = 128

/** Nobody leads, and this member should see to it that somebody does. */
export function startElection(context: Context, race: Race): void {
  if (!race.open || race.attempt !== undefined || race.candidacy !== undefined) return
  if (isLed(context, race) || isBound(context, race) || !mayPromise(context)) return
  const view = ownView(context, race)
  if (view === undefined) return
  const candidates = candidatesOf(context.state.electorate!, view, context.settings)
  const wait = gatheringTime(context, race, candidates)
  if (wait > 0) return setTimer(context, 'start', race, wait)
  // What came to nothing once is not left to chance again, nor is the first: everybody is called, and votes.
  const calls = race.failures > 0 || (isGathering(context, race) && candidates.length > 1)
  begin(context, race, nextTerm(context, race), view, calls)
  if (calls) call(context, race, others(context))
}

/**
 * Rows as membership gave them. Left out are those who seem gone, the last coordinator, and some of those who let us
 * wait: by chance, because it is not known which of them is to blame, and members that blame each other for ever would
 * never agree.
 */
function ownView({ state, settings, turn }: Context, race: Race): View | undefined {
  const electorate = state.electorate!
  const { failed, keyless } = state
  const { lapsed } = race
  const blamed = race.tried.filter(() => turn.below(2) === 0)
  const choices = [[...failed, lapsed, ...blamed], [...failed, lapsed, ...race.tried], [...failed, lapsed], failed, []]
  let fallback: View | undefined
  for (const gone of choices) {
    const leftOut = [...new Set([...gone, ...keyless])].filter(id => memberOf(electorate, id) !== undefined).sort()
    const view = { rows: standing(race.rows, leftOut), leftOut }
    const candidates = candidatesOf(electorate, view, settings)
    if (candidates.some(id => !race.tried.includes(id))) return view
    if (candidates.length > 0) fallback ??= view
  }
  return fallback
}

function mayBeGone({ failed, keyless }: Context['state'], race: Race): NodeId[] {
  return [...failed, ...keyless, race.lapsed, ...race.tried, ...race.idle]
}

/** Whether a view could be this member's own; without an opinion, any is. */
export function isOwnView(context: Context, race: Race, view: View): boolean {
  const { state, settings } = context
  if (race.rows.length === 0 || agrees(race.rows, view, mayBeGone(state, race), settings)) return true
  return isGathering(context, race) && couldBecomeOwn(context, race, view, mayBeGone(state, race))
}

/** Whether this member votes on that view: it could be its own, or nothing else has worked. */
function acceptable(context: Context, race: Race, view: View): boolean {
  const { state, settings } = context
  if (!isOrdered(view) || view.rows.some(({ member }) => memberOf(state.electorate, member) === undefined)) return false
  if (isOwnView(context, race, view)) return true
  // Whoever had our promise and did not lead does not get it again by calling first.
  const candidates = candidatesOf(state.electorate!, view, settings)
  if (candidates.some(id => state.keyless.includes(id))) return false
  return race.failures >= settings.patience && candidates.some(id => !race.idle.includes(id))
}

function begin(context: Context, race: Race, term: number, view: View, called: boolean): void {
  const { state, settings, turn } = context
  const candidates = candidatesOf(state.electorate!, view, settings)
  const digest = viewDigest(view)
  hear(race, term)
  const attempt: Attempt = {
    term,
    view,
    digest,
    candidates,
    votes: called || candidates.length > 1,
    own: undefined,
    ballots: new Map(),
    voided: new Map(),
    due: false,
    ticks: 0,
    claimed: [],
    until: 0,
    excused: false,
    tally: undefined,
  }
  race.attempt = attempt
  const chance = race.failures > 0 ? turn.below(settings.attemptMax) : 0
  allow(context, race, attempt, patienceOf(context, race) + chance)
  setTimer(context, 'count', race, settings.countAfter)
  if (attempt.votes) vote(context, race, attempt)
  else if (candidates[0] === state.self) {
    takePart(context, race, term)
    startClaim(context, race, attempt)
  }
}

function vote(context: Context, race: Race, attempt: Attempt): void {
  const { state, settings } = context
  const { term } = attempt
  takePart(context, race, term)
  const order = ranking(state.electorate!, attempt.view, attempt.candidates, settings)
  const poll = pollOf(race, attempt, state.electorate!)
  attempt.own = cast(context, attempt, poll, order)
  for (const candidate of attempt.candidates) sendBallot(context, race, attempt, candidate)
  for (const [voter, early] of race.early) if (early.term === term) take(context, race, attempt, voter, early)
  race.early.clear()
  count(context, race, attempt)
}

/** The ballot in the open or, where ballots are secret, hidden; none if a candidate has no key to hide it with. */
function cast(context: Context, attempt: Attempt, poll: Poll, order: readonly number[]): OpenBallot | undefined {
  const { state, settings, keys, turn } = context
  const { rules } = settings
  if (settings.mode === 'sealed') return signBallot(poll, state.self, order, keys.signer, rules)
  const secret = secretOf(context, attempt)
  if (secret === undefined) return undefined
  const hidden = hide(poll, state.self, order, secret, rules, length => turn.bytes(length))
  return signBallot(poll, state.self, [], keys.signer, rules, hidden)
}

function secretOf({ state, settings, keys }: Context, { candidates }: Attempt): BallotKey | undefined {
  if (settings.mode === 'sealed' || keys.counting === undefined) return undefined
  return ballotKey(keys.counting.group, state.electorate!, candidates, settings.rules)
}

// Saved first: a member that voted again after a crash would look like one that votes twice, and one that claimed the
// same term again would take old grants, which are still under way, for answers to its new claim.
function takePart(context: Context, race: Race, term: number): void {
  race.voted = term
  save(context, { kind: 'voted', name: race.name, term })
}

export function sendBallot(context: Context, race: Race, attempt: Attempt, to: NodeId): void {
  const { state, keys, turn } = context
  const candidate = memberOf(state.electorate, to)
  if (attempt.own === undefined || candidate === undefined) return
  if (to === state.self) {
    attempt.ballots.set(state.self, attempt.own)
    return
  }
  const sealed = sealedTo(candidate.sealKey, encode(openBallot, attempt.own), keys, turn)
  if (sealed === undefined) return
  const { term, digest: view } = attempt
  const { number: electorate } = state.electorate!
  send(context, to, { kind: 'ballot', name: race.name, term, electorate, view, sealed })
}

// A key that is no key is the fault of whoever admitted the member: it gets no ballots.
function sealedTo(key: Uint8Array, bytes: Uint8Array, keys: Keys, turn: ElectionTurn): Uint8Array | undefined {
  try {
    return keys.sealing.seal(key, bytes, length => turn.bytes(length))
  } catch {
    return undefined
  }
}

export function onBallot(context: Context, from: NodeId, ballot: BallotMessage): void {
  const race = raceOf(context, ballot.name, from)
  if (race === undefined || !isSameList(context, from, ballot.electorate)) return
  hear(race, ballot.term)
  noteCaller(context, race, from, ballot.term)
  const { attempt } = race
  if (attempt !== undefined && attempt.term === ballot.term) {
    take(context, race, attempt, from, ballot)
    return count(context, race, attempt)
  }
  if (attempt !== undefined && attempt.term > ballot.term) return
  race.early.set(from, ballot)
  // Somebody noticed before us that nobody leads. A ballot of a term that we have given up tells nothing: whoever gave up
  // first would call again at once, without the pause, and a candidate that never claims would always be first (seed 5660).
  // After a failure everybody is called: who began on its own view when the ballot came before the call would split the
  // votes (seed 90006).
  if (race.failures === 0 && ballot.term > Math.max(race.term, race.voted)) startElection(context, race)
}

/** Opens a ballot and puts it with the others. Only the voter itself can hand it in: `from` is authenticated. */
function take(context: Context, race: Race, attempt: Attempt, from: NodeId, ballot: BallotMessage): void {
  const { keys } = context
  if (!sameBytes(ballot.view, attempt.digest)) return
  const bytes = keys.sealing.open(ballot.sealed)
  const opened = bytes === undefined ? undefined : decode(openBallot, bytes)
  if (opened?.ok && opened.value.voter === from) keep(context, race, attempt, opened.value)
}

function keep(context: Context, race: Race, attempt: Attempt, ballot: OpenBallot): void {
  const { state, settings, keys } = context
  if (!attempt.candidates.includes(state.self)) return
  const poll = pollOf(race, attempt, state.electorate!)
  const { length } = attempt.candidates
  const secret = secretOf(context, attempt)
  if (settings.mode === 'secret' && secret === undefined) return
  if (!isBallotOf(poll, state.electorate!, length, ballot, keys.signatures, settings.rules, secret)) return
  const before = attempt.ballots.get(ballot.voter)
  if (before === undefined) {
    if (!attempt.voided.has(ballot.voter)) attempt.ballots.set(ballot.voter, ballot)
  } else if (!settings.rules.countsOnce()) attempt.ballots.set(`${ballot.voter} again`, ballot)
  else if (!isSameBallot(before, ballot)) noteDouble(context, race, attempt, before, ballot)
}

/** Two ballots of one voter: neither counts, and everybody may know. */
export function noteDouble(
  context: Context,
  race: Race,
  attempt: Attempt,
  first: OpenBallot,
  second: OpenBallot,
): void {
  const { voter } = first
  const voided = { first, second }
  attempt.voided.set(voter, voided)
  attempt.ballots.delete(voter)
  if (race.told.get(voter) === attempt.term) return
  if (race.told.size >= TOLD_MAX) race.told.clear()
  race.told.set(voter, attempt.term)
  const { name } = race
  context.turn.do({
    kind: 'emit',
    event: { kind: 'evidence', name, term: attempt.term, member: voter, ballots: voided },
  })
}

export function onDouble(context: Context, body: Extract<ElectionMessage, { kind: 'double' }>): void {
  const race = context.state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term) return
  keep(context, race, attempt, body.ballot)
  count(context, race, attempt)
}

export function onCall(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'call' }>): void {
  const race = raceOf(context, body.name, from)
  if (race === undefined || !isSameList(context, from, body.electorate)) return
  hear(race, body.term)
  noteCaller(context, race, from, body.term)
  const { attempt } = race
  if (attempt !== undefined && attempt.term >= body.term) {
    if (attempt.term === body.term && attempt.candidates.includes(from)) sendBallot(context, race, attempt, from)
    return
  }
  // While somebody leads, a call is a mistake or a lie.
  if (isLed(context, race) || isBound(context, race) || race.candidacy?.phase === 'leading') return
  if (body.term <= Math.max(race.term, race.voted)) return
  if (!isReachable(context, race, body.term) || !mayPromise(context)) return
  if (!acceptable(context, race, body.view)) return
  withdraw(context, race)
  begin(context, race, body.term, body.view, true)
}

function call(context: Context, race: Race, members: readonly NodeId[]): void {
  const { attempt } = race
  if (attempt === undefined) return
  const { number: electorate } = context.state.electorate!
  const { term, view } = attempt
  for (const to of members) send(context, to, { kind: 'call', name: race.name, term, electorate, view })
}

/** Ballots have been waited for: count what is there, ask those whose ballots are missing, say one's own again. */
export function countNow(context: Context, race: Race): void {
  const { attempt } = race
  if (attempt === undefined || !attempt.votes) return
  const { state, settings } = context
  attempt.due = true
  const place = [...attempt.candidates].sort().indexOf(state.self)
  if (place >= 0) {
    count(context, race, attempt)
    askAgain(context, race, attempt)
  }
  const waiting = race.attempt === attempt && race.candidacy === undefined
  // The candidates take turns, or all of them would call everybody.
  if (waiting && place === attempt.ticks % attempt.candidates.length) call(context, race, missing(context, attempt))
  if (attempt.claimed.length === 0 && attempt.ticks > 0) {
    for (const candidate of attempt.candidates) {
      if (candidate !== state.self) sendBallot(context, race, attempt, candidate)
    }
  }
  attempt.ticks++
  if (race.attempt === attempt) setTimer(context, 'count', race, settings.countAfter)
}

/** Whose ballots a candidate has not seen. */
function missing(context: Context, attempt: Attempt): NodeId[] {
  return others(context).filter(id => !attempt.ballots.has(id) && !attempt.voided.has(id))
}

/** The attempt took too long: who did not claim is left out of the next. */
export function giveUp(context: Context, race: Race): void {
  const { attempt } = race
  if (attempt === undefined || !isOverdue(context, race, attempt)) return
  const { state, turn } = context
  if (attempt.votes && attempt.candidates.includes(state.self)) tellTurnout(context, race, attempt)
  const silent = attempt.candidates.filter(id => id !== state.self && !attempt.claimed.includes(id))
  race.tried = blame(context, race, race.tried, silent)
  race.failures++
  withdraw(context, race)
  dropAttempt(context, race)
  const pause = 1 + turn.below(patienceOf(context, race))
  race.pausedUntil = turn.now + pause
  setTimer(context, 'start', race, pause)
}

/** More names on a list of those who let us wait; once it is everybody else who stands, it is nobody. */
export function blame({ state }: Context, race: Race, blamed: readonly NodeId[], members: readonly NodeId[]): NodeId[] {
  const all = [...new Set([...blamed, ...members])]
  return race.rows.every(({ member }) => member === state.self || all.includes(member)) ? [] : all
}

function tellTurnout(context: Context, race: Race, attempt: Attempt): void {
  const { name } = race
  const needed = quorum(context, context.state.electorate!)
  const ballots = attempt.ballots.size
  const event = { name, term: attempt.term, ballots, needed, missing: missing(context, attempt) }
  context.turn.do({ kind: 'emit', event: { kind: 'turnout', ...event } })
}

export function dropAttempt(context: Context, race: Race): void {
  if (race.attempt === undefined) return
  race.attempt = undefined
  cancel(context, race, 'attempt', 'count')
}
