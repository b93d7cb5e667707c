// What one member's words cost another: how many proofs are checked, and how much is answered, for a liar that speaks as fast as
// it is listened to. A proof takes about ten milliseconds in the group that ships; here they are counted.

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { encode, seededRandom } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures, insecureBareGroup, keyPair } from '../../crypto/index.ts'
import { signBallot } from '../count/ballot.ts'
import { claimFault } from '../count/claim.ts'
import { digestOf, firstElectorate } from '../count/electorate.ts'
import { ballotKey, countingKey, hide } from '../count/secret.ts'
import { viewDigest } from '../count/view.ts'
import { electionRules } from '../rules.ts'
import { electionDefaults } from '../settings.ts'
import {
  type Claim,
  type ElectionMessage,
  electionRecord,
  type MessageOf,
  type OpenBallot,
  openBallot,
  type Poll,
} from '../wire.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { election } from './machine.ts'
import { PROOF_COST } from './rate-limit.ts'
import type { ElectionState } from './state.ts'

type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

const { burst, perSecond } = electionDefaults.rateLimit!
/** More proofs than may be checked at once. */
const MANY = (2 * burst) / PROOF_COST
const ids = ['a', 'b', 'c', 'self']
const candidates = ['a', 'b', 'self']
const group = insecureBareGroup()
const chance = seededRandom(7)
const random = (length: number) => chance.bytes(length)
const signatures = idealSignatures()
const sealing = idealSealing()
const pairs = new Map(ids.map(id => [id, keyPair(group, random)]))
const electorate = firstElectorate(
  ids.map(id => ({
    id,
    key: signatures.signer(id).publicKey,
    sealKey: sealing(id).publicKey,
    ...countingKey(group, pairs.get(id)!, id, random),
  })),
)
/** a, b and self are the best by one attribute each. */
const view = {
  rows: [
    { member: 'a', values: [1, 5, 5] },
    { member: 'b', values: [2, 9, 5] },
    { member: 'c', values: [4, 4, 4] },
    { member: 'self', values: [3, 5, 1] },
  ],
  leftOut: [],
}
const attributes = [
  { name: 'distance', best: 'small', tolerance: 0 },
  { name: 'battery', best: 'large', tolerance: 0 },
  { name: 'load', best: 'small', tolerance: 0 },
] as const

function cast(voter: string, order: readonly number[], term: number): OpenBallot {
  const poll: Poll = { name: 'jobs', term, electorate: digestOf(electorate), view: viewDigest(view) }
  const key = ballotKey(group, electorate, candidates, electionRules)!
  const hidden = hide({ ...poll, voter }, order, key, electionRules, random)
  return signBallot(poll, { voter, order: [], hidden }, signatures.signer(voter), electionRules)
}

/** A ballot, as its voter hands it in and as others tell of it. */
function said(kind: 'ballot' | 'double', ballot: OpenBallot): ElectionMessage {
  const about = { name: 'jobs', term: 5 }
  if (kind === 'double') return { kind, ...about, ballot }
  const sealed = sealing(ballot.voter).seal(sealing('self').publicKey, encode(openBallot, ballot), random)
  return { kind, ...about, electorate: 1, view: viewDigest(view), sealed }
}

/** Called to vote in a term, by a; its proofs are counted from then on. */
function called(term: number) {
  const proofs = { ballots: 0, openings: 0 }
  const rules = {
    ...electionRules,
    checksBallotProof: () => ++proofs.ballots > 0,
    checksOpening: () => ++proofs.openings > 0,
  }
  const settings = { ...electionDefaults, quiet: 0, mode: 'secret' as const, attributes, rules }
  const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
  const first = new Map([['', [encode(electionRecord, { kind: 'first' as const, electorate })]]])
  const counting = { group, keys: pairs.get('self')! }
  const puppet: Member = new Puppet(election(settings, { ...keys, counting }), [], first)
  puppet.start()
  // The machine draws as many numbers as it likes.
  puppet.drawn.shift = () => random(64)
  puppet.hear('a', { kind: 'call', name: 'jobs', term, electorate: 1, view })
  expect(puppet.state.races.get('jobs')!.attempt?.candidates.toSorted()).toEqual(candidates)
  proofs.ballots = 0
  return { puppet, proofs, settings }
}

