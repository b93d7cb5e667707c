// One member driven by hand, and small groups in a calm world: what is refused, what is answered, what it costs.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Puppet, sent, told } from '../../../test/support/machine.ts'
import {
  accusation,
  acquainted,
  alive,
  changes,
  gossip,
  group,
  ids,
  signed,
  statusOf,
} from '../../../test/support/members.ts'
import { decode, encode, type NodeId } from '../../core/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { type Claim, signClaim } from '../claims.ts'
import type { MembershipEvent, MemberView } from '../events.ts'
import { bootOf, incarnationOf } from '../incarnation.ts'
import { simulatedGroup } from '../proof/simulated.ts'
import type { MembershipSettings } from '../settings.ts'
import { type MembershipMessage, membershipRecord, membershipVocabulary } from '../wire.ts'
import { membership } from './machine.ts'
import { viewHash } from './repair.ts'
import type { MembershipState } from './state.ts'

describe('entry and life', () => {
  it('the number of a life is saved before anything is said in it, and grows', () => {
    const puppet = new Puppet(membership(group.settings('self')), ids)
    const out = puppet.start()
    const kinds = out.map(effect => effect.kind)
    expect(kinds.indexOf('snapshot')).toBeLessThan(kinds.indexOf('send'))
    expect(decode(membershipRecord, puppet.records[0]!)).toEqual({ ok: true, value: { boot: 1 } })
    puppet.restart()
    expect(bootOf(puppet.state.incarnation)).toBe(2)
  })
  it('asks its contacts for entry until it knows somebody', () => {
    const puppet = new Puppet(membership(group.settings('self')), ids)
    const summaries = (out: ReturnType<typeof puppet.start>) => sent(out).filter(({ body }) => body.kind === 'summary')
    expect(summaries(puppet.start()).length).toBeGreaterThan(0)
    expect(summaries(puppet.pass(1_100)).length).toBeGreaterThan(0)
    puppet.hear('ann', gossip(alive('ann')))
    expect(puppet.timers.has('join') && summaries(puppet.pass(1_000)).length > 0).toBe(false)
  })
  it('whose store was lost goes on above its own former claims', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(alive('self', 7, 3)))
    expect(puppet.state.incarnation).toBe(incarnationOf(8, 0))
    expect(decode(membershipRecord, puppet.records.at(-1)!)).toEqual({ ok: true, value: { boot: 8 } })
  })
})

