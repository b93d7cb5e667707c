// Events among members over real sockets, in one process: who wants an event gets it, who has it is told, and who may not take part
// is refused in a sentence.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts, waitFor } from '../../../test/support/processes.ts'
import { mqtt, sns } from '../../events/index.ts'
import { addMember, initGroup, type NewGroup } from '../../runtime/setup/group.ts'
import { EventRefused, SubscriptionLost } from '../events/errors.ts'
import { join } from '../join.ts'
import type { JoinedGroup } from '../peers/joined-group.ts'

let dir: string
let made: NewGroup
let members: JoinedGroup[]

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-member-events-'))
  // Members listen two hundred above.
  const basePort = (await freePorts(5)) - 200
  made = await initGroup({ dir: path(dir, 'group'), members: 3, basePort, servers: 1, crashes: 0 })
  members = await Promise.all(made.memberFolders.map(config => join({ config })))
}, 60_000)
afterAll(async () => {
  await Promise.all(members.map(member => member.close()))
  await rm(dir, { recursive: true, force: true })
})

describe("member.events(name, { via: 'trees' })", () => {
  it('brings an event to every member that wants it, and to no other; receipts say who has it', async () => {
    const [one, two, three] = members
    const seen: string[] = []
    await using cheap = two!.events<{ volume: number }>('prices').subscribe({ price: { lt: 10 } }, event => {
      seen.push(`two: ${event.attributes.symbol} ${event.payload.volume} of ${event.author}`)
    })
    await using topics = three!.events('prices', { via: 'trees' }).subscribe(mqtt('eu/+'), () => seen.push('three'))
    await Promise.all([cheap.ready, topics.ready])
    const prices = one!.events<{ volume: number }>('prices')
    const sent = await prices.publish({ symbol: 'ACME', price: 9.5 }, { volume: 3 }, { receipts: true })
    expect(sent.received).toEqual(['member-2'])
    expect(sent.silent).toEqual([])
    expect(sent.id).toMatch(/^prices\/member-1\/[0-9a-f]{32}\/1$/)
    const topical = await prices.publish({ topic: 'eu/x', price: 12 }, { volume: 4 }, { receipts: true })
    expect(topical.received).toEqual(['member-3'])
    await waitFor('both are handed over', () => seen.length === 2)
    expect(seen).toEqual(['two: ACME 3 of member-1', 'three'])
  })

  it('is a loop without a handler, speaks the other languages, and ends with its signal', async () => {
    const [one, two] = members
    const ending = new AbortController()
    const loop = one!.events<number>('loop').subscribe(sns({ kind: ['b'] }), { signal: ending.signal })
    await loop.ready
    for (const [n, kind] of ['a', 'b', 'b'].entries()) {
      await two!.events<number>('loop').publish({ kind }, n, { receipts: true })
    }
    const found: number[] = []
    for await (const event of loop) {
      found.push(event.payload)
      if (found.length === 2) ending.abort()
    }
    expect(found).toEqual([1, 2])
    await loop.closed
    // Nobody wants it any more, and the neighbours know.
    const again = await two!.events<number>('loop').publish({ kind: 'b' }, 3, { receipts: true })
    expect(again.received).toEqual([])
  })

  it('says how many events came that are not handled yet, with a handler and in a loop', async () => {
    const channel = members[0]!.events<number>('slow')
    let goOn = () => {}
    const waits = new Promise<void>(resolve => {
      goOn = resolve
    })
    await using feed = channel.subscribe({}, () => waits)
    await using loop = channel.subscribe({})
    await Promise.all([feed.ready, loop.ready])
    expect([await feed.lag(), await loop.lag()]).toEqual([0, 0])
    for (const n of [1, 2, 3]) await channel.publish({ n }, n)
    const lags = async () => [await feed.lag(), await loop.lag()].join()
    const are = async (expected: string) => {
      for (let tries = 0; tries < 200 && (await lags()) !== expected; tries++)
        await new Promise(resolve => setTimeout(resolve, 10))
      expect(await lags()).toBe(expected)
    }
    await are('3,3')
    const reading = loop[Symbol.asyncIterator]()
    await reading.next()
    await reading.next()
    goOn()
    // The second is in hand until the third is asked for.
    await are('0,2')
    await reading.return()
  })

  it('an event to oneself comes, too; what a handler throws ends its subscription', async () => {
    const channel = members[0]!.events<number>('own')
    const feed = channel.subscribe({ n: { gt: 0 } }, () => {
      throw new Error('no such shelf')
    })
    await feed.ready
    await channel.publish({ n: 1 }, 1)
    await expect(feed.closed).rejects.toThrow(SubscriptionLost)
    await expect(feed.closed).rejects.toThrow('no such shelf')
    expect(feed.signal.reason).toBeInstanceOf(SubscriptionLost)
    expect(() => channel.subscribe({}, (() => {}) as never, {} as never)).toThrow('options stand before it')
  })

  it('refuses a payload that the check does not take, on both sides', async () => {
    const check = {
      '~standard': {
        version: 1,
        vendor: 'here',
        validate: (value: unknown) => (typeof value === 'number' ? { value } : { issues: [{ message: 'no number' }] }),
      },
    } as const
    const [one, two] = members
    const checked = one!.events<number>('checked', { check })
    await expect(checked.publish({ n: 1 }, 'x' as never)).rejects.toThrow(
      "channel 'checked' refused: the payload does not fit: no number. Nothing happened.",
    )
    await using feed = checked.subscribe({ n: { exists: true } }, () => {})
    await feed.ready
    await two!.events('checked').publish({ n: 1 }, 'x', { receipts: true })
    await waitFor('it came and was refused', () => feed.refused === 1)
  })

  it('a guest is not in the list that the trees are made of, and is told so', async () => {
    const config = await addMember(made.dir, 'guest', '127.0.0.1', await freePorts(1))
    await using guest = await join({ config })
    const channel = guest.events('prices')
    const feed = channel.subscribe({}, () => {})
    await expect(feed.ready).rejects.toThrow(/is not in the list of those who may vote/)
    await expect(channel.publish({ n: 1 })).rejects.toThrow(EventRefused)
  })
})

describe("member.events(name, { via: 'gossip' })", () => {
  it('brings events to those who want them, once they know each other', async () => {
    const [one, two, three] = members
    const seen: string[] = []
    const listen = (member: JoinedGroup) =>
      member.events('wide', { via: 'gossip' }).subscribe({ price: { lt: 10 } }, event => {
        seen.push(`${member.name} ${event.attributes.price}`)
      })
    await using first = listen(two!)
    await using second = listen(three!)
    await Promise.all([first.ready, second.ready])
    await waitFor('both have an event of the third', async () => {
      await one!.events('wide', { via: 'gossip' }).publish({ price: 3 })
      return new Set(seen).size === 2
    })
    expect([...new Set(seen)].sort()).toEqual(['member-2 3', 'member-3 3'])
  })

  it('has no receipts', async () => {
    const channel = members[0]!.events('wide', { via: 'gossip' })
    await expect(channel.publish({ n: 1 }, undefined, { receipts: true })).rejects.toThrow(
      /receipts are for via: 'trees'/,
    )
  })
})
