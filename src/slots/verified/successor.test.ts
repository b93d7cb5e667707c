// protocols/slots 10, who is in the next epoch: n ≥ 3b + 1 decide on it, and of these at least so many hold tickets that
// every quorum has an honest one among them.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { newEpoch } from './epoch.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import { slotsRules } from './rules.ts'
import type { MemberState, SlotsScene } from './state.ts'
import { hasReason, isAcceptable, wishedRecord } from './successor.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'], liars: 1 }
const everybody = ['a', 'b', 'c', 'd', 'e'].map(name => ({ name, identity: signatures.signer(name).publicKey }))
const four = firstRecord(settings, everybody.slice(0, 4), group.name)
const five = firstRecord(settings, everybody, group.name)
const NOW = 10 * settings.settle
/** The epoch has not lived for long. */
const EARLY = settings.settle - 1

const machineOf = (self: string) =>
  slotsMember({ settings, members: everybody, group, signer: signatures.signer(self), signatures })

/** What a member sees that is in this state at this time; it says nothing. */
function sceneOf(self: string, state: MemberState, now: number): SlotsScene {
  const signer = signatures.signer(self)
  const turn = { now, below: () => 0, bytes: (length: number) => new Uint8Array(length), do: () => {} }
  return { settings, group, signer, signatures, directory: everybody, first: four, rules: slotsRules, state, turn }
}

interface Seen {
  readonly silent?: readonly string[]
  readonly back?: readonly string[]
  readonly cheats?: readonly string[]
}

function stateOf(self: string, record: EpochRecord, { silent = [], back = [], cheats = [] }: Seen = {}): MemberState {
  const state = machineOf(self).init(self, [], NOTHING_SAVED)
  state.epoch = newEpoch(self, record, false, 0, 0)
  for (const name of silent)
    state.epoch.silent.set(
      record.members.findIndex(member => member.name === name),
      0,
    )
  for (const name of cheats) state.cheats.set(name, new Uint8Array([1]))
  for (const author of back) {
    const words = { kind: 'petition', author, epoch: state.epoch.hash, round: 0, number: 0, leaving: false } as const
    state.petitions.set(author, { ...words, signature: new Uint8Array() })
  }
  return state
}

const named = (list: string) => everybody.filter(({ name }) => list.includes(name))
const nextOf = (record: EpochRecord, members: string, absent: string, liars = 1): EpochRecord => ({
  ...record,
  number: record.number + 1,
  previous: recordHash(record),
  members: named(members),
  absent: named(absent),
  liars,
})
/** Of four, d fell silent. */
const short = nextOf(four, 'abc', 'd')

describe('the record that a member proposes', () => {
  it.each<readonly [string, EpochRecord, Seen, EpochRecord | undefined]>([
    ['a silent member that the vote can spare is gone', five, { silent: ['e'] }, nextOf(five, 'abcd', '')],
    ['one that it cannot spare is absent, and the others go on', four, { silent: ['d'] }, short],
    ['a second one cannot go: two members hide nothing', four, { silent: ['c', 'd'] }, undefined],
    ['who is back takes its place again', short, { back: ['d'] }, nextOf(short, 'abcd', '')],
    ['who is back helps to leave out another', short, { silent: ['c'], back: ['d'] }, nextOf(short, 'abd', 'c')],
    ['a cheat goes for good, and b becomes smaller', four, { cheats: ['d'] }, nextOf(four, 'abc', '', 0)],
    ['also one that is absent', short, { cheats: ['d'] }, nextOf(short, 'abc', '', 0)],
  ])('%s', (_what, record, seen, expected) => {
    expect(wishedRecord(sceneOf('a', stateOf('a', record, seen), NOW))).toEqual(expected)
  })
})

describe('a restart is a reason for another epoch', () => {
  const counts = (record: EpochRecord, seen: Seen, now: number) =>
    hasReason(sceneOf('a', stateOf('a', record, seen), now))

  it('once the present one has lived for a while', () => {
    expect(counts(short, { back: ['c'] }, NOW)).toBe(true)
    expect(counts(short, {}, NOW)).toBe(false)
  })
  it('before that only if the others can go on without it: a ring of three cannot (seed 410016)', () => {
    expect(counts(short, { back: ['c'] }, EARLY)).toBe(false)
    expect(counts(five, { back: ['c'] }, EARLY)).toBe(true)
    expect(wishedRecord(sceneOf('a', stateOf('a', five, { back: ['c'] }), EARLY))).toEqual(nextOf(five, 'abde', ''))
  })
  it('at once where nobody lies', () => {
    const three = firstRecord({ ...settings, liars: 0 }, everybody.slice(0, 3), group.name)
    expect(counts(three, { back: ['c'] }, EARLY)).toBe(true)
    expect(wishedRecord(sceneOf('a', stateOf('a', three, { back: ['c'] }), EARLY))).toEqual(nextOf(three, 'abc', '', 0))
  })
  it('and whoever restarted indeed is missed: then it may go, or come again', () => {
    expect(counts(short, { silent: ['c'], back: ['c'] }, EARLY)).toBe(true)
  })
})