describe('forged claims are refused', () => {
  const mallory = { signature: new Uint8Array(64) }
  const forged: Record<string, Claim> = {
    'a life with another address': { ...alive('bob', 1, 5), ...mallory } as Claim,
    'a farewell': { kind: 'leave', member: 'bob', incarnation: incarnationOf(1, 0), ...mallory },
    'a farewell under the signature of a life': {
      kind: 'leave',
      member: 'bob',
      incarnation: incarnationOf(1, 0),
      signature: alive('bob').signature,
    },
    attributes: { kind: 'attributes', member: 'bob', boot: 1, version: 9, values: [], ...mallory },
    'a suspicion in a third one’s name': { ...accusation('suspect', 'carl', 'bob'), ...mallory },
    'a notice in a third one’s name': { ...accusation('failed', 'carl', 'bob'), ...mallory },
    'an event': { kind: 'event', member: 'bob', boot: 1, number: 1, topic: '', payload: new Uint8Array(0), ...mallory },
  }

  it.each(Object.entries(forged))('%s', (_what, claim) => {
    const puppet = acquainted()
    const before = { ...puppet.state.members.get('bob')! }
    expect(told(puppet.hear('eve', gossip(claim)))).toEqual([])
    expect(puppet.state.refusals.forged).toBe(1)
    expect(puppet.state.members.get('bob')).toEqual(before)
  })
  it('another’s valid certificate does not make a name: who is not admitted does not enter', () => {
    const puppet = new Puppet(membership(group.settings('self')), [])
    puppet.start()
    const { identity } = group.settings('ann')
    const claim = signed('ann', {
      kind: 'alive',
      member: 'zoe',
      incarnation: 1,
      address: '',
      identity,
      keys: [],
    })
    puppet.hear('ann', gossip(claim))
    expect(puppet.state.members.has('zoe')).toBe(false)
    expect(puppet.state.refusals.stranger).toBe(1)
  })
  it('a claim of another group is forged here', () => {
    const puppet = acquainted()
    const leave = { kind: 'leave', member: 'bob', incarnation: incarnationOf(1, 0) } as const
    puppet.hear('ann', gossip(signClaim('other', group.settings('bob').signer, leave)))
    expect(statusOf(puppet, 'bob')).toBe('alive')
  })
  it('who brings one is not heard for a second, and nothing more of it is checked', () => {
    const puppet = acquainted()
    const claims = [1, 2, 3].map(counter => ({ ...alive('bob', 1, counter), ...mallory }) as Claim)
    puppet.hear('eve', gossip(...claims))
    expect(puppet.state.refusals).toMatchObject({ forged: 1, muted: 2 })
    puppet.now += 1_000
    puppet.hear('eve', gossip(alive('bob', 1, 9)))
    expect(puppet.state.members.get('bob')!.alive.incarnation).toBe(incarnationOf(1, 9))
  })
  it('who brings three is named and not heard for a while, and then heard again', () => {
    const puppet = acquainted()
    const forgery = (counter: number) => gossip({ ...alive('bob', 1, counter), ...mallory } as Claim)
    expect(told(puppet.hear('eve', forgery(1)))).toEqual([])
    puppet.now += 1_000
    expect(told(puppet.hear('eve', forgery(2)))).toEqual([])
    puppet.now += 5_000
    expect(told(puppet.hear('eve', forgery(3)))).toEqual([{ kind: 'misbehaved', member: 'eve', how: 'forging' }])
    puppet.now += 6_000
    puppet.hear('eve', gossip(alive('bob', 1, 9)))
    expect(puppet.state.refusals.muted).toBe(1)
    puppet.hear('ann', gossip(alive('bob', 1, 8)))
    expect(puppet.state.members.get('bob')!.alive.incarnation).toBe(incarnationOf(1, 8))
    puppet.now += 31_000
    puppet.hear('eve', gossip(alive('bob', 1, 9)))
    expect(puppet.state.members.get('bob')!.alive.incarnation).toBe(incarnationOf(1, 9))
  })
  it('old claims are refused without a look at the signature', () => {
    let checks = 0
    const signatures = {
      verify(...words: Parameters<typeof group.signatures.verify>) {
        checks++
        return group.signatures.verify(...words)
      },
    }
    const puppet = acquainted({ signatures })
    puppet.hear('ann', gossip(alive('bob', 2, 0)))
    const before = checks
    puppet.hear('eve', gossip(alive('bob', 1, 0), alive('bob', 1, 7), accusation('suspect', 'carl', 'bob')))
    expect(checks).toBe(before)
    expect(puppet.state.refusals.old).toBe(3)
  })
  it('the same forged claim from several is checked once', () => {
    let checks = 0
    const signatures = { verify: (..._words: unknown[]) => ++checks > ids.length }
    const puppet = new Puppet(membership(group.settings('self', { signatures })), ids)
    puppet.start()
    const claim = { ...alive('bob', 1, 1), ...mallory } as Claim
    for (const from of ['ann', 'carl', 'dora']) puppet.hear(from, gossip(claim))
    expect(checks).toBe(1)
    expect(puppet.state.refusals.forged).toBe(3)
  })
})

