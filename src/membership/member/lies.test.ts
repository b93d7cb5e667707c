// Messages that only a liar sends, each against the one check that stands in its way. The simulator's liars tell most of
// them too; here each is told at the moment at which it would work.

import { describe, expect, it } from 'vitest'
import { sent, told } from '../../../test/support/machine.ts'
import { accusation, acquainted, alive, gossip, group, signed, statusOf } from '../../../test/support/members.ts'
import type { NodeId } from '../../core/index.ts'
import { type Claim, signClaim, voucherBytes } from '../claims.ts'
import { incarnationOf } from '../incarnation.ts'

const coordinate = { x: 0, y: 0, height: 1, error: 1 }

/** A member that has asked somebody, got no answer, and asked helpers. */
function waitingForHelpers() {
  const puppet = acquainted()
  puppet.pass(150)
  const probe = puppet.state.probe!
  // The puppet draws zeros: with a nonce of its own an answer to another question is another.
  puppet.state.probe = { ...probe, nonce: new Uint8Array(8).fill(7) }
  expect(probe.helpers.length).toBeGreaterThan(0)
  return { puppet, target: probe.target, helper: probe.helpers[0]! }
}

describe('an answer that a third party brings', () => {
  const bob = group.settings('bob').signer
  const nonce = new Uint8Array(8).fill(7)
  const vouched = (target: NodeId, requester: NodeId, asked: Uint8Array) =>
    group.settings(target).signer.sign(voucherBytes('simulated', target, requester, asked))

  it('counts with the member’s signature for this question', () => {
    const { puppet, target, helper } = waitingForHelpers()
    puppet.hear(helper, { kind: 'relayed', nonce, voucher: vouched(target, 'self', nonce) })
    expect(puppet.state.probe!.answered).toBe(true)
  })
  // Whoever asks a member to vouch once could keep it among the living for ever.
  it.each<[string, (target: NodeId) => Uint8Array]>([
    ['kept from an earlier question', target => vouched(target, 'self', new Uint8Array(8))],
    ['made for somebody else', target => vouched(target, 'dora', nonce)],
    ['of another member', target => vouched(target === 'ann' ? 'bob' : 'ann', 'self', nonce)],
    ['of another member, in its name', target => bob.sign(voucherBytes('simulated', target, 'self', nonce))],
    ['of another group', target => group.settings(target).signer.sign(voucherBytes('other', target, 'self', nonce))],
  ])('does not count with a voucher %s', (_what, make) => {
    const { puppet, target, helper } = waitingForHelpers()
    puppet.hear(helper, { kind: 'relayed', nonce, voucher: make(target) })
    expect(puppet.state.probe!.answered).toBe(false)
  })
  it('does not count from one who was not asked to help', () => {
    const { puppet, target } = waitingForHelpers()
    const stranger = ['ann', 'bob', 'carl', 'dora', 'eve'].find(
      id => id !== target && !puppet.state.probe!.helpers.includes(id),
    )!
    puppet.hear(stranger, { kind: 'relayed', nonce, voucher: vouched(target, 'self', nonce) })
    expect(puppet.state.probe!.answered).toBe(false)
  })
})

describe('an answer of one’s own', () => {
  const ack = (nonce: Uint8Array) => ({ kind: 'ack' as const, nonce, voucher: undefined, coordinate, claims: [] })

  // Who answers before it is asked looks nearer than it is, and is never found dead by an answer that was under way.
  it('to another question does not count, nor is it timed', () => {
    const { puppet, target } = waitingForHelpers()
    puppet.hear(target, ack(new Uint8Array(8).fill(6)))
    puppet.hear(target, ack(new Uint8Array(8).fill(7).with(7, 6)))
    expect(puppet.state.probe!.answered).toBe(false)
    expect(puppet.state.members.get(target)!.roundTrips).toEqual([])
  })
  it('in another’s place does not count', () => {
    const { puppet, helper } = waitingForHelpers()
    puppet.hear(helper, ack(new Uint8Array(8).fill(7)))
    expect(puppet.state.probe!.answered).toBe(false)
  })
  it('to this question counts once', () => {
    const { puppet, target } = waitingForHelpers()
    for (let times = 0; times < 2; times++) puppet.hear(target, ack(new Uint8Array(8).fill(7)))
    expect(puppet.state.probe!.answered).toBe(true)
    expect(puppet.state.members.get(target)!.roundTrips).toHaveLength(1)
  })
})

