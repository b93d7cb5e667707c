// Events as users of a group have them: over an embedded group, with all its servers in this process.

import { describe, expect, it, vi } from 'vitest'
import { mqtt } from '../../events/index.ts'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import { EventRefused, EventUnanswered, SubscriptionLost } from './errors.ts'
import type { ReceivedEvent } from './event.ts'

async function withGroup(work: (group: Group) => Promise<void>, options: Parameters<typeof embedded>[0] = {}) {
  const group = await embedded({ servers: 3, ...options })
  try {
    await work(group)
  } finally {
    await group.close()
  }
}

/** Waits until something holds. */
async function until(holds: () => boolean, ms = 5_000): Promise<void> {
  const end = Date.now() + ms
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never held')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

describe('publish and subscribe', () => {
  it.each([{ servers: 3 }, { servers: 4, liars: 1 }, { servers: 1, crashes: 0 }])(
    'delivers what matches, in order, with its receipt: %j',
    async trust => {
      await withGroup(async group => {
        const prices = group.events<{ note: string }>('prices')
        const got: ReceivedEvent<{ note: string }>[] = []
        await using feed = prices.subscribe({ price: { lt: 10 } }, event => got.push(event))
        await feed.ready
        const receipts = []
        for (let price = 8; price <= 11; price++)
          receipts.push(await prices.publish({ price }, { note: `at ${price}` }))
        await prices.drain()
        expect(got.map(({ attributes, payload }) => [attributes, payload])).toEqual([
          [{ price: 8 }, { note: 'at 8' }],
          [{ price: 9 }, { note: 'at 9' }],
        ])
        expect(got.map(({ id }) => id)).toEqual(receipts.slice(0, 2).map(({ id }) => id))
        expect(got[0]).toMatchObject({ author: 'embedded', channel: 'prices', attempt: 1, redelivered: false })
        expect(await feed.lag()).toBe(0)
        expect(feed.missed).toBe(0)
      }, trust)
    },
  )

  it('keeps as the newest only what has a topic', async () => {
    await withGroup(async group => {
      const states = group.events('states')
      for (const attributes of [{}, { topic: '' }, { topic: 5 }, { topic: ['a'] }])
        await expect(states.publish(attributes, 1, { retained: true })).rejects.toThrow(
          /no text there\. Nothing happened/,
        )
      await states.publish({ topic: 'a' }, 1, { retained: true })
      expect(await states.retained({})).toHaveLength(1)
    })
  })

  it('hands over again what the handler throws at, and not before the next', async () => {
    await withGroup(async group => {
      const seen: string[] = []
      const feed = group.subscribe({}, event => {
        seen.push(`${event.payload} ${event.attempt}`)
        if (event.payload === 'a' && event.attempt < 3) throw new Error('not yet')
      })
      await feed.ready
      await Promise.all([group.publish({}, 'a'), group.publish({}, 'b')])
      await until(() => seen.length === 4)
      expect(seen).toEqual(['a 1', 'a 2', 'a 3', 'b 1'])
    })
  })

  it('is read with a loop, from the start, and goes on under its name where it was acknowledged', async () => {
    await withGroup(async group => {
      const log = group.events<number>('log')
      for (let i = 1; i <= 3; i++) await log.publish({ i }, i)
      const read = async (count: number, ack: (event: ReceivedEvent<number>) => void) => {
        const found: number[] = []
        for await (const event of log.subscribe({ i: { exists: true } }, { name: 'audit', from: 'start' })) {
          found.push(event.payload)
          ack(event)
          if (found.length === count) break
        }
        return found
      }
      expect(await read(2, event => event.payload < 2 && event.ack())).toEqual([1, 2])
      expect(await read(2, event => event.ack())).toEqual([2, 3])
      await log.publish({ i: 4 }, 4)
      expect(await read(1, event => event.ack())).toEqual([4])
    })
  })

  it('carries bytes, JSON or nothing', async () => {
    await withGroup(async group => {
      const got: unknown[] = []
      const feed = group.subscribe({}, ({ payload }) => got.push(payload))
      await feed.ready
      for (const payload of [new Uint8Array([1, 2]), { a: [1] }, undefined, null, 'text']) {
        await group.publish({}, payload)
      }
      await until(() => got.length === 5)
      expect(got).toEqual([new Uint8Array([1, 2]), { a: [1] }, undefined, null, 'text'])
    })
  })

  it('changes its filter, and keeps its place', async () => {
    await withGroup(async group => {
      const got: unknown[] = []
      const feed = group.subscribe({ price: { lt: 10 } }, ({ payload }) => got.push(payload))
      await feed.ready
      await group.publish({ price: 5 }, 1)
      await until(() => got.length === 1)
      await feed.change({ price: { gte: 10 } })
      await group.publish({ price: 5 }, 2)
      await group.publish({ price: 15 }, 3)
      await until(() => got.length === 2)
      expect(got).toEqual([1, 3])
    })
  })

  it('ends with its signal, and the one that a later process takes over is told', async () => {
    await withGroup(async group => {
      const stop = new AbortController()
      const feed = group.subscribe({}, { signal: stop.signal }, () => {})
      await feed.ready
      stop.abort()
      await feed.closed
      const first = group.subscribe({}, { name: 'same' }, () => {})
      await first.ready
      const { signal } = first
      const second = group.subscribe({}, { name: 'same' }, () => {})
      await second.ready
      // It learns of it when it next says how far it is.
      await group.publish({}, 1)
      await expect(first.closed).rejects.toThrow(SubscriptionLost)
      expect([signal.aborted, first.signal === signal]).toEqual([true, true])
      expect(signal.reason).toBeInstanceOf(SubscriptionLost)
      await second.close()
      // Closed is not lost.
      expect(second.signal.aborted).toBe(false)
    })
  })
})

describe('a queue', () => {
  it('shares events among its members, and what fails too often goes to the dead letters', async () => {
    await withGroup(async group => {
      const jobs = group.events<number>('jobs')
      const done: number[] = []
      const dead: ReceivedEvent[] = []
      const letters = group.events('$dead/work').subscribe({}, event => dead.push(event))
      const options = { name: 'work', queue: true, ackWait: '2s', attempts: 2 } as const
      const member = (name: string) =>
        jobs.subscribe({}, options, event => {
          if (event.payload === 3) throw new Error(`${name} cannot`)
          done.push(event.payload)
        })
      const members = [member('a'), member('b')]
      await Promise.all([...members.map(({ ready }) => ready), letters.ready])
      const receipts = await Promise.all([1, 2, 3, 4, 5].map(i => jobs.publish({ i }, i)))
      await until(() => done.length === 4 && dead.length === 1)
      expect(done.sort()).toEqual([1, 2, 4, 5])
      expect(dead[0]!.attributes).toMatchObject({ i: 3, of: receipts[2]!.id })
    })
  })

  it('puts an event aside that has as many attributes as may be', async () => {
    await withGroup(async group => {
      const jobs = group.events<number>('jobs')
      const options = { name: 'full', queue: true, attempts: 1 } as const
      await using work = jobs.subscribe({}, options, () => {
        throw new Error('never')
      })
      await using dead = group.events<number>('$dead/full').subscribe({}, { from: 'start' })
      await Promise.all([work.ready, dead.ready])
      const many = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`a${i}`, i]))
      const { id } = await jobs.publish({ ...many, topic: 'z' }, 1)
      for await (const { attributes } of dead) {
        expect(attributes).toMatchObject({ of: id, topic: 'z', a0: 0 })
        break
      }
    })
  })

  it('changes its filter for all its members, and says how far it is', async () => {
    await withGroup(async group => {
      const jobs = group.events<number>('jobs')
      const got: number[] = []
      const options = { name: 'work', queue: true, from: 'start' } as const
      await using one = jobs.subscribe({ size: { lt: 5 } }, options, event => void got.push(event.payload))
      await using two = jobs.subscribe({ size: { lt: 5 } }, options, event => void got.push(event.payload))
      await Promise.all([one.ready, two.ready])
      await jobs.publish({ size: 9 }, 1)
      await jobs.publish({ size: 1 }, 2)
      await until(() => got.length === 1)
      await one.change({ size: { gte: 5 } })
      for (let i = 3; i <= 8; i++) await jobs.publish({ size: i % 2 === 0 ? 9 : 1 }, i)
      await until(() => got.length === 4)
      expect(got.sort()).toEqual([2, 4, 6, 8])
      expect(one.missed).toBe(0)
      for (let i = 0; (await two.lag()) > 0; i++) expect(i).toBeLessThan(100)
    })
  })

  it('is named by a shared subscription of MQTT', async () => {
    await withGroup(async group => {
      const got: unknown[] = []
      const handler = ({ payload }: ReceivedEvent) => got.push(payload)
      const members = [1, 2].map(() => group.subscribe(mqtt('$share/team/eu/#'), handler))
      await Promise.all(members.map(({ ready }) => ready))
      await group.publish({ topic: 'eu/xetra' }, 'once')
      await until(() => got.length === 1)
      await new Promise(resolve => setTimeout(resolve, 150))
      expect(got).toEqual(['once'])
    })
  })
})