describe('suspicion', () => {
  it('of oneself is refuted with a higher incarnation, whoever says it', () => {
    const puppet = acquainted()
    puppet.hear('eve', gossip(accusation('suspect', 'eve', 'self')))
    expect(puppet.state.incarnation).toBe(incarnationOf(1, 1))
    const said = sent(puppet.pass(150)).flatMap(({ body }) => ('claims' in body ? body.claims : []))
    const refutation = said.find(({ kind, member }) => kind === 'alive' && member === 'self')
    expect(refutation).toMatchObject({ incarnation: incarnationOf(1, 1) })
  })
  it('one accuser’s ends late, three more bring it to its least; nothing but the member’s own word ends it', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(accusation('suspect', 'ann', 'bob')))
    const long = puppet.timers.get('suspicion:bob')! - puppet.now
    for (const author of ['carl', 'dora', 'eve']) puppet.hear(author, gossip(accusation('suspect', author, 'bob')))
    const short = puppet.timers.get('suspicion:bob')! - puppet.now
    expect([long, short]).toEqual([3_600, 600])
    puppet.hear('bob', { kind: 'gossip', claims: [alive('bob', 1, 0)] })
    expect(statusOf(puppet, 'bob')).toBe('suspect')
    expect(changes(told(puppet.hear('bob', gossip(alive('bob', 1, 1)))))).toEqual(['cleared bob'])
    expect(puppet.timers.has('suspicion:bob')).toBe(false)
  })
  it('a notice of failure is one more suspicion; three make a certificate', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(accusation('failed', 'ann', 'bob')))
    expect(statusOf(puppet, 'bob')).toBe('suspect')
    puppet.hear('carl', gossip(accusation('failed', 'carl', 'bob')))
    const [event] = told(puppet.hear('dora', gossip(accusation('failed', 'dora', 'bob'))))
    expect(event).toMatchObject({ kind: 'certified', member: 'bob', incarnation: incarnationOf(1, 0) })
    expect(puppet.state.members.get('bob')!.notices.size).toBe(3)
  })
  it('a member cannot accuse itself, nor one that is gone accuse others', () => {
    const puppet = acquainted()
    const leave = signed('eve', { kind: 'leave', member: 'eve', incarnation: incarnationOf(1, 0) })
    puppet.hear('eve', gossip(leave))
    puppet.hear('ann', gossip(accusation('suspect', 'eve', 'bob'), accusation('suspect', 'bob', 'bob')))
    expect(statusOf(puppet, 'bob')).toBe('alive')
  })
  it('who is refuted again and again is not listened to any more, and named', () => {
    const puppet = acquainted()
    const events: MembershipEvent[] = []
    for (let counter = 0; counter < 10; counter++) {
      for (const victim of ['ann', 'bob']) {
        events.push(...told(puppet.hear('eve', gossip(accusation('suspect', 'eve', victim, counter)))))
        events.push(...told(puppet.hear(victim, gossip(alive(victim, 1, counter + 1)))))
      }
    }
    expect(events).toContainEqual({ kind: 'misbehaved', member: 'eve', how: 'accusing' })
    expect(puppet.state.refusals.discredited).toBeGreaterThan(0)
    puppet.hear('eve', gossip(accusation('suspect', 'eve', 'carl')))
    expect(statusOf(puppet, 'carl')).toBe('suspect')
  })
})

describe('repair', () => {
  const summary = (puppet: ReturnType<typeof acquainted>, from: NodeId) => {
    const hash = viewHash(puppet)
    return sent(puppet.hear(from, { kind: 'summary', hash, claims: [] }))
  }

  it('equal views cost one message; those that are gone make no difference', () => {
    const [elder, newcomer] = [acquainted(), acquainted()]
    elder.hear('eve', gossip(signed('eve', { kind: 'leave', member: 'eve', incarnation: incarnationOf(1, 0) })))
    expect(summary(elder, 'ann')).toEqual([])
    newcomer.state.members.delete('eve')
    newcomer.state.names = undefined
    expect(viewHash(elder)).toEqual(viewHash(newcomer))
  })
  it('gives what is newer here, and asks for what is newer there', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(alive('bob', 1, 4)))
    const entry = (member: NodeId, counter: number) => {
      const tag = Number.parseInt(puppet.state.members.get(member)!.digest.slice(0, 8), 16)
      return { member, incarnation: incarnationOf(1, counter), version: 0, tag, presence: 'here' as const }
    }
    const entries = [entry('ann', 0), entry('bob', 2), entry('carl', 9)]
    const out = sent(puppet.hear('ann', { kind: 'page', after: '', upTo: 'carl', entries })).map(({ body }) => body)
    expect(out).toEqual([
      { kind: 'gossip', claims: [alive('bob', 1, 4)] },
      { kind: 'want', members: ['carl'] },
      { kind: 'more', after: 'carl' },
    ])
  })
  it('who is gone for a day is forgotten', () => {
    const puppet = acquainted()
    puppet.hear('eve', gossip(signed('eve', { kind: 'leave', member: 'eve', incarnation: incarnationOf(1, 0) })))
    puppet.pass(10_000)
    expect(puppet.state.members.has('eve')).toBe(true)
    puppet.now += 24 * 60 * 60 * 1_000
    puppet.pass(10_000)
    expect(puppet.state.members.has('eve')).toBe(false)
  })
})

describe('a flood', () => {
  it('is slowed and named; answers that are waited for pass', () => {
    const puppet = acquainted()
    const events: MembershipEvent[] = []
    for (let i = 0; i < 2_000; i++) events.push(...told(puppet.hear('eve', { kind: 'nack', nonce: new Uint8Array(8) })))
    expect(events).toEqual([{ kind: 'misbehaved', member: 'eve', how: 'flooding' }])
    expect(puppet.state.refusals.slowed).toBeGreaterThan(900)
    const coordinate = { x: 0, y: 0, height: 1, error: 1 }
    const answerProbe = () => {
      const { nonce, target } = puppet.state.probe!
      puppet.hear(target, { kind: 'ack', nonce, voucher: undefined, coordinate, claims: [] })
      return target
    }
    const answering = new Set<NodeId>()
    for (let beats = 0; beats < 30; beats++) {
      puppet.pass(300)
      puppet.state.peers.get('eve')!.bucket.tokens = 0
      answering.add(answerProbe())
      expect(puppet.state.probe!.answered).toBe(true)
    }
    expect(answering).toContain('eve')
  })
  it('of changes of one’s own words is slowed as well', () => {
    const puppet = acquainted()
    for (let version = 1; version <= 100; version++) {
      puppet.hear('ann', gossip(signed('eve', { kind: 'attributes', member: 'eve', boot: 1, version, values: [] })))
    }
    expect(puppet.state.members.get('eve')!.attributes!.version).toBeLessThan(40)
  })
})