describe('a forged copy', () => {
  const claims: Record<string, Claim> = {
    'of a life': alive('bob', 1, 4),
    'of attributes': signed('bob', { kind: 'attributes', member: 'bob', boot: 1, version: 3, values: [] }),
    'of a farewell': signed('bob', { kind: 'leave', member: 'bob', incarnation: incarnationOf(1, 0) }),
    'of a suspicion': accusation('suspect', 'carl', 'bob'),
  }
  // Verdicts are remembered: under a name without the signature, the first copy would decide for all.
  it.each(Object.entries(claims))('%s, with the same words, does not spoil the genuine one', (_what, genuine) => {
    const puppet = acquainted()
    const copy = { ...genuine, signature: genuine.signature.map(byte => byte ^ 1) } as Claim
    expect(told(puppet.hear('eve', gossip(copy)))).toEqual([])
    expect(puppet.state.refusals.forged).toBe(1)
    expect(told(puppet.hear('ann', gossip(genuine)))).not.toEqual([])
    expect(puppet.state.refusals.forged).toBe(1)
    expect(puppet.state.peers.get('ann')!.forged).toBe(0)
  })
})

describe('an accusation', () => {
  // Somebody could keep a member's bad hour, and bring it up in its name for ever.
  it('made in an earlier life of its author is void', () => {
    const puppet = acquainted()
    puppet.hear('carl', gossip(alive('carl', 2, 0)))
    for (const kind of ['suspect', 'failed'] as const) {
      expect(told(puppet.hear('eve', gossip(accusation(kind, 'carl', 'bob'))))).toEqual([])
    }
    expect(statusOf(puppet, 'bob')).toBe('alive')
    expect(puppet.state.refusals).toMatchObject({ old: 2, forged: 0 })
  })
  it('of an earlier life, or of words that were since refuted, is void, and its bringer is told the news', () => {
    for (const [boot, counter] of [
      [2, 0],
      [1, 1],
    ] as const) {
      const puppet = acquainted()
      puppet.hear('bob', gossip(alive('bob', boot, counter)))
      const out = puppet.hear('eve', gossip(accusation('suspect', 'carl', 'bob')))
      expect(statusOf(puppet, 'bob')).toBe('alive')
      expect(sent(out)).toEqual([{ to: 'eve', body: gossip(alive('bob', boot, counter)) }])
    }
  })
  it('of oneself, of an earlier life, is not answered', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(alive('self', 7, 3)))
    puppet.hear('eve', gossip(accusation('suspect', 'eve', 'self')))
    expect(puppet.state.incarnation).toBe(incarnationOf(8, 0))
  })
})

