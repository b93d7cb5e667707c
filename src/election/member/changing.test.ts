// Changing the list, and who may speak for whom (protocols/election, electorate): what each message may not do.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { approvalBytes, digestOf, firstElectorate, successorOf } from '../count/electorate.ts'
import { electionDefaults } from '../settings.ts'
import {
  type Approval,
  type Claim,
  type ElectionMessage,
  type ElectionRecord,
  type Electorate,
  electionRecord,
  grantText,
  type SignedList,
  TERMS_PER_LIST,
  type View,
} from '../wire.ts'
import { check } from './check.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { election } from './machine.ts'
import type { ElectionState } from './state.ts'

const signatures = idealSignatures()
const sealing = idealSealing()
const voter = (id: string) => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey })
/** Four, of whom one may lie: three make a quorum. */
const list = firstElectorate(['b', 'c', 'd', 'self'].map(voter))
const settings = { ...electionDefaults, liars: 1, promise: 1_000, countAfter: 50, attemptMax: 300, quiet: 0 }
type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

function member(record: ElectionRecord = { kind: 'first', electorate: list }): Member {
  const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
  const puppet: Member = new Puppet(election(settings, keys), [], new Map([['', [encode(electionRecord, record)]]]))
  puppet.start()
  return puppet
}
const alone = (id: string): View => ({ rows: [{ member: id, values: [1, 0, 0] }], leftOut: [] })
function claim(id: string, term: number, electorate = 1): Claim {
  const content = { view: alone(id), ballots: [], voided: [], openings: [] }
  return { kind: 'claim', name: 'jobs', term, electorate, asked: 1, ...content }
}
function signed(granter: string, coordinator: string, term: number, of = list) {
  const text = { purpose: 'coterie grant', name: 'jobs', term, electorate: digestOf(of), coordinator }
  return { granter, signature: signatures.signer(granter).sign(encode(grantText, text)) }
}
function alive(term: number, granters: readonly string[], by = 1, electorate = 1): ElectionMessage {
  const grants = granters.map(granter => signed(granter, 'b', term))
  return { kind: 'alive', name: 'jobs', term, electorate, asked: 1, by, under: 1, grants }
}
function approval(signer: string, next: Electorate, term = 0, by = signer): Approval {
  return { signer, term, signature: signatures.signer(by).sign(approvalBytes(next, term)) }
}
const answers = (out: Parameters<typeof sent>[0]) => sent<unknown>(out).map(({ body }) => body as ElectionMessage)
const named = (out: Parameters<typeof told>[0]) =>
  (told(out) as ElectionEvent[]).flatMap(event => (event.kind === 'misbehaved' ? [`${event.member} ${event.how}`] : []))
const add = voter('e')
const next = successorOf(list, { add })
const listed = (approvals: readonly Approval[]): ElectionMessage => ({
  kind: 'list',
  listed: { electorate: next, approvals },
})

describe('a list', () => {
  it('is adopted with the valid signatures of a quorum', () => {
    const puppet = member()
    puppet.hear('b', listed(['b', 'c', 'd'].map(id => approval(id, next, 7))))
    expect(puppet.state.electorate?.number).toBe(2)
    expect(puppet.state.floor).toBe(7)
  })
  it.each([
    ['forged signatures', ['b', 'c', 'd'].map(id => approval(id, next, 7, 'b'))],
    ['one forged among a quorum', [approval('b', next), approval('c', next), approval('d', next, 0, 'b')]],
    ['signatures of another list', ['b', 'c', 'd'].map(id => approval(id, successorOf(list, { remove: 'd' })))],
    ['one signer too few', ['b', 'c'].map(id => approval(id, next))],
    ['one signer twice', ['b', 'c', 'c'].map(id => approval(id, next))],
    ['the signature of the newcomer', ['b', 'c', 'e'].map(id => approval(id, next))],
  ])('is not adopted with %s', (_what, approvals) => {
    const puppet = member()
    puppet.hear('b', listed(approvals))
    expect(puppet.state.electorate?.number).toBe(1)
  })
})