describe('no message makes it throw', () => {
  it('whatever it is made of', () => {
    const puppet = acquainted()
    const text = fc.constantFrom(...ids, '', 'zoe')
    const number = fc.oneof(fc.nat(10), fc.maxSafeNat())
    const small = fc.nat(10)
    const bytes = fc.uint8Array({ maxLength: 8 })
    const entry = fc.record({
      member: text,
      incarnation: number,
      version: small,
      tag: small,
      presence: fc.constantFrom('here' as const, 'left' as const, 'failed' as const),
    })
    const value = fc.double({ noNaN: true, noDefaultInfinity: true })
    const estimate = fc.record({ average: value, share: value, minimum: value, maximum: value })
    const of = fc.record({ asker: text, boot: small, number: small, name: text })
    const any: fc.Arbitrary<MembershipMessage> = fc.oneof(
      fc.record({ kind: fc.constant('pingRequest' as const), nonce: bytes, target: text, claims: fc.constant([]) }),
      fc.record({ kind: fc.constant('relayed' as const), nonce: bytes, voucher: bytes }),
      fc.record({ kind: fc.constant('summary' as const), hash: bytes, claims: fc.constant([]) }),
      fc.record({ kind: fc.constant('page' as const), after: text, upTo: text, entries: fc.array(entry) }),
      fc.record({ kind: fc.constant('want' as const), members: fc.array(text) }),
      fc.record({ kind: fc.constant('more' as const), after: text }),
      fc.record({ kind: fc.constant('average' as const), of, signature: bytes, exchange: small, estimate }),
      fc.record({ kind: fc.constant('averaged' as const), of, exchange: small, estimate }),
    )
    fc.assert(
      fc.property(text, any, (from, message) => {
        for (const { body } of sent(puppet.hear(from, message))) encode(membershipVocabulary, body)
        puppet.pass(100)
      }),
    )
    expect(puppet.state.members.size).toBe(ids.length)
  })
})

/** A group in a calm world; everybody's first contact is the first. */
function together(size: number, change: Partial<MembershipSettings> = {}, weighty = false) {
  const names = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const people = simulatedGroup(names, weighty)
  const world = new World({ seed: 4, network: calm })
  const bytes = new Map<string, number>()
  const events: (readonly [node: string, event: MembershipEvent])[] = []
  for (const [place, id] of names.entries()) {
    const load = { name: 'load', value: place }
    const honest = membership(people.settings(id, { attributes: [load], ...change }))
    const protocol = {
      ...honest,
      step(state: MembershipState, input: Parameters<typeof honest.step>[1], turn: Parameters<typeof honest.step>[2]) {
        const size = input.kind === 'message' ? encode(membershipVocabulary, input.body).length : 0
        bytes.set(id, (bytes.get(id) ?? 0) + size)
        honest.step(state, input, turn)
      },
    }
    world.add({ id, protocol, peers: names.slice(0, 1), vocabulary: membershipVocabulary })
    world.start(id)
  }
  world.listen((node, event) => events.push([node.spec.id, event as MembershipEvent]))
  const viewOf = (id: NodeId): readonly MemberView[] => {
    events.length = 0
    world.command(id, { kind: 'status', id: 0 })
    const [, event] = events.at(-1)!
    return event.kind === 'status' ? event.members : []
  }
  return { world, names, bytes, events, viewOf }
}

