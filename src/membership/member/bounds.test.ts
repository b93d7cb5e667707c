// Everything that a peer's message can fill is bounded, for all and for each peer: the list in docs/reference/limits.md, filled
// to each bound, and beyond.

import { describe, expect, it } from 'vitest'
import { bytesIn, listedUnder } from '../../../test/support/limits.ts'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import { accusation, acquainted, alive, gossip, group, ids, signed } from '../../../test/support/members.ts'
import type { NodeId } from '../../core/index.ts'
import { type Claim, signClaim } from '../claims.ts'
import { incarnationOf } from '../incarnation.ts'
import { simulatedGroup } from '../proof/simulated.ts'
import { type AggregateName, aggregateBytes, type MembershipMessage, PAGE_MAX } from '../wire.ts'
import { membership } from './machine.ts'
import { TALK } from './peers.ts'
import { emptyQueue, enqueue, nextClaims, QUEUE_MAX, QUEUED_BYTES_OF_SIGNER_MAX, queueSize } from './queue.ts'
import { CLAIMS_A_TOKEN } from './repair.ts'
import {
  ACCUSERS_MAX,
  AGGREGATES_MAX,
  AGGREGATES_OF_ASKER_MAX,
  MEMBERS_MAX,
  type Member,
  type MembershipState,
  PEERS_MAX,
  RELAYS_MAX,
  RELAYS_OF_PEER_MAX,
  ROUND_TRIPS_MAX,
  VERDICTS_MAX,
  WITNESSES,
} from './state.ts'

/** What one peer leaves in a member's memory: most of it waits in the gossip queue. */
const BYTES_OF_PEER = 256 * 1024

const forged = (claim: Claim) => ({ ...claim, signature: new Uint8Array(64) }) as Claim

function crowded() {
  const puppet = acquainted()
  for (let place = puppet.state.peers.size; place < PEERS_MAX; place++) {
    puppet.hear(`peer-${place}`, { kind: 'nack', nonce: new Uint8Array(8) })
  }
  expect(puppet.state.peers.size).toBe(PEERS_MAX)
  return puppet
}

const event = (member: NodeId, number: number) =>
  signed(member, { kind: 'event', member, boot: 1, number, topic: '', payload: new Uint8Array(512) })

const estimate = { average: 1, share: 0, minimum: 1, maximum: 1 }
const average = (asker: NodeId, number: number, signer = asker, boot = 1): MembershipMessage => {
  const of: AggregateName = { asker, boot, number, name: 'load' }
  const signature = group.settings(signer).signer.sign(aggregateBytes('simulated', of))
  return { kind: 'average', of, signature, exchange: 1, estimate }
}

const payload = new Uint8Array(512)
const values = Array.from({ length: 16 }, (_, place) => ({ name: `${place}`.padEnd(40), value: place }))
/** The place of what is not signed by whom it names. */
const FORGED = 5

/** Everything that one member may say, as large as it may be. */
function everything(number: number): MembershipMessage[] {
  const of = { asker: 'eve', boot: 1, number, name: `${number}`.padEnd(40) }
  const signature = group.settings('eve').signer.sign(aggregateBytes('simulated', of))
  const nonce = new Uint8Array(8).fill(number)
  return [
    gossip(signed('eve', { kind: 'event', member: 'eve', boot: 1, number, topic: 't'.repeat(60), payload })),
    gossip(signed('eve', { kind: 'attributes', member: 'eve', boot: 1, version: number, values })),
    gossip(alive('eve', 1, number, 'a'.repeat(300))),
    gossip(...['ann', 'bob', 'carl', 'dora'].map(victim => accusation('suspect', 'eve', victim))),
    gossip(...['ann', 'bob', 'carl', 'dora'].map(victim => accusation('failed', 'eve', victim))),
    gossip(forged(alive('bob', 1, number))),
    {
      kind: 'average',
      of,
      signature,
      exchange: number,
      estimate: { average: 1, share: 0, minimum: 0, maximum: 1 },
    },
    { kind: 'pingRequest', nonce, target: 'bob', claims: [] },
    { kind: 'want', members: ['ann', 'zoe'] },
    { kind: 'page', after: '', upTo: 'zoe', entries: [] },
    { kind: 'averaged', of, exchange: number, estimate: { average: 1, share: 0, minimum: 0, maximum: 1 } },
    { kind: 'nack', nonce },
  ]
}

