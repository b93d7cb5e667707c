// Secret ballots (protocols/election): what is counted is what was voted, everything that is checked is needed, and a
// candidate opens one set of ballots in a term. In the default group, and in the one of the simulations.

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { decode, encode, seededRandom } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { type Group, idealSignatures, insecureBareGroup, keyPair, ristrettoNoble } from '../../crypto/index.ts'
import type { ElectionCommand, ElectionEvent } from '../member/commands.ts'
import { election } from '../member/machine.ts'
import type { ElectionState } from '../member/state.ts'
import { electionRules } from '../rules.ts'
import { electionDefaults } from '../settings.ts'
import {
  type Claim,
  type ElectionMessage,
  electionRecord,
  type OpenBallot,
  openBallot,
  type Poll,
  type View,
} from '../wire.ts'
import { isBallotOf, signBallot } from './ballot.ts'
import { claimFault } from './claim.ts'
import { digestOf, firstElectorate } from './electorate.ts'
import {
  type BallotKey,
  ballotKey,
  countingKey,
  hiddenBallotCodec,
  hiddenTotals,
  hide,
  isOpening,
  openedTotals,
  openingOf,
  tallyDigest,
} from './secret.ts'
import { viewDigest } from './view.ts'

const ids = ['a', 'b', 'c', 'self']
const candidates = ['a', 'b', 'self']
const settings = {
  ...electionDefaults,
  quiet: 0,
  mode: 'secret' as const,
  attributes: [
    { name: 'distance', best: 'small', tolerance: 0 },
    { name: 'battery', best: 'large', tolerance: 0 },
    { name: 'load', best: 'small', tolerance: 0 },
  ] as const,
}
/** a is nearest, b has most battery, self the least load. */
const view: View = {
  rows: [
    { member: 'a', values: [1, 5, 5] },
    { member: 'b', values: [2, 9, 5] },
    { member: 'c', values: [4, 4, 4] },
    { member: 'self', values: [3, 5, 1] },
  ],
  leftOut: [],
}

function bench(group: Group) {
  const chance = seededRandom(7)
  const random = (length: number) => Uint8Array.from({ length }, () => chance.below(256))
  const signatures = idealSignatures()
  const sealing = idealSealing()
  const pairs = new Map(ids.map(id => [id, keyPair(group, random)]))
  const voters = ids.map(id => ({
    id,
    key: signatures.signer(id).publicKey,
    sealKey: sealing(id).publicKey,
    ...countingKey(group, pairs.get(id)!, id, random),
  }))
  const electorate = firstElectorate(voters)
  const poll: Poll = { name: 'jobs', term: 5, electorate: digestOf(electorate), view: viewDigest(view) }
  const secret = ballotKey(group, electorate, candidates, electionRules)!
  const cast = (voter: string, order: number[], key: BallotKey = secret) =>
    signBallot(
      poll,
      { voter, order: [], hidden: hide({ ...poll, voter }, order, key, electionRules, random) },
      signatures.signer(voter),
      electionRules,
    )
  const open = (ballots: readonly OpenBallot[]) =>
    candidates.map(id =>
      openingOf(group, pairs.get(id)!, hiddenTotals(group, ballots, 3), tallyDigest(poll, ballots), random),
    )
  const isGood = (ballot: OpenBallot) =>
    isBallotOf({ poll, electorate, candidates: 3, signatures, rules: electionRules, secret }, ballot)
  return { group, random, signatures, sealing, pairs, voters, electorate, poll, secret, cast, open, isGood }
}