describe('secret ballots', () => {
  it('are checked for a member as far as its allowance goes: 256 at once, and 64 a second', () => {
    for (const kind of ['double', 'ballot'] as const) {
      const words = [cast('c', [0, 1, 2], 5), cast('c', [1, 0, 2], 5)].map(ballot => said(kind, ballot))
      const { puppet, proofs } = called(5)
      for (let time = 0; time < MANY; time++) puppet.hear('c', words[time % 2]!)
      expect(proofs.ballots).toBe(burst / PROOF_COST)
      puppet.now += 1_000
      for (let time = 0; time < MANY; time++) puppet.hear('c', words[time % 2]!)
      expect(proofs.ballots).toBe((burst + perSecond) / PROOF_COST)
    }
  })
  it('are checked once, however often they are said again', () => {
    for (const kind of ['double', 'ballot'] as const) {
      const { puppet, proofs } = called(5)
      const word = said(kind, cast('c', [0, 1, 2], 5))
      for (let time = 0; time < MANY; time++) puppet.hear('c', word)
      expect(proofs.ballots).toBe(1)
    }
  })
  it('beyond it the rest is heard as ever, and nobody is named', () => {
    const { puppet, proofs } = called(5)
    const words = [cast('c', [0, 1, 2], 5), cast('c', [1, 0, 2], 5)].map(ballot => said('double', ballot))
    const heard = Array.from({ length: MANY }, (_, time) => puppet.hear('c', words[time % 2]!)).flat()
    expect(proofs.ballots).toBe(burst / PROOF_COST)
    expect(heard.filter(effect => effect.kind === 'emit' && effect.event.kind === 'misbehaved')).toEqual([])
    expect(puppet.state.peers.get('c')!.bucket.tokens).toBe(burst - MANY)
  })
  it('a claim that nobody has time for now is no lie', () => {
    const { puppet, proofs } = called(5)
    const words = [cast('a', [0, 1, 2], 5), cast('a', [1, 0, 2], 5)].map(ballot => said('double', ballot))
    for (let time = 0; time < MANY; time++) puppet.hear('a', words[time % 2]!)
    expect(proofs.ballots).toBe(burst / PROOF_COST)
    const ballots = ['b', 'c', 'self'].map(voter => cast(voter, [0, 1, 2], 5))
    const claim: ElectionMessage = { kind: 'claim', name: 'jobs', term: 5, electorate: 1, asked: 1, view, ...nothing }
    const heard = puppet.hear('a', { ...claim, ballots })
    expect(proofs.ballots).toBe(burst / PROOF_COST)
    expect(heard.filter(effect => effect.kind === 'emit' && effect.event.kind === 'misbehaved')).toEqual([])
  })
  it('are checked once each for a message, however often it shows one that is valid', () => {
    const { proofs, settings } = called(5)
    const [own, other] = [cast('a', [0, 1, 2], 5), cast('a', [1, 0, 2], 5)]
    const claim: Claim = { ...{ kind: 'claim', name: 'jobs', term: 5, electorate: 1, asked: 1, view }, ...nothing }
    const fault = (part: Partial<Claim>) =>
      claimFault({ ...claim, ...part }, 'a', { electorate, quorum: 3, settings, signatures, group })
    expect(fault({ ballots: new Array(128).fill(own) })).toBe('a voter is counted twice')
    expect(fault({ voided: new Array(128).fill({ first: own, second: other }) })).toBe('a voter is void twice')
    expect(fault({ ballots: [own], voided: new Array(1).fill({ first: own, second: other }) })).toBe(
      'a void ballot is counted',
    )
    expect(proofs.ballots).toBe(0)
    expect(fault({ voided: [{ first: own, second: other }] })).toBe('too few ballots')
    expect(proofs.ballots).toBe(2)
  })
  it('are not checked again for a teller that tells of wrong totals: of these so many as it may', () => {
    // In term 6 a tells.
    const { puppet, proofs } = called(6)
    const ballots = ids.map(voter => cast(voter, [1, 0, 2], 6))
    const about = { name: 'jobs', term: 6 }
    const tally: ElectionMessage = { kind: 'tally', ...about, electorate: 1, ballots, voided: [] }
    const [answer] = sent<ElectionMessage>(puppet.hear('a', tally) as never)
    const { opening } = answer!.body as MessageOf<'opening'>
    expect(proofs).toEqual({ ballots: 4, openings: 0 })
    for (let said = 0; said < burst; said++) {
      puppet.hear('a', { kind: 'opened', ...about, openings: [opening, opening, opening] })
    }
    expect(proofs.ballots).toBe(4)
    expect(proofs.openings).toBeGreaterThan(0)
    expect(proofs.openings).toBeLessThanOrEqual(burst / PROOF_COST)
  })
  it('a claim of a full list is no more than may be said at once', () => {
    expect(PROOF_COST * (128 + 3)).toBeLessThan(burst)
  })
})

const nothing = { ballots: [], voided: [], openings: [] }

describe('lists for a member that is behind', () => {
  it('are sent as far as its allowance goes: members that it is told of count, too', () => {
    const { puppet } = called(5)
    for (let number = 2; number <= 9; number++) {
      puppet.state.chain.push({ electorate: { ...electorate, number }, approvals: [] })
    }
    puppet.state.electorate = puppet.state.chain.at(-1)!.electorate
    const lists = () => sent(puppet.hear('c', { kind: 'behind', number: 1 })).length
    expect(lists()).toBe(8)
    let told = 8
    for (let said = 1; said < burst; said++) told += lists()
    // Eight lists of four members cost four beside the question.
    expect(told).toBe((burst / 5 - 0.4) * 8 + 2)
    puppet.now += 1_000
    expect(lists()).toBe(8)
  })
})
