// Checking a claim (SRCEA algorithm 2, line 43): would anybody who counts these ballots get this coordinator?
// It needs the claim, the electorate and the group's settings, and nothing of what a member happened to see.

import type { NodeId } from '../../core/index.ts'
import type { Group, Signatures } from '../../crypto/index.ts'
import type { ElectionSettings } from '../settings.ts'
import type { Claim, Electorate, OpenBallot, Poll } from '../wire.ts'
import { type BallotCheck, isBallotOf, isSameBallot, totals, winner } from './ballot.ts'
import { digestOf, memberOf } from './electorate.ts'
import { type BallotKey, ballotKey, hiddenTotals, isOpening, openedTotals, tallyDigest } from './secret.ts'
import { candidatesOf, isOrdered, viewDigest } from './view.ts'

/** What a claim is checked against. */
export interface ClaimCheck {
  readonly electorate: Electorate
  /** How many ballots are needed. */
  readonly quorum: number
  readonly settings: ElectionSettings
  readonly signatures: Signatures
  /** Where ballots are secret: the group that their keys are in. */
  readonly group?: Group | undefined
}

/** What is wrong with a count, or undefined. */
export function claimFault(claim: Claim, claimant: NodeId, by: ClaimCheck): string | undefined {
  const { electorate, quorum, settings, signatures } = by
  const { rules, mode } = settings
  if (!isOrdered(claim.view)) return 'the view is not in order'
  const candidates = candidatesOf(electorate, claim.view, settings)
  if (!candidates.includes(claimant)) return 'it is no candidate'
  // A single candidate needs no ballots from those who see the same; with ballots, it needs a quorum of them.
  if (candidates.length === 1 && claim.ballots.length === 0) return undefined
  const { name, term, view, ballots } = claim
  const poll: Poll = { name, term, electorate: digestOf(electorate), view: viewDigest(view) }
  const secret = secretOf(by, candidates)
  if (secret === undefined && mode === 'secret') return 'a candidate has no key that it proved'
  const check = { poll, electorate, candidates: candidates.length, signatures, rules, secret }
  const fault = ballotsFault(claim, check, quorum)
  if (fault !== undefined) return fault
  const sums = secret === undefined ? totals(ballots, candidates.length, rules) : totalsOf(claim, check, candidates)
  return totalsFault(sums, candidates, claimant)
}

function totalsFault(
  sums: readonly number[] | undefined,
  candidates: readonly NodeId[],
  claimant: NodeId,
): string | undefined {
  if (sums === undefined) return 'the totals are not opened'
  return winner(candidates, sums) === claimant ? undefined : 'somebody else has more votes'
}

/** The same of a count whose ballots were checked before: only the openings are new. */
export function openingsFault(
  claim: Pick<Claim, 'ballots' | 'openings'>,
  check: BallotCheck,
  candidates: readonly NodeId[],
  claimant: NodeId,
): string | undefined {
  return totalsFault(totalsOf(claim, check, candidates), candidates, claimant)
}

function secretOf({ electorate, settings, group }: ClaimCheck, candidates: readonly NodeId[]): BallotKey | undefined {
  const { mode, rules } = settings
  return mode === 'secret' && group !== undefined ? ballotKey(group, electorate, candidates, rules) : undefined
}

/**
 * What is wrong with the ballots that are to be counted, or undefined. Who is counted is looked at first: a secret ballot takes
 * ten milliseconds to check, and a liar could else show its own one, which is valid, hundreds of times in one message.
 */
export function ballotsFault(
  { ballots, voided }: Pick<Claim, 'ballots' | 'voided'>,
  check: BallotCheck,
  quorum: number,
): string | undefined {
  const { rules } = check
  const voters = new Set(ballots.map(ballot => ballot.voter))
  if (rules.countsOnce() && voters.size < ballots.length) return 'a voter is counted twice'
  const twice = new Set(voided.map(({ first }) => first.voter))
  if (twice.size < voided.length) return 'a voter is void twice'
  for (const { first, second } of voided) {
    if (first.voter !== second.voter || isSameBallot(first, second)) return 'nothing is void'
    if (voters.has(first.voter)) return 'a void ballot is counted'
  }
  const isValid = (ballot: OpenBallot) => isBallotOf(check, ballot)
  if (!ballots.every(isValid)) return 'a ballot is not valid'
  if (!voided.every(({ first, second }) => isValid(first) && isValid(second))) return 'a void ballot is not valid'
  return rules.checksTurnout(ballots.length, quorum) ? undefined : 'too few ballots'
}

/** The totals of secret ballots, if every candidate's opening holds. */
function totalsOf(
  { ballots, openings }: Pick<Claim, 'ballots' | 'openings'>,
  { poll, electorate, rules, secret }: BallotCheck,
  candidates: readonly NodeId[],
): number[] | undefined {
  if (secret === undefined || openings.length !== candidates.length) return undefined
  const { group } = secret
  const sums = hiddenTotals(group, ballots, candidates.length)
  const digest = tallyDigest(poll, ballots)
  const isGood = (opening: Uint8Array, place: number) => {
    const { countKey: publicKey } = memberOf(electorate, candidates[place]!)!
    return isOpening(group, { publicKey, sums, digest }, opening, rules)
  }
  if (!openings.every(isGood)) return undefined
  return openedTotals(group, sums, openings, ballots.length * rules.weight(0))
}
