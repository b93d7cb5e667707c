// The machine, story by story (protocols/election, terms): grants once a term, promises kept over restarts, ballots
// checked.

import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { signBallot } from '../count/ballot.ts'
import { digestOf, firstElectorate } from '../count/electorate.ts'
import { viewDigest } from '../count/view.ts'
import { brokenElectionRules } from '../proof/planted.ts'
import { electionRules } from '../rules.ts'
import { electionDefaults } from '../settings.ts'
import { type Claim, type ElectionMessage, electionRecord, grantText, openBallot, type View } from '../wire.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { election } from './machine.ts'
import type { ElectionState } from './state.ts'

const signatures = idealSignatures()
const sealing = idealSealing()
const ids = ['b', 'c', 'self']
const voters = ids.map(id => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey }))
const electorate = firstElectorate(voters)
const settings = { ...electionDefaults, promise: 1_000, countAfter: 50, attemptMax: 300, holdMax: 20, quiet: 0 }
const FIRST = new Map([['', [encode(electionRecord, { kind: 'first', electorate })]]])
type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

function member(saved = FIRST, rules = electionRules): Member {
  const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
  const puppet: Member = new Puppet(election({ ...settings, rules }, keys), [], saved)
  puppet.start()
  return puppet
}

/** Only this member stands, as some see it. */
const alone = (id: string): View => ({ rows: [{ member: id, values: [1, 0, 0] }], leftOut: [] })
function claim(id: string, term: number, part: Partial<Claim> = {}): Claim {
  const content = { view: alone(id), ballots: [], voided: [], openings: [] }
  return { kind: 'claim', name: 'jobs', term, electorate: 1, asked: 1, ...content, ...part }
}
function signatureOf(granter: string, coordinator: string, term: number): Uint8Array {
  const text = { purpose: 'coterie grant', name: 'jobs', term, electorate: digestOf(electorate), coordinator }
  return signatures.signer(granter).sign(encode(grantText, text))
}
function grant(from: string, coordinator: string, term: number, asked = 1): ElectionMessage {
  return { kind: 'grant', name: 'jobs', term, asked, signature: signatureOf(from, coordinator, term) }
}
const kinds = (out: Parameters<typeof sent>[0]) => sent<unknown>(out).map(({ body }) => (body as ElectionMessage).kind)

