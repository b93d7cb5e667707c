// Ballots and how they are counted (SRCEA §3.2, equation 2 with the weights that were meant).
//
// A ballot is an order of the candidates, signed over the election, its term, the electorate, the view and the order.
// So it cannot be moved to another term or view, nobody can vote as another, and a count can be checked by anyone who
// has the ballots. Two different ballots of one voter in a term are both void: the two signatures are the evidence.

import { encode, type NodeId } from '../core/index.ts'
import type { Signatures, Signer } from '../crypto/index.ts'
import { type Electorate, memberOf } from './electorate.ts'
import { ballotText } from './messages.ts'
import type { ElectionRules } from './rules.ts'

export interface OpenBallot {
  readonly voter: NodeId
  /** Candidates by their places in the list of candidates, the most wanted first. */
  readonly order: readonly number[]
  readonly signature: Uint8Array
}

/** Two ballots of one voter in one term: neither counts. */
export interface VoidedBallots {
  readonly first: OpenBallot
  readonly second: OpenBallot
}

/** What a ballot is bound to. */
export interface Poll {
  readonly name: string
  readonly term: number
  readonly electorate: Uint8Array
  readonly view: Uint8Array
}

function ballotBytes(poll: Poll, order: readonly number[], rules: ElectionRules): Uint8Array {
  const { name, electorate, view } = poll
  return encode(ballotText, {
    purpose: 'coterie ballot',
    name,
    term: rules.bindsTerm(poll.term),
    electorate,
    view,
    order,
  })
}

export function signBallot(
  poll: Poll,
  voter: NodeId,
  order: readonly number[],
  signer: Signer,
  rules: ElectionRules,
): OpenBallot {
  return { voter, order, signature: signer.sign(ballotBytes(poll, order, rules)) }
}

export function isBallotOf(
  poll: Poll,
  electorate: Electorate,
  candidates: number,
  ballot: OpenBallot,
  signatures: Signatures,
  rules: ElectionRules,
): boolean {
  const voter = memberOf(electorate, ballot.voter)
  if (voter === undefined || !isPermutation(ballot.order, candidates)) return false
  return signatures.verify(voter.key, ballotBytes(poll, ballot.order, rules), ballot.signature)
}

/** Each candidate once: a ballot with a name twice would weigh more than others. */
function isPermutation(order: readonly number[], length: number): boolean {
  return order.length === length && new Set(order).size === length && order.every(place => place < length)
}

export function isSameOrder(one: OpenBallot, other: OpenBallot): boolean {
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