describe('a lie that its words prove', () => {
  it('names who sent a forged list, once a minute', () => {
    const puppet = member()
    const forged = listed(['b', 'c', 'd'].map(id => approval(id, next, 7, 'b')))
    expect(told(puppet.hear('b', forged))).toEqual([{ kind: 'misbehaved', member: 'b', how: 'forged-list' }])
    expect(told(puppet.hear('b', forged))).toEqual([])
    puppet.pass(59_999)
    expect(told(puppet.hear('b', forged))).toEqual([])
    puppet.pass(1)
    expect(told(puppet.hear('b', forged))).toHaveLength(1)
  })
  it('names who sends a list with too few signatures', () => {
    const puppet = member()
    const few = listed(['b', 'c'].map(id => approval(id, next)))
    expect(named(puppet.hear('b', few))).toEqual(['b forged-list'])
  })
  it('names who claims a term on two views, and nobody who says its claim again', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 3))
    expect(named(puppet.hear('b', claim('b', 3)))).toEqual([])
    const other = { rows: [{ member: 'b', values: [2, 0, 0] }], leftOut: [] }
    expect(named(puppet.hear('b', { ...claim('b', 3), view: other }))).toEqual(['b two-claims'])
    // In a later term it may.
    const again = member()
    again.hear('b', claim('b', 3))
    expect(named(again.hear('b', { ...claim('b', 4), view: other }))).toEqual([])
  })
  it('names who proves with one grant too few, or with one that nobody gave, and not with the list unknown', () => {
    expect(named(member().hear('b', alive(1, ['b', 'c'])))).toEqual(['b false-proof'])
    const forged = { ...alive(1, []), grants: ['b', 'c', 'd'].map(id => ({ ...signed('b', 'b', 1), granter: id })) }
    expect(named(member().hear('b', forged as ElectionMessage))).toEqual(['b false-proof'])
    expect(named(member().hear('b', alive(1, ['b', 'c', 'd'])))).toEqual([])
    const unknown = { ...alive(1, ['b', 'c']), under: 7 } as ElectionMessage
    expect(named(member().hear('b', unknown))).toEqual([])
  })
  it('names who gives up a term that another is proved to lead, and nobody before that is proved', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    const resigned: ElectionMessage = { kind: 'resigned', name: 'jobs', term: 1 }
    expect(named(puppet.hear('d', resigned))).toEqual([])
    puppet.hear('b', alive(1, ['b', 'c', 'self']))
    expect(named(puppet.hear('d', { ...resigned, term: 2 }))).toEqual([])
    expect(named(puppet.hear('d', resigned))).toEqual(['d false-resignation'])
    expect(puppet.state.races.get('jobs')!.leader?.coordinator).toBe('b')
    expect(named(puppet.hear('b', resigned))).toEqual([])
  })
  it('names who speaks of a term beyond what the list can have: just below, just above', () => {
    const word = (term: number): ElectionMessage => {
      return { kind: 'ballot', name: 'jobs', term, electorate: 1, view: new Uint8Array(32), sealed: new Uint8Array(0) }
    }
    expect(named(member().hear('b', word(2 * TERMS_PER_LIST)))).toEqual([])
    expect(named(member().hear('b', word(2 * TERMS_PER_LIST + 1)))).toEqual(['b impossible-term'])
  })
  it('names who grants without a signature, and who granted the term to another too', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    const claims = answers(puppet.command({ kind: 'open', name: 'jobs' }))
    const { term, asked } = claims.find(body => body.kind === 'claim') as Claim
    const forged: ElectionMessage = { kind: 'grant', name: 'jobs', term, asked, signature: new Uint8Array(8) }
    expect(named(puppet.hear('c', forged))).toEqual(['c forged-grant'])
    puppet.hear('d', { ...forged, signature: signed('d', 'self', term).signature })
    expect(named(puppet.hear('b', alive(term, ['b', 'c', 'd'])))).toEqual(['d granted-twice'])
  })
  it('names who casts a ballot that does not open, and nobody who votes on another view', () => {
    const puppet = member()
    const rows = ['b', 'self'].map((id, place) => ({ member: id, values: [1 - place, 0, 0] }))
    puppet.command({ kind: 'view', name: 'jobs', rows })
    puppet.command({ kind: 'open', name: 'jobs' })
    const { term, digest: view, candidates } = puppet.state.races.get('jobs')!.attempt!
    expect(candidates).toContain('self')
    const ballot = { kind: 'ballot', name: 'jobs', term, electorate: 1, sealed: new Uint8Array(9) } as const
    expect(named(puppet.hear('c', { ...ballot, view: new Uint8Array(32) }))).toEqual([])
    expect(named(puppet.hear('c', { ...ballot, view }))).toEqual(['c forged-ballot'])
  })
  it('names who claims with a count that does not hold, and nobody whose view differs', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('b').rows })
    expect(told(puppet.hear('c', claim('c', 1)))).toEqual([])
    const out = puppet.hear('d', { ...claim('d', 1), view: alone('b') })
    expect(told(out)).toEqual([{ kind: 'misbehaved', member: 'd', how: 'false-claim' }])
  })
})

