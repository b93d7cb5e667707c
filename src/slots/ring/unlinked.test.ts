// What a pass of the ring hides (OMA figures 2, 6 and 7): an adversary that sees every list before and after a pass, and has all
// keys but the member's own draws, must not tell which entry went where. Three lines do it, and each alone is not enough:
// the order is drawn, every entry is encrypted anew, and each with a number of its own. Seeds are pinned; the bounds are five
// standard deviations wide, so that an honest pass stays within them for almost every seed.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { type Ciphertext, encrypt, type Group, groupKey, insecureBareGroup, keyPair } from '../../crypto/index.ts'
import { allKeys, type RingMessage, ringDefaults, ringMember, ringRules } from './index.ts'
import { addEntry, beginRelease, countFree, makeTickets, passRelease, remainingKey, shuffled } from './tokens.ts'

const group: Group = insecureBareGroup()
const random = seededRandom(19)
const means = { group, random: (length: number) => random.bytes(length) }
const MEMBERS = 5
const TRIALS = 2_000

const pairs = Array.from({ length: MEMBERS }, () => keyPair(group, means.random))
const keys = pairs.map(({ publicKey }) => publicKey)
const whole = groupKey(group, keys)
const secretOfAll = pairs.map(({ secret }) => secret)
const contents = Array.from({ length: MEMBERS }, (_, ticket) =>
  group.hashToElement('unlinked', new Uint8Array([ticket])),
)

const fresh = (content: Uint8Array) => encrypt(group, whole, content, group.randomScalar(means.random))

/** With everybody's key: what is inside. */
function inside({ c1, c2 }: Ciphertext, secrets: readonly Uint8Array[] = secretOfAll): Uint8Array {
  return secrets.reduce((rest, secret) => group.subtract(rest, group.multiply(c1, secret)), c2)
}

/** In which place of the output each input landed, seen with all keys. */
function order(output: readonly Ciphertext[], secrets = secretOfAll): number[] {
  return output.map(entry => contents.findIndex(content => group.equal(content, inside(entry, secrets))))
}

/** How often input i is in place j of the output. */
function counts(orders: readonly (readonly number[])[]): number[][] {
  const size = orders[0]!.length
  const table = Array.from({ length: size }, () => new Array<number>(size).fill(0))
  for (const places of orders) for (const [to, from] of places.entries()) table[from]![to]!++
  return table
}

function expectUniform(orders: readonly (readonly number[])[]): void {
  const size = orders[0]!.length
  const chance = 1 / size
  const slack = 5 * Math.sqrt(orders.length * chance * (1 - chance))
  for (const row of counts(orders)) {
    for (const count of row) expect(Math.abs(count - orders.length * chance)).toBeLessThan(slack)
  }
}

/** Nothing of the output can be got from the input: no half stays, and no two entries moved by one amount. */
function expectUnlinked(input: readonly Ciphertext[], output: readonly Ciphertext[]): void {
  const moved = output.flatMap(after => input.map(before => group.subtract(after.c1, before.c1)))
  expect(moved.some(one => group.equal(one, group.identity))).toBe(false)
  const second = output.flatMap(after => input.map(before => group.subtract(after.c2, before.c2)))
  expect(second.some(one => group.equal(one, group.identity))).toBe(false)
  const names = new Set(moved.map(one => one.join()))
  expect(names.size).toBe(moved.length)
}

describe('the request token', () => {
  it('as it is made: every ticket is in every place alike', () => {
    const made = () => order(makeTickets(means, ringRules, whole, contents).tickets)
    expectUniform(Array.from({ length: TRIALS }, made))
  })
  it('as it is passed on: the same, and every ticket is there once', () => {
    const input = contents.map(fresh)
    const orders = Array.from({ length: TRIALS }, () => order(shuffled(means, ringRules, whole, input).tickets))
    expectUniform(orders)
    for (const one of orders) expect([...one].sort()).toEqual([0, 1, 2, 3, 4])
  })
  it('nothing of a ticket before a pass is found in one after it', () => {
    for (let i = 0; i < 50; i++) {
      const input = contents.map(fresh)
      expectUnlinked(input, shuffled(means, ringRules, whole, input).tickets)
    }
  })
})

