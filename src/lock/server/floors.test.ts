// Tokens after a lost store (protocols/lock 6): the others tell which were granted, and until enough have told nothing is.

import { describe, expect, it } from 'vitest'
import { Group, type Letter } from '../../../test/support/lock-group.ts'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { decode, type NodeId } from '../../core/index.ts'
import { brokenRules } from '../proof/planted.ts'
import { CLOCKS_APART, floorsNeeded, lockRules } from '../rules.ts'
import { type LockSettings, lockDefaults } from '../settings.ts'
import { type LockMessage, serverRecord } from '../wire.ts'
import { lockServer } from './machine.ts'

const settings = { ...lockDefaults, ttlMax: 10_000 }
const SERVERS = ['X', 's1', 's2']
/** Longer than one that is silent is waited for when the others have answered, and than the first backoff. */
const SHORTLY = 100

describe('a lost store', () => {
  /** Held with {X, s1} under 1,000. X loses its store. One whose clock is behind asks X and s2. */
  function story(change: Partial<LockSettings> = {}) {
    const group = new Group({ ...settings, ...change }, SERVERS, ['ann', 'bob'])
    const between = (one: NodeId, servers: readonly NodeId[]) => (letter: Letter) =>
      [letter.from, letter.to].includes(one) && servers.some(server => [letter.from, letter.to].includes(server))
    const once = { wait: false, fair: false, renew: false }
    group.wants('ann', 1, 1_000, once)
    group.settle(between('ann', ['X', 's1']))
    expect(group.events.at(-1)?.event).toMatchObject({ kind: 'acquired', token: 1_000 })
    group.letsGo('ann', 1)
    group.settle(between('ann', ['X', 's1']))
    group.lose()
    group.loseStore('X')
    group.pass(10_000)
    group.settle(({ body }) => body.kind === 'askFloor' || body.kind === 'floor')
    group.wants('bob', 2, 900, { ...once, wait: true })
    for (let round = 0; round < 3; round++) {
      group.settle(between('bob', ['X', 's2']))
      group.pass(SHORTLY)
    }
    return group.events.flatMap(({ who, event }) => (event.kind === 'acquired' ? [[who, event.token]] : []))
  }

  it('does not let tokens go back: who follows with a clock behind is raised', () => {
    const [, second] = story()
    expect(second?.[0]).toBe('bob')
    expect(second?.[1]).toBeGreaterThan(1_000)
  })
  it('did so before: with floor 0 the token 900 follows 1,000', () => {
    const rules = brokenRules('floor-0-after-a-lost-store')
    expect(story({ rules })).toEqual([
      ['ann', 1_000],
      ['bob', 900],
    ])
  })
})

