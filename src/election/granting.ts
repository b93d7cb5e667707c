// Grants (PROTOCOLS C, VERIFIED): a member grants once a term, saved first, if the term is above any that it granted,
// the electorate is its own, the count checks, and its promise to the former coordinator has run out.

import { encode, type NodeId } from '../core/index.ts'
import { isSameBallot } from './ballot.ts'
import { claimFault } from './claim.ts'
import { withdraw } from './claiming.ts'
import { hear, isBound, isReachable, mayPromise, quorum, raceOf, send, setTimer } from './context.ts'
import { allow, mayProlong, noteCaller, patienceOf } from './doubting.ts'
import { digestOf, type Electorate, memberOf, sameBytes } from './electorate.ts'
import { saveGrant } from './keeping.ts'
import { isSameList } from './lists.ts'
import { type ElectionMessage, grantText, type SignedGrant } from './messages.ts'
import type { Attempt, Claim, Context, Race } from './state.ts'
import { viewDigest } from './view.ts'
import { dropAttempt, isOwnView, noteDouble, sendBallot } from './voting.ts'

export function onClaim(context: Context, from: NodeId, claim: Claim): void {
  const race = raceOf(context, claim.name, from)
  if (race === undefined || !isSameList(context, from, claim.electorate)) return
  hear(race, claim.term)
  noteCaller(context, race, from, claim.term)
  const { attempt } = race
  if (attempt?.term === claim.term && attempt.candidates.includes(from) && !attempt.claimed.includes(from)) {
    // Once: the attempt has come so far, and on a slow machine the rest of it takes time as well.
    if (attempt.claimed.length === 0) allow(context, race, attempt, patienceOf(context, race))
    attempt.claimed = [...attempt.claimed, from]
  }
  judge(context, race, from, claim)
}

function judge(context: Context, race: Race, from: NodeId, claim: Claim): void {
  const { settings } = context
  const again = claim.term === race.term && from === race.coordinator
  if (again ? !mayProlong(context, race, false) : !settings.rules.isNewTerm(claim.term, race.term))
    return refuse(context, race, from, claim)
  if (!isReachable(context, race, claim.term) || !mayPromise(context)) return
  if (!again && isBound(context, race)) return wait(context, race, from, claim)
  // Said again, because the answer was lost or is slow: the count was checked when the term was granted. To check thirty
  // signatures again each time it is said would make a slow member slower still.
  if (!again && !countHolds(context, race, from, claim)) return
  grant(context, race, from, claim.term, claim.electorate)
  const { name, term, asked } = claim
  send(context, from, { kind: 'grant', name, term, asked, signature: signGrant(context, race) })
}

// A promise that is nearly over is waited for; the claim is then judged again, as if it came only now.
function wait(context: Context, race: Race, from: NodeId, claim: Claim): void {
  const { settings, turn } = context
  const remaining = race.promisedUntil - turn.now
  if (remaining > settings.holdMax) return refuse(context, race, from, claim)
  if (race.held !== undefined && race.held.from !== from && race.held.claim.term >= claim.term) return
  race.held = { from, claim }
  setTimer(context, 'held', race, remaining)
}

export function judgeHeld(context: Context, race: Race): void {
  const { held } = race
  race.held = undefined
  if (held === undefined || held.claim.electorate !== context.state.electorate?.number) return
  judge(context, race, held.from, held.claim)
}

function refuse(context: Context, race: Race, to: NodeId, claim: Claim): void {
  const remaining = Math.max(0, Math.ceil(race.promisedUntil - context.turn.now))
  const { name, term } = claim
  send(context, to, { kind: 'refusal', name, term, highest: race.term, remaining })
}

function countHolds(context: Context, race: Race, from: NodeId, claim: Claim): boolean {
  const { state, settings, keys } = context
  const electorate = state.electorate!
  const needed = quorum(context, electorate)
  if (claimFault(claim, from, electorate, needed, settings, keys.signatures, keys.counting?.group) !== undefined)
    return false
  // Nobody voted on it, so each granter looks at the view itself ("verify by using the group view", SRCEA §3.1).
  if (claim.ballots.length === 0) return isOwnView(context, race, claim.view)
  const { attempt } = race
  if (attempt?.term !== claim.term || !sameBytes(attempt.digest, viewDigest(claim.view))) return true
  return isComplete(context, race, attempt, from, claim)
}

// Each voter looks for its own ballot, and each candidate for a voter that showed it another one.
function isComplete(context: Context, race: Race, attempt: Attempt, from: NodeId, claim: Claim): boolean {
  const { name, term } = claim
  const counted = new Map(claim.ballots.map(ballot => [ballot.voter, ballot]))
  let complete = true
  if (attempt.own !== undefined && !counted.has(context.state.self)) {
    sendBallot(context, race, attempt, from)
    complete = false
  }
  for (const [voter, ballot] of attempt.ballots) {
    const other = counted.get(voter)
    if (other === undefined || isSameBallot(ballot, other)) continue
    noteDouble(context, race, attempt, ballot, other)
    send(context, from, { kind: 'double', name, term, ballot })
    complete = false
  }
  return complete
}

/** The promise itself. A new one is saved before the answer leaves; one to the same coordinator only lasts longer. */
export function grant(context: Context, race: Race, to: NodeId, term: number, by: number): void {
  const { settings, turn } = context
  if (race.term !== term || race.coordinator !== to) {
    race.term = term
    race.coordinator = to
    race.grantedAt = turn.now
    race.callers.clear()
    saveGrant(context, race)
    dropAttempt(context, race)
    if (to !== context.state.self) withdraw(context, race)
  }
  race.promisedUntil = turn.now + settings.promise
  race.promisedUnder = by
  setTimer(context, 'promise', race, settings.promise)
}

export function signGrant(context: Context, race: Race): Uint8Array {
  return context.keys.signer.sign(grantBytes(context.state.electorate!, race.name, race.term, race.coordinator))
}

function grantBytes(electorate: Electorate, name: string, term: number, coordinator: NodeId): Uint8Array {
  return encode(grantText, { purpose: 'coterie grant', name, term, electorate: digestOf(electorate), coordinator })
}

export function isGrantOf(
  { keys }: Context,
  electorate: Electorate,
  name: string,
  term: number,
  coordinator: NodeId,
  { granter, signature }: SignedGrant,
): boolean {
  const member = memberOf(electorate, granter)
  if (member === undefined) return false
  return keys.signatures.verify(member.key, grantBytes(electorate, name, term, coordinator), signature)
}

/** Whether q members granted this term to it: what makes a coordinator known to those who did not grant it. */
export function isProved(
  context: Context,
  coordinator: NodeId,
  { name, term, under, grants }: Extract<ElectionMessage, { kind: 'alive' }>,
): boolean {
  // It may have been elected under a list that was changed since.
  const electorate = context.state.chain.find(listed => listed.electorate.number === under)?.electorate
  if (electorate === undefined) return false
  const granters = new Set(grants.map(({ granter }) => granter))
  if (granters.size < grants.length || granters.size < quorum(context, electorate)) return false
  return grants.every(signed => isGrantOf(context, electorate, name, term, coordinator, signed))
}
