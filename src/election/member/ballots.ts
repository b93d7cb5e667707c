// Ballots on their way: cast, sealed to each candidate, opened there and put with the others.

import { decode, encode, type NodeId, sameBytes } from '../../core/index.ts'
import { type BallotCheck, isBallotOf, isSameBallot, signBallot } from '../count/ballot.ts'
import { memberOf } from '../count/electorate.ts'
import { type BallotKey, ballotKey, hide } from '../count/secret.ts'
import { ranking } from '../count/view.ts'
import { type MessageOf, type OpenBallot, openBallot, type VoidedBallots } from '../wire.ts'
import { isSameList } from './lists.ts'
import { noteCaller } from './promise-limit.ts'
import { mayCheck, report } from './rate-limit.ts'
import { type ElectionScene, emit, pollOf, raceOf, send } from './scene.ts'
import type { Attempt, Race } from './state.ts'
import { noteTerm } from './terms.ts'

/** Voters whose two ballots were reported; a liar gains nothing by more. */
export const REPORTED_MAX = 128

/** What ballots of this attempt are checked against; undefined if they are secret and a candidate has no key. */
export function ballotCheck(scene: ElectionScene, race: Race, attempt: Attempt): BallotCheck | undefined {
  const { state, settings, keys } = scene
  const secret = ballotKeyOf(scene, attempt)
  if (settings.mode === 'secret' && secret === undefined) return undefined
  const electorate = state.electorate!
  const poll = pollOf(race, attempt, electorate)
  const { signatures } = keys
  return { poll, electorate, candidates: attempt.candidates.length, signatures, rules: settings.rules, secret }
}

function ballotKeyOf({ state, settings, keys }: ElectionScene, { candidates }: Attempt): BallotKey | undefined {
  if (settings.mode === 'sealed' || keys.counting === undefined) return undefined
  return ballotKey(keys.counting.group, state.electorate!, candidates, settings.rules)
}

/** The own ballot in the open or, where ballots are secret, hidden; none if a candidate has no key to hide it with. */
export function castBallot(scene: ElectionScene, race: Race, attempt: Attempt): OpenBallot | undefined {
  const { state, settings, keys, turn } = scene
  const { rules } = settings
  const voter = state.self
  const order = ranking(state.electorate!, attempt.view, attempt.candidates, settings)
  const poll = pollOf(race, attempt, state.electorate!)
  if (settings.mode === 'sealed') return signBallot(poll, { voter, order }, keys.signer, rules)
  const secret = ballotKeyOf(scene, attempt)
  if (secret === undefined) return undefined
  const hidden = hide({ ...poll, voter }, order, secret, rules, length => turn.bytes(length))
  return signBallot(poll, { voter, order: [], hidden }, keys.signer, rules)
}

export function sendBallot(scene: ElectionScene, race: Race, attempt: Attempt, to: NodeId): void {
  const { state } = scene
  const candidate = memberOf(state.electorate, to)
  if (attempt.ownBallot === undefined || candidate === undefined) return
  if (to === state.self) {
    attempt.ballots.set(state.self, attempt.ownBallot)
    return
  }
  const sealed = sealedTo(scene, candidate.sealKey, encode(openBallot, attempt.ownBallot))
  if (sealed === undefined) return
  const { term, digest: view } = attempt
  const { number: electorate } = state.electorate!
  send(scene, to, { kind: 'ballot', name: race.name, term, electorate, view, sealed })
}

// A key that is no key is the fault of those who admitted the member: it gets no ballots.
function sealedTo({ keys, turn }: ElectionScene, key: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  try {
    return keys.sealing.seal(key, bytes, length => turn.bytes(length))
  } catch {
    return undefined
  }
}