describe('grants', () => {
  it('once a term, saved before the grant leaves', () => {
    const puppet = member()
    const out = puppet.hear('b', claim('b', 1))
    expect(out.map(({ kind }) => kind)).toEqual(['save', 'timer', 'send'])
    expect(kinds(out)).toEqual(['grant'])
    puppet.pass(1_000)
    expect(sent(puppet.hear('c', claim('c', 1)))).toEqual([
      { to: 'c', body: { kind: 'refusal', name: 'jobs', term: 1, highest: 1, remaining: 0 } },
    ])
    expect(kinds(puppet.hear('c', claim('c', 2)))).toEqual(['grant'])
  })
  it('the same claim again is answered again: the answer may have been lost', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    expect(kinds(puppet.hear('b', claim('b', 1, { asked: 2 })))).toEqual(['grant'])
  })
  it('but not for ever: a claimant that is not proved to lead has as long as a claim can take', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    for (let asked = 2; asked <= 4; asked++) {
      puppet.pass(500)
      expect(kinds(puppet.hear('b', claim('b', 1, { asked })))).toEqual(['grant'])
    }
    puppet.pass(1)
    expect(kinds(puppet.hear('b', claim('b', 1, { asked: 5 })))).toEqual(['refusal'])
    const renewal = { kind: 'alive', name: 'jobs', term: 1, electorate: 1, asked: 6, by: 1, under: 1 } as const
    expect(sent(puppet.hear('b', { ...renewal, grants: [] }))[0]?.body).toMatchObject({ promised: false })
    const grants = ['b', 'c'].map(granter => ({ granter, signature: signatureOf(granter, 'b', 1) }))
    expect(sent(puppet.hear('b', { ...renewal, grants }))[0]?.body).toMatchObject({ promised: true })
  })
  it('for ever with a planted bug', () => {
    const puppet = member(FIRST, brokenElectionRules('promise-for-ever'))
    for (let asked = 1; asked <= 9; asked++) {
      puppet.pass(500)
      expect(kinds(puppet.hear('b', claim('b', 1, { asked })))).toEqual(['grant'])
    }
  })
  it('nobody else while a promise stands, by the own clock', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    puppet.pass(600)
    expect(sent(puppet.hear('c', claim('c', 2)))[0]?.body).toMatchObject({ kind: 'refusal', remaining: 400 })
    puppet.pass(390)
    expect(
      puppet.hear('c', claim('c', 2)).map(({ kind }) => kind),
      'kept until then',
    ).toEqual(['timer'])
    expect(kinds(puppet.pass(10))).toEqual(['grant'])
  })
  it('no term that was overtaken, none of another list, none for a stranger', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 5))
    puppet.pass(1_000)
    expect(kinds(puppet.hear('c', claim('c', 4)))).toEqual(['refusal'])
    expect(sent(puppet.hear('c', claim('c', 9, { electorate: 2 })))).toEqual([
      { to: 'c', body: { kind: 'behind', number: 1 } },
    ])
    expect(puppet.hear('stranger', claim('stranger', 9))).toEqual([])
  })
  it('no count that does not hold, and without ballots no view that is not its own', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('b').rows })
    expect(puppet.hear('c', claim('c', 1))).toEqual([])
    expect(kinds(puppet.hear('c', claim('c', 1, { view: alone('b') })))).toEqual([])
    expect(kinds(puppet.hear('b', claim('b', 1)))).toEqual(['grant'])
  })
})

describe('restart', () => {
  it('a member keeps its promise: it grants nobody else for the longest it may have given', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    puppet.restart()
    puppet.pass(979)
    expect(kinds(puppet.hear('c', claim('c', 2)))).toEqual(['refusal'])
    puppet.pass(21)
    expect(kinds(puppet.hear('c', claim('c', 2)))).toEqual(['grant'])
  })
  it('it remembers what it granted, and renews it', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 3))
    puppet.restart()
    expect(kinds(puppet.hear('b', claim('b', 3)))).toEqual(['grant'])
    puppet.pass(1_000)
    expect(kinds(puppet.hear('c', claim('c', 3)))).toEqual(['refusal'])
  })
  it('after a clean stop, what is left of the promise is waited for', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 1))
    puppet.pass(900)
    puppet.stop()
    puppet.restart()
    puppet.pass(101)
    expect(kinds(puppet.hear('c', claim('c', 2)))).toEqual(['grant'])
  })
  it('an empty store grants nothing: it may have granted everything', () => {
    const puppet = member(new Map())
    expect(puppet.hear('b', claim('b', 1))).toEqual([])
    puppet.pass(10_000)
    expect(puppet.hear('b', claim('b', 2))).toEqual([])
  })
})

