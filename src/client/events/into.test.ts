// Events that become the state of an object, each once: over an embedded group.

import { describe, expect, it, vi } from 'vitest'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import { SubscriptionLost } from './errors.ts'

async function withGroup(work: (group: Group) => Promise<void>) {
  await using group = await embedded({ servers: 3 })
  await work(group)
}

describe('into', () => {
  it('applies each event once, also when it comes again', async () => {
    await withGroup(async group => {
      const sales = group.events<number>('sales')
      const sum = { initial: () => 0, apply: (state: number, { payload }: { payload: number }) => state + payload }
      for (const amount of [1, 2, 3]) await sales.publish({ amount }, amount)
      const first = sales.into('total', {}, sum)
      await first.ready
      await sales.drain()
      expect(await first.state()).toBe(6)
      await first.close()
      const second = sales.into('total', {}, sum, { from: 'again' })
      await second.ready
      await sales.publish({ amount: 4 }, 4)
      await sales.drain()
      expect(await second.state()).toBe(10)
    })
  })
})

describe('into, with what no JSON has', () => {
  it('applies bytes, and events that carry nothing', async () => {
    await withGroup(async group => {
      const files = group.events<Uint8Array | undefined>('files')
      await files.publish({}, Uint8Array.of(1, 2))
      await files.publish({})
      const apply = (all: string[], { payload }: { payload: Uint8Array | undefined }) => [...all, `${payload}`]
      await using list = files.into('files', {}, { initial: (): string[] => [], apply })
      await list.ready
      await files.drain()
      expect(await list.state()).toEqual(['1,2', 'undefined'])
    })
  })

  it('says why an event cannot be applied, how far it is, and that another process took over', async () => {
    await withGroup(async group => {
      const sales = group.events<number>('sales')
      await sales.publish({}, 1)
      const never = () => {
        throw new Error('never')
      }
      const first = sales.into('total', {}, { initial: () => 0, apply: never })
      await first.ready
      await vi.waitFor(() => expect(first.failure?.message).toContain('never'), 5_000)
      expect([await first.lag(), first.missed, first.refused]).toEqual([1, 0, 0])
      const ended = expect(first.closed).rejects.toThrow(SubscriptionLost)
      await using later = sales.subscribe({}, { name: 'into/total' })
      await later.ready
      await ended
    })
  })
})
