// Terms that others speak of (rules.ts, wordsNeeded, followsOneWord, mayCallAgain): a liar's number matters, not its
// speed, and members that are far apart find together again.

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { signBallot } from '../count/ballot.ts'
import { digestOf, firstElectorate } from '../count/electorate.ts'
import { viewDigest } from '../count/view.ts'
import { brokenElectionRules } from '../proof/planted.ts'
import { electionRules } from '../rules.ts'
import { electionDefaults } from '../settings.ts'
import { type Claim, type ElectionMessage, electionRecord, TERMS_PER_LIST, type View } from '../wire.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { election } from './machine.ts'
import type { ElectionState } from './state.ts'

const signatures = idealSignatures()
const sealing = idealSealing()
const electorate = firstElectorate(
  ['b', 'c', 'd', 'self'].map(id => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey })),
)
const FIRST = new Map([['', [encode(electionRecord, { kind: 'first', electorate })]]])
const settings = { ...electionDefaults, liars: 1, promise: 1_000, countAfter: 50, attemptMax: 300, quiet: 0 }
type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

const alone = (id: string): View => ({ rows: [{ member: id, values: [1, 0, 0] }], leftOut: [] })
const NOTHING = new Uint8Array(0)

function member(rules = electionRules): Member {
  const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
  const puppet: Member = new Puppet(election({ ...settings, rules }, keys), [], FIRST)
  puppet.start()
  return puppet
}
/** Stands alone, so that it claims whatever term it begins. */
function open(puppet: Member): number | undefined {
  puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
  return claimed(puppet.command({ kind: 'open', name: 'jobs' }))
}
const claimed = (out: Parameters<typeof sent>[0]) =>
  sent<unknown>(out).flatMap(({ body }) => ((body as Claim).kind === 'claim' ? [(body as Claim).term] : []))[0]
const refusal = (highest: number, term = 1): ElectionMessage => {
  return { kind: 'refusal', name: 'jobs', term, highest, remaining: 0 }
}
/** A word and nothing else: nobody can open this ballot. */
const word = (term: number): ElectionMessage => {
  return { kind: 'ballot', name: 'jobs', term, electorate: 1, view: new Uint8Array(32), sealed: NOTHING }
}
const call = (term: number): ElectionMessage => {
  return { kind: 'call', name: 'jobs', term, electorate: 1, view: alone('b') }
}
/** Lets the attempt fail, and gives the term in which it calls for the next. */
function fail(puppet: Member): number {
  const { failures } = puppet.state.races.get('jobs')!
  const out = []
  while (puppet.state.races.get('jobs')!.failures === failures) out.push(...puppet.pass(50))
  while (puppet.state.races.get('jobs')!.attempt === undefined) out.push(...puppet.pass(50))
  return puppet.state.races.get('jobs')!.attempt!.term
}