describe('leading', () => {
  function leader(): Member {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    puppet.command({ kind: 'open', name: 'jobs' })
    puppet.hear('b', grant('b', 'self', 1))
    return puppet
  }
  it('one candidate claims at once; q grants elect it, counted from before it asked', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    const claimed = puppet.command({ kind: 'open', name: 'jobs' })
    expect(kinds(claimed)).toEqual(['claim', 'claim'])
    puppet.pass(40)
    const out = puppet.hear('b', grant('b', 'self', 1))
    const belief = electionRules.belief(1_000, settings.drift)
    expect(told(out)[0]).toMatchObject({ kind: 'elected', term: 1, deadline: 1_000 + belief })
    expect(kinds(out)).toEqual(['alive', 'alive'])
  })
  it('a grant that is forged, of another, or for another counts nothing', () => {
    const puppet = member()
    puppet.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    puppet.command({ kind: 'open', name: 'jobs' })
    expect(told(puppet.hear('c', grant('b', 'self', 1)))).toEqual([
      { kind: 'misbehaved', member: 'c', how: 'forged-grant' },
    ])
    expect(told(puppet.hear('b', grant('b', 'b', 1)))).toEqual([
      { kind: 'misbehaved', member: 'b', how: 'forged-grant' },
    ])
    expect(told(puppet.hear('b', grant('b', 'self', 2)))).toEqual([])
    expect(told(puppet.hear('b', grant('b', 'self', 1, 9)))).toEqual([])
  })
  it('renewals prolong it; without them it is told before the end', () => {
    const puppet = leader()
    const extended = puppet.hear('b', {
      kind: 'renewed',
      name: 'jobs',
      term: 1,
      asked: 2,
      promised: true,
      informed: true,
    })
    expect(told(extended)).toEqual([])
    puppet.pass(340)
    const renewed = { kind: 'renewed', name: 'jobs', term: 1, asked: 3, promised: true, informed: true } as const
    expect(told(puppet.hear('b', renewed))[0]).toMatchObject({ kind: 'extended' })
    const lost = puppet.pass(2_000)
    expect(told(lost)[0]).toEqual({ kind: 'lost', name: 'jobs', term: 1 })
  })
  it('resigning ends the belief before the others are free', () => {
    const puppet = leader()
    const out = puppet.command({ kind: 'resign', name: 'jobs' })
    expect(out.findIndex(({ kind }) => kind === 'emit')).toBeLessThan(out.findIndex(({ kind }) => kind === 'send'))
    expect(told(out)[0]).toEqual({ kind: 'resigned', name: 'jobs', term: 1 })
  })
  it('an old coordinator that says it is alive is not renewed, nor a stranger to the term', () => {
    const puppet = member()
    puppet.hear('b', claim('b', 2))
    const alive = { kind: 'alive', name: 'jobs', electorate: 1, asked: 7, by: 1, under: 1, grants: [] } as const
    expect(sent(puppet.hear('c', { ...alive, term: 1 }))[0]?.body).toMatchObject({ kind: 'renewed', promised: false })
    expect(sent(puppet.hear('b', { ...alive, term: 2 }))[0]?.body).toMatchObject({ promised: true, informed: false })
  })
})

