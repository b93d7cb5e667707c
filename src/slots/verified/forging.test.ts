// Who brings a word that its author did not sign: it is named by whoever it was brought to, and nobody else is.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { slotsRules as rules } from './rules.ts'
import type { SlotsEvent } from './state.ts'
import { hasReason, isAcceptable, seesReason, wishedRecord } from './successor.ts'
import type { SlotsMessage } from './wire.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'], liars: 1 }
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))

function alone(self: string) {
  const options = { settings, members, group, signer: signatures.signer(self), signatures }
  const machine = slotsMember(options)
  const state = machine.init(self, names, NOTHING_SAVED)
  const random = seededRandom(self.charCodeAt(0))
  const said: SlotsMessage[] = []
  const told: SlotsEvent[] = []
  const step = (input: Parameters<typeof machine.step>[1]) =>
    machine.step(state, input, {
      now: 1_000,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do(effect) {
        if (effect.kind === 'send') said.push(effect.body)
        if (effect.kind === 'emit') told.push(effect.event)
      },
    })
  step({ kind: 'start' })
  const hear = (from: string, body: SlotsMessage) => step({ kind: 'message', from, body })
  const named = () => told.flatMap(event => (event.kind === 'forged' ? [event.member] : []))
  return { state, said, hear, named }
}

const keyOf = (name: string) => alone(name).said.find(({ kind }) => kind === 'key')!
/** Signed, and then changed. */
const changed = (name: string): SlotsMessage => ({ ...keyOf(name), signature: new Uint8Array(64) })

describe('a word that its author did not sign', () => {
  it('names who brought it in its own name, once', () => {
    const a = alone('a')
    a.hear('b', changed('b'))
    a.hear('b', changed('b'))
    expect(a.named()).toEqual(['b'])
  })
  it('names who brought it, and not in whose name', () => {
    const a = alone('a')
    a.hear('b', changed('c'))
    expect(a.named()).toEqual(['b'])
  })
  it.each([
    ['a word of another, as it was signed', () => keyOf('c')],
    ['a word of somebody whom we do not know', () => ({ ...keyOf('c'), author: 'z' })],
    ['a word in our own name', () => changed('a')],
    ['a word of another epoch', () => ({ ...changed('c'), epoch: new Uint8Array(32) })],
  ])('%s names nobody', (_what, word) => {
    const a = alone('a')
    a.hear('b', word())
    expect(a.named()).toEqual([])
  })
  it('from outside the ring names nobody: it has no place to lose', () => {
    const a = alone('a')
    a.hear('z', changed('c'))
    expect(a.named()).toEqual([])
  })
})

describe('who was brought such a word', () => {
  const settled = (scene: ReturnType<typeof sceneOf>) => wishedRecord(scene)!.members.map(({ name }) => name)
  const f = { name: 'f', identity: signatures.signer('f').publicKey }
  const sceneOf = (self: ReturnType<typeof alone>, now = 1_000) => {
    const turn = { now, below: () => 0, bytes: (length: number) => new Uint8Array(length), do: () => {} }
    const machine = { group, signer: signatures.signer('a'), signatures, directory: [...members, f] }
    return { ...machine, settings, state: self.state, turn, rules, first: self.state.epoch.record }
  }
  it('would go on without the one who brought it', () => {
    const a = alone('a')
    expect(hasReason(sceneOf(a))).toBe(false)
    a.hear('b', changed('b'))
    expect(hasReason(sceneOf(a))).toBe(true)
    expect(settled(sceneOf(a))).toEqual(['a', 'c', 'd', 'e'])
  })
  it('does not insist on it: the others may have seen nothing, and a liar must not keep them from agreeing', () => {
    const a = alone('a')
    a.hear('b', changed('b'))
    const { record } = a.state.epoch
    const gone = (name: string) => {
      const left = record.members.filter(member => member.name !== name)
      return { ...record, number: 1, previous: a.state.epoch.hash, members: left }
    }
    // d is silent for all; without it, b may stay.
    a.state.epoch.silent.set(3, 1_000)
    expect(isAcceptable(sceneOf(a), gone('d'))).toBe(true)
    expect(isAcceptable(sceneOf(a), gone('c'))).toBe(false)
  })
  it('nor where somebody waits outside: the others let it in, and the one who forges may stay', () => {
    const a = alone('a')
    a.hear('b', changed('b'))
    const { hash, record } = a.state.epoch
    const words = { kind: 'petition', author: 'f', epoch: hash, round: 0, number: 0, leaving: false } as const
    a.state.petitions.set('f', { ...words, signature: new Uint8Array(64) })
    const later = sceneOf(a, 1_000 + settings.settle)
    const joined = { ...record, number: 1, previous: hash, members: [...record.members, f] }
    expect(isAcceptable(later, joined)).toBe(true)
    expect(isAcceptable(later, { ...joined, members: record.members })).toBe(false)
  })
  it('sees no reason in it for an epoch with the same members', () => {
    const a = alone('a')
    a.hear('b', changed('b'))
    const same = { ...a.state.epoch.record, number: 1, previous: a.state.epoch.hash }
    expect(seesReason(sceneOf(a), same)).toBe(false)
    expect(seesReason(sceneOf(a), { ...same, members: same.members.filter(({ name }) => name !== 'b') })).toBe(true)
  })
})
