// What is wrong with a user's handler is heard, once, and never swallowed.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { embedded } from '../embedded.ts'
import type { EventChannel } from './channel.ts'
import type { FailedEvent } from './options.ts'

const said: string[] = []
const told = (warning: Error) => {
  if (warning.name === 'CoterieWarning') said.push(warning.message)
}

beforeEach(() => {
  said.length = 0
  process.on('warning', told)
})
afterEach(() => {
  process.off('warning', told)
})

async function withChannel(work: (channel: EventChannel<number>) => Promise<void>): Promise<void> {
  await using group = await embedded({ servers: 1, crashes: 0 })
  await work(group.events<number>('prices'))
}

const heard = (count: number) => vi.waitFor(() => expect(said.length).toBeGreaterThanOrEqual(count), 10_000)

describe('a handler', () => {
  it('that always throws is told of once, with what it threw', async () => {
    await withChannel(async channel => {
      let calls = 0
      await using feed = channel.subscribe({}, () => {
        calls++
        throw new TypeError('nothing is defined')
      })
      await feed.ready
      await channel.publish({}, 1)
      await vi.waitFor(() => expect(calls).toBeGreaterThan(4), 10_000)
      expect(said).toEqual([
        expect.stringMatching(
          /handler of a subscription to channel 'prices' threw at the event prices\/.*, attempt 3: TypeError: nothing is defined\. It comes again/,
        ),
      ])
    })
  })

  it('that throws now and then is not told of, and of a queue once an event is put aside', async () => {
    await withChannel(async channel => {
      const done: number[] = []
      await using feed = channel.subscribe({}, ({ payload, attempt }) => {
        if (attempt < 3) throw new Error('not yet')
        done.push(payload)
      })
      await feed.ready
      await channel.publish({}, 1)
      await vi.waitFor(() => expect(done).toEqual([1]), 10_000)
      expect(said).toEqual([])
      await using work = channel.subscribe({}, { name: 'work', queue: true, attempts: 2 }, () => {
        throw new Error('never')
      })
      await work.ready
      await channel.publish({}, 2)
      await heard(1)
      expect(said).toEqual([expect.stringContaining('After attempt 2 an event goes to the channel $dead/work.')])
    })
  })

  it('whose failures somebody asked for is told each time, and warned of never', async () => {
    await withChannel(async channel => {
      const failures: FailedEvent[] = []
      const error = new Error('never')
      await using feed = channel.subscribe({}, { onFailed: one => failures.push(one) }, () => {
        throw error
      })
      await feed.ready
      const { id } = await channel.publish({}, 1)
      await vi.waitFor(() => expect(failures.length).toBeGreaterThan(3), 10_000)
      expect(failures.slice(0, 2)).toEqual([
        { id, attempt: 1, error },
        { id, attempt: 2, error },
      ])
      expect(said).toEqual([])
    })
  })

  it('that is a generator is refused, and one that returns a generator has done nothing', async () => {
    await withChannel(async channel => {
      expect(() => channel.subscribe({}, function* () {})).toThrow('without the *')
      expect(() => channel.subscribe({}, async function* () {})).toThrow('without the *')
      const failures: FailedEvent[] = []
      const work = async function* () {}
      await using feed = channel.subscribe({}, { onFailed: one => failures.push(one) }, () => work())
      await feed.ready
      await channel.publish({}, 1)
      await vi.waitFor(() => expect(failures.length).toBeGreaterThan(1), 10_000)
      expect(String(failures[0]?.error)).toContain('the handler returned a generator')
    })
  })

  it.each([
    ['a function', () => () => 1, 'returned a function, and nobody calls it'],
    ['an error', () => new Error('bad'), 'returned an error (bad), and what returns acknowledges'],
  ])('that returns %s is told of once, and has acknowledged', async (_what, handler, says) => {
    await withChannel(async channel => {
      await using feed = channel.subscribe({}, handler)
      await feed.ready
      for (const n of [1, 2]) await channel.publish({}, n)
      await channel.drain()
      await heard(1)
      expect(said).toEqual([expect.stringContaining(says)])
    })
  })
})

describe('a subscription', () => {
  it('that is lost is told of where nobody waits for its end', async () => {
    await withChannel(async channel => {
      const first = channel.subscribe({}, { name: 'audit' }, () => {})
      await first.ready
      await using second = channel.subscribe({}, { name: 'audit' }, () => {})
      await second.ready
      await heard(1)
      expect(said).toEqual([expect.stringMatching(/'audit' to channel 'prices' ended: another process.*`closed`/)])
      const closed = second.closed.then(undefined, error => String(error))
      await using third = channel.subscribe({}, { name: 'audit' }, () => {})
      await third.ready
      expect(await closed).toContain('another process')
      expect(said.length).toBe(1)
    })
  })

  it('whose loop forgets to acknowledge is told so when the event comes again', async () => {
    await withChannel(async channel => {
      const feed = channel.subscribe({}, { ackWait: '50ms' })
      await feed.ready
      await channel.publish({}, 7)
      const seen: number[] = []
      for await (const event of feed) {
        seen.push(event.attempt)
        if (seen.length === 3) break
      }
      await heard(1)
      expect(said).toEqual([
        expect.stringMatching(/The loop over channel 'prices' had the event .*: call event\.ack\(\)\./),
      ])
    })
  })
})