describe('voting', () => {
  const view: View = {
    rows: [
      { member: 'b', values: [1, 0, 9] },
      { member: 'self', values: [2, 0, 0] },
    ],
    leftOut: [],
  }
  const attributes = [
    { name: 'distance', best: 'small', tolerance: 0 },
    { name: 'load', best: 'small', tolerance: 0 },
    { name: 'heat', best: 'small', tolerance: 0 },
  ] as const
  function candidate(priorities = [0, 1, 2]): Member {
    const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
    const puppet: Member = new Puppet(election({ ...settings, attributes, priorities }, keys), [], FIRST)
    puppet.start()
    puppet.command({ kind: 'view', name: 'jobs', rows: view.rows })
    puppet.command({ kind: 'open', name: 'jobs' })
    return puppet
  }
  const poll = { name: 'jobs', term: 1, electorate: digestOf(electorate), view: viewDigest(view) }
  function ballot(voter: string, order: number[], to = 'self', where = poll): ElectionMessage {
    const open = signBallot(where, { voter, order }, signatures.signer(voter), electionRules)
    const { publicKey } = sealing(to)
    const sealed = sealing(voter).seal(publicKey, encode(openBallot, open), length => new Uint8Array(length))
    return { kind: 'ballot', name: 'jobs', term: where.term, electorate: 1, view: viewDigest(view), sealed }
  }

  it('all ballots there: the one with most votes claims, and publishes them', () => {
    const puppet = candidate()
    expect(puppet.hear('b', ballot('b', [1, 0])).some(({ kind }) => kind === 'send')).toBe(false)
    const out = sent(puppet.hear('c', ballot('c', [1, 0])))
    expect(out.map(({ to }) => to)).toEqual(['b', 'c'])
    expect((out[0]!.body as Claim).ballots.map(({ voter, order }) => [voter, order])).toEqual([
      ['self', [0, 1]],
      ['b', [1, 0]],
      ['c', [1, 0]],
    ])
  })
  it('a ballot in another name, sealed to another, or of another term is not counted', () => {
    const puppet = candidate()
    puppet.hear('b', ballot('b', [1, 0]))
    expect(kinds(puppet.hear('c', ballot('b', [1, 0])))).toEqual([])
    expect(kinds(puppet.hear('c', ballot('c', [1, 0], 'b')))).toEqual([])
    const old = ballot('c', [1, 0], 'self', { ...poll, term: 9 })
    expect(kinds(puppet.hear('c', { ...old, term: 1 } as ElectionMessage))).toEqual([])
    expect(kinds(puppet.hear('c', ballot('c', [1, 0])))).toEqual(['claim', 'claim'])
  })
  it('two ballots of one voter are both void, and name it', () => {
    const puppet = candidate()
    puppet.hear('b', ballot('b', [1, 0]))
    const out = puppet.hear('b', ballot('b', [0, 1]))
    expect(told(out)).toMatchObject([{ kind: 'evidence', member: 'b', term: 1 }])
  })
  it('after the wait a quorum is enough, and an attempt that fails names who did not vote', () => {
    // Its own order begins with heat, so it prefers itself.
    const puppet = candidate([2, 0, 1])
    puppet.hear('b', ballot('b', [1, 0]))
    expect(kinds(puppet.pass(50))).toEqual(['claim', 'claim'])
    const missed = candidate()
    expect(told(missed.pass(310)).find(({ kind }) => kind === 'turnout')).toEqual({
      kind: 'turnout',
      name: 'jobs',
      term: 1,
      ballots: 1,
      needed: 2,
      missing: ['b', 'c'],
    })
  })
  it('a voter whose own ballot is missing from the count does not grant, and hands it in again', () => {
    const puppet = candidate()
    const ballots = ['b', 'c'].map(voter =>
      signBallot(poll, { voter, order: [0, 1] }, signatures.signer(voter), electionRules),
    )
    const out = sent(puppet.hear('b', claim('b', 1, { view, ballots })))
    expect(out.map(({ to, body }) => [to, body.kind])).toEqual([['b', 'ballot']])
    const own = signBallot(poll, { voter: 'self', order: [0, 1] }, signatures.signer('self'), electionRules)
    expect(kinds(puppet.hear('b', claim('b', 1, { view, ballots: [...ballots, own] })))).toEqual(['grant'])
  })
  it('nobody votes twice in a term, also over a restart', () => {
    const puppet = candidate()
    puppet.restart()
    const again = puppet.hear('b', { kind: 'call', name: 'jobs', term: 1, electorate: 1, view })
    expect(again).toEqual([])
    expect(kinds(puppet.hear('b', { kind: 'call', name: 'jobs', term: 2, electorate: 1, view }))).toEqual(['ballot'])
  })
})

