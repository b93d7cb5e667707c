// protocols/slots 10, who leads the ballots among liars: whoever hurries, or says one thing to some and another to others, must
// not keep the honest leaders from their turns. Member c alone, of five of whom one may lie.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import { slotsRules } from './rules.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'], liars: 1 }
const { patience, settle, beat } = settings
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const first = firstRecord(settings, members, group.name)
const same: EpochRecord = { ...first, number: 1, previous: recordHash(first) }
const turned: EpochRecord = { ...same, members: [...members.slice(1), ...members.slice(0, 1)] }
/** Longer than all have led once. */
const ROUND = names.length * patience

type Words = Record<string, unknown> & { kind: string }

/** Restarted or not: b did, and there is a reason for another epoch. */
function listener(rules = slotsRules, saved: readonly Uint8Array[] = []) {
  const machine = slotsMember({ settings, members, group, signer: signatures.signer('c'), signatures, rules })
  const state = machine.init('c', names, saved.length === 0 ? NOTHING_SAVED : new Map([['', saved]]))
  const random = seededRandom(1)
  const [said, kept]: [SlotsMessage[], Uint8Array[]] = [[], []]
  const step = (input: Parameters<typeof machine.step>[1], now: number) =>
    machine.step(state, input, {
      now,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do(effect) {
        if (effect.kind === 'send') said.push(effect.body)
        if (effect.kind === 'save') kept.push(effect.record)
      },
    })
  const hears = (author: string, words: Words, now = settle) => {
    const unsigned = { ...words, author, epoch: recordHash(first), round: 0, signature: new Uint8Array() }
    const body = unsigned as unknown as SlotsMessage
    const signature = signatures.signer(author).sign(signedBytes(body))
    step({ kind: 'message', from: author, body: { ...body, signature } }, now)
  }
  const proposes = (author: string, ballot: number, record = same, now = settle) =>
    hears(author, { kind: 'propose', ballot, record, favoured: undefined }, now)
  const favours = (author: string, ballot: number, record = same) =>
    hears(author, { kind: 'favour', ballot, record: recordHash(record) })
  const favoured = (ballot: number) => said.some(word => word.kind === 'favour' && word.ballot === ballot)
  const looks = (now: number) => step({ kind: 'timer', name: 'beat' }, now)
  step({ kind: 'start' }, 0)
  hears('b', { kind: 'petition', number: 0, leaving: false })
  return { state, said, kept, proposes, favours, favoured, looks }
}

describe('a leader in a hurry', () => {
  it('is heard again when the others had their turns, and not before', () => {
    const member = listener()
    member.proposes('a', 5)
    member.proposes('a', 10)
    expect([member.favoured(5), member.favoured(10)]).toEqual([true, false])
    member.proposes('d', 8)
    expect(member.favoured(8)).toBe(true)
    member.proposes('a', 10, same, settle + ROUND)
    expect(member.favoured(10)).toBe(true)
  })
  it('planted: heard at once, it would lead alone', () => {
    const member = listener({ ...slotsRules, hearsHasty: () => true })
    member.proposes('a', 5)
    member.proposes('a', 10)
    expect(member.favoured(10)).toBe(true)
  })
})

describe('a leader that proposes two records in one ballot', () => {
  it('is not heard any more, and everybody is shown both', () => {
    const member = listener()
    member.proposes('a', 5)
    member.said.length = 0
    member.proposes('a', 5, turned)
    const shown = member.said.filter(word => word.kind === 'propose').map(({ record }) => record.members[0]!.name)
    expect(shown.sort()).toEqual([...Array(4).fill('a'), ...Array(4).fill('b')])
    member.proposes('a', 10, same, settle + ROUND)
    expect(member.favoured(10)).toBe(false)
  })
  it('what a member favours it passes on: nobody can propose to some only', () => {
    const member = listener()
    member.proposes('a', 5)
    const passedOn = member.said.filter(word => word.kind === 'propose' && word.author === 'a')
    expect(passedOn.length).toBe(4)
  })
})

describe('ballots that others are past', () => {
  it('are left behind where b + 1 are ahead, for one of them is honest', () => {
    const member = listener()
    member.favours('a', 40)
    expect(member.state.epoch.succession.ballot).toBe(0)
    member.favours('b', 30)
    expect(member.state.epoch.succession.ballot).toBe(30)
  })
  it('their number makes them no longer: a liar may take us to any', () => {
    const member = listener()
    member.proposes('a', 500)
    expect(member.state.epoch.succession.ballot).toBe(500)
    member.looks(settle + patience)
    expect(member.state.epoch.succession.ballot).toBe(501)
  })
  it('whoever restarted is led less far by one alone, so that the others can follow it', () => {
    const [member, blind] = [listener(), listener(slotsRules, listener().kept)]
    for (const one of [member, blind]) one.proposes('a', 700)
    expect([member.favoured(700), blind.favoured(700)]).toEqual([true, false])
  })
  it('whoever restarted proposes, in its own, what b + 1 of the others favoured last', () => {
    const member = listener(slotsRules, listener().kept)
    expect(member.state.epoch.barred).toBe(true)
    member.proposes('a', 500)
    member.proposes('e', 9)
    for (const author of ['a', 'b', 'd']) member.favours(author, 9)
    member.proposes('d', 3, turned)
    member.said.length = 0
    const leads = () => {
      for (let at = settle; member.said.every(word => word.kind !== 'propose'); at += beat) member.looks(at)
      return member.said.find(word => word.kind === 'propose')!
    }
    for (const author of ['a', 'd']) member.favours(author, 3, turned)
    expect(leads()).toMatchObject({ author: 'c', ballot: 502, record: turned })
  })
})