/** By the constant: filled to the bound, and beyond. */
const cases: Record<string, () => void> = {
  PEERS_MAX() {
    const puppet = crowded()
    for (let place = 0; place < 100; place++) {
      puppet.hear(`beyond-${place}`, { kind: 'nack', nonce: new Uint8Array(8) })
    }
    expect(puppet.state.peers.size).toBe(PEERS_MAX + 1)
  },
  QUEUED_BYTES_OF_SIGNER_MAX() {
    const queue = emptyQueue()
    enqueue(queue, event('ann', 1))
    for (let number = 1; number <= 1_000; number++) {
      enqueue(queue, event('eve', number))
      expect(queue.held.get('eve')).toBeLessThanOrEqual(QUEUED_BYTES_OF_SIGNER_MAX)
    }
    expect(queue.held.get('eve')).toBeGreaterThan(QUEUED_BYTES_OF_SIGNER_MAX - 700)
    // What it told most often gives way, and nothing of anybody else.
    const claims = nextClaims(queue, QUEUE_MAX, 10_000_000, 1)
    expect(claims).toContainEqual(event('ann', 1))
    expect(claims).toContainEqual(event('eve', 1_000))
    expect([queueSize(queue), queue.held.size]).toEqual([0, 0])
  },
  VERDICTS_MAX() {
    const puppet = acquainted()
    // As fast as it is listened to: 256 words a second.
    for (let number = 1; number <= VERDICTS_MAX + 300; number++) {
      puppet.hear('eve', gossip(event('eve', number)))
      puppet.now += 1_000
    }
    expect(puppet.state.verdicts.size).toBe(VERDICTS_MAX)
    expect(bytesIn(puppet.state.verdicts)).toBeLessThan(VERDICTS_MAX * 128)
  },
  ACCUSERS_MAX() {
    const names = ['self', ...Array.from({ length: ACCUSERS_MAX + 4 }, (_, place) => `m${place}`)]
    const crowd = simulatedGroup(names)
    const said = (author: NodeId, claim: Parameters<typeof signClaim>[2]) =>
      signClaim('simulated', crowd.settings(author).signer, claim) as Claim
    const puppet = new Puppet(membership(crowd.settings('self')), names)
    puppet.start()
    const lives = (member: NodeId, counter: number) => {
      const { identity } = crowd.settings(member)
      const incarnation = incarnationOf(1, counter)
      puppet.hear('m0', gossip(said(member, { kind: 'alive', member, incarnation, address: '', identity, keys: [] })))
    }
    const accuse = (author: NodeId, kind: 'suspect' | 'failed', counter: number) => {
      const claim = { kind, author, member: 'm0', boot: 1, incarnation: incarnationOf(1, counter) } as const
      puppet.hear(author, gossip(said(author, claim)))
    }
    for (const member of names.slice(1)) lives(member, 0)
    for (const author of names.slice(2)) {
      accuse(author, 'suspect', 0)
      accuse(author, 'failed', 0)
    }
    const accused = () => puppet.state.members.get('m0')!
    expect(accused().accusers.size).toBe(ACCUSERS_MAX)
    expect(accused().notices.size).toBeLessThanOrEqual(crowd.settings('self').certifyAt)
    // Each that is refuted costs its author credit: kept of as many.
    for (let counter = 1; counter < 5; counter++) {
      lives('m0', counter)
      for (const author of [...names.slice(2)].reverse()) accuse(author, 'suspect', counter)
    }
    expect(accused().credit.size).toBe(ACCUSERS_MAX)
  },
  RELAYS_OF_PEER_MAX() {
    const puppet = acquainted()
    const asked = (peer: NodeId, byte: number) => {
      puppet.drawn.push(new Uint8Array(8).fill(byte))
      const nonce = new Uint8Array(8).fill(byte)
      const out = sent(puppet.hear(peer, { kind: 'pingRequest', nonce, target: 'bob', claims: [] })).length
      puppet.drawn.length = 0
      return out
    }
    for (let byte = 0; byte < RELAYS_OF_PEER_MAX; byte++) expect(asked('eve', byte)).toBe(1)
    for (let byte = 100; byte < 200; byte++) expect(asked('eve', byte)).toBe(0)
    // Who asks without end does not leave nobody to ask for the others.
    expect(asked('ann', 250)).toBe(1)
  },
  AGGREGATES_OF_ASKER_MAX() {
    const puppet = acquainted()
    for (let number = 1; number <= AGGREGATES_OF_ASKER_MAX + 1; number++) puppet.hear('ann', average('bob', number))
    const numbers = () => [...puppet.state.aggregates.values()].map(({ of }) => of.number).sort()
    expect(numbers()).toEqual([2, 3, 4, 5])
    // A later one takes the place of the oldest, and an old one is not taken again.
    puppet.hear('eve', average('bob', 1))
    expect(numbers()).toEqual([2, 3, 4, 5])
    expect([...puppet.timers.keys()].filter(name => name.startsWith('aggregate')).length).toBe(4)
  },
  BYTES_OF_PEER() {
    const puppet = acquainted()
    const before = bytesIn(puppet.state)
    for (let number = 1; number <= 600; number++) {
      // Mostly without the silence that a forgery brings: the other bounds must hold too.
      for (const [place, word] of everything(number).entries()) {
        if (number % 50 === 0 || place !== FORGED) puppet.hear('eve', word)
      }
      puppet.now += 20
    }
    expect(bytesIn(puppet.state) - before).toBeGreaterThan(QUEUED_BYTES_OF_SIGNER_MAX / 2)
    expect(bytesIn(puppet.state) - before).toBeLessThan(BYTES_OF_PEER)
  },
}

