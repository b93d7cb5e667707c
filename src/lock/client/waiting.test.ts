// Waiting in the servers' lists, told as stories (BACKOFF §5; protocols/lock 4).

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Group, type Letter } from '../../../test/support/lock-group.ts'
import { sized } from '../../../test/support/long.ts'
import { encode } from '../../core/index.ts'
import { calm, type Micros, World } from '../../simulator/index.ts'
import { lockServer } from '../server/machine.ts'
import { lockDefaults } from '../settings.ts'
import { lockVocabulary, serverRecord } from '../wire.ts'
import { lockClient } from './machine.ts'
import type { ClientEvent } from './state.ts'

const SERVERS = ['s1', 's2', 's3']
const settings = { ...lockDefaults, ttlMax: 10_000 }
const group = (...clients: string[]) => new Group(settings, SERVERS, clients)
const is = (kind: string) => (letter: Letter) => letter.body.kind === kind
const to = (node: string) => (letter: Letter) => letter.to === node
const acquired = (g: Group) => g.events.flatMap(({ who, event }) => (event.kind === 'acquired' ? [who] : []))

describe('order', () => {
  it('is by ticket, not by arrival', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('cid', 1, 300)
    g.settle()
    g.wants('bob', 1, 200)
    g.settle()
    for (const server of SERVERS) expect(g.listAt(server)).toEqual(['bob', 'cid'])
    g.letsGo('ann', 1)
    g.settle()
    g.letsGo('bob', 1)
    g.settle()
    expect(acquired(g)).toEqual(['ann', 'bob', 'cid'])
  })
  it('a ticket is kept where the token must be raised', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 1_000)
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('cid', 1, 2_000)
    g.settle()
    g.letsGo('ann', 1)
    g.settle()
    expect(g.clients.get('bob')!.state.acquisitions.get('a')).toMatchObject({ ticket: 200 })
    g.letsGo('cid', 1)
    g.settle()
    expect(acquired(g), 'too low for the first hand-over, first in the second').toEqual(['ann', 'cid', 'bob'])
    expect(g.clients.get('bob')!.state.used).toBeGreaterThan(2_000)
  })
})

describe('hand-over', () => {
  it('on release takes two one-way delays', () => {
    const DELAY: Micros = 10_000
    const world = new World({ seed: 1, network: { ...calm, delayMin: DELAY, delaySpread: 0 } })
    const times: Record<string, Micros> = {}
    world.listen((node, event) => {
      const { kind } = event as ClientEvent
      if (kind === 'acquired' || kind === 'released') times[`${node.spec.id} ${kind}`] = world.now
    })
    const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
    for (const id of SERVERS)
      world.add({ id, protocol: lockServer(settings), peers: [], vocabulary: lockVocabulary, saved })
    for (const id of ['ann', 'bob'])
      world.add({ id, protocol: lockClient(settings), peers: SERVERS, vocabulary: lockVocabulary })
    for (const id of world.nodes.keys()) world.start(id)
    const wants = (hint: number) => {
      return { kind: 'acquire', id: 1, name: 'a', ttl: 5_000, wait: true, fair: true, renew: true, hint }
    }
    world.command('ann', wants(1_000))
    world.at(100_000, () => world.command('bob', wants(2_000)))
    world.at(1_234_567, () => world.command('ann', { kind: 'release', id: 1, name: 'a' }))
    world.run(3_000_000)
    expect(times['ann acquired'], 'uncontended: one round trip').toBe(2 * DELAY)
    expect(times['bob acquired']! - times['ann released']!).toBe(2 * DELAY)
  })
  it('expiry wakes the first who waits', () => {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100, { renew: false, ttl: 900 })
    g.settle()
    g.wants('bob', 1, 200)
    g.settle()
    g.lose(to('ann'))
    for (let i = 0; i < 9; i++) {
      g.pass(100)
      g.lose(letter => letter.from === 'ann')
      g.settle()
    }
    expect(acquired(g)).toEqual(['ann', 'bob'])
  })
  it('a first grant is short, and the winner renews at once', () => {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('bob', 1, 200, { ttl: 9_000 })
    g.settle()
    g.letsGo('ann', 1)
    g.settle(letter => letter.body.kind !== 'renew')
    const [given] = g.events.flatMap(({ who, event }) => (who === 'bob' && event.kind === 'acquired' ? [event] : []))
    expect(given!.deadline - 1_000).toBeLessThan(1_500)
    expect(g.underway.filter(is('renew')).length).toBe(3)
    g.settle()
    const [extended] = g.events.flatMap(({ who, event }) => (who === 'bob' && event.kind === 'extended' ? [event] : []))
    expect(extended!.deadline - 1_000).toBeGreaterThan(8_000)
  })
  it('a client that comes to a free lock gets all it asked for, and does not renew at once', () => {
    const g = group('ann')
    g.wants('ann', 1, 100, { ttl: 9_000 })
    g.settle()
    expect(acquired(g)).toEqual(['ann'])
    expect(g.servers.get('s1')!.state.locks.get('a')!.until).toBe(1_000 + 9_000)
    expect(g.underway).toEqual([])
  })
})