describe.each([
  ['ristretto', ristrettoNoble()],
  ['the bare group', insecureBareGroup()],
])('in %s', (_name, group) => {
  const { signatures, electorate, poll, pairs, random, cast, open, isGood } = bench(group)
  const ballots = [cast('a', [1, 0, 2]), cast('b', [1, 2, 0]), cast('c', [0, 1, 2])]
  const sums = hiddenTotals(group, ballots, 3)

  it('totals are 3, 2, 1 for first, second and third preferences', () => {
    expect(ballots.every(isGood)).toBe(true)
    expect(openedTotals(group, sums, open(ballots), 9)).toEqual([2 + 1 + 3, 3 + 3 + 2, 1 + 2 + 1])
  })
  it('one candidate fewer opens nothing', () => {
    expect(openedTotals(group, sums, open(ballots).slice(1), 9)).toBeUndefined()
  })
  it('a ballot that holds more, is copied from another voter, or moved to another term is refused', () => {
    const codec = hiddenBallotCodec(group)
    const hidden = decode(codec, ballots[0]!.hidden)
    if (!hidden.ok) throw new Error(hidden.refusal)
    const [first, ...rest] = hidden.value.tickets
    const more = { ...first!, c2: group.add(first!.c2, group.generator) }
    const signedAgain = (voter: string, hidden: Uint8Array, where = poll) =>
      signBallot(where, { voter, order: [], hidden }, signatures.signer(voter), electionRules)
    expect(isGood(signedAgain('a', ballots[0]!.hidden))).toBe(true)
    expect(isGood(signedAgain('a', encode(codec, { ...hidden.value, tickets: [more, ...rest] })))).toBe(false)
    expect(isGood(signedAgain('b', ballots[0]!.hidden))).toBe(false)
    expect(isGood({ ...ballots[0]!, voter: 'b' })).toBe(false)
    expect(isGood(signedAgain('a', ballots[0]!.hidden, { ...poll, term: 6 }))).toBe(false)
    expect(isGood(signBallot(poll, { voter: 'a', order: [0, 1, 2] }, signatures.signer('a'), electionRules))).toBe(
      false,
    )
  })
  it('an opening holds for its candidate and its ballots', () => {
    const digest = tallyDigest(poll, ballots)
    const key = (id: string) => pairs.get(id)!.publicKey
    const [opening] = open(ballots)
    const check = { publicKey: key('a'), sums, digest }
    const holds = (part: Partial<typeof check>) => isOpening(group, { ...check, ...part }, opening!, electionRules)
    expect(holds({})).toBe(true)
    expect(holds({ publicKey: key('b') })).toBe(false)
    expect(holds({ digest: tallyDigest(poll, ballots.slice(1)) })).toBe(false)
    expect(holds({ sums: sums.slice(1) })).toBe(false)
  })
  it('a claim holds for the one with most votes, with every opening, and for nobody else', () => {
    const claim: Claim = {
      kind: 'claim',
      name: 'jobs',
      term: 5,
      electorate: 1,
      asked: 1,
      view,
      ballots,
      voided: [],
      openings: open(ballots),
    }
    const fault = (part: Partial<Claim>, claimant = 'b') =>
      claimFault({ ...claim, ...part }, claimant, { electorate, quorum: 3, settings, signatures, group })
    expect(fault({})).toBeUndefined()
    expect(fault({}, 'a')).toBe('somebody else has more votes')
    expect(fault({ openings: [] })).toBe('the totals are not opened')
    expect(fault({ openings: [...claim.openings].reverse() })).toBe('the totals are not opened')
    expect(fault({ ballots: [...ballots].reverse() })).toBe('the totals are not opened')
    expect(fault({ ballots: [...ballots, ballots[0]!] })).toBe('a voter is counted twice')
    expect(fault({ ballots: ballots.slice(1) })).toBe('too few ballots')
  })
  it('a candidate whose key is not proved to be its own cannot stand', () => {
    const voters = electorate.members.map(voter =>
      voter.id === 'b' ? { ...voter, possession: new Uint8Array(0) } : voter,
    )
    expect(ballotKey(group, { ...electorate, members: voters }, candidates, electionRules)).toBeUndefined()
    const copied = countingKey(group, pairs.get('a')!, 'a', random)
    const thief = electorate.members.map(voter => (voter.id === 'b' ? { ...voter, ...copied } : voter))
    expect(ballotKey(group, { ...electorate, members: thief }, candidates, electionRules)).toBeUndefined()
  })
})