describe('the release token', () => {
  const PLACE = 2
  const remaining = remainingKey(group, keys, PLACE)
  const passing = { secret: pairs[PLACE]!.secret, remaining, all: keys }
  /** Those whose layers are on when member 2 gets it, and after. */
  const before = [PLACE, 3, 4, 0].map(place => pairs[place]!.secret)
  const after = [3, 4, 0].map(place => pairs[place]!.secret)
  const keyBefore = groupKey(
    group,
    [PLACE, 3, 4, 0].map(place => keys[place]!),
  )
  // Marked, so that they can be followed: in a lap they would say free or held.
  const entries = () => [0, 1].map(k => encrypt(group, keyBefore, contents[k]!, group.randomScalar(means.random)))
  const vote = { free: true, ticket: 0, members: MEMBERS }
  const own = 2
  const placesOf = (output: readonly Ciphertext[]) => order(output, after).map(found => (found < 0 ? own : found))

  it('every entry, the own one too, is in every place alike', () => {
    const input = entries()
    expectUniform(Array.from({ length: TRIALS }, () => placesOf(passRelease(means, passing, input, vote))))
  })
  it('the entries are what they were, without one layer, and one more says free', () => {
    const input = entries()
    expect(order(input, before)).toEqual([0, 1])
    const output = passRelease(means, passing, input, vote)
    expect(placesOf(output).sort()).toEqual([0, 1, 2])
    const said = output.map(entry => inside(entry, after))
    expect(said.filter(content => group.equal(content, group.generator)).length).toBe(1)
  })
  it('nothing of an entry before a pass is found in one after it, the layer taken off', () => {
    for (let i = 0; i < 50; i++) {
      const input = entries()
      const opened = input.map(({ c1, c2 }) => ({ c1, c2: group.subtract(c2, group.multiply(c1, passing.secret)) }))
      expectUnlinked(opened, passRelease(means, passing, input, vote))
      expectUnlinked(opened, addEntry(means, remaining, opened, vote))
    }
  })
  it('one that held and one that did not begin alike: nothing in the open', () => {
    for (const free of [true, false]) {
      const [entry] = beginRelease(means, whole, { ...vote, free })
      expect(group.equal(entry!.c1, group.identity)).toBe(false)
      expect(group.equal(entry!.c2, group.identity)).toBe(false)
      expect(group.equal(entry!.c2, group.generator)).toBe(false)
    }
  })
  // The game of the lab: the coordinator and the member behind the victim pool what they see. They know which entry came in at
  // which place; with the layer off and the order kept, the victim's own is the last.
  it('who sees what comes in and goes out, and has every other key, guesses the own entry with 1/3', () => {
    let won = 0
    for (let i = 0; i < TRIALS; i++) {
      const input = entries()
      const opened = input.map(({ c1, c2 }) => ({ c1, c2: group.subtract(c2, group.multiply(c1, passing.secret)) }))
      const output = passRelease(means, passing, input, vote)
      const strange = output.findIndex(({ c1 }) => opened.every(known => !group.equal(known.c1, c1)))
      const linked = output.filter(({ c1 }) => opened.some(known => group.equal(known.c1, c1))).length
      const guess = linked > 0 ? strange : output.length - 1
      if (placesOf(output)[guess] === own) won++
    }
    expect(Math.abs(won / TRIALS - 1 / 3)).toBeLessThan(5 * Math.sqrt(((1 / 3) * (2 / 3)) / TRIALS))
  })
  it('and the count of a whole lap is right all the same', () => {
    let lap = beginRelease(means, whole, vote)
    for (let place = 1; place < MEMBERS; place++) {
      const ownKeys = { secret: pairs[place]!.secret, remaining: remainingKey(group, keys, place), all: keys }
      lap = passRelease(means, ownKeys, lap, { ...vote, free: place !== 3 })
    }
    expect(countFree(group, pairs[0]!.secret, lap)).toBe(MEMBERS - 1)
  })
})

describe('what a member sends', () => {
  const ring = ['a', 'b', 'c', 'd']

  /** Member b behind the coordinator a, with everybody's keys, and what it sends when it gets this. */
  function passes(
    said: (key: Uint8Array) => RingMessage,
    seed: number,
  ): { sent: RingMessage[]; secrets: Uint8Array[] } {
    const own = seededRandom(seed)
    const bytes = (length: number) => own.bytes(length)
    const machine = ringMember({ settings: { ...ringDefaults, slots: 2, fairness: 'lottery' }, members: 4, group })
    const state = machine.init('b', ring, NOTHING_SAVED)
    const others = ring.map(() => keyPair(group, bytes))
    const sent: RingMessage[] = []
    const step = (input: Parameters<typeof machine.step>[1]) =>
      machine.step(state, input, {
        now: 0,
        below: bound => own.below(bound),
        bytes,
        do(effect) {
          if (effect.kind === 'send') sent.push(effect.body)
        },
      })
    step({ kind: 'start' })
    for (const [place, from] of ring.entries()) {
      const body = { kind: 'key', publicKey: others[place]!.publicKey, again: false } as const
      if (from !== 'b') step({ kind: 'message', from, body })
    }
    const whole = groupKey(group, allKeys(state)!)
    step({ kind: 'message', from: 'a', body: said(whole) })
    const secrets = others.map(({ secret }, place) => (place === 1 ? state.secret! : secret))
    return { sent: sent.filter(({ kind }) => kind === 'request' || kind === 'ask'), secrets }
  }

  it('a request token: of four tickets one is taken and three go on, each in every place alike, none as it came', () => {
    const orders: number[][] = []
    for (let seed = 1; seed <= 600; seed++) {
      let came: readonly Ciphertext[] = []
      const { sent, secrets } = passes(whole => {
        came = contents.slice(0, 4).map(content => encrypt(group, whole, content, group.randomScalar(means.random)))
        return { kind: 'request', round: 0, tickets: came }
      }, seed)
      const token = sent.find(word => word.kind === 'request')!
      const asked = sent.find(word => word.kind === 'ask')!
      expect(token.tickets.length).toBe(3)
      if (seed <= 20) expectUnlinked(came, [...token.tickets, asked.ticket])
      orders.push(order([...token.tickets, asked.ticket], secrets))
    }
    expectUniform(orders)
  })
})