describe('split grants', () => {
  /** Bob, who is later, is granted by s1; ann by s2 and, last, by nobody. */
  function split(): Group {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100)
    g.wants('bob', 1, 200)
    for (const [client, server] of [
      ['bob', 's1'],
      ['bob', 's2'],
      ['ann', 's3'],
    ] as const)
      g.settle(letter => letter.from === client && letter.to === server)
    return g
  }

  it('are resolved by inquire and yield: the earlier ticket wins', () => {
    const g = split()
    g.lose(letter => letter.to === 'bob' && letter.from === 's1')
    g.settle()
    expect(acquired(g)).toEqual(['ann'])
    for (const server of SERVERS) expect(g.holderAt(server)).toBe('ann')
    expect(g.listAt('s1')).toEqual(['bob'])
    g.letsGo('ann', 1)
    g.settle()
    expect(acquired(g)).toEqual(['ann', 'bob'])
  })
  it('a client that has won keeps what it has, and the other waits', () => {
    const g = split()
    g.settle(to('bob'))
    expect(acquired(g)).toEqual(['bob'])
    g.settle()
    expect(g.holders()).toEqual(['bob'])
    expect(g.phase('ann')).toBe('waiting')
  })
  // Without the number, the grant that was given back would be counted when it comes, and the server has taken it for
  // somebody else by then.
  it('an inquire that overtakes its grant: the grant is not counted any more', () => {
    const g = split()
    const late = g.underway.filter(letter => letter.body.kind === 'given' && letter.to === 'bob')
    expect(late.length).toBe(2)
    g.settle(letter => !late.includes(letter))
    expect(acquired(g)).toEqual(['ann'])
    for (const letter of late) g.deliver(letter)
    expect(g.holders()).toEqual(['ann'])
    g.settle()
    expect(g.holders()).toEqual(['ann'])
    expect(g.phase('bob')).toBe('waiting')
  })
  it('the server forgets a token that was yielded: a smaller one may follow', () => {
    const g = split()
    g.lose(letter => letter.to === 'bob' && letter.body.kind === 'given')
    g.settle()
    expect(g.servers.get('s1')!.state.locks.get('a')).toMatchObject({ holder: 'ann', maximum: 100 })
  })
  // Bob held, let go, and his release to s1 is late. S1 still believes that he has not won, and inquires. A yield would
  // make it forget the token he worked under, and ann could follow with a smaller one.
  it('a token that was held under is released, not yielded', () => {
    const g = split()
    g.settle(to('bob'))
    g.lose(is('renew'))
    g.letsGo('bob', 1)
    g.lose(is('release'))
    g.settle()
    const answers = g.servers.get('s1')!.state.locks.get('a')!
    expect(answers.maximum, 'not taken back').toBeGreaterThanOrEqual(200)
    expect(g.holders()).toEqual(['ann'])
    expect(g.clients.get('ann')!.state.used).toBeGreaterThan(200)
  })
  it('a yield of another grant, of another client, or after a renewal is nothing', () => {
    const g = split()
    g.settle(letter => to('bob')(letter) || letter.body.kind === 'renew')
    const entry = g.servers.get('s1')!.state.locks.get('a')!
    const says = (from: string, grant: number) =>
      g.deliver({ from, to: 's1', body: { kind: 'yield', name: 'a', grant, token: entry.token } }, true)
    says('bob', entry.grant)
    says('ann', entry.grant)
    says('bob', entry.grant - 1)
    expect(g.holderAt('s1')).toBe('bob')
  })
})

