// Checking a claim (SRCEA algorithm 2, line 43): would anybody who counts these ballots get this coordinator?
// It needs the claim, the electorate and the group's settings, and nothing of what a member happened to see.

import type { NodeId } from '../core/index.ts'
import type { Group, Signatures } from '../crypto/index.ts'
import { isBallotOf, isSameBallot, type OpenBallot, type Poll, totals, winner } from './ballot.ts'
import { digestOf, type Electorate, memberOf } from './electorate.ts'
import { type BallotKey, ballotKey, hiddenTotals, isOpening, openedTotals, tallyDigest } from './secret.ts'
import type { ElectionSettings } from './settings.ts'
import type { Claim } from './state.ts'
import { candidatesOf, isOrdered, viewDigest } from './view.ts'

/** What is wrong with a count, or undefined. `group` is needed where ballots are secret. */
export function claimFault(
  claim: Claim,
  claimant: NodeId,
  electorate: Electorate,
  quorum: number,
  settings: ElectionSettings,
  signatures: Signatures,
  group?: Group,
): string | undefined {
  if (!isOrdered(claim.view)) return 'the view is not in order'
  const candidates = candidatesOf(electorate, claim.view, settings)
  if (!candidates.includes(claimant)) return 'it is no candidate'
  // A single candidate needs no ballots from those who see the same; with ballots, it needs a quorum of them.
  if (candidates.length === 1 && claim.ballots.length === 0) return undefined
  const { name, term, view, ballots } = claim
  const poll: Poll = { name, term, electorate: digestOf(electorate), view: viewDigest(view) }
  const secret = secretOf(electorate, candidates, settings, group)
  if (secret === undefined && settings.mode === 'secret') return 'a candidate has no key that it proved'
  const fault = ballotsFault(claim, poll, electorate, candidates.length, quorum, settings, signatures, secret)
  if (fault !== undefined) return fault
  const sums =
    secret === undefined
      ? totals(ballots, candidates.length, settings.rules)
      : totalsOf(claim, poll, electorate, candidates, settings, secret)
  if (sums === undefined) return 'the totals are not opened'
  return winner(candidates, sums) === claimant ? undefined : 'somebody else has more votes'
}

function secretOf(
  electorate: Electorate,
  candidates: readonly NodeId[],
  { mode, rules }: ElectionSettings,
  group: Group | undefined,
): BallotKey | undefined {
  return mode === 'secret' && group !== undefined ? ballotKey(group, electorate, candidates, rules) : undefined
}

/** What is wrong with the ballots that are to be counted, or undefined. */
export function ballotsFault(
  { ballots, voided }: Pick<Claim, 'ballots' | 'voided'>,
  poll: Poll,
  electorate: Electorate,
  candidates: number,
  quorum: number,
  settings: ElectionSettings,
  signatures: Signatures,
  secret: BallotKey | undefined,
): string | undefined {
  const isValid = (ballot: OpenBallot) =>
    isBallotOf(poll, electorate, candidates, ballot, signatures, settings.rules, secret)
  if (!ballots.every(isValid)) return 'a ballot is not valid'
  const voters = new Set(ballots.map(ballot => ballot.voter))
  if (settings.rules.countsOnce() && voters.size < ballots.length) return 'a voter is counted twice'
  for (const { first, second } of voided) {
    if (first.voter !== second.voter || isSameBallot(first, second)) return 'nothing is void'
    if (!isValid(first) || !isValid(second)) return 'a void ballot is not valid'
    if (voters.has(first.voter)) return 'a void ballot is counted'
  }
  return settings.rules.checksTurnout(ballots.length, quorum) ? undefined : 'too few ballots'
}

/** The totals of secret ballots, if every candidate's opening holds. */
function totalsOf(
  { ballots, openings }: Claim,
  poll: Poll,
  electorate: Electorate,
  candidates: readonly NodeId[],
  { rules }: ElectionSettings,
  { group }: BallotKey,
): number[] | undefined {
  const sums = hiddenTotals(group, ballots, candidates.length)
  const digest = tallyDigest(poll, ballots)
  if (openings.length !== candidates.length) return undefined
  const isGood = (opening: Uint8Array, place: number) =>
    isOpening(group, memberOf(electorate, candidates[place]!)!.countKey, sums, digest, opening, rules)
  if (!openings.every(isGood)) return undefined
  return openedTotals(group, sums, openings, ballots.length * rules.weight(0))
}