export function onBallot(scene: ElectionScene, from: NodeId, ballot: MessageOf<'ballot'>): void {
  const race = raceOf(scene, ballot.name, from)
  if (race === undefined || !isSameList(scene, from, ballot.electorate)) return
  noteTerm(scene, race, from, ballot.term)
  noteCaller(scene, race, from, ballot.term)
  const { attempt } = race
  if (attempt !== undefined && attempt.term === ballot.term) {
    openAndAdd(scene, race, attempt, from, ballot)
    race.news.add('ballots')
    return
  }
  if (attempt !== undefined && attempt.term > ballot.term) return
  race.earlyBallots.set(from, ballot)
  // Somebody noticed before us that nobody leads. A ballot of a term that we gave up means nothing: the first to give
  // up would call again at once, without the pause, and a candidate that never claims would always be first (seed
  // 5660). After a failure we wait to be called: beginning on our own view because a ballot came before the call would
  // split the votes (seed 90006).
  if (race.failures === 0 && ballot.term > Math.max(race.grantedTerm, race.votedTerm)) race.news.add('vacancy')
}

/** The ballots that came before the attempt did. */
export function addEarlyBallots(scene: ElectionScene, race: Race, attempt: Attempt): void {
  for (const [voter, early] of race.earlyBallots) {
    if (early.term === attempt.term) openAndAdd(scene, race, attempt, voter, early)
  }
  race.earlyBallots.clear()
}

/** Opens a ballot and puts it with the others. Only the voter itself can hand it in: `from` is authenticated. */
function openAndAdd(
  scene: ElectionScene,
  race: Race,
  attempt: Attempt,
  from: NodeId,
  ballot: MessageOf<'ballot'>,
): void {
  if (!sameBytes(ballot.view, attempt.digest)) return
  const bytes = scene.keys.sealing.open(ballot.sealed)
  const opened = bytes === undefined ? undefined : decode(openBallot, bytes)
  const isCast = opened?.ok && opened.value.voter === from && addBallot(scene, race, attempt, from, opened.value)
  // It names this view, this term and this list, and came from the voter itself.
  if (!isCast && attempt.candidates.includes(scene.state.self)) report(scene, from, 'forged-ballot')
}

/** False for one that its voter did not cast. Who brought it pays for the check. */
function addBallot(scene: ElectionScene, race: Race, attempt: Attempt, from: NodeId, ballot: OpenBallot): boolean {
  const { state, settings } = scene
  if (!attempt.candidates.includes(state.self)) return true
  const check = ballotCheck(scene, race, attempt)
  if (check === undefined) return true
  const before = attempt.ballots.get(ballot.voter)
  // Said again, as everything is until it is answered.
  if (before !== undefined && settings.rules.countsOnce() && isSameWord(before, ballot)) return true
  if (!mayCheck(scene, from, 1)) return true
  if (!isBallotOf(check, ballot)) return false
  if (before === undefined) {
    if (!attempt.voided.has(ballot.voter)) attempt.ballots.set(ballot.voter, ballot)
  } else if (!settings.rules.countsOnce()) attempt.ballots.set(`${ballot.voter} again`, ballot)
  else if (!isSameBallot(before, ballot)) noteDouble(scene, race, attempt, { first: before, second: ballot })
  return true
}

function isSameWord(one: OpenBallot, other: OpenBallot): boolean {
  return isSameBallot(one, other) && sameBytes(one.signature, other.signature)
}

/** Two ballots of one voter: neither counts, and everybody may know. */
export function noteDouble(scene: ElectionScene, race: Race, attempt: Attempt, ballots: VoidedBallots): void {
  const { name, reportedDoubles } = race
  const { term } = attempt
  const { voter: member } = ballots.first
  attempt.voided.set(member, ballots)
  attempt.ballots.delete(member)
  if (reportedDoubles.get(member) === term) return
  if (reportedDoubles.size >= REPORTED_MAX) reportedDoubles.clear()
  reportedDoubles.set(member, term)
  emit(scene, { kind: 'evidence', name, term, member, ballots })
}

export function onDouble(scene: ElectionScene, from: NodeId, body: MessageOf<'double'>): void {
  const race = scene.state.races.get(body.name)
  const attempt = race?.attempt
  if (race === undefined || attempt?.term !== body.term) return
  addBallot(scene, race, attempt, from, body.ballot)
  race.news.add('ballots')
}
