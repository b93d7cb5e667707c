// Grants (protocols/election, VERIFIED): a member grants once a term, saved first, if the term is above any that it
// granted, the electorate is its own, the count checks, and its promise to the former coordinator has run out.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { isSameBallot } from '../count/ballot.ts'
import { claimFault } from '../count/claim.ts'
import { memberOf } from '../count/electorate.ts'
import { signGrant } from '../count/grant.ts'
import { viewDigest } from '../count/view.ts'
import type { Claim } from '../wire.ts'
import { extendAttempt, patienceOf } from './attempt-time.ts'
import { noteDouble, sendBallot } from './ballots.ts'
import { isSameList } from './lists.ts'
import { isOwnView } from './own-view.ts'
import { grant } from './promise.ts'
import { mayProlong, noteCaller } from './promise-limit.ts'
import { mayCheck, proofsIn, report } from './rate-limit.ts'
import { claimCheck, type ElectionScene, isBound, mayPromise, raceOf, send, setTimer } from './scene.ts'
import type { Attempt, Race } from './state.ts'
import { isOfList, isReachable, noteTerm } from './terms.ts'

export function onClaim(scene: ElectionScene, from: NodeId, claim: Claim): void {
  const race = raceOf(scene, claim.name, from)
  if (race === undefined || !isSameList(scene, from, claim.electorate)) return
  noteTerm(scene, race, from, claim.term)
  noteCaller(scene, race, from, claim.term)
  noteView(scene, race, from, claim)
  const { attempt } = race
  if (attempt?.term === claim.term && attempt.candidates.includes(from) && !attempt.claimed.includes(from)) {
    // Once: the attempt got to a claim, and on a slow machine the rest of it takes time as well.
    if (attempt.claimed.length === 0) extendAttempt(scene, race, attempt, patienceOf(scene, race))
    attempt.claimed = [...attempt.claimed, from]
  }
  judge(scene, race, from, claim)
}

/** A claimant takes part in a term once, saved first, and on one view: another in the same term is its lie. */
function noteView(scene: ElectionScene, { claimedViews }: Race, from: NodeId, { term, view }: Claim): void {
  if (scene.settings.rateLimit === undefined) return
  const before = claimedViews.get(from)
  if (before !== undefined && before.term > term) return
  const digest = viewDigest(view)
  if (before?.term === term && !sameBytes(before.digest, digest)) return report(scene, from, 'two-claims')
  for (const id of claimedViews.keys()) {
    if (memberOf(scene.state.electorate, id) === undefined) claimedViews.delete(id)
  }
  claimedViews.set(from, { term, digest })
}

function judge(scene: ElectionScene, race: Race, from: NodeId, claim: Claim): void {
  const { state, settings, keys } = scene
  const again = claim.term === race.grantedTerm && from === race.grantedTo
  if (again ? !mayProlong(scene, race, false) : !settings.rules.isNewTerm(claim.term, race.grantedTerm))
    return refuse(scene, race, from, claim)
  // A quorum's ballots, which are checked below, say that honest members are in this term.
  const isNear = claim.ballots.length > 0 ? isOfList(scene, claim.term) : isReachable(scene, race, claim.term)
  if (!isNear || !mayPromise(scene)) return
  if (!again && isBound(scene, race)) return hold(scene, race, from, claim)
  // Said again, because the answer was lost or is slow: the count was checked when the term was granted. To check
  // thirty signatures again each time it is said would make a slow member slower still.
  if (!again && !(mayCheck(scene, from, proofsIn(claim)) && countHolds(scene, race, from, claim))) return
  grant(scene, race, from, claim.term, claim.electorate)
  const { name, term, asked } = claim
  const signature = signGrant({ name, term, coordinator: from }, state.electorate!, keys.signer)
  send(scene, from, { kind: 'grant', name, term, asked, signature })
}

