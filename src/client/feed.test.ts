// From events to a loop: once, in order, and never without bound.

import { describe, expect, it } from 'vitest'
import { Unavailable } from '../core/index.ts'
import { Feed } from './feed.ts'

describe('a feed', () => {
  it('gives what was pushed, in order, before and while it is read', async () => {
    const feed = new Feed<number>(undefined)
    feed.push(1)
    const items = feed.items()
    expect((await items.next()).value).toBe(1)
    const next = items.next()
    feed.push(2)
    expect((await next).value).toBe(2)
    feed.push(3)
    feed.finish()
    expect(await items.next()).toEqual({ value: 3, done: false })
    expect((await items.next()).done).toBe(true)
  })

  it('fails after what came before the failure', async () => {
    const feed = new Feed<number>(undefined)
    feed.push(1)
    feed.fail(new Error('broken'))
    const items = feed.items()
    expect((await items.next()).value).toBe(1)
    await expect(items.next()).rejects.toThrow('broken')
  })

  it('of states keeps the newest: a slow reader misses some, and never waits for more than one', async () => {
    const feed = new Feed<number>(undefined, 'newest')
    for (let item = 0; item <= 200_000; item++) feed.push(item)
    const items = feed.items()
    expect((await items.next()).value).toBe(200_000)
    feed.push(1)
    feed.push(2)
    feed.finish()
    expect([(await items.next()).value, (await items.next()).done]).toEqual([2, true])
  })

  it('cuts off a reader that never reads', async () => {
    const feed = new Feed<number>(undefined)
    for (let item = 0; item <= 100_000; item++) feed.push(item)
    await expect(feed.items().next()).rejects.toBeInstanceOf(Unavailable)
  })

  it('ends at once when its signal fires, also one that fired before', async () => {
    const stop = new AbortController()
    const feed = new Feed<number>(stop.signal)
    const waiting = feed.items().next()
    stop.abort()
    expect((await waiting).done).toBe(true)
    expect((await new Feed<number>(AbortSignal.abort()).items().next()).done).toBe(true)
  })
})
