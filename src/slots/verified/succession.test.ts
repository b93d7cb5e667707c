// protocols/slots 10, one successor: what a member promises when it signs, message by message.

import { describe, expect, it } from 'vitest'
import { type Effect, NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import { type SlotsRules, slotsRules } from './rules.ts'
import type { MemberState, SlotsEvent } from './state.ts'
import { type Favoured, type SlotsMessage, signedBytes } from './wire.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'] }
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const first = firstRecord(settings, members, group.name)
const epoch = recordHash(first)
/** All stay; and e leaves. */
const same: EpochRecord = { ...first, number: 1, previous: epoch }
const without: EpochRecord = { ...same, members: members.slice(0, 4) }

/** The epoch has lived for a while: a restart is a reason for another. */
const LATER = settings.settle

type Words = Record<string, unknown> & { kind: string }

function by(author: string, words: Words): SlotsMessage {
  const unsigned = { ...words, author, epoch, round: 0, signature: new Uint8Array() } as unknown as SlotsMessage
  return { ...unsigned, signature: signatures.signer(author).sign(signedBytes(unsigned)) }
}

/** Member c alone: what it is told, and what it says and saves. */
class Listener {
  readonly said: SlotsMessage[] = []
  readonly done: string[] = []
  readonly saved: Uint8Array[] = []
  readonly state: MemberState
  private readonly machine
  private readonly random = seededRandom(1)

  constructor(rules: SlotsRules = slotsRules, saved: readonly Uint8Array[] = []) {
    this.machine = slotsMember({ settings, members, group, signer: signatures.signer('c'), signatures, rules })
    this.state = this.machine.init('c', names, saved.length === 0 ? NOTHING_SAVED : new Map([['', saved]]))
    this.step({ kind: 'start' })
  }

  hears(author: string, words: Words): void {
    this.step({ kind: 'message', from: author, body: by(author, words) }, LATER)
  }

  /** Whether it sent such a word to anybody. */
  says(kind: string, ballot: number): boolean {
    return this.said.some(word => word.kind === kind && 'ballot' in word && word.ballot === ballot)
  }

  private step(input: Parameters<typeof this.machine.step>[1], now = 0): void {
    this.machine.step(this.state, input, {
      now,
      below: bound => this.random.below(bound),
      bytes: length => this.random.bytes(length),
      do: (effect: Effect<SlotsMessage, SlotsEvent>) => {
        this.done.push(effect.kind === 'send' ? effect.body.kind : effect.kind)
        if (effect.kind === 'send') this.said.push(effect.body)
        if (effect.kind === 'save') this.saved.push(effect.record)
      },
    })
  }
}

/** Somebody restarted: there is a reason for another epoch, with the same members. */
function withReason(): Listener {
  const member = new Listener()
  member.hears('b', { kind: 'petition', number: 0, leaving: false })
  return member
}

function locked(rules?: SlotsRules): Listener {
  const member = new Listener(rules)
  member.hears('b', { kind: 'petition', number: 0, leaving: false })
  member.hears('a', { kind: 'propose', ballot: 0, record: same, favoured: undefined })
  for (const author of ['a', 'b']) member.hears(author, { kind: 'favour', ballot: 0, record: recordHash(same) })
  return member
}

function favours(authors: readonly string[], ballot: number, record: EpochRecord): Favoured {
  const said = { kind: 'favour', ballot, record: recordHash(record) }
  return { ballot, signatures: authors.map(author => ({ author, signature: by(author, said).signature })) }
}

