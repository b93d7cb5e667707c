// OMA figures 1 to 3 and 7, corrected: a whole round counted, tokens opened by hand, and what is refused.

import { describe, expect, it } from 'vitest'
import { decode, type Effect, encode, NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { encrypt, groupKey, insecureBareGroup, keyPair } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import {
  type RingEvent,
  type RingMessage,
  type RingSettings,
  type RingState,
  ringDefaults,
  ringMember,
  ringRules,
  ringVocabulary,
} from './index.ts'
import { beginOr, beginRelease, countFree, orIsFree, passOr, passRelease, remainingKey } from './tokens.ts'

const group = insecureBareGroup()
const SETTINGS: RingSettings = { ...ringDefaults, slots: 2, patience: 60_000 }
const EXACT = { ...calm, delayMin: 1_000, delaySpread: 0 }

function ring(count: number, settings: RingSettings) {
  const world = new World({ seed: 3, network: EXACT })
  const members = Array.from({ length: count }, (_, place) => `member-${place}`)
  const sent: { from: string; body: RingMessage }[] = []
  const events: [string, RingEvent][] = []
  const machine = ringMember({ settings, members: count, group })
  for (const id of members) {
    const protocol: typeof machine = {
      ...machine,
      step: (state, input, turn) =>
        machine.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do(effect) {
            if (effect.kind === 'send') sent.push({ from: id, body: effect.body })
            turn.do(effect)
          },
        }),
    }
    world.add({ id, protocol, peers: members, vocabulary: ringVocabulary(group) })
  }
  world.listen((node, event) => events.push([node.spec.id, event as RingEvent]))
  for (const id of members) world.start(id)
  const count_ = (kind: RingMessage['kind'], round: number) =>
    sent.filter(({ body }) => body.kind === kind && 'round' in body && body.round === round).length
  const state = (id: string) => world.node(id).host!.state as RingState
  return { world, members, events, count: count_, state }
}

describe('a round (figures 1 to 3)', () => {
  it.each([3, 5, 8])('with n = %i costs n, 2(n - 1)², n a lap, n', n => {
    const { world, count } = ring(n, SETTINGS)
    world.run(1_000_000)
    expect(count('request', 1)).toBe(n)
    expect(count('ask', 1)).toBe((n - 1) ** 2)
    expect(count('share', 1)).toBe((n - 1) ** 2)
    expect(count('release', 1)).toBe(n)
    expect(count('newRound', 1)).toBe(n)
  })
  it('with the lottery the coordinator asks too', () => {
    const { world, count } = ring(4, { ...SETTINGS, fairness: 'lottery' })
    world.run(1_000_000)
    expect(count('ask', 0)).toBe(4 * 3)
  })
  it.each(['curious', 'strong'] as const)('%s: does not end while a slot is held', level => {
    const { world, events, members, state } = ring(4, { ...SETTINGS, slots: 4, level })
    world.command(members[2]!, { kind: 'request', id: 7 })
    world.run(1_000_000)
    const [[holder, granted]] = events.filter(([, { kind }]) => kind === 'granted') as [[string, RingEvent]]
    expect([holder, granted.kind === 'granted' && granted.id]).toEqual([members[2], 7])
    const { number } = state(members[0]!).round
    world.run(3_000_000)
    expect(state(members[0]!).round.number).toBe(number)
    world.command(members[2]!, { kind: 'release', id: 7 })
    world.run(4_000_000)
    expect(state(members[0]!).round.number).toBeGreaterThan(number + 5)
  })
  it('laps come at a pause that grows while nothing changes', () => {
    const { world, count, members } = ring(3, { ...SETTINGS, slots: 3 })
    world.command(members[0]!, { kind: 'request', id: 1 })
    world.run(1_000_000)
    // 20, 40, 80, then 160 ms: a spinning token would have gone round three hundred times.
    expect(count('release', 0)).toBeLessThan(3 * 12)
    expect(count('release', 0)).toBeGreaterThan(3 * 6)
  })
})

describe('the release token', () => {
  const means = { group, random: (length: number) => random.bytes(length) }
  const random = seededRandom(9)
  const pairs = Array.from({ length: 5 }, () => keyPair(group, means.random))
  const keys = pairs.map(({ publicKey }) => publicKey)
  const keysOf = (place: number) => ({
    secret: pairs[place]!.secret,
    remaining: remainingKey(group, keys, place),
    all: keys,
  })

  it('counts the free ones (figure 7, corrected)', () => {
    for (const held of [[], [0], [4], [1, 3], [0, 1, 2, 3, 4]]) {
      const vote = (place: number) => ({ free: !held.includes(place), ticket: place, members: 5 })
      let entries = beginRelease(means, groupKey(group, keys), vote(0))
      for (let place = 1; place < 5; place++) {
        entries = passRelease(means, keysOf(place), entries, vote(place))
      }
      expect(countFree(group, pairs[0]!.secret, entries)).toBe(5 - held.length)
    }
  })
  it('is empty exactly if all are free (the secure OR), and two holders look like one', () => {
    const lap = (held: readonly number[]) => {
      const vote = (place: number) => ({ free: !held.includes(place), veil: ringRules.veil })
      let sum = beginOr(means, groupKey(group, keys), vote(0))
      for (let place = 1; place < 5; place++) {
        sum = passOr(means, keysOf(place), sum, vote(place))
      }
      return orIsFree(group, pairs[0]!.secret, sum)
    }
    expect([[], [0], [2], [4], [0, 4], [1, 2, 3]].map(lap)).toEqual([true, false, false, false, false, false])
  })
})