describe('who leads, as others know it', () => {
  const grantsOf = (term: number, ...granters: string[]) =>
    granters.map(granter => ({ granter, signature: signatureOf(granter, 'b', term) }))
  const led = (term: number, grants = grantsOf(term, 'b', 'c')): ElectionMessage => {
    return { kind: 'led', name: 'jobs', term, coordinator: 'b', under: 1, grants }
  }
  const alive = (term: number, grants = grantsOf(term, 'b', 'c')): ElectionMessage => {
    return { kind: 'alive', name: 'jobs', term, electorate: 1, asked: 1, by: 1, under: 1, grants }
  }
  const call = { kind: 'call', name: 'jobs', term: 9, electorate: 1, view: alone('c') } as const
  function opened(): Member {
    const puppet = member()
    puppet.command({ kind: 'open', name: 'jobs' })
    return puppet
  }
  const answers = (puppet: Member, message: ElectionMessage) =>
    sent<ElectionMessage>(puppet.hear('b', message))[0]?.body

  it('is told to one that calls, with the grants; not to the coordinator itself, and not when it is over', () => {
    const puppet = opened()
    puppet.hear('b', alive(3))
    expect(sent(puppet.hear('c', call))).toEqual([{ to: 'c', body: led(3) }])
    expect(kinds(puppet.hear('b', call))).toEqual([])
    puppet.pass(1_000)
    expect(kinds(puppet.hear('c', { ...call, term: 10 }))).not.toContain('led')
  })
  it('is believed with q grants that hold: then the coordinator need not prove it again', () => {
    const puppet = opened()
    expect(answers(puppet, alive(3, grantsOf(3, 'b')))).toMatchObject({ promised: false, informed: false })
    const before = puppet.state.races.get('jobs')!.grantedTerm
    expect(told(puppet.hear('c', led(3)))).toMatchObject([{ kind: 'coordinator', term: 3, coordinator: 'b' }])
    expect(puppet.state.races.get('jobs')!.grantedTerm, 'no promise yet').toBe(before)
    expect(answers(puppet, alive(3, grantsOf(3, 'b')))).toMatchObject({ promised: true, informed: true })
    puppet.pass(1_500)
    expect(answers(puppet, alive(3, []))).toMatchObject({ promised: true, informed: true })
  })
  it('is believed also below a term that was granted, without a promise: stores may be far apart', () => {
    const puppet = opened()
    puppet.hear('c', claim('c', 4))
    expect(told(puppet.hear('c', led(3)))).toMatchObject([{ kind: 'coordinator', term: 3, coordinator: 'b' }])
    expect(answers(puppet, alive(3, []))).toMatchObject({ promised: false, informed: true })
  })
  it('is refused with too few grants, some twice, some forged, or of another term, and the teller is named', () => {
    const forged = [...grantsOf(3, 'b'), { granter: 'c', signature: signatureOf('b', 'b', 3) }]
    for (const grants of [
      grantsOf(3, 'b'),
      [...grantsOf(3, 'b'), ...grantsOf(3, 'b')],
      forged,
      grantsOf(4, 'b', 'c'),
    ]) {
      expect(told(opened().hear('c', led(3, grants)))).toEqual([
        { kind: 'misbehaved', member: 'c', how: 'false-proof' },
      ])
    }
  })
  it('is heard once a term: nobody is kept from electing by what was true', () => {
    const puppet = opened()
    expect(told(puppet.hear('c', led(3)))).toHaveLength(1)
    puppet.pass(500)
    puppet.hear('c', led(3))
    expect(told(puppet.pass(500))[0]).toMatchObject({ kind: 'vacant', term: 3 })
    expect(told(puppet.hear('c', led(3)))).toEqual([])
    expect(told(puppet.hear('c', led(2)))).toEqual([])
    expect(told(puppet.hear('c', led(4)))).toHaveLength(1)
  })
  it('is not heard by the one it names, by one that leads, of a stranger or for a place that nobody wants', () => {
    const own = ['b', 'c'].map(granter => ({ granter, signature: signatureOf(granter, 'self', 3) }))
    expect(told(opened().hear('c', { ...led(3, own), coordinator: 'self' } as ElectionMessage))).toEqual([])
    expect(told(opened().hear('c', { ...led(3), coordinator: 'stranger' } as ElectionMessage))).toEqual([])
    expect(told(member().hear('c', led(3)))).toEqual([])
    const leads = member()
    leads.command({ kind: 'view', name: 'jobs', rows: alone('self').rows })
    leads.command({ kind: 'open', name: 'jobs' })
    leads.hear('b', grant('b', 'self', 1))
    expect(told(leads.hear('c', led(3)))).toEqual([])
  })
})