/** Bytes of one member's claims that wait, over all places: five with the secret ballots of a full list, thousands of the usual. */
export const HELD_BYTES_MAX = 8 << 20

/** About as many bytes as it takes: what a claim can be made large with. */
function bytesOf({ view, ballots, voided, openings }: Claim): number {
  const cast = [...ballots, ...voided.flatMap(({ first, second }) => [first, second])]
  const hidden = cast.reduce((sum, ballot) => sum + ballot.hidden.length + BALLOT_BYTES, 0)
  const opened = openings.reduce((sum, opening) => sum + opening.length, 0)
  return hidden + opened + (view.rows.length + view.leftOut.length) * ROW_BYTES
}

/** What each costs besides: a name, a signature, a few numbers. */
const BALLOT_BYTES = 256
const ROW_BYTES = 256

/** Whether a claim of this member may wait here beside its others. */
function hasRoomFor({ state }: ElectionScene, race: Race, from: NodeId, claim: Claim): boolean {
  const others = [...state.races.values()].filter(one => one !== race && one.heldClaim?.from === from)
  return others.reduce((sum, { heldClaim }) => sum + bytesOf(heldClaim!.claim), bytesOf(claim)) <= HELD_BYTES_MAX
}

// A promise that is nearly over is waited for; the claim is then judged again, as if it came only now.
function hold(scene: ElectionScene, race: Race, from: NodeId, claim: Claim): void {
  const { settings, turn } = scene
  const remaining = race.promisedUntil - turn.now
  if (remaining > settings.holdMax || !hasRoomFor(scene, race, from, claim)) return refuse(scene, race, from, claim)
  if (race.heldClaim !== undefined && race.heldClaim.from !== from && race.heldClaim.claim.term >= claim.term) return
  race.heldClaim = { from, claim }
  setTimer(scene, 'held', race, remaining)
}

export function onHeldTimer(scene: ElectionScene, race: Race): void {
  const { heldClaim } = race
  race.heldClaim = undefined
  if (heldClaim === undefined || heldClaim.claim.electorate !== scene.state.electorate?.number) return
  judge(scene, race, heldClaim.from, heldClaim.claim)
}

function refuse(scene: ElectionScene, race: Race, to: NodeId, { name, term }: Claim): void {
  const remaining = Math.max(0, Math.ceil(race.promisedUntil - scene.turn.now))
  send(scene, to, { kind: 'refusal', name, term, highest: race.grantedTerm, remaining })
}

function countHolds(scene: ElectionScene, race: Race, from: NodeId, claim: Claim): boolean {
  if (claimFault(claim, from, claimCheck(scene)) !== undefined) {
    // Anybody who counts sees it, so it is the claimant's lie.
    report(scene, from, 'false-claim')
    return false
  }
  // Nobody voted on it, so each granter looks at the view itself ("verify by using the group view", SRCEA §3.1).
  if (claim.ballots.length === 0) return isOwnView(scene, race, claim.view)
  const { attempt } = race
  if (attempt?.term !== claim.term || !sameBytes(attempt.digest, viewDigest(claim.view))) return true
  return isComplete(scene, race, attempt, from, claim)
}

// Each voter looks for its own ballot, and each candidate for a voter that showed it another one.
function isComplete(scene: ElectionScene, race: Race, attempt: Attempt, from: NodeId, claim: Claim): boolean {
  const { name, term } = claim
  const counted = new Map(claim.ballots.map(ballot => [ballot.voter, ballot]))
  let complete = true
  if (attempt.ownBallot !== undefined && !counted.has(scene.state.self)) {
    sendBallot(scene, race, attempt, from)
    complete = false
  }
  for (const [voter, ballot] of attempt.ballots) {
    const other = counted.get(voter)
    if (other === undefined || isSameBallot(ballot, other)) continue
    noteDouble(scene, race, attempt, { first: ballot, second: other })
    send(scene, from, { kind: 'double', name, term, ballot })
    complete = false
  }
  return complete
}