describe('a server that lost its store', () => {
  const asks = (out: Parameters<typeof sent<LockMessage>>[0]) =>
    sent(out).flatMap(({ to, body }) => (body.kind === 'askFloor' ? [{ to, query: body.query }] : []))

  function empty(servers = SERVERS, liars = 0) {
    const machine = new Puppet(lockServer({ ...settings, liars }), servers, new Map(), 'X')
    machine.start()
    const tries = (token: number) =>
      sent(machine.hear('ann', { kind: 'try', name: 'a', attempt: 1, token, ttl: 1_000 }))[0]?.body
    const record = () => {
      const decoded = decode(serverRecord, machine.records.at(-1)!)
      return decoded.ok ? decoded.value : undefined
    }
    return { machine, tries, record }
  }

  it('asks when its wait is over and not before: a try that it granted may be under way to the others until then', () => {
    const { machine } = empty()
    expect(asks(machine.pass(9_999))).toEqual([])
    expect(asks(machine.pass(1)).map(({ to }) => to)).toEqual(['s1', 's2'])
  })
  it('asks those again that have not told, and grants when enough have', () => {
    const { machine, tries } = empty()
    const { query } = asks(machine.pass(10_000))[0]!
    machine.hear('s1', { kind: 'floor', query, floor: 700 })
    expect(tries(2_000)).toMatchObject({ kind: 'locked', recovering: true, remaining: 500 })
    expect(asks(machine.pass(500)).map(({ to }) => to)).toEqual(['s2'])
    machine.hear('s2', { kind: 'floor', query, floor: 900 })
    expect(tries(900)).toMatchObject({ kind: 'tooLow', maximum: 900 })
    expect(tries(901)).toMatchObject({ kind: 'granted' })
    expect(asks(machine.pass(5_000))).toEqual([])
  })
  it('hears only the other servers, once each, and only answers to its own question', () => {
    const { machine, tries } = empty()
    const { query } = asks(machine.pass(10_000))[0]!
    machine.hear('eve', { kind: 'floor', query, floor: 1 })
    machine.hear('X', { kind: 'floor', query, floor: 1 })
    machine.hear('s1', { kind: 'floor', query, floor: 1 })
    machine.hear('s1', { kind: 'floor', query, floor: 2 })
    machine.hear('s2', { kind: 'floor', query: query + 1, floor: 3 })
    expect(tries(2_000)).toMatchObject({ kind: 'locked', recovering: true })
  })
  it('still has to ask after a crash, and after a clean stop', () => {
    const { machine, tries, record } = empty()
    expect(record()).toEqual({ kind: 'lost', life: 1 })
    machine.pass(10_000)
    machine.restart()
    expect(record()).toEqual({ kind: 'lost', life: 2 })
    machine.stop()
    machine.restart()
    expect(asks(machine.pass(9_999))).toEqual([])
    const { query } = asks(machine.pass(1))[0]!
    expect(tries(2_000)).toMatchObject({ kind: 'locked', recovering: true })
    for (const server of ['s1', 's2']) machine.hear(server, { kind: 'floor', query, floor: 900 })
    expect(record()).toMatchObject({ kind: 'running', life: 3 })
    expect(tries(900)).toMatchObject({ kind: 'tooLow', maximum: 900 })
  })
  it('has nothing to tell others, and tells what it was told once it knows', () => {
    const { machine } = empty()
    expect(sent(machine.hear('s1', { kind: 'askFloor', query: 5 }))).toEqual([])
    const { query } = asks(machine.pass(10_000))[0]!
    for (const server of ['s1', 's2']) machine.hear(server, { kind: 'floor', query, floor: 900 })
    const answer = sent(machine.hear('s1', { kind: 'askFloor', query: 5 }))
    expect(answer).toEqual([{ to: 's1', body: { kind: 'floor', query: 5, floor: 900 } }])
    expect(sent(machine.hear('ann', { kind: 'askFloor', query: 5 })), 'and clients nothing').toEqual([])
  })
  it('tells the largest that it ever granted, also what was taken back or let go', () => {
    const machine = new Puppet(lockServer(settings), SERVERS, new Map(), 'X')
    machine.start()
    const { query } = asks(machine.pass(10_000))[0]!
    for (const server of ['s1', 's2']) machine.hear(server, { kind: 'floor', query, floor: 0 })
    machine.hear('ann', { kind: 'try', name: 'a', attempt: 1, token: 800, ttl: 10 })
    machine.hear('ann', { kind: 'release', name: 'a', token: 800, unused: true })
    expect(sent(machine.hear('s1', { kind: 'askFloor', query: 5 }))[0]?.body).toMatchObject({ floor: 800 })
  })
  it('with nobody to ask takes the clock', () => {
    const { machine, tries } = empty(['X'])
    machine.command({ kind: 'clock', micros: 5_000_000 })
    machine.pass(10_000)
    expect(tries(15_000_000)).toMatchObject({ kind: 'tooLow', maximum: 15_000_000 })
  })
  it('with one liar among four hears all three others, and a lie moves the floor no farther than clocks explain', () => {
    const { machine, tries } = empty(['X', 's1', 's2', 's3'], 1)
    machine.command({ kind: 'clock', micros: 0 })
    const { query } = asks(machine.pass(10_000))[0]!
    machine.hear('s1', { kind: 'floor', query, floor: 700 })
    machine.hear('s2', { kind: 'floor', query, floor: 2 ** 52 })
    expect(tries(2 ** 40)).toMatchObject({ kind: 'locked', recovering: true })
    machine.hear('s3', { kind: 'floor', query, floor: 900 })
    expect(tries(1_000)).toMatchObject({ kind: 'tooLow', maximum: 10_000_000 + CLOCKS_APART })
  })
})

describe('the floor (protocols/servers)', () => {
  const { floorAfterLoss } = lockRules
  it('is the largest that is told, where b + 1 tell as much or the clock explains it', () => {
    expect(floorAfterLoss([900, 700], 0, 0)).toBe(900)
    expect(floorAfterLoss([900, 700, 700], 1, 900 - CLOCKS_APART)).toBe(900)
    expect(floorAfterLoss([900, 700, 700], 1, 899 - CLOCKS_APART)).toBe(899)
    expect(floorAfterLoss([900, 700, 600], 1, -CLOCKS_APART)).toBe(700)
  })
  it('is heard from so many that one honest server of any earlier holder is among them', () => {
    for (let n = 3; n <= 13; n++) {
      for (let b = 0; 3 * b + 1 <= n; b++) {
        const g = lockRules.grantsNeeded(n, b)
        const needed = floorsNeeded(n, b)
        expect(g - 1 + needed - (n - 1), `n ${n} b ${b}`).toBe(b + 1)
        expect(needed).toBeLessThanOrEqual(n - 1)
      }
    }
  })
})