describe('what a peer can fill', () => {
  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: members')))
  it.each(Object.keys(cases))('%s', name => cases[name]!())
})

describe('peers', () => {
  it('beyond the bound share a record, and with it the silence that a forged claim costs', () => {
    const puppet = crowded()
    puppet.hear('mallory', gossip(forged(alive('bob', 1, 1)), forged(alive('bob', 1, 2))))
    expect(puppet.state.refusals).toMatchObject({ forged: 1, muted: 1 })
    expect(puppet.state.peers.size).toBe(PEERS_MAX + 1)
    puppet.now += 999
    puppet.hear('mallory', gossip(alive('bob', 1, 3)))
    expect(puppet.state.members.get('bob')!.alive.incarnation).toBe(incarnationOf(1, 0))
    puppet.now += 1
    puppet.hear('mallory', gossip(alive('bob', 1, 3)))
    expect(puppet.state.members.get('bob')!.alive.incarnation).toBe(incarnationOf(1, 3))
  })
  it('that have been quiet for long make room for one that speaks', () => {
    const puppet = crowded()
    puppet.now += 60_000
    puppet.hear('newcomer', { kind: 'nack', nonce: new Uint8Array(8) })
    expect(puppet.state.peers.has('newcomer')).toBe(true)
    expect(puppet.state.peers.size).toBe(PEERS_MAX)
  })
})

