// A subscription that ends in the middle of something: nothing more is handed over, nothing is left behind, and nobody waits for ever.

import { describe, expect, it, vi } from 'vitest'
import { embedded } from '../embedded.ts'
import type { EventChannel } from './channel.ts'
import { SubscriptionLost } from './errors.ts'

async function withChannel(work: (channel: EventChannel<number>) => Promise<void>): Promise<void> {
  await using group = await embedded({ servers: 1, crashes: 0 })
  await work(group.events<number>('prices'))
}

const turn = () => new Promise(resolve => setTimeout(resolve, 20))

describe('a subscription that is closed', () => {
  it('by its handler has no more of what is kept', async () => {
    await withChannel(async channel => {
      for (const n of [1, 2, 3, 4]) await channel.publish({ topic: `t/${n}` }, n, { retained: true })
      let calls = 0
      const feed = channel.subscribe({}, { retained: true }, async () => {
        if (++calls === 2) await feed.close()
      })
      await feed.closed
      await turn()
      expect(calls).toBe(2)
    })
  })

  it('by its handler, which then throws, leaves no timer', async () => {
    await withChannel(async channel => {
      await channel.publish({ topic: 't' }, 1, { retained: true })
      let calls = 0
      const feed = channel.subscribe({}, { retained: true }, async ({ attempt }) => {
        calls++
        if (attempt === 3) await feed.close()
        throw new Error('not yet')
      })
      await vi.waitFor(() => expect(calls).toBe(2), 10_000)
      // The third time that it fails would come again after 200 ms.
      const timers = vi.spyOn(globalThis, 'setTimeout')
      try {
        await feed.closed
        await turn()
        expect(timers.mock.calls.map(([, after]) => after)).not.toContain(200)
      } finally {
        timers.mockRestore()
      }
    })
  })

  it('right behind a change says that the filter was not changed', async () => {
    await withChannel(async channel => {
      const feed = channel.subscribe({ price: 1 }, () => {})
      await feed.ready
      const changed = feed.change({ price: 2 })
      await feed.close()
      await expect(changed).rejects.toThrow(SubscriptionLost)
      await expect(feed.change({ price: 3 })).rejects.toThrow(SubscriptionLost)
    })
  })
})