describe('time', () => {
  it('a promise binds until its end and not after: just before, just after', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    puppet.pass(999)
    expect(answers(puppet.hear('c', claim('c', 2)))).toEqual([])
    expect(puppet.state.races.get('jobs')!.grantedTo, 'kept until then').toBe('b')
    expect(answers(puppet.pass(1)).map(({ kind }) => kind)).toEqual(['grant'])
  })
  it('a claim is said again after twice the wait for ballots, not before', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    puppet.command({ kind: 'open', name: 'jobs' })
    const claims = (out: Parameters<typeof sent>[0]) => answers(out).filter(({ kind }) => kind === 'claim').length
    expect(claims(puppet.pass(99))).toBe(0)
    expect(claims(puppet.pass(1))).toBe(3)
  })
})

describe('stepping down', () => {
  it('is the coordinator’s own word: nobody else resigns for it, and not for another term', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    const resigned = (term: number): ElectionMessage => ({ kind: 'resigned', name: 'jobs', term })
    puppet.hear('c', resigned(1))
    puppet.hear('b', resigned(2))
    expect(answers(puppet.hear('c', claim('c', 2)))[0]?.kind).toBe('refusal')
    puppet.hear('b', resigned(1))
    expect(answers(puppet.hear('c', claim('c', 2)))[0]?.kind).toBe('grant')
  })
})

describe('grants that prove a coordinator', () => {
  it('are q: one fewer proves nothing', () => {
    const puppet = member()
    puppet.hear('b', alive(1, ['b', 'c']))
    puppet.hear('b', alive(1, ['b', 'c', 'c']))
    expect(puppet.state.races.get('jobs')!.leader).toBe(undefined)
    expect(told(puppet.hear('b', alive(1, ['b', 'c', 'd'])))[0]).toMatchObject({
      kind: 'coordinator',
      coordinator: 'b',
    })
  })
})

describe('the floor of a list', () => {
  const lists: SignedList[] = [{ electorate: next, approvals: ['b', 'c', 'd'].map(id => approval(id, next, 7)) }]
  it('is no term: the one above it is the first', () => {
    const puppet = member({ kind: 'whole', lists, signed: [], races: [] })
    expect(puppet.hear('b', claim('b', 7, 2))).toEqual([])
    expect(answers(puppet.hear('b', claim('b', 8, 2)))[0]?.kind).toBe('grant')
  })
})

describe('a successor', () => {
  const propose = (electorate: Electorate): ElectionMessage => ({ kind: 'propose', electorate })
  function led(by = 1): Member {
    const puppet = member()
    puppet.command({ kind: 'allow', change: { add } })
    puppet.command({ kind: 'allow', change: { remove: 'd' } })
    puppet.hear('b', alive(1, ['b', 'c', 'd'], by))
    return puppet
  }
  it('is signed for a coordinator that leads by the list that is replaced', () => {
    expect(answers(led().hear('b', propose(next)))[0]?.kind).toBe('approve')
  })
  it('is not signed while somebody leads by an older list, nor for one that does not lead', () => {
    expect(led(0).hear('b', propose(next))).toEqual([])
    expect(led().hear('c', propose(next))).toEqual([])
  })
  it('is remembered over a restart: no other of that number is signed', () => {
    const puppet = led()
    puppet.hear('b', propose(next))
    // The record itself, and the snapshot that the restart writes.
    for (let life = 0; life < 2; life++) {
      puppet.restart()
      expect(puppet.state.signedSuccessor?.members.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'e', 'self'])
    }
    puppet.command({ kind: 'allow', change: { remove: 'd' } })
    puppet.hear('b', alive(1, ['b', 'c', 'd']))
    expect(puppet.hear('b', propose(successorOf(list, { remove: 'd' })))).toEqual([])
  })
})

/** Leads term 1 by the promises of b, c and its own. */
function leader(): Member {
  const puppet = member()
  puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
  puppet.command({ kind: 'open', name: 'jobs' })
  for (const id of ['b', 'c']) {
    const { signature } = signed(id, 'self', 1)
    puppet.hear(id, { kind: 'grant', name: 'jobs', term: 1, asked: 1, signature })
  }
  return puppet
}