describe('a group at work', () => {
  it('32 members meet through one; a crash is noticed by all within 3 s', () => {
    const { world, names, events } = together(32)
    world.run(15_000_000)
    for (const id of names) expect((world.node(id).host!.state as MembershipState).others).toHaveLength(31)
    events.length = 0
    const crashed = world.now
    world.crash('member-9')
    world.run(crashed + 3_000_000)
    const failed = events.filter(([, event]) => event.kind === 'changed' && event.change === 'failed')
    expect(failed).toHaveLength(31)
    expect(new Set(changes(failed.map(([, event]) => event)))).toEqual(new Set(['failed member-9']))
    const certificates = events.flatMap(([, event]) => (event.kind === 'certified' ? [event] : []))
    expect(certificates.length).toBeGreaterThan(0)
    for (const { notices } of certificates) expect(new Set(notices.map(({ author }) => author)).size).toBe(3)
  })

  it('average, sum, least, largest and size by gossip (LECTURE); an attribute set reaches all', () => {
    const { world, events, viewOf } = together(20)
    world.run(10_000_000)
    world.command('member-3', { kind: 'set', id: 1, values: [{ name: 'load', value: 40 }] })
    world.run(world.now + 3_000_000)
    const loads = new Set(names(viewOf('member-8'), 'member-3'))
    expect(loads).toEqual(new Set([40]))
    events.length = 0
    world.command('member-5', { kind: 'aggregate', id: 2, name: 'load' })
    world.run(world.now + 12_000_000)
    const answer = events.flatMap(([, event]) => (event.kind === 'aggregated' ? [event] : []))
    // 0 + 1 + … + 19 with 40 in the place of 2.
    const sum = (19 * 20) / 2 - 2 + 40
    expect(answer).toHaveLength(1)
    expect(answer[0]).toMatchObject({ id: 2, name: 'load', minimum: 0, maximum: 40, size: 20 })
    expect(answer[0]!.average).toBeCloseTo(sum / 20, 3)
    expect(answer[0]!.sum).toBeCloseTo(sum, 1)
  })

  it('an event of a user reaches everybody once; distances are measured by others', () => {
    const { world, events, viewOf } = together(12)
    world.run(10_000_000)
    events.length = 0
    world.command('member-2', { kind: 'publish', id: 3, topic: 'news', payload: new Uint8Array([1, 2]) })
    world.run(world.now + 3_000_000)
    const heard = events.filter(([, event]) => event.kind === 'heard')
    expect(heard.map(([node]) => node).sort()).toHaveLength(11)
    expect(new Set(heard.map(([node]) => node)).size).toBe(11)
    for (const member of viewOf('member-7')) {
      // One way takes 0.5 to 1.5 ms.
      expect(member.attributes.get('distance')).toBeGreaterThan(1)
      expect(member.attributes.get('distance')).toBeLessThan(3)
    }
  })

  it('who leaves is seen as having left by all, and says when the process may end', () => {
    const { world, events } = together(10)
    world.run(8_000_000)
    events.length = 0
    world.command('member-4', { kind: 'leave', id: 9 })
    world.run(world.now + 3_000_000)
    expect(events.filter(([, event]) => event.kind === 'changed' && event.change === 'left')).toHaveLength(9)
    expect(events).toContainEqual(['member-4', { kind: 'gone', id: 9 }])
    expect(events.filter(([, event]) => event.kind === 'changed' && event.change === 'failed')).toEqual([])
  })

  it('commands that cannot be are refused', () => {
    const puppet = acquainted()
    const long = 'x'.repeat(100)
    const why = (command: Parameters<typeof puppet.command>[0]) => told(puppet.command(command)).at(-1)?.kind
    expect(why({ kind: 'set', id: 1, values: [{ name: 'a', value: Number.NaN }] })).toBe('refused')
    expect(why({ kind: 'set', id: 1, values: [{ name: long, value: 1 }] })).toBe('refused')
    expect(why({ kind: 'aggregate', id: 1, name: long })).toBe('refused')
    expect(why({ kind: 'announce', id: 1, address: 'x'.repeat(400) })).toBe('refused')
    expect(why({ kind: 'publish', id: 1, topic: '', payload: new Uint8Array(1_000) })).toBe('refused')
    expect(why({ kind: 'announce', id: 1, address: 'new:1' })).toBe('done')
    puppet.command({ kind: 'leave', id: 2 })
    expect(why({ kind: 'set', id: 3, values: [] })).toBe('refused')
  })

  it('at rest a member takes in and sends a few kilobytes a second (lab: membership-rest, 100 members)', () => {
    const { world, bytes } = together(20, {}, true)
    // By then everybody has asked everybody, and distances are told.
    world.run(20_000_000)
    bytes.clear()
    world.run(world.now + 20_000_000)
    // What one sends, another takes in: over the whole group both are equal.
    const total = [...bytes.values()].reduce((sum, size) => sum + size, 0)
    expect((2 * total) / 20 / 20).toBeLessThan(5_000)
  })
})

function names(members: readonly MemberView[], id: NodeId): number[] {
  return members.flatMap(({ member, attributes }) => (member === id ? [attributes.get('load') ?? Number.NaN] : []))
}