describe('what is given to one that compares views', () => {
  /** A member of a group of a hundred; each has said two things. */
  function crowd() {
    const names = ['self', ...Array.from({ length: 100 }, (_, place) => `m${place}`)]
    const known = simulatedGroup(names)
    const puppet = new Puppet(membership(known.settings('self')), names)
    puppet.start()
    for (const member of names.slice(1)) {
      const { identity, signer } = known.settings(member)
      const incarnation = incarnationOf(1, 0)
      const said = [
        signClaim('simulated', signer, { kind: 'alive', member, incarnation, address: '', identity, keys: [] }),
        signClaim('simulated', signer, { kind: 'attributes', member, boot: 1, version: 1, values }),
      ]
      puppet.hear(member, gossip(...(said as Claim[])))
    }
    return { puppet, names: names.slice(1) }
  }
  const claimsIn = (out: ReturnType<Puppet<MembershipState, MembershipMessage, never, never>['hear']>) =>
    sent<MembershipMessage>(out as never).reduce(
      (sum, { body }) => sum + ('claims' in body ? body.claims.length : 0),
      0,
    )

  it('is no more than its allowance: words of a few bytes do not ask for the whole view again and again', () => {
    const { puppet, names } = crowd()
    const questions: MembershipMessage[] = [
      { kind: 'page', after: '', upTo: '', entries: [] },
      { kind: 'page', after: '', upTo: 'n', entries: [] },
      { kind: 'want', members: names },
    ]
    for (const [place, question] of questions.entries()) {
      const peer = `liar-${place}`
      const given = () => claimsIn(puppet.hear(peer, question) as never)
      expect(given()).toBeGreaterThanOrEqual(2 * names.length)
      let all = 0
      for (let again = 0; again < 2_000; again++) all += given()
      expect(all).toBeGreaterThan((TALK.burst / 2) * CLAIMS_A_TOKEN)
      expect(all).toBeLessThan(TALK.burst * CLAIMS_A_TOKEN)
      expect(given()).toBe(0)
      puppet.now += 1_000
      let later = 0
      for (let again = 0; again < 1_000; again++) later += given()
      expect(later).toBeGreaterThan(0)
      expect(later).toBeLessThanOrEqual(TALK.perSecond * CLAIMS_A_TOKEN)
    }
  })
  it('costs who asks for it as much as there is to look through, also where nothing is given', () => {
    const { puppet, names } = crowd()
    const entries = ['self', ...names].map(member => {
      return { member, incarnation: incarnationOf(9, 0), version: 1, tag: 0, presence: 'here' as const }
    })
    const page: MembershipMessage = { kind: 'page', after: '', upTo: '', entries }
    const answered = Array.from({ length: TALK.burst }, () => sent(puppet.hear('liar', page)).length)
    expect(answered.filter(count => count > 0)).toHaveLength(Math.floor(TALK.burst / (1 + entries.length / PAGE_MAX)))
  })
  it('is all of it for one that comes new, at once', () => {
    const { puppet, names } = crowd()
    const out = puppet.hear('m0', { kind: 'page', after: '', upTo: '', entries: [] })
    expect(claimsIn(out as never)).toBeGreaterThanOrEqual(2 * names.length)
  })
})

describe('aggregates', () => {
  it('are taken under the asker’s signature only: one liar does not fill them in the names of others', () => {
    const puppet = acquainted()
    for (const asker of ['ann', 'bob', 'carl']) puppet.hear('eve', average(asker, 1, 'eve'))
    expect(puppet.state.aggregates.size).toBe(0)
    expect(puppet.state.refusals.forged).toBe(1)
    expect(puppet.state.peers.get('eve')!.forged).toBe(1)
    puppet.hear('eve', average('zoe', 1, 'eve'))
    puppet.hear('ann', average('bob', 1, 'bob', 2))
    expect(puppet.state.aggregates.size).toBe(0)
    expect(puppet.state.peers.get('ann')!.forged).toBe(0)
    expect(sent(puppet.hear('ann', average('bob', 1)))).toMatchObject([{ to: 'ann', body: { kind: 'averaged' } }])
  })
  it('of others never stand in the way of one’s own', () => {
    const puppet = acquainted()
    for (const asker of ids.slice(1))
      for (let number = 1; number <= 9; number++) puppet.hear(asker, average(asker, number))
    const ask = () => told(puppet.command({ kind: 'aggregate', id: 1, name: 'load' }))
    for (let asked = 0; asked < AGGREGATES_OF_ASKER_MAX; asked++) expect(ask()).toEqual([])
    expect(ask()).toMatchObject([{ kind: 'refused' }])
  })
})