describe('a coordinator whose list changes', () => {
  it('does not believe in the promises of members that left', () => {
    const puppet = leader()
    const five = successorOf(list, { add })
    puppet.hear('b', {
      kind: 'list',
      listed: { electorate: five, approvals: ['b', 'c', 'd'].map(id => approval(id, five)) },
    })
    const four = successorOf(five, { remove: 'b' })
    const approvals = ['b', 'c', 'd', 'e'].map(id => approval(id, four))
    const before = puppet.state.races.get('jobs')!.candidacy!.deadline
    puppet.pass(400)
    // Of those who promise for longer, one has left: two of three that are needed.
    for (const id of ['b', 'c']) {
      puppet.hear(id, { kind: 'renewed', name: 'jobs', term: 1, asked: 3, promised: true, informed: true })
    }
    const out = puppet.hear('c', { kind: 'list', listed: { electorate: four, approvals } })
    expect(puppet.state.electorate?.number).toBe(3)
    for (const id of ['b', 'c']) {
      out.push(...puppet.hear(id, { kind: 'renewed', name: 'jobs', term: 1, asked: 3, promised: true, informed: true }))
    }
    expect(told<ElectionEvent>(out).filter(({ kind }) => kind === 'extended')).toEqual([])
    expect(puppet.state.races.get('jobs')!.candidacy!.deadline).toBe(before)
  })
  it('tells the list before anything that is said under it', () => {
    const puppet = leader()
    puppet.command({ kind: 'change', id: 1, change: { add } })
    puppet.command({ kind: 'open', name: 'mail' })
    puppet.command({ kind: 'view', name: 'mail', rows: alone('self').rows })
    puppet.hear('b', { kind: 'approve', number: 2, approval: approval('b', next, 1) })
    const out = answers(puppet.hear('c', { kind: 'approve', number: 2, approval: approval('c', next, 1) }))
    const under = out.map(body => ('electorate' in body && body.electorate === 2 ? 'under it' : body.kind))
    expect(under.slice(0, 4)).toEqual(['list', 'list', 'list', 'list'])
    expect(under.slice(4)).not.toContain('list')
  })
})

describe('what must hold between inputs is seen when it does not', () => {
  const bent: readonly [string, (state: ElectionState) => void, RegExp][] = [
    ['a list that is not the last of the chain', state => state.chain.pop(), /the last of its chain/],
    ['too many lists', state => state.chain.unshift(...Array(20).fill(state.chain[0])), /remembers 21 lists/],
    ['a floor below nothing', state => Object.assign(state, { floor: -1 }), /has its terms above -1/],
    [
      'a proposal that it did not sign',
      state => Object.assign(state, { proposal: { id: 1, electorate: next, approvals: new Map() } }),
      /did not sign/,
    ],
    ['a proposal of another number', state => bendProposal(state), /proposes another/],
    ['news that nobody drew', state => void race(state).news.add('ballots'), /news without consequences/],
    ['a term granted to nobody', state => Object.assign(race(state), { grantedTo: '' }), /granted to ''/],
    [
      'a leader, and never met one',
      state => Object.assign(race(state), { hadCoordinator: false }),
      /never met anybody/,
    ],
    ['leading without the own grant', state => void race(state).candidacy!.grants.delete('self'), /without its own/],
    ['leading what it did not grant', state => Object.assign(race(state), { grantedTerm: 0.5 }), /did not grant/],
    ['more sent than numbered', state => Object.assign(race(state).candidacy!, { asked: 0 }), /than it numbered/],
    ['a claim that was not saved', state => bendClaim(state), /did not save that/],
    ['a vote below what was granted', state => bendAttempt(state, { term: 1 }), /votes in term 1, and granted 1/],
    ['a ballot that was not saved', state => bendAttempt(state, { term: 9, ownBallot: {} }), /before that was saved/],
    ['too many candidates', state => bendAttempt(state, { term: 9, candidates: ids(4) }), /4 candidates/],
    [
      'a void ballot that counts',
      state => bendAttempt(state, { term: 9, ballots: new Map([['b', {}]]), voided: new Map([['b', {}]]) }),
      /counts a void ballot/,
    ],
    ['too many elections', state => bendRaces(state), /knows 71 elections/],
    ['words of strangers', state => void race(state).saidTerms.set('stranger', 9), /a word of stranger/],
  ]
  const ids = (count: number) => Array.from({ length: count }, (_, place) => `x${place}`)
  const race = (state: ElectionState) => state.races.get('jobs')!
  function bendRaces(state: ElectionState): void {
    for (const id of ids(70)) state.races.set(id, race(state))
  }
  function bendProposal(state: ElectionState): void {
    const proposal = { id: 1, electorate: next, approvals: new Map() }
    Object.assign(state, { signedSuccessor: { ...next, number: 5 }, proposal })
  }
  function bendClaim(state: ElectionState): void {
    Object.assign(race(state), { votedTerm: 0 })
    Object.assign(race(state).candidacy!, { phase: 'claiming' })
  }
  function bendAttempt(state: ElectionState, part: object): void {
    const whole = { candidates: [], ballots: new Map(), voided: new Map(), ownBallot: undefined }
    Object.assign(race(state), { attempt: { ...whole, ...part } })
  }
  it('holds in a member that leads', () => expect(() => check(leader().state)).not.toThrow())
  it.each(bent)('%s', (_what, bend, said) => {
    const { state } = leader()
    bend(state)
    expect(() => check(state)).toThrow(said)
  })
})
