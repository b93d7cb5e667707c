// Ballots and counts (SRCEA §3.2, equation 2, algorithm 2 lines 30 to 43; protocols/election, ballots): what is
// accepted, and as much that is refused.

import { describe, expect, it } from 'vitest'
import { idealSignatures } from '../../crypto/index.ts'
import { plantedElectionBugs } from '../proof/planted.ts'
import { electionRules } from '../rules.ts'
import { electionDefaults } from '../settings.ts'
import type { Claim, OpenBallot, Poll, View } from '../wire.ts'
import { isBallotOf, signBallot, totals, winner } from './ballot.ts'
import { claimFault } from './claim.ts'
import { digestOf, firstElectorate } from './electorate.ts'
import { viewDigest } from './view.ts'

const signatures = idealSignatures()
const ids = ['a', 'b', 'c', 'd', 'e']
const key = (id: string) => signatures.signer(id).publicKey
const electorate = firstElectorate(ids.map(id => ({ id, key: key(id), sealKey: key(id) })))
const settings = {
  ...electionDefaults,
  attributes: [
    { name: 'distance', best: 'small', tolerance: 0 },
    { name: 'battery', best: 'large', tolerance: 0 },
    { name: 'load', best: 'small', tolerance: 0 },
  ] as const,
}
/** a is nearest, b has most battery, c least load: three candidates. */
const view: View = {
  rows: [
    { member: 'a', values: [1, 5, 5] },
    { member: 'b', values: [2, 9, 5] },
    { member: 'c', values: [3, 5, 1] },
    { member: 'd', values: [4, 4, 4] },
  ],
  leftOut: ['e'],
}
const poll: Poll = { name: 'jobs', term: 4, electorate: digestOf(electorate), view: viewDigest(view) }
const ballot = (voter: string, ...order: number[]) =>
  signBallot(poll, { voter, order }, signatures.signer(voter), electionRules)
const ballots = [ballot('a', 1, 0, 2), ballot('b', 1, 2, 0), ballot('c', 0, 1, 2), ballot('d', 2, 1, 0)]

function claim(part: Partial<Claim> = {}): Claim {
  const { name, term } = poll
  return { kind: 'claim', name, term, electorate: 1, asked: 1, view, ballots, voided: [], openings: [], ...part }
}
const fault = (one: Claim, claimant = 'b') => claimFault(one, claimant, { electorate, quorum: 3, settings, signatures })

describe('the count', () => {
  it('weighs preferences 3, 2, 1', () => {
    expect(totals(ballots, 3, electionRules)).toEqual([3 + 2 + 1 + 1, 3 + 3 + 2 + 2, 3 + 2 + 1 + 1])
    expect(winner(['a', 'b', 'c'], [7, 10, 7])).toBe('b')
  })
  it('of equal ones, takes the smallest id, wherever it stands', () => {
    expect(winner(['c', 'a', 'b'], [6, 6, 6])).toBe('a')
    expect(winner(['c', 'a', 'b'], [7, 6, 7])).toBe('b')
    expect(winner([], [])).toBeUndefined()
  })
  it('equation 2 as printed elects the least wanted (readings SRCEA 1)', () => {
    const printed = { ...electionRules, ...plantedElectionBugs['literal-weights'] }
    const all = ['a', 'b', 'c'].map(voter => ballot(voter, 0, 1, 2))
    expect(winner(['a', 'b', 'c'], totals(all, 3, electionRules))).toBe('a')
    expect(winner(['a', 'b', 'c'], totals(all, 3, printed))).toBe('c')
  })
})

describe('a ballot', () => {
  const isGood = (one: OpenBallot, where: Poll = poll) =>
    isBallotOf({ poll: where, electorate, candidates: 3, signatures, rules: electionRules }, one)
  it('is good for its election, term, electorate and view, and for no other', () => {
    const [one] = ballots
    expect(isGood(one!)).toBe(true)
    expect(isGood(one!, { ...poll, name: 'mail' })).toBe(false)
    expect(isGood(one!, { ...poll, term: 5 })).toBe(false)
    expect(isGood(one!, { ...poll, electorate: new Uint8Array(32) })).toBe(false)
    expect(isGood(one!, { ...poll, view: new Uint8Array(32) })).toBe(false)
  })
  it('cannot be cast as another, changed, or by a stranger', () => {
    const [one] = ballots
    expect(isGood({ ...one!, voter: 'd' })).toBe(false)
    expect(isGood({ ...one!, order: [0, 1, 2] })).toBe(false)
    expect(isGood(ballot('stranger', 0, 1, 2))).toBe(false)
  })
  it('names each candidate once', () => {
    expect(isGood(ballot('a', 0, 0, 0))).toBe(false)
    expect(isGood(ballot('a', 0, 1))).toBe(false)
    expect(isGood({ ...ballots[0]!, order: [0, 1, 3] })).toBe(false)
  })
})

describe('a claim', () => {
  it('holds for the one with most votes, and for nobody else', () => {
    expect(fault(claim())).toBeUndefined()
    expect(fault(claim(), 'a')).toBe('somebody else has more votes')
    expect(fault(claim(), 'd')).toBe('it is no candidate')
  })
  it('needs ballots of a quorum (turnout)', () => {
    expect(fault(claim({ ballots: ballots.slice(0, 3) }))).toBeUndefined()
    expect(fault(claim({ ballots: ballots.slice(0, 2) }))).toBe('too few ballots')
  })
  it('counts nobody twice, and nothing that is forged or of another term', () => {
    expect(fault(claim({ ballots: [...ballots, ballots[1]!] }))).toBe('a voter is counted twice')
    expect(fault(claim({ ballots: [...ballots.slice(1), { ...ballots[0]!, order: [1, 2, 0] }] }))).toBe(
      'a ballot is not valid',
    )
    expect(fault(claim({ term: 5 }))).toBe('a ballot is not valid')
    expect(fault(claim({ view: { ...view, leftOut: [] } }))).toBe('a ballot is not valid')
  })
  it('may leave a voter out for two ballots, with both of them as proof', () => {
    const second = ballot('a', 2, 1, 0)
    const rest = ballots.slice(1)
    expect(fault(claim({ ballots: rest, voided: [{ first: ballots[0]!, second }] }))).toBeUndefined()
    expect(fault(claim({ voided: [{ first: ballots[0]!, second }] }))).toBe('a void ballot is counted')
    expect(fault(claim({ ballots: rest, voided: [{ first: ballots[0]!, second: ballots[0]! }] }))).toBe(
      'nothing is void',
    )
    const forged = { ...second, signature: new Uint8Array(64) }
    expect(fault(claim({ ballots: rest, voided: [{ first: ballots[0]!, second: forged }] }))).toBe(
      'a void ballot is not valid',
    )
  })
  it('of a single candidate needs no ballots (|C| = 1), or as many as any', () => {
    const alone = { rows: [view.rows[0]!], leftOut: [] }
    expect(fault(claim({ view: alone, ballots: [] }), 'a')).toBeUndefined()
    expect(fault(claim({ view: alone, ballots: [] }), 'b')).toBe('it is no candidate')
    expect(fault(claim({ view: alone, ballots: [ballot('a', 0)] }), 'a')).toBe('a ballot is not valid')
  })
  it('whose view is not in order is refused: one view has one digest', () => {
    expect(fault(claim({ view: { ...view, rows: [...view.rows].reverse() } }))).toBe('the view is not in order')
  })
})