describe('the machine, as a candidate', () => {
  const { group, signatures, sealing, pairs, electorate, poll, cast, open, random } = bench(insecureBareGroup())
  type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

  /** Called to term 5, in which the last of the three, in the order of ids, tells: 5 mod 3. */
  function called(term = poll.term): Member {
    const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
    const machine = election(settings, { ...keys, counting: { group, keys: pairs.get('self')! } })
    const first = new Map([['', [encode(electionRecord, { kind: 'first' as const, electorate })]]])
    const drawing: typeof machine = {
      ...machine,
      step: (state, input, turn) =>
        machine.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: random,
          do: effect => turn.do(effect),
        }),
    }
    const puppet: Member = new Puppet(drawing, [], first)
    puppet.start()
    puppet.hear('a', { kind: 'call', name: 'jobs', term, electorate: 1, view })
    return puppet
  }
  const bodies = (out: Parameters<typeof sent>[0]) => sent<unknown>(out).map(({ body }) => body as ElectionMessage)
  const handedIn = (ballot: OpenBallot): ElectionMessage => {
    const sealed = sealing(ballot.voter).seal(sealing('self').publicKey, encode(openBallot, ballot), random)
    return { kind: 'ballot', name: 'jobs', term: poll.term, electorate: 1, view: poll.view, sealed }
  }

  it('the teller settles the ballots, collects the openings, and tells or claims', () => {
    const puppet = called()
    puppet.hear('a', handedIn(cast('a', [1, 0, 2])))
    puppet.hear('b', handedIn(cast('b', [1, 2, 0])))
    const tallies = bodies(puppet.hear('c', handedIn(cast('c', [1, 0, 2]))))
    expect(tallies.map(({ kind }) => kind)).toEqual(['tally', 'tally'])
    const { ballots } = tallies[0] as Extract<ElectionMessage, { kind: 'tally' }>
    expect(ballots).toHaveLength(4)
    const [ofA, ofB] = open(ballots)
    const opening = { kind: 'opening', name: 'jobs', term: 5, digest: tallyDigest(poll, ballots) } as const
    expect(bodies(puppet.hear('b', { ...opening, opening: ofA! })), 'not its own').toEqual([])
    expect(bodies(puppet.hear('a', { ...opening, opening: ofA! }))).toEqual([])
    const [told] = sent<unknown>(puppet.hear('b', { ...opening, opening: ofB! }))
    expect(told).toMatchObject({ to: 'b', body: { kind: 'opened' } })
  })
  it('opens one set of ballots in a term, again if it is asked again, and never another', () => {
    const ballots = ['a', 'b', 'c'].map(voter => cast(voter, [1, 0, 2]))
    const settled = { ...poll, term: 6 }
    const castIn = (voter: string) => {
      const key = ballotKey(group, electorate, candidates, electionRules)!
      const hidden = hide({ ...settled, voter }, [1, 0, 2], key, electionRules, random)
      return signBallot(settled, { voter, order: [], hidden }, signatures.signer(voter), electionRules)
    }
    const puppet = called(6)
    const all = ids.map(castIn)
    const tally = { kind: 'tally', name: 'jobs', term: 6, electorate: 1, ballots: all, voided: [] } as const
    expect(bodies(puppet.hear('a', { ...tally, ballots })), 'of another term').toEqual([])
    expect(bodies(puppet.hear('a', { ...tally, ballots: all.slice(2) })), 'too few').toEqual([])
    expect(bodies(puppet.hear('b', tally)), 'b does not tell in this term').toEqual([])
    expect(bodies(puppet.hear('a', tally)).map(({ kind }) => kind)).toEqual(['opening'])
    expect(bodies(puppet.hear('a', { ...tally, ballots: all.slice(1) })), 'the difference is a ballot').toEqual([])
    expect(bodies(puppet.hear('a', tally)).map(({ kind }) => kind)).toEqual(['opening'])
  })
  it('needs a group and keys in it', () => {
    const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
    expect(() => election(settings, keys)).toThrow('secret ballots need a group')
  })
})