describe('floods', () => {
  it('a member that asks for more than its share is slowed and named once, and nobody else is', () => {
    const puppet = member()
    const asked = Array.from({ length: 8_200 }, (_, place) => puppet.hear('b', claim('b', 1, { asked: place + 1 })))
    expect(asked.filter(out => kinds(out)[0] === 'grant')).toHaveLength(8_192)
    expect(asked.flatMap(out => told(out))).toEqual([{ kind: 'misbehaved', member: 'b', how: 'flooding' }])
    expect(kinds(puppet.hear('c', claim('c', 2)))).toEqual(['refusal'])
    puppet.pass(1)
    expect(kinds(puppet.hear('b', claim('b', 1)))).toEqual(['grant'])
  })
  it('strangers share one allowance', () => {
    const puppet = member()
    const names = new Set<string>()
    for (let place = 0; place < 8_200; place++) {
      for (const event of told<ElectionEvent>(puppet.hear(`stranger-${place}`, { kind: 'behind', number: 1 }))) {
        if (event.kind === 'misbehaved') names.add(event.member)
      }
    }
    expect([...names]).toEqual(['stranger-8192'])
    expect(puppet.state.peers.size).toBe(1)
  })
  it('a member brings up eight names, others as many, and the own user has room', () => {
    const puppet = member()
    const claims = (from: string) =>
      Array.from({ length: 12 }, (_, place) =>
        puppet.hear(from, claim(from, 1, { name: `${from} ${place}`, view: alone(from) })),
      ).filter(out => kinds(out)[0] === 'grant').length
    expect(claims('b')).toBe(8)
    expect(claims('c')).toBe(8)
    puppet.command({ kind: 'open', name: 'b 0' })
    expect(kinds(puppet.hear('b', claim('b', 1, { name: 'b more' })))).toEqual(['grant'])
    for (let place = 0; place < 47; place++) puppet.command({ kind: 'open', name: `own ${place}` })
    expect(puppet.state.races.size).toBe(64)
  })
})

describe('a coordinator that most others do not know', () => {
  const four = firstElectorate([
    ...voters,
    { id: 'd', key: signatures.signer('d').publicKey, sealKey: sealing('d').publicKey },
  ])
  const text = { purpose: 'coterie grant', name: 'jobs', term: 1, electorate: digestOf(four), coordinator: 'b' }
  const grants = ['b', 'c', 'd'].map(granter => ({
    granter,
    signature: signatures.signer(granter).sign(encode(grantText, text)),
  }))
  const alive = { kind: 'alive', name: 'jobs', term: 1, electorate: 1, asked: 1, by: 1, under: 1, grants } as const
  const call = (term: number) => ({ kind: 'call', name: 'jobs', term, electorate: 1, view: alone('c') }) as const
  function led(): Member {
    const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
    const first = new Map([['', [encode(electionRecord, { kind: 'first' as const, electorate: four })]]])
    const puppet: Member = new Puppet(election({ ...settings, liars: 1 }, keys), [], first)
    puppet.start()
    puppet.hear('b', alive)
    return puppet
  }
  const renewed = (puppet: Member) => sent(puppet.hear('b', alive))[0]?.body

  it('is not renewed once too many call for a later term to leave it a quorum', () => {
    const puppet = led()
    puppet.hear('c', call(2))
    expect(renewed(puppet)).toMatchObject({ promised: true })
    puppet.hear('d', call(3))
    expect(renewed(puppet)).toMatchObject({ promised: false })
    expect(told(puppet.pass(1_000))[0]).toMatchObject({ kind: 'vacant' })
  })
  it('is renewed whatever one member says, and again when the calls are long over', () => {
    const puppet = led()
    for (let term = 2; term < 9; term++) puppet.hear('c', call(term))
    puppet.hear('b', call(9))
    puppet.hear('d', call(1))
    expect(renewed(puppet)).toMatchObject({ promised: true })
    puppet.hear('d', call(9))
    puppet.pass(5_501)
    expect(renewed(puppet)).toMatchObject({ promised: true })
  })
})