describe('favouring', () => {
  it('an acceptable record is favoured once a ballot, and saved before it is said', () => {
    const member = withReason()
    member.hears('a', { kind: 'propose', ballot: 0, record: same, favoured: undefined })
    member.hears('a', {
      kind: 'propose',
      ballot: 0,
      record: { ...same, members: members.slice(1) },
      favoured: undefined,
    })
    const said = member.said.filter(word => word.kind === 'favour')
    expect(said.length).toBe(4)
    expect(new Set(said.map(word => 'record' in word && String(word.record))).size).toBe(1)
    expect(member.done.indexOf('favour')).toBeGreaterThan(member.done.lastIndexOf('save'))
  })
  it('without a reason that it sees itself, none is: each costs a lease', () => {
    const member = new Listener()
    member.hears('a', { kind: 'propose', ballot: 0, record: same, favoured: undefined })
    expect(member.says('favour', 0)).toBe(false)
  })
  it('also in a ballot that its own clock is past, but never in one before what it favoured', () => {
    const member = withReason()
    member.hears('b', { kind: 'propose', ballot: 6, record: same, favoured: undefined })
    expect(member.says('favour', 6)).toBe(true)
    member.hears('a', { kind: 'propose', ballot: 5, record: same, favoured: undefined })
    expect(member.says('favour', 5)).toBe(false)
    const ahead = withReason()
    ahead.state.epoch.succession.ballot = 9
    ahead.hears('b', { kind: 'propose', ballot: 6, record: same, favoured: undefined })
    expect(ahead.says('favour', 6)).toBe(true)
  })
  it.each([
    ['from somebody who does not lead the ballot', 'b', same],
    ['that leaves out somebody we miss nothing from', 'a', without],
    ['with other slots', 'a', { ...same, slots: ['north', 'south'] }],
    ['with another lease', 'a', { ...same, lease: 1 }],
    ['of another number', 'a', { ...same, number: 2 }],
    ['of another past', 'a', { ...same, previous: new Uint8Array(32) }],
    ['with a stranger', 'a', { ...same, members: [...members, { name: 'z', identity: members[0]!.identity }] }],
    [
      'with another key for a member',
      'a',
      { ...same, members: members.map(one => ({ ...one, identity: members[0]!.identity })) },
    ],
    ['with one member twice', 'a', { ...same, members: [...members, members[0]!] }],
    ['with too few members', 'a', { ...same, members: members.slice(1, 3) }],
  ])('a record %s is not', (_what, author, record) => {
    const member = withReason()
    member.hears(author, { kind: 'propose', ballot: 0, record, favoured: undefined })
    expect(member.says('favour', 0)).toBe(false)
  })
})

describe('signing', () => {
  it('with a quorum of favours: saved first, and no share is given afterwards', () => {
    const member = locked()
    expect(member.says('sign', 0)).toBe(true)
    expect(member.done.indexOf('sign')).toBeGreaterThan(member.done.lastIndexOf('save'))
    expect(member.state.epoch.closed).toBe(true)
  })
  it('with one fewer: not', () => {
    const member = withReason()
    member.hears('a', { kind: 'propose', ballot: 0, record: same, favoured: undefined })
    member.hears('a', { kind: 'favour', ballot: 0, record: recordHash(same) })
    member.hears('a', { kind: 'favour', ballot: 0, record: recordHash(same) })
    expect(member.says('sign', 0)).toBe(false)
  })
})

describe('a lock', () => {
  const other = { kind: 'propose', ballot: 1, record: without, favoured: undefined }

  it('holds against another record, and the refusal shows it', () => {
    const member = locked()
    member.hears('b', other)
    expect(member.says('favour', 1)).toBe(false)
    const refusal = member.said.find(word => word.kind === 'refuse')
    expect(refusal).toMatchObject({ record: same, favoured: { ballot: 0 } })
  })
  it('planted: forgotten, it lets a second successor be favoured', () => {
    const member = locked({ ...slotsRules, mayLetGo: () => true })
    member.hears('b', other)
    expect(member.says('favour', 1)).toBe(true)
  })
  it('survives a restart, and so does the ballot', () => {
    const again = new Listener(slotsRules, locked().saved)
    again.hears('e', { kind: 'petition', number: 0, leaving: true })
    again.hears('b', other)
    expect(again.says('favour', 1)).toBe(false)
    again.hears('a', { kind: 'propose', ballot: 0, record: same, favoured: undefined })
    expect(again.says('favour', 0)).toBe(false)
    expect(again.state.epoch).toMatchObject({ barred: true, closed: true })
  })
  it('lets go for a quorum of favours that is no older, and for nothing less', () => {
    const shown = (authors: readonly string[], ballot: number) => {
      const member = locked()
      const record = without
      member.hears('c', other)
      member.hears('d', { kind: 'propose', ballot: 3, record, favoured: favours(authors, ballot, record) })
      return member.says('favour', 3)
    }
    expect(shown(['a', 'b', 'd'], 2)).toBe(true)
    expect(shown(['a', 'b', 'b'], 2)).toBe(false)
    expect(shown(['a', 'b'], 2)).toBe(false)
  })
})

