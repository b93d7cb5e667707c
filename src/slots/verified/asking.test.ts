// Who is silent, and for how long: a member that waits for a key, on its own clock.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { slotsRules } from './rules.ts'
import type { SlotsEvent } from './state.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const names = ['a', 'b', 'c']
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'] }
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const { patience, beat } = settings

/** A member alone. */
function alone(self: string, rules = slotsRules) {
  const machine = slotsMember({ settings, members, group, signer: signatures.signer(self), signatures, rules })
  const state = machine.init(self, names, NOTHING_SAVED)
  const random = seededRandom(self.charCodeAt(0))
  const said: SlotsMessage[] = []
  const told: SlotsEvent[] = []
  const step = (input: Parameters<typeof machine.step>[1], now: number) =>
    machine.step(state, input, {
      now,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do(effect) {
        if (effect.kind === 'send') said.push(effect.body)
        if (effect.kind === 'emit') told.push(effect.event)
      },
    })
  step({ kind: 'start' }, 0)
  return { state, said, told, step }
}

/** Member a hears of b at once, and of c when its patience is over; whom it calls silent then, and a while later. */
function lateKey(rules = slotsRules) {
  const { state, told, step } = alone('a', rules)
  const hear = (from: string, now: number) => {
    const body = alone(from).said.find(({ kind }) => kind === 'key')!
    step({ kind: 'message', from, body }, now)
  }
  const look = (now: number) => {
    step({ kind: 'timer', name: 'beat' }, now)
    return [...state.epoch.silent.keys()]
  }
  hear('b', 0)
  const waiting = [look(beat), look(beat + patience)]
  const over = look(2 * beat + patience)
  const events = told.filter(({ kind }) => kind === 'silent')
  hear('c', 2 * beat + patience)
  const spoke = [look(3 * beat + patience), look(2 * patience)]
  return { waiting, over, spoke, later: look(2.5 * beat + 2 * patience), events }
}

describe('silence', () => {
  it('is called so when the patience is over, and told once', () => {
    const { waiting, over, events } = lateKey()
    expect(waiting).toEqual([[], []])
    expect(over).toEqual([2])
    expect(events).toEqual([{ kind: 'silent', members: ['c'] }])
  })
  it('outlasts the word that breaks it by another patience, so that the others can agree', () => {
    const { spoke, later } = lateKey()
    expect(spoke[0]).toContain(2)
    expect(spoke[1]).toContain(2)
    // By then it owes the next word, and not yet for too long.
    expect(later).not.toContain(2)
  })
  it('planted: forgiven at once, it is over before anybody could agree', () => {
    expect(lateKey({ ...slotsRules, silenceLasts: () => 0 }).spoke[0]).not.toContain(2)
  })
})

describe('beside a proven cheat', () => {
  /** Member a misses the key of c for too long; of b it has evidence, or knows from an earlier life. */
  const missing = (evidence: Uint8Array, rules = slotsRules) => {
    const { state, step } = alone('a', rules)
    state.cheats.set('b', evidence)
    for (const now of [beat, 2 * beat + patience]) step({ kind: 'timer', name: 'beat' }, now)
    return [...state.epoch.silent.keys()]
  }
  it('nobody is called silent: what others owe may be its doing, and all must agree on who goes (seed 300367)', () => {
    expect(missing(new Uint8Array([1]))).toEqual([])
  })
  it('but if there is nothing to show to the others, whoever is missed is', () => {
    expect(missing(new Uint8Array())).toContain(2)
  })
  it('planted: each half of a ring misses another member, and they never agree', () => {
    expect(missing(new Uint8Array([1]), { ...slotsRules, callsSilent: () => true })).toContain(2)
  })
})

describe('words that do not fit', () => {
  it('are compared whenever they come again: what was shown in answer may be lost (seed 300367)', () => {
    const { said, step } = alone('a')
    const hears = (body: SlotsMessage) => step({ kind: 'message', from: body.author, body }, beat)
    for (const from of ['b', 'c']) hears(alone(from).said.find(({ kind }) => kind === 'key')!)
    const own = said.find(({ kind }) => kind === 'ready')!
    // Somebody showed b another key.
    const other = { ...own, author: 'b', keys: new Uint8Array(32) }
    const body = { ...other, signature: signatures.signer('b').sign(signedBytes(other)) }
    const shown = () => {
      said.length = 0
      hears(body)
      return said.map(({ kind, author }) => `${kind} of ${author}`)
    }
    const keys = names.map(name => `key of ${name}`)
    expect([shown(), shown()]).toEqual([keys, keys])
  })
})

describe('an epoch goes live when all named the same keys (S13)', () => {
  /** Member a with all keys; what b and c say that they agree to. */
  const agreeing = (ofB: (keys: Uint8Array) => Uint8Array, ofC: (keys: Uint8Array) => Uint8Array) => {
    const { state, said, step } = alone('a')
    const hears = (body: SlotsMessage) => step({ kind: 'message', from: body.author, body }, beat)
    for (const from of ['b', 'c']) hears(alone(from).said.find(({ kind }) => kind === 'key')!)
    const own = said.find(word => word.kind === 'ready')!
    for (const [author, keysOf] of [['b', ofB] as const, ['c', ofC] as const]) {
      const words = { ...own, author, keys: keysOf(own.keys) }
      hears({ ...words, signature: signatures.signer(author).sign(signedBytes(words)) })
    }
    return state.epoch
  }
  const same = (keys: Uint8Array) => keys
  const other = (keys: Uint8Array) => keys.map((byte, place) => (place === 31 ? byte ^ 1 : byte))
  it('not if one of them named others, in one bit', () => {
    expect(agreeing(same, same)).toMatchObject({ live: true, liveAt: beat })
    expect(agreeing(same, other)).toMatchObject({ live: false, keys: [] })
    expect(agreeing(other, same)).toMatchObject({ live: false, keys: [] })
    expect(agreeing(other, other)).toMatchObject({ live: false, keys: [] })
  })
  it('not if one named only the beginning of it, or nothing', () => {
    expect(agreeing(same, keys => keys.slice(0, 31)).live).toBe(false)
    expect(agreeing(same, () => new Uint8Array()).live).toBe(false)
  })
})