describe('an identity', () => {
  const { identity, signer } = group.second('bob')
  const renamed = (boot: number, counter: number): Claim =>
    signClaim('simulated', signer, {
      kind: 'alive',
      member: 'bob',
      incarnation: incarnationOf(boot, counter),
      address: 'bob:7000',
      identity,
      keys: [],
    })

  // What it signs later would hold for some and look forged to others, who would then mute those that bring it.
  it('does not change within one life, though it is admitted', () => {
    const puppet = acquainted()
    const before = puppet.state.members.get('bob')!.key
    expect(told(puppet.hear('bob', gossip(renamed(1, 5))))).toEqual([
      { kind: 'misbehaved', member: 'bob', how: 'two-faced' },
    ])
    // It is proved: another word of it is not looked at.
    expect(told(puppet.hear('bob', gossip(renamed(1, 6))))).toEqual([])
    expect(puppet.state.members.get('bob')!.key).toEqual(before)
    expect(puppet.state.refusals).toMatchObject({ stranger: 1, forged: 0 })
    const left = signed('bob', { kind: 'leave', member: 'bob', incarnation: incarnationOf(1, 0) })
    puppet.hear('ann', gossip(left))
    expect(statusOf(puppet, 'bob')).toBe('left')
  })
  // One who heard the one face first and one who heard the other must come to hold the same, whatever else was said under each.
  it('of two in one life, the same one stays with everybody, in whatever order and under whatever numbers they come', () => {
    const faces = [
      [alive('bob', 1, 0), renamed(1, 0)],
      [alive('bob', 1, 4), renamed(1, 0)],
      [alive('bob', 1, 0), renamed(1, 4)],
    ] as const
    for (const [one, other] of faces) {
      const held = [
        [one, other],
        [other, one],
      ].map(([first, then]) => {
        const puppet = acquainted()
        puppet.state.members.delete('bob')
        puppet.state.others = puppet.state.others.filter(id => id !== 'bob')
        puppet.hear('ann', gossip(first!))
        expect(told(puppet.hear('carl', gossip(then!)))).toContainEqual({
          kind: 'misbehaved',
          member: 'bob',
          how: 'two-faced',
        })
        return puppet.state.members.get('bob')!.alive
      })
      expect(held[0]).toEqual(held[1])
      expect(held[0]!.identity).toEqual(group.settings('bob').identity)
    }
  })
  it('that is not the one known here does not make a forger of who passes on what was signed with it', () => {
    const puppet = acquainted()
    puppet.hear('ann', gossip(renamed(1, 0)))
    const words = { kind: 'attributes', member: 'bob', boot: 1, version: 3, values: [] } as const
    for (const version of [3, 4, 5, 6])
      puppet.hear('ann', gossip(signClaim('simulated', signer, { ...words, version })))
    expect(puppet.state.refusals.forged).toBe(4)
    expect(puppet.state.peers.get('ann')!.forged).toBe(0)
    // Its own forgeries are its own.
    puppet.hear('bob', gossip(signClaim('simulated', signer, { ...words, version: 7 })))
    expect(puppet.state.peers.get('bob')!.forged).toBe(1)
  })
  it('in which somebody else says that one lives is answered with a new life', () => {
    const puppet = acquainted()
    const { boot } = puppet.state
    const usurper = group.second('self')
    const own = {
      kind: 'alive',
      member: 'self',
      incarnation: incarnationOf(boot, 0),
      address: 'x:1',
      keys: [],
    } as const
    puppet.hear('eve', gossip(signClaim('simulated', usurper.signer, { ...own, identity: usurper.identity })))
    expect(puppet.state.boot).toBe(boot + 1)
  })
  // Whichever of the two is heard first: the second word under one number proves the lie, taken or not.
  it('says one thing under one number: who says two is named, in whatever order they come, and the same one stays', () => {
    const words = [alive('bob', 1, 3), signed('bob', { ...alive('bob', 1, 3), address: 'elsewhere:1' } as never)]
    const held = [words, [...words].reverse()].map(([first, then]) => {
      const puppet = acquainted()
      puppet.hear('bob', gossip(first!))
      const out = told(puppet.hear('bob', gossip(then!)))
      expect(out).toContainEqual({ kind: 'misbehaved', member: 'bob', how: 'two-faced' })
      return puppet.state.members.get('bob')!.alive
    })
    expect(held[0]).toEqual(held[1])
  })
  it('changes with a new life', () => {
    const puppet = acquainted()
    puppet.hear('bob', gossip(renamed(2, 0)))
    expect(puppet.state.members.get('bob')!.key).toEqual(signer.publicKey)
  })
})

describe('the number of a life', () => {
  // A member that crashed in between would use it again, and its first words would be old.
  it('is asked of the disk before anything else happens: at the start, and above a life that was forgotten', () => {
    const puppet = acquainted()
    const first = (out: ReturnType<typeof puppet.start>) => out.map(({ kind }) => kind)[0]
    expect(first(puppet.restart())).toBe('snapshot')
    expect(first(puppet.hear('ann', gossip(alive('self', 7, 3))))).toBe('snapshot')
  })
})
