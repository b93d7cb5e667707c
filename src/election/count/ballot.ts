// Ballots and how they are counted (SRCEA §3.2, equation 2 with the weights that were meant).
//
// A ballot is an order of the candidates, signed over the election, its term, the electorate, the view and the order.
// So it cannot be moved to another term or view, nobody can vote as another, and a count can be checked by anyone who
// has the ballots. Two different ballots of one voter in a term are both void: the two signatures are the evidence.

import { encode, type NodeId, sameBytes } from '../../core/index.ts'
import type { Signatures, Signer } from '../../crypto/index.ts'
import type { ElectionRules } from '../rules.ts'
import { ballotText, type Electorate, type OpenBallot, type Poll } from '../wire.ts'
import { memberOf } from './electorate.ts'
import { type BallotKey, isHiddenBallot } from './secret.ts'

const NOTHING = new Uint8Array(0)

function ballotBytes(poll: Poll, order: readonly number[], hidden: Uint8Array, rules: ElectionRules): Uint8Array {
  const { name, electorate, view } = poll
  return encode(ballotText, {
    purpose: 'coterie ballot',
    name,
    term: rules.bindsTerm(poll.term),
    electorate,
    view,
    order,
    hidden,
  })
}

/** A ballot before it is signed. */
type Preference = Pick<OpenBallot, 'voter' | 'order'> & Partial<Pick<OpenBallot, 'hidden'>>

export function signBallot(
  poll: Poll,
  { voter, order, hidden = NOTHING }: Preference,
  signer: Signer,
  rules: ElectionRules,
): OpenBallot {
  return { voter, order, hidden, signature: signer.sign(ballotBytes(poll, order, hidden, rules)) }
}

/** What a ballot is checked against. */
export interface BallotCheck {
  readonly poll: Poll
  readonly electorate: Electorate
  /** How many there are. */
  readonly candidates: number
  readonly signatures: Signatures
  readonly rules: ElectionRules
  /** Where ballots are secret: what they are encrypted with. */
  readonly secret?: BallotKey | undefined
}

export function isBallotOf(check: BallotCheck, ballot: OpenBallot): boolean {
  const { poll, electorate, candidates, signatures, rules, secret } = check
  const voter = memberOf(electorate, ballot.voter)
  const { order, hidden } = ballot
  const isShaped = secret ? order.length === 0 : isPermutation(order, candidates) && hidden.length === 0
  if (voter === undefined || !isShaped) return false
  if (!signatures.verify(voter.key, ballotBytes(poll, order, hidden, rules), ballot.signature)) return false
  return secret === undefined || isHiddenBallot({ ...poll, voter: voter.id }, candidates, secret, hidden, rules)
}

/** Each candidate once: a ballot with a name twice would weigh more than others. */
function isPermutation(order: readonly number[], length: number): boolean {
  return order.length === length && new Set(order).size === length && order.every(place => place < length)
}

export function isSameBallot(one: OpenBallot, other: OpenBallot): boolean {
  if (!sameBytes(one.hidden, other.hidden)) return false
  return one.order.length === other.order.length && one.order.every((place, at) => place === other.order[at])
}

/** The weighted votes of each candidate: 3 for a first preference, 2 for a second, 1 for a third. */
export function totals(ballots: Iterable<OpenBallot>, candidates: number, rules: ElectionRules): number[] {
  const sums = Array.from({ length: candidates }, () => 0)
  for (const { order } of ballots) {
    for (const [place, candidate] of order.entries()) sums[candidate]! += rules.weight(place)
  }
  return sums
}

/** The candidate with the largest total; of equal ones, the smallest id. */
export function winner(candidates: readonly NodeId[], sums: readonly number[]): NodeId | undefined {
  let best: number | undefined
  for (const [place, sum] of sums.entries()) {
    if (best === undefined || sum > sums[best]! || (sum === sums[best] && candidates[place]! < candidates[best]!)) {
      best = place
    }
  }
  return best === undefined ? undefined : candidates[best]
}