describe('one member', () => {
  it('moves no term by refusals that answer no claim, however many and however fast', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    // 25 seconds of its whole allowance: before, each raised the term by 1,024.
    for (let tick = 0; tick < 250; tick++) {
      for (let place = 0; place < 204; place++) puppet.hear('b', refusal(2 ** 53 - 1))
      puppet.pass(100)
    }
    expect(open(puppet)).toBe(1)
    for (let place = 0; place < 100; place++) puppet.hear('b', refusal(900, 2))
    expect(puppet.state.races.get('jobs')!.saidTerms.size).toBe(0)
  })
  it('is followed by little, once: the claim under way is refused, and the next attempt is above it', () => {
    const puppet = member()
    open(puppet)
    puppet.hear('b', refusal(1_024))
    expect(fail(puppet)).toBe(1_025)
    for (let place = 0; place < 100; place++) puppet.hear('b', word(1_025 + 1_024 * place))
    expect(fail(puppet)).toBeLessThanOrEqual(1_025 + 1_024)
  })
  it('is not followed beyond that: just under the step and just over it', () => {
    const near = member()
    near.hear('b', word(1_023))
    expect(open(near), 'others vote in it already').toBe(1_023)
    const far = member()
    far.hear('b', word(1_025))
    expect(open(far)).toBe(1)
  })
  it('is followed far when nothing else has worked, and not one attempt before', () => {
    const puppet = member()
    open(puppet)
    puppet.hear('b', word(30_000_000))
    expect(fail(puppet)).toBe(2)
    expect(fail(puppet)).toBe(3)
    expect(fail(puppet)).toBe(30_000_001)
  })
  it('is never followed with a planted bug', () => {
    const puppet = member(brokenElectionRules('apart-for-ever'))
    open(puppet)
    puppet.hear('b', word(30_000_000))
    for (let term = 2; term < 9; term++) expect(fail(puppet)).toBe(term)
  })
  it('is not followed beyond half of the terms of a list, but by little', () => {
    const puppet = member()
    open(puppet)
    puppet.hear('b', word(TERMS_PER_LIST / 2 + 3 * 1_024 + 1))
    for (const term of [2, 3, 4]) expect(fail(puppet)).toBe(term)
    expect(fail(puppet)).toBe(TERMS_PER_LIST / 2 + 3 * 1_024 + 2)
    puppet.hear('c', word(TERMS_PER_LIST + 1))
    expect(puppet.state.races.get('jobs')!.saidTerms.has('c')).toBe(false)
  })
  it('does not get a claim without ballots granted far away, and with the ballots of a quorum it does', () => {
    const puppet = member()
    const view = alone('b')
    const content = { view, voided: [], openings: [] }
    const claim = { kind: 'claim', name: 'jobs', electorate: 1, asked: 1, ...content } as const
    expect(sent(puppet.hear('b', { ...claim, term: 1_025, ballots: [] }))).toEqual([])
    const term = 30_000_000
    const poll = { name: 'jobs', term, electorate: digestOf(electorate), view: viewDigest(view) }
    const cast = (voter: string) => signBallot(poll, { voter, order: [0] }, signatures.signer(voter), electionRules)
    const two = ['b', 'c'].map(cast)
    expect(sent(puppet.hear('b', { ...claim, term, ballots: two }))).toEqual([])
    expect(sent(puppet.hear('b', { ...claim, term, ballots: [...two, cast('d')] }))[0]?.body.kind).toBe('grant')
  })
  it('does not interrupt the attempt that it called for, until that had its time', () => {
    const puppet = member()
    puppet.hear('b', call(1))
    puppet.pass(299)
    puppet.hear('b', call(2))
    expect(puppet.state.races.get('jobs')?.attempt?.term).toBe(1)
    puppet.hear('c', call(2))
    expect(puppet.state.races.get('jobs')?.attempt?.term, 'another may').toBe(2)
    puppet.pass(1)
    puppet.hear('b', call(3))
    expect(puppet.state.races.get('jobs')?.attempt?.term).toBe(3)
  })
  it('is not followed to a view on which nobody stands, where there is no opinion on who does', () => {
    const puppet = member()
    puppet.hear('b', { kind: 'call', name: 'jobs', term: 1, electorate: 1, view: { rows: [], leftOut: [] } })
    expect(puppet.state.races.get('jobs')?.attempt).toBeUndefined()
    puppet.hear('b', call(1))
    expect(puppet.state.races.get('jobs')?.attempt?.term).toBe(1)
  })
  it('interrupts with every call with a planted bug', () => {
    const puppet = member(brokenElectionRules('every-call-followed'))
    for (let term = 1; term < 9; term++) {
      puppet.hear('b', call(term))
      expect(puppet.state.races.get('jobs')?.attempt?.term).toBe(term)
    }
  })
})

describe('b + 1 members', () => {
  it('are followed at once, as far as the lower of them says', () => {
    const puppet = member()
    puppet.hear('b', word(50_000_000))
    puppet.hear('c', word(20_000_000))
    expect(open(puppet)).toBe(20_000_000)
  })
  it('one is enough with a planted bug', () => {
    const puppet = member(brokenElectionRules('one-word-followed'))
    puppet.hear('b', word(50_000_000))
    expect(open(puppet)).toBe(50_000_000)
  })
  it('are not one member that says it twice', () => {
    const puppet = member()
    puppet.hear('b', word(50_000_000))
    puppet.hear('b', word(20_000_000))
    expect(puppet.state.races.get('jobs')!.saidTerms).toEqual(new Map([['b', 50_000_000]]))
    expect(open(puppet)).toBe(1)
  })
})