describe('who comes in', () => {
  const wished = (seen: Seen, now: number) => wishedRecord(sceneOf('a', stateOf('a', short, seen), now))

  it('waits until the epoch has lived for a while', () => {
    expect(wished({ back: ['d'] }, EARLY)).toEqual(nextOf(short, 'abc', 'd'))
    expect(wished({ back: ['d'] }, NOW)).toEqual(nextOf(short, 'abcd', ''))
  })
  it('does not wait where the others are too few without it', () => {
    expect(wished({ silent: ['c'], back: ['d'] }, EARLY)).toEqual(nextOf(short, 'abd', 'c'))
  })
})

describe('the record that a member accepts', () => {
  const accepts = (self: string, record: EpochRecord, seen: Seen, proposed: EpochRecord, now = NOW) =>
    isAcceptable(sceneOf(self, stateOf(self, record, seen), now), proposed)

  it('is one that leaves out whom it misses itself', () => {
    expect(accepts('a', four, { silent: ['d'] }, short)).toBe(true)
    expect(accepts('a', four, {}, short)).toBe(false)
  })
  it('does something about the reason: whoever can be spared and is missed does not stay', () => {
    expect(accepts('a', five, { silent: ['e'] }, nextOf(five, 'abcde', ''))).toBe(false)
    expect(accepts('a', five, { silent: ['d', 'e'] }, nextOf(five, 'abcd', ''))).toBe(true)
    // Too few are left to know better, and d may have restarted.
    expect(accepts('a', short, { silent: ['c'] }, nextOf(short, 'abc', 'd'))).toBe(true)
  })
  it('has everybody in it who waits outside, and nobody who waits for too short a time', () => {
    const all = nextOf(short, 'abcd', '')
    expect(accepts('a', short, { back: ['d'] }, all)).toBe(true)
    expect(accepts('a', short, { back: ['d'] }, nextOf(short, 'abc', 'd'))).toBe(false)
    expect(accepts('a', short, { back: ['d'] }, all, EARLY)).toBe(false)
  })
  it('of a member that is silent and says that it restarted: with it and, if others go without it, without it', () => {
    const seen = { silent: ['e'], back: ['e'] }
    expect(accepts('a', five, seen, nextOf(five, 'abcde', ''))).toBe(true)
    expect(accepts('a', five, seen, nextOf(five, 'abcd', ''))).toBe(true)
    // The second time it has to go.
    expect(accepts('a', five, seen, nextOf(five, 'abcde', ''), EARLY)).toBe(false)
    expect(accepts('a', five, seen, nextOf(five, 'abcd', ''), EARLY)).toBe(true)
  })
  it('seen from outside: whoever is absent has seen nothing, and trusts the others', () => {
    expect(accepts('d', short, { back: ['d'] }, nextOf(short, 'abd', 'c'))).toBe(true)
  })
  it.each([
    ['with a vote fewer', four, nextOf(four, 'abc', '')],
    ['with the vote of somebody who is no member', four, nextOf(four, 'abc', 'de')],
    ['with two votes for one', four, { ...short, absent: [...short.absent, ...short.absent] }],
    ['with a member of the ring among the absent', four, nextOf(four, 'abc', 'cd')],
    ['with an absent one that the vote can spare', five, nextOf(five, 'abcd', 'e')],
    ['with a ring that a quorum may have no honest member of', four, nextOf(four, 'ab', 'cd')],
  ])('is not one %s', (_what, record, proposed) => {
    const silent = ['b', 'c', 'd', 'e'].filter(name => record.members.some(member => member.name === name))
    expect(accepts('a', record, { silent }, proposed)).toBe(false)
  })
})

describe('who votes', () => {
  /** d hears a's proposal to go on as it is, and that so many favour it. */
  function asked(record: EpochRecord, favouring: readonly string[]): readonly SlotsMessage[] {
    const state = stateOf('d', record)
    const said: SlotsMessage[] = []
    const random = seededRandom(1)
    const next = { ...record, number: record.number + 1, previous: recordHash(record) }
    const hears = (author: string, words: Record<string, unknown>) => {
      const about = { author, epoch: recordHash(record), round: 0, ballot: 0, signature: new Uint8Array() }
      const unsigned = { ...words, ...about } as unknown as SlotsMessage
      const body = { ...unsigned, signature: signatures.signer(author).sign(signedBytes(unsigned)) }
      const turn = { now: NOW, below: (bound: number) => random.below(bound) }
      machineOf('d').step(
        state,
        { kind: 'message', from: author, body },
        {
          ...turn,
          bytes: length => random.bytes(length),
          do: effect => void (effect.kind === 'send' && said.push(effect.body)),
        },
      )
    }
    hears('a', { kind: 'propose', record: next, favoured: undefined })
    for (const author of favouring) hears(author, { kind: 'favour', record: recordHash(next) })
    return said
  }
  it('whoever is absent does, and tells everybody, with what was proposed', () => {
    const toEach = ['a', 'b', 'c']
    const said = asked(short, ['a', 'c']).map(({ kind }) => kind)
    expect(said.slice(0, 6)).toEqual([...toEach.map(() => 'propose'), ...toEach.map(() => 'favour')])
  })
  it('but only with b + 1 of the others, one of whom is honest: it has seen nothing itself', () => {
    expect(asked(short, ['a'])).toEqual([])
  })
  it('whoever is outside does not: its own favour must not count for itself', () => {
    expect(asked(nextOf(five, 'abce', ''), ['a', 'b'])).toEqual([])
  })
})
