// What is kept, as a user of it sees it: all of it, however much there is, and whatever others have taken away.

import { describe, expect, it } from 'vitest'
import { embedded } from '../embedded.ts'

const ALL = { topic: { exists: true } }

describe('what is kept', () => {
  it.each([
    { servers: 1, crashes: 0, liars: 0 },
    { servers: 4, crashes: 1, liars: 1 },
  ])('of 600 topics comes whole, to who asks and to who subscribes: $servers servers', async options => {
    await using group = await embedded(options)
    const states = group.events<number>('states')
    const numbers = Array.from({ length: 600 }, (_, at) => at)
    await Promise.all(numbers.map(n => states.publish({ topic: `t/${n}` }, n, { retained: true })))
    const sorted = (payloads: readonly number[]) => [...payloads].sort((a, b) => a - b)
    expect(sorted((await states.retained(ALL)).map(({ payload }) => payload))).toEqual(numbers)
    const got: number[] = []
    const feed = states.subscribe(ALL, { retained: true }, ({ payload }) => void got.push(payload))
    await feed.ready
    expect(sorted(got)).toEqual(numbers)
  })

  it('is not hidden by topics that others have taken away', async () => {
    await using group = await embedded({ servers: 1, crashes: 0 })
    const states = group.events<number>('states')
    const away = Array.from({ length: 300 }, (_, at) => at)
    await Promise.all(away.map(n => states.publish({ topic: `a/${n}` }, n, { retained: true, expires: 1 })))
    await states.publish({ topic: 'alive' }, 1, { retained: true })
    expect((await states.retained({})).map(({ payload }) => payload)).toEqual([1])
  })
})