describe('signatures are looked at, one by one (S05)', () => {
  const record = recordHash(without)
  const signatureOf = (author: string, words: Words = { kind: 'sign', ballot: 2, record }) =>
    by(author, words).signature
  const genuine = (authors: readonly string[]) => authors.map(author => ({ author, signature: signatureOf(author) }))
  /** Two that are genuine, which is one too few, and what a liar adds. */
  const added = (author: string, signature: Uint8Array) => [...genuine(['a', 'b']), { author, signature }]
  const adopts = (shown: ReturnType<typeof genuine>, next: EpochRecord = without) => {
    const member = new Listener()
    member.hears('a', { kind: 'succeeded', link: { record: next, ballot: 2, signatures: shown } })
    return member.state.epoch.record.number === 1
  }

  it('a successor with a quorum of them is adopted, whoever brings it', () => {
    expect(adopts(genuine(['a', 'b', 'd']))).toBe(true)
  })
  it.each([
    ['one fewer', () => genuine(['a', 'b'])],
    ['one of them twice', () => genuine(['a', 'b', 'b'])],
    ['a made-up one', () => added('d', new Uint8Array(64).fill(7))],
    ['an empty one', () => added('d', new Uint8Array())],
    ["a's own in the name of d", () => added('d', signatureOf('a'))],
    ['a stranger', () => added('z', signatures.signer('z').sign(new Uint8Array()))],
    ['one of another ballot', () => added('d', signatureOf('d', { kind: 'sign', ballot: 1, record }))],
    [
      'one for another record',
      () => added('d', signatureOf('d', { kind: 'sign', ballot: 2, record: recordHash(same) })),
    ],
    ['a favour, which promises nothing', () => added('d', signatureOf('d', { kind: 'favour', ballot: 2, record }))],
  ])('with %s it is not', (_what, shown) => expect(adopts(shown())).toBe(false))
  it.each([
    ['of another past', { ...without, previous: new Uint8Array(32) }],
    ['of the number after the next', { ...without, number: 2 }],
  ])('nor is one %s, whatever is signed', (_what, next) => {
    const said = { kind: 'sign', ballot: 2, record: recordHash(next) }
    const shown = ['a', 'b', 'd'].map(author => ({ author, signature: signatureOf(author, said) }))
    expect(adopts(shown, next)).toBe(false)
  })

  const madeUp = { ballot: 2, signatures: names.map(author => ({ author, signature: new Uint8Array(64).fill(7) })) }
  it('a locked member lets go for no favours that are made up', () => {
    const member = locked()
    member.hears('d', { kind: 'propose', ballot: 3, record: without, favoured: madeUp })
    expect(member.says('favour', 3)).toBe(false)
  })
  it('nor is a record accepted for them that we would not have', () => {
    const member = withReason()
    member.hears('d', { kind: 'propose', ballot: 3, record: without, favoured: madeUp })
    expect(member.says('favour', 3)).toBe(false)
    member.hears('d', { kind: 'propose', ballot: 3, record: without, favoured: favours(['a', 'b', 'd'], 2, without) })
    expect(member.says('favour', 3)).toBe(true)
  })
  it('nor is it proposed by us when one who refuses shows them', () => {
    const member = locked()
    member.hears('b', { kind: 'refuse', ballot: 0, record: without, favoured: madeUp })
    expect(member.state.epoch.succession.valid?.record).toEqual(same)
    member.hears('b', { kind: 'refuse', ballot: 0, record: without, favoured: favours(['a', 'b', 'd'], 2, without) })
    expect(member.state.epoch.succession.valid?.record).toEqual(without)
  })
})