describe('kept, live, expired', () => {
  it('gives the newest kept event of each topic first', async () => {
    await withGroup(async group => {
      const states = group.events<string>('states')
      for (const [topic, payload] of [
        ['a', 'old'],
        ['b', 'b'],
        ['a', 'new'],
      ] as const)
        await states.publish({ topic }, payload, { retained: true })
      const got: string[] = []
      const feed = states.subscribe({ topic: { exists: true } }, { retained: true }, ({ payload }) => got.push(payload))
      await feed.ready
      expect(got.sort()).toEqual(['b', 'new'])
      expect((await states.retained({ topic: 'a' })).map(({ payload }) => payload)).toEqual(['new'])
    })
  })

  it('gives the newest kept event again to a handler that throws, and what came meanwhile behind it', async () => {
    await withGroup(async group => {
      const states = group.events<string>('states')
      await states.publish({ topic: 'a' }, 'kept', { retained: true })
      const got: string[] = []
      const feed = states.subscribe({}, { retained: true }, ({ payload, attempt }) => {
        got.push(`${payload} ${attempt}`)
        if (payload === 'kept' && attempt < 3) throw new Error('not yet')
      })
      await feed.ready
      await states.publish({ topic: 'a' }, 'next')
      await until(() => got.length === 4)
      expect(got).toEqual(['kept 1', 'kept 2', 'kept 3', 'next 1'])
    })
  })

  it('of which a handler throws at one hears of the other topics, and of that one in order', async () => {
    await withGroup(async group => {
      const states = group.events<string>('states')
      await states.publish({ topic: 'a' }, 'kept', { retained: true })
      const got: string[] = []
      let isBroken = true
      const feed = states.subscribe({}, { retained: true, onFailed: () => {} }, ({ payload }) => {
        if (payload === 'kept' && isBroken) throw new Error('never')
        got.push(payload)
      })
      await feed.ready
      for (const [topic, payload] of [
        ['b', 'other'],
        ['a', 'newer'],
      ] as const)
        await states.publish({ topic }, payload)
      await until(() => got.length > 0)
      await new Promise(resolve => setTimeout(resolve, 300))
      expect(got).toEqual(['other'])
      isBroken = false
      await until(() => got.length === 3)
      expect(got).toEqual(['other', 'kept', 'newer'])
    })
  })

  it('a loop is given the newest kept event again that it refuses', async () => {
    await withGroup(async group => {
      const states = group.events<string>('states')
      await states.publish({ topic: 'a' }, 'kept', { retained: true })
      const got: number[] = []
      for await (const event of states.subscribe({}, { retained: true })) {
        got.push(event.attempt)
        if (got.length === 2) break
        event.nack()
      }
      expect(got).toEqual([1, 2])
    })
  })

  it('what is kept is not given once it has expired, nor where the check refuses it', async () => {
    await withGroup(async group => {
      const states = group.events<string>('states')
      await states.publish({ topic: 'a' }, 'gone', { retained: true, expires: 1 })
      await states.publish({ topic: 'b' }, 'there', { retained: true, expires: '1h' })
      await until(() => Date.now() % 10 === 5)
      expect((await states.retained({})).map(({ payload }) => payload)).toEqual(['there'])
      const validate = () => ({ issues: [{ message: 'never' }] })
      const check = { '~standard': { version: 1, vendor: 'test', validate } } as const
      expect(await group.events<string>('states', { check }).retained({})).toEqual([])
    })
  })

  it('a listener that throws does not end the node', async () => {
    const thrown: unknown[] = []
    const real = globalThis.queueMicrotask
    const caught = (work: () => void) => () => {
      try {
        work()
      } catch (error) {
        thrown.push(error)
      }
    }
    const later = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation(work => real(caught(work)))
    const mine = new Error('mine')
    const onMissed = () => {
      throw mine
    }
    await withGroup(async group => {
      const small = group.events<string>('small', { keep: { bytes: 400 } })
      for (let i = 0; i < 10; i++) await small.publish({ i }, 'x'.repeat(100))
      const feed = small.subscribe({}, { from: 'start', onMissed }, () => {})
      await feed.ready
      await small.drain()
      expect(feed.missed).toBeGreaterThan(0)
      await small.publish({}, 'still there')
    }).finally(() => later.mockRestore())
    expect(thrown).toContain(mine)
  })

  it('keeps as much as the servers give, and refuses to ask for more, with what would help', async () => {
    await withGroup(async group => {
      const ask = () => group.events('prices', { durable: true, keep: { age: '7d', bytes: 1e9 } })
      expect(ask).toThrow(/keep\.bytes is 1000000000, .*at most 64000000 .*keepMax/)
    })
    const large = await embedded({ keepMax: 1e9 })
    const prices = large.events<number>('prices', { durable: true, keep: { age: '7d', bytes: 1e9 } })
    await prices.publish({ topic: 'eu/xetra/ACME', symbol: 'ACME', price: 9.5 }, 1)
    expect(() => large.events('prices', { keep: { bytes: 1e9 + 1 } })).toThrow(/at most 1000000000 /)
    await large.close()
    // A share that is full is said to be: with its size, and what raises it.
    const small = await embedded({ keepMax: 1 << 21 })
    const full = small.events<Uint8Array>('full', { keep: { bytes: 1 << 21 } })
    const other = small.events<Uint8Array>('other', { keep: { bytes: 1 << 21 } })
    const mebibyte = new Uint8Array((1 << 20) - 1)
    await full.publish({}, mebibyte)
    await expect(other.publish({}, mebibyte)).rejects.toThrow(/no room .*2097152 bytes .*keepMax/)
    await small.close()
  })

  it('a live channel delivers to who is there, and keeps no place', async () => {
    await withGroup(async group => {
      const ticks = group.events<number>('ticks', { durable: false })
      const got: number[] = []
      const feed = ticks.subscribe({}, ({ payload }) => got.push(payload))
      await feed.ready
      await Promise.all(Array.from({ length: 50 }, (_, i) => ticks.publish({}, i)))
      await until(() => got.length === 50)
      expect(got).toEqual(Array.from({ length: 50 }, (_, i) => i))
      expect(() => ticks.subscribe({}, { name: 'x' })).toThrow(/keeps no place/)
    })
  })

  it('what has expired is not handed over, and what was cut is told', async () => {
    await withGroup(async group => {
      const small = group.events<string>('small', { keep: { bytes: 400 } })
      await small.publish({}, 'cut')
      const missed: number[] = []
      for (let i = 0; i < 10; i++) await small.publish({ i }, 'x'.repeat(100))
      const got: ReceivedEvent<string>[] = []
      const options = { from: 'start', onMissed: ({ count }: { count: number }) => missed.push(count) } as const
      const feed = small.subscribe({}, options, event => got.push(event))
      await feed.ready
      await small.drain()
      expect(got.length).toBeGreaterThan(0)
      expect(feed.missed).toBe(11 - got.length)
      expect(missed).toEqual([feed.missed])
      const brief = group.events<string>('brief')
      await brief.publish({}, 'gone', { expires: 1 })
      await brief.publish({}, 'there', { expires: '1h' })
      const left: string[] = []
      const rest = brief.subscribe({}, { from: 'start' }, ({ payload }) => left.push(payload))
      await rest.ready
      await brief.drain()
      expect(left).toEqual(['there'])
    })
  })
})