describe('what was measured', () => {
  /** All are asked in turn until each distance was looked at twice; every answer takes this long. */
  function answering(puppet: ReturnType<typeof acquainted>, delayMs: number): number[] {
    const coordinate = { x: 0, y: 0, height: 1, error: 1 }
    for (const end = puppet.now + 260_000; puppet.now < end; ) {
      puppet.pass(300)
      const { target, nonce, sentAt, answered } = puppet.state.probe!
      if (answered) continue
      puppet.now = sentAt + delayMs
      puppet.hear(target, { kind: 'ack', nonce, voucher: undefined, coordinate, claims: [] })
    }
    return ['bob', 'carl'].map(id => puppet.state.members.get(id)!.measures.get('self')!.micros)
  }

  it('is told again if it differs by a quarter and a millisecond, not for less', () => {
    const puppet = acquainted()
    expect(answering(puppet, 1.2)).toEqual([1_200, 1_200])
    expect(answering(puppet, 2.2)).toEqual([1_200, 1_200])
    expect(answering(puppet, 2.3)).toEqual([2_300, 2_300])
    expect(answering(puppet, 40)).toEqual([40_000, 40_000])
    expect(answering(puppet, 50)).toEqual([40_000, 40_000])
    expect(answering(puppet, 51)).toEqual([51_000, 51_000])
  })
  it('is forgotten with the member', () => {
    const puppet = acquainted()
    const coordinate = { x: 0, y: 0, height: 1, error: 1 }
    for (let beats = 0; beats < 30; beats++) {
      puppet.pass(300)
      const { target, nonce } = puppet.state.probe!
      puppet.hear(target, { kind: 'ack', nonce, voucher: undefined, coordinate, claims: [] })
    }
    puppet.hear('eve', gossip(signed('eve', { kind: 'leave', member: 'eve', incarnation: incarnationOf(1, 0) })))
    puppet.now += 24 * 60 * 60 * 1_000
    puppet.pass(10_000)
    expect(puppet.state.members.has('eve')).toBe(false)
    const { peers, ...rest } = puppet.state
    const remembered = Object.values(rest).flatMap(value => (value instanceof Map ? [...value.keys()] : []))
    expect(remembered).toContain('self')
    expect(remembered).not.toContain('eve')
  })
})

// A new field that can grow belongs into this list, with its bound; docs/reference/limits.md has those that matter to others.
describe('the list is whole: nothing that grows is without a bound', () => {
  const OF_STATE: Partial<Record<keyof MembershipState, number | 'own'>> = {
    contacts: 'own',
    keys: 'own',
    values: 'own',
    members: MEMBERS_MAX,
    others: MEMBERS_MAX,
    round: MEMBERS_MAX,
    witnessed: WITNESSES,
    relays: RELAYS_MAX,
    queue: QUEUE_MAX,
    peers: PEERS_MAX + 1,
    verdicts: VERDICTS_MAX,
    aggregates: AGGREGATES_MAX + AGGREGATES_OF_ASKER_MAX,
  }
  const OF_MEMBER: Partial<Record<keyof Member, number>> = {
    accusers: ACCUSERS_MAX,
    notices: group.settings('self').certifyAt,
    roundTrips: ROUND_TRIPS_MAX,
    measures: 4 * group.settings('self').measurers,
    credit: ACCUSERS_MAX,
  }
  const growing = (value: object) =>
    Object.entries(value)
      .filter(([, field]) => field instanceof Map || field instanceof Set || Array.isArray(field))
      .map(([name]) => name)

  it('of the state, and of what is kept of each member', () => {
    const { state } = acquainted()
    expect([...growing(state), 'queue'].sort()).toEqual(Object.keys(OF_STATE).sort())
    expect(growing(state.members.get('bob')!).sort()).toEqual(Object.keys(OF_MEMBER).sort())
  })
})