describe('who is passed over', () => {
  it('a waiter that is silent', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 100, { ttl: 9_000 })
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('cid', 1, 300)
    g.settle()
    for (let i = 0; i < 3; i++) {
      g.pass(400)
      g.lose(letter => letter.from === 'bob')
      g.settle()
    }
    g.letsGo('ann', 1)
    g.settle()
    expect(acquired(g)).toEqual(['ann', 'cid'])
    expect(g.listAt('s1')).toEqual([])
  })
  it('a waiter whose token is too low, who is told once, and comes back with a higher one', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 1_000)
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('cid', 1, 300)
    g.settle()
    g.letsGo('ann', 1)
    g.settle(to('s1'))
    const told = () => g.underway.filter(letter => letter.body.kind === 'tooLow' && letter.from === 's1')
    expect(told().map(letter => letter.to)).toEqual(['bob', 'cid'])
    g.deliver({ from: 'ann', to: 's1', body: { kind: 'release', name: 'a', token: 1_000, unused: false } }, true)
    expect(told().length).toBe(2)
    g.settle()
    expect(acquired(g).length).toBe(2)
  })
  it('more than a list has room for are told, and wait outside', () => {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100)
    g.settle()
    const crowd = Array.from({ length: 1_000 }, (_, i) => ({
      client: `c${i}`,
      ticket: i,
      attempt: 1,
      token: 9_000,
      ttl: 1_000,
      ping: 1,
      pingedAt: 1_000,
      low: false,
    }))
    for (const server of g.servers.values()) server.state.locks.get('a')!.waiters = [...crowd]
    g.wants('bob', 1, 200)
    g.settle()
    expect(g.clients.get('bob')!.state.acquisitions.get('a')!.answers.get('s1')).toEqual({ kind: 'full' })
    expect(g.phase('bob')).toBe('waiting')
    for (const server of g.servers.values()) server.state.locks.get('a')!.waiters = []
    g.pass(400)
    g.settle()
    expect(g.listAt('s1')).toEqual(['bob'])
  })
})

describe('one liar among four', () => {
  it('that calls every token too low does not make a client begin anew for ever', () => {
    const g = new Group({ ...settings, liars: 1 }, ['s1', 's2', 's3', 's4'], ['ann', 'bob'])
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('bob', 1, 200)
    const { attempt } = g.clients.get('bob')!.state.acquisitions.get('a')!
    for (let i = 0; i < 20; i++) {
      const now = g.clients.get('bob')!.state.acquisitions.get('a')!.attempt
      // It is quicker than the others, each time.
      g.lose(to('s4'))
      g.deliver({ from: 's4', to: 'bob', body: { kind: 'tooLow', name: 'a', attempt: now, maximum: 2 ** 50 } }, true)
      g.settle()
      g.pass(400)
    }
    expect(g.clients.get('bob')!.state.acquisitions.get('a')!.attempt).toBe(attempt)
    g.lose(to('s4'))
    g.letsGo('ann', 1)
    g.settle(letter => letter.to !== 's4')
    expect(acquired(g)).toEqual(['ann', 'bob'])
  })
  // S3 stands alone above the others: it may be the liar, but without it there are only two grants. The liar, s4, keeps
  // ann in its list for ever.
  it('that lets a client wait does not keep it from the token it needs', () => {
    const g = new Group({ ...settings, liars: 1 }, ['s1', 's2', 's3', 's4'], ['ann'])
    const body = { kind: 'renew', name: 'a', attempt: 1, token: 500, ttl: 1 } as const
    g.deliver({ from: 'bob', to: 's3', body }, true)
    g.lose()
    g.pass(10)
    g.wants('ann', 1, 100)
    for (let i = 0; i < 6; i++) {
      const { attempt, ping } = g.clients.get('ann')!.state.acquisitions.get('a')!
      g.lose(to('s4'))
      g.deliver({ from: 's4', to: 'ann', body: { kind: 'queued', name: 'a', attempt, ping } }, true)
      g.settle(letter => letter.to !== 's4')
      g.pass(250)
    }
    expect(acquired(g)).toEqual(['ann'])
    expect(g.clients.get('ann')!.state.used).toBeGreaterThan(500)
  })
  it('that asks for grants which it never gave is given them back, and nobody else’s', () => {
    const g = new Group({ ...settings, liars: 1 }, ['s1', 's2', 's3', 's4'], ['ann'])
    g.wants('ann', 1, 100)
    g.settle(letter => to('s1')(letter) || letter.from === 's1')
    g.deliver({ from: 's4', to: 'ann', body: { kind: 'inquire', name: 'a', grant: 2 ** 52, token: 100 } }, true)
    expect(g.underway.filter(is('yield')).map(letter => letter.to)).toEqual(['s4'])
    g.settle(letter => letter.to !== 's4')
    expect(acquired(g)).toEqual(['ann'])
  })
})