describe('what is refused', () => {
  const schema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        typeof value === 'number' ? { value } : { issues: [{ message: 'it must be a number' }] },
    },
  } as const

  it('a payload that the check refuses, on both sides', async () => {
    await withGroup(async group => {
      const checked = group.events<number>('checked', { check: schema })
      await expect(checked.publish({}, 'no' as unknown as number)).rejects.toThrow(/does not fit: it must be a number/)
      const got: number[] = []
      const feed = checked.subscribe({}, ({ payload }) => got.push(payload))
      await feed.ready
      await group.events('checked').publish({}, 'smuggled')
      await checked.publish({}, 7)
      await until(() => got.length === 1)
      expect([got, feed.refused]).toEqual([[7], 1])
    })
  })

  it('nothing, where the check itself throws: the event comes again, and of a queue it is put aside', async () => {
    await withGroup(async group => {
      let isBroken = true
      const validate = (value: unknown) => {
        if (isBroken && value === 13) throw new Error('a bug of the schema')
        return { value: value as number }
      }
      const check = { '~standard': { version: 1, vendor: 'test', validate } } as const
      const checked = group.events<number>('checked', { check })
      await expect(checked.publish({}, 13)).rejects.toThrow(/does not fit: the check threw: a bug of the schema/)
      const got: number[] = []
      const feed = checked.subscribe({}, ({ payload }) => got.push(payload))
      const dead = group.events<number>('$dead/work').subscribe({}, { from: 'start' })
      const queue = checked.subscribe({}, { name: 'work', queue: true, attempts: 1 }, () => {})
      await Promise.all([feed.ready, queue.ready, dead.ready])
      await group.events('checked').publish({}, 13)
      for await (const { payload } of dead) {
        expect(payload).toBe(13)
        break
      }
      expect([got, feed.refused]).toEqual([[], 0])
      isBroken = false
      await until(() => got.length === 1)
    })
  })

  it('a name that has no place, or contradicts the queue that the filter names', async () => {
    await withGroup(async group => {
      const jobs = group.events('jobs')
      const named = (name: string, queue: boolean) => () => jobs.subscribe({}, { name, queue })
      expect(named('n'.repeat(201), false)).toThrow(/a subscription's name is 1 to 200 bytes/)
      expect(named('n'.repeat(195), true)).toThrow(/a queue's name is 1 to 194 bytes/)
      expect(named('a\u0000b', true)).toThrow(/without control characters/)
      const shared = mqtt('$share/team/eu/#')
      expect(() => jobs.subscribe(shared, { name: 'other' })).toThrow(/the queue "team"/)
      expect(() => jobs.subscribe(shared, { queue: false })).toThrow(/the queue "team"/)
      await using alone = jobs.subscribe({})
      expect(() => alone.change(shared)).toThrow(/the queue "team"/)
      // What it put aside would match it again, for ever; another queue may have it.
      const dead = group.events('$dead/work')
      expect(() => dead.subscribe({}, { name: 'work', queue: true })).toThrow(
        /puts events aside in the channel "\$dead\/work"/,
      )
      await using _others = dead.subscribe({}, { name: 'repair', queue: true })
      await using _audit = dead.subscribe({}, { name: 'work' })
    })
  })

  it('with a sentence, definite or indefinite', async () => {
    await withGroup(async group => {
      const large = group.publish({}, new Uint8Array(2 << 20))
      await expect(large).rejects.toMatchObject({ name: 'EventRefused', outcome: 'did not happen' })
      await expect(group.publish({ a: Number.NaN })).rejects.toMatchObject({ outcome: 'did not happen' })
      const before = group.publish({}, 1, { signal: AbortSignal.abort(new Error('mine')) })
      await expect(before).rejects.toMatchObject({ name: 'EventRefused', outcome: 'did not happen' })
      await expect(before).rejects.toMatchObject({ cause: { message: 'mine' } })
      const stop = new AbortController()
      const during = group.publish({}, 1, { signal: stop.signal })
      // The payload is looked at first; then it is on its way.
      await Promise.resolve().then(() => {})
      stop.abort(new Error('enough'))
      await expect(during).rejects.toMatchObject({ outcome: 'may have happened', cause: { message: 'enough' } })
      await expect(during).rejects.toThrow(EventUnanswered)
      expect(() => group.events('')).toThrow(/channel/)
      expect(() => group.events('x', { keep: { age: 'soon' } })).toThrow(/age is "?soon"?/)
      expect(() => group.subscribe({}, { queue: true }, () => {})).toThrow(/needs a name/)
      expect(() => group.subscribe({}, { name: 'a', attempts: 3 }, () => {})).toThrow(/attempts are of a queue/)
      const swapped = [{}, () => {}, { name: 'a' }] as unknown as Parameters<typeof group.subscribe>
      expect(() => group.subscribe(...swapped)).toThrow(/options stand before it/)
      expect(() => group.subscribe({ a: { before: 3 } }, () => {})).toThrow(/before/)
      expect(new EventRefused('c', 'no.').message).toContain('Nothing happened')
    })
  })
})
