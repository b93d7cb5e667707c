// Checking a claim (SRCEA algorithm 2, line 43): would anybody who counts these ballots get this coordinator?
// It needs the claim, the electorate and the group's settings, and nothing of what a member happened to see.

import type { NodeId } from '../core/index.ts'
import type { Signatures } from '../crypto/index.ts'
import { isBallotOf, isSameOrder, type OpenBallot, type Poll, totals, winner } from './ballot.ts'
import { digestOf, type Electorate } from './electorate.ts'
import type { ElectionSettings } from './settings.ts'
import type { Claim } from './state.ts'
import { candidatesOf, isOrdered, viewDigest } from './view.ts'

/** What is wrong with a count, or undefined. */
export function claimFault(
  claim: Claim,
  claimant: NodeId,
  electorate: Electorate,
  quorum: number,
  settings: ElectionSettings,
  signatures: Signatures,
): string | undefined {
  if (!isOrdered(claim.view)) return 'the view is not in order'
  const candidates = candidatesOf(electorate, claim.view, settings)
  if (!candidates.includes(claimant)) return 'it is no candidate'
  // A single candidate needs no ballots from those who see the same; with ballots, it needs a quorum of them.
  if (candidates.length === 1 && claim.ballots.length === 0) return undefined
  const poll: Poll = {
    name: claim.name,
    term: claim.term,
    electorate: digestOf(electorate),
    view: viewDigest(claim.view),
  }
  const isValid = (ballot: OpenBallot) =>
    isBallotOf(poll, electorate, candidates.length, ballot, signatures, settings.rules)
  if (!claim.ballots.every(isValid)) return 'a ballot is not valid'
  const voters = new Set(claim.ballots.map(ballot => ballot.voter))
  if (settings.rules.countsOnce() && voters.size < claim.ballots.length) return 'a voter is counted twice'
  for (const { first, second } of claim.voided) {
    if (first.voter !== second.voter || isSameOrder(first, second)) return 'nothing is void'
    if (!isValid(first) || !isValid(second)) return 'a void ballot is not valid'
    if (voters.has(first.voter)) return 'a void ballot is counted'
  }
  if (!settings.rules.checksTurnout(claim.ballots.length, quorum)) return 'too few ballots'
  const sums = totals(claim.ballots, candidates.length, settings.rules)
  return winner(candidates, sums) === claimant ? undefined : 'somebody else has more votes'
}