describe('who comes back, and who leaves', () => {
  it('a server that restarted has no list, and the next pings bring it back', () => {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100, { ttl: 9_000 })
    g.settle()
    g.wants('bob', 1, 200)
    g.settle()
    g.restart('s1')
    expect(g.listAt('s1')).toEqual([])
    // It grants nothing for the longest lease. Then the first who comes finds it free.
    for (let i = 0; i < 26; i++) {
      g.pass(400)
      g.settle()
    }
    expect(SERVERS.map(server => g.holderAt(server))).toEqual(['bob', 'ann', 'ann'])
    expect(g.holders()).toEqual(['ann'])
    g.letsGo('ann', 1)
    g.settle()
    expect(g.holders()).toEqual(['bob'])
  })
  it('a client that gives up leaves the lists, and what it was given in the same moment goes to the next', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('cid', 1, 300)
    g.settle()
    g.letsGo('bob', 1)
    g.settle()
    for (const server of SERVERS) expect(g.listAt(server)).toEqual(['cid'])
    expect(g.events.at(-1)).toMatchObject({ who: 'bob', event: { kind: 'failed', reason: 'contended' } })
    g.letsGo('ann', 1)
    g.settle(letter => letter.to.startsWith('s'))
    g.letsGo('cid', 1)
    g.settle()
    for (const server of SERVERS) expect(g.holderAt(server)).toBe('')
  })
  it('callers of one process stand in one line, and have one place in the lists', () => {
    const g = group('ann', 'bob')
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('bob', 2, 201)
    g.settle()
    expect(g.listAt('s1')).toEqual(['bob'])
    g.letsGo('ann', 1)
    g.settle()
    g.letsGo('bob', 1)
    g.settle()
    expect(g.events.flatMap(({ who, event }) => (event.kind === 'acquired' ? [[who, event.id]] : []))).toEqual([
      ['ann', 1],
      ['bob', 1],
      ['bob', 2],
    ])
  })
  it('a name is forgotten though somebody left its list, or died in it', () => {
    const g = group('ann', 'bob', 'cid')
    g.wants('ann', 1, 100)
    g.settle()
    g.wants('bob', 1, 200)
    g.wants('cid', 1, 300)
    g.settle()
    g.letsGo('bob', 1)
    g.clients.get('cid')!.stop()
    g.letsGo('ann', 1)
    g.settle()
    g.lose()
    for (const server of g.servers.values()) server.pass(120_000)
    for (const server of g.servers.values()) expect(server.state.locks.size).toBe(0)
  })
})

describe('never two holders', () => {
  type Choice = { act: number; which: number }
  const choice: fc.Arbitrary<Choice> = fc.record({ act: fc.nat(99), which: fc.nat(1_000) })

  function play(g: Group, clients: readonly string[], { act, which }: Choice): void {
    const client = clients[which % clients.length]!
    const letter = g.underway[which % Math.max(1, g.underway.length)]
    if (act < 70 && letter !== undefined) return g.deliver(letter)
    if (act < 76 && letter !== undefined) return g.deliver(letter, true)
    if (act < 78 && letter !== undefined) return g.lose(other => other === letter)
    if (act < 86) return g.pass([1, 30, 100, 400, 1_200][which % 5]!)
    const acquisition = g.clients.get(client)!.state.acquisitions.get('a')
    if (acquisition === undefined) return g.wants(client, which, (which * 7) % 50, { fair: act < 97, ttl: 200 + which })
    if (act < 92) g.letsGo(client, acquisition.id)
  }

  it.each([
    [['ann', 'bob'], sized(100, 400)],
    [['ann', 'bob', 'cid'], sized(60, 250)],
  ] as const)('%j and three servers, %i random interleavings', (clients, numRuns) => {
    let held = 0
    fc.assert(
      fc.property(fc.array(choice, { minLength: 50, maxLength: 400, size: 'max' }), story => {
        const g = new Group(settings, SERVERS, clients)
        let last = 0
        for (const each of story) {
          const before = g.events.length
          play(g, clients, each)
          expect(g.holders().length).toBeLessThanOrEqual(1)
          for (const { event } of g.events.slice(before)) {
            if (event.kind !== 'acquired') continue
            held++
            expect(event.token).toBeGreaterThan(last)
            last = event.token
          }
        }
      }),
      { numRuns },
    )
    expect(held, 'and they do hold').toBeGreaterThan(numRuns / 2)
  })
})