describe('a member refuses', () => {
  /** Member 1 of 3, with all keys known, in round 0. */
  function lone(rules = ringRules) {
    const members = ['a', 'b', 'c']
    const machine = ringMember({ settings: SETTINGS, members: 3, group, rules })
    const state = machine.init('b', members, NOTHING_SAVED)
    const random = seededRandom(4)
    const pairs = members.map(() => keyPair(group, length => random.bytes(length)))
    const step = (from: string | undefined, body: unknown) => {
      const effects: Effect<RingMessage, RingEvent>[] = []
      const input =
        from === undefined ? { kind: 'start' as const } : { kind: 'message' as const, from, body: body as never }
      const turn = { now: 0, below: () => 0, bytes: (length: number) => random.bytes(length) }
      machine.step(state, input, { ...turn, do: effect => effects.push(effect) })
      return effects.filter(({ kind }) => kind === 'send')
    }
    step(undefined, undefined)
    for (const place of [0, 2]) step(members[place], { kind: 'key', publicKey: pairs[place]!.publicKey, again: false })
    const key = groupKey(group, state.keys as Uint8Array[])
    const ticket = () =>
      encrypt(
        group,
        key,
        group.generator,
        group.randomScalar(length => random.bytes(length)),
      )
    return { step, ticket, state }
  }
  const token = (tickets: readonly unknown[], round = 0) => ({ kind: 'request', round, tickets })

  it.each([
    ['too few tickets', 'a', 1, 0],
    ['too many tickets', 'a', 3, 0],
    ['a token from the member behind', 'c', 2, 0],
    ['a token from a stranger', 'x', 2, 0],
  ])('%s', (_, from, count, round) => {
    const { step, ticket } = lone()
    expect(step(from, token(Array.from({ length: count }, ticket), round))).toEqual([])
    // And takes the right one afterwards: one token passed on, two questions.
    expect(step('a', token([ticket(), ticket()]))).toHaveLength(3)
  })
  it('the same token twice, and one of a round that is over', () => {
    const { step, ticket } = lone()
    const right = token([ticket(), ticket()])
    step('a', right)
    expect(step('a', right)).toEqual([])
    step('a', { kind: 'newRound', round: 4 })
    expect(step('a', right)).toEqual([])
    expect(step('a', { kind: 'newRound', round: 3 })).toEqual([])
  })
  it('a share for its own ticket, and a second point of one asker; again the same is answered', () => {
    const { step, ticket, state } = lone()
    step('a', token([ticket(), ticket()]))
    const ask = (asked: unknown) => ({ kind: 'ask', round: 0, ticket: asked })
    expect(step('c', ask(state.round.ticket))).toEqual([])
    const first = ticket()
    expect(step('c', ask(first))).toHaveLength(1)
    expect(step('c', ask(ticket()))).toEqual([])
    expect(step('c', ask(first))).toHaveLength(1)
    expect(lone({ ...ringRules, mayShare: () => true }).step('c', ask(first))).toHaveLength(1)
  })
  it('another key for a member that has one', () => {
    const { step, state, ticket } = lone()
    const before = state.keys[0]
    step('a', { kind: 'key', publicKey: ticket().c1, again: false })
    expect(state.keys[0]).toBe(before)
  })
})

describe('the vocabulary', () => {
  const codec = ringVocabulary(group)
  const one = { c1: group.generator, c2: group.generator }
  it('gives back what it was given', () => {
    const messages: RingMessage[] = [
      { kind: 'key', publicKey: group.generator, again: true },
      { kind: 'request', round: 3, tickets: [one, one] },
      { kind: 'ask', round: 3, ticket: one },
      { kind: 'share', round: 3, share: group.generator },
      { kind: 'release', round: 3, lap: 2, entries: [one] },
      { kind: 'newRound', round: 4 },
    ]
    for (const message of messages) expect(decode(codec, encode(codec, message))).toEqual({ ok: true, value: message })
  })
  it.each([
    ['the identity', { kind: 'ask', round: 1, ticket: { c1: group.identity, c2: group.generator } }],
    ['a key outside the group', { kind: 'key', publicKey: new Uint8Array(8).fill(255), again: false }],
  ])('refuses %s', (_, message) => {
    expect(decode(codec, encode(codec, message as RingMessage)).ok).toBe(false)
  })
  it('refuses more tickets than a ring has members', () => {
    const tickets = new Array(65).fill(one)
    expect(() => encode(codec, { kind: 'request', round: 1, tickets })).toThrow()
  })
})

describe('the settings', () => {
  it.each([
    ['no slot', 4, { slots: 0 }, /0 slots and 4 members/],
    ['more slots than members', 4, { slots: 5 }, /5 slots and 4 members/],
    ['two members', 2, { slots: 1 }, /3 to 64 members/],
    ['no patience', 4, { slots: 1, patience: 0 }, /above 0/],
  ])('refuse %s', (_, members, changed, sentence) => {
    expect(() => ringMember({ settings: { ...SETTINGS, ...changed }, members, group })).toThrow(sentence)
  })
})
