// A subscription on carriers: how it ends, what it missed, and how far it is behind. The broker is a few lines: what is sent under a
// name that is listened to is heard.

import { describe, expect, it } from 'vitest'
import type { Carrier, Hear } from '../../runtime/carriers/carrier.ts'
import { NotCarried } from './errors.ts'
import { carried } from './index.ts'

/** A broker in memory. */
function broker() {
  const all = new Set<{ hear: Hear; names: Set<string> }>()
  const control = { listened: () => [...all].flatMap(({ names }) => [...names]) }
  const carrier: Carrier = {
    url: 'memory://broker',
    async open(hear) {
      const one = { hear, names: new Set<string>() }
      all.add(one)
      return {
        isConnected: true,
        listen: name => void one.names.add(name),
        leave: name => void one.names.delete(name),
        send: (name, body) => {
          for (const { hear, names } of all)
            if ([...names].some(own => name.startsWith(own.replace('/#', '')))) hear(name, body)
        },
        flush: () => Promise.resolve(),
        async close() {
          all.delete(one)
        },
      }
    },
  }
  return { carrier, control }
}

async function opened() {
  const { carrier, control } = broker()
  return { control, prices: await carried<number>({ plain: true, carriers: [carrier], channel: 'prices' }) }
}

/** A handler that waits for its turn. */
function slow() {
  const got: number[] = []
  let next = () => {}
  const handler = ({ payload }: { payload: number }) => {
    got.push(payload)
    return new Promise<void>(resolve => (next = resolve))
  }
  const turn = async () => {
    next()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { got, handler, turn }
}

describe('a subscription on carriers', () => {
  it('ends when its signal fires: nothing more comes, and the broker is told', async () => {
    const { prices, control } = await opened()
    const got: number[] = []
    const ending = new AbortController()
    await prices.subscribe({}, { signal: ending.signal }, ({ payload }) => got.push(payload))
    await prices.publish({}, 1)
    ending.abort()
    expect(control.listened()).toEqual([])
    await prices.publish({}, 2)
    await prices.close()
    expect(got).toEqual([1])
  })

  it('does not begin where its signal has fired, or fires before the broker listens', async () => {
    const { prices, control } = await opened()
    const why = new Error('no longer wanted')
    const cancelled = () => prices.subscribe({}, { signal: AbortSignal.abort(why) }, () => {})
    await expect(cancelled()).rejects.toThrow(NotCarried)
    await expect(cancelled()).rejects.toMatchObject({ cause: why })
    const ending = new AbortController()
    const begun = prices.subscribe({}, { signal: ending.signal }, () => {})
    ending.abort()
    await expect(begun).rejects.toThrow('cancelled')
    expect(control.listened()).toEqual([])
    await prices.close()
  })

  it('says how many events came that are not handled yet', async () => {
    const { prices } = await opened()
    const { got, handler, turn } = slow()
    const feed = await prices.subscribe({ n: { exists: true } }, handler)
    expect(await feed.lag()).toBe(0)
    for (const n of [1, 2, 3]) await prices.publish({ n }, n)
    await prices.publish({ other: 1 }, 4)
    expect(await feed.lag()).toBe(3)
    for (const left of [2, 1, 0]) {
      await turn()
      expect(await feed.lag()).toBe(left)
    }
    expect(got).toEqual([1, 2, 3])
    expect(feed.missed).toBe(0)
    await prices.close()
  })

  it('gives attributes that are equal to a plain object', async () => {
    const { prices } = await opened()
    const got: unknown[] = []
    await prices.subscribe({}, ({ attributes }) => got.push(attributes))
    await prices.publish({ topic: 'eu/ACME', price: 9.5 }, 1)
    await prices.close()
    expect(got.map(Object.getPrototypeOf)).toEqual([Object.prototype])
  })

  it('counts what its handler was too slow for, and says so', async () => {
    const { carrier } = broker()
    const news: unknown[] = []
    const told = (one: unknown) => news.push(one)
    const prices = await carried<number>({ plain: true, carriers: [carrier], channel: 'prices', told })
    const { handler } = slow()
    const feed = await prices.subscribe({}, handler)
    const quick = await prices.subscribe({}, () => {})
    for (let n = 0; n < 10_002; n++) {
      await prices.publish({}, n)
    }
    expect(feed.missed).toBe(2)
    expect(await feed.lag()).toBe(10_000)
    expect(quick.missed).toBe(0)
    expect(news.length).toBe(2)
    expect(news[0]).toMatchObject({ kind: 'dropped' })
  })

  it('can be closed by its own handler, and so can its channel', async () => {
    const { prices, control } = await opened()
    const done: string[] = []
    const feed = await prices.subscribe({}, async () => {
      await feed.close()
      done.push('feed')
    })
    await prices.publish({}, 1)
    await feed.close()
    expect([done, control.listened()]).toEqual([['feed'], []])
    await prices.subscribe({}, async () => {
      await prices.close()
      done.push('channel')
    })
    await prices.publish({}, 2)
    await prices.close()
    expect(done).toEqual(['feed', 'channel'])
  })

  it('refuses options that it does not have, and wants a handler', async () => {
    const { prices } = await opened()
    await expect(prices.subscribe({}, { singal: 1 } as never, () => {})).rejects.toThrow('Did you mean signal?')
    await expect(prices.subscribe({}, {} as never, undefined as never)).rejects.toThrow('takes a function')
    const swapped = prices.subscribe({}, (() => {}) as never, { signal: undefined } as never)
    await expect(swapped).rejects.toThrow('options stand before it')
    await prices.close()
  })
})
