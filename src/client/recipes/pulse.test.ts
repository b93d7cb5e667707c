import { afterEach, expect, it, vi } from 'vitest'
import { Patience } from './patience.ts'
import { Pulse, STILL_MS } from './pulse.ts'
import type { Tree } from './tree.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a process that stood still believes nothing until its timers have run', () => {
  vi.useFakeTimers()
  let now = 0
  const pulse = new Pulse(() => now)
  pulse.use()
  now = STILL_MS
  expect(pulse.isSteady()).toBe(true)
  now = STILL_MS + 1
  expect(pulse.isSteady()).toBe(false)
  // It wakes: the timers that are due come first, then the beat.
  vi.advanceTimersByTime(60)
  expect(pulse.isSteady()).toBe(true)
  pulse.leave()
  now += STILL_MS + 1
  vi.advanceTimersByTime(1_000)
  expect(pulse.isSteady()).toBe(false)
})

it('after a lost session the next call of a recipe begins a new one', async () => {
  let session = new AbortController()
  const tree = {
    get signal() {
      return session.signal
    },
    renew() {
      session = new AbortController()
    },
  } as Tree
  {
    using patience = new Patience(tree, '/x', {})
    const waiting = patience.race(new Promise(() => {}))
    session.abort()
    await expect(waiting).rejects.toThrow(/the session is lost/)
  }
  using next = new Patience(tree, '/x', {})
  expect(await next.race(Promise.resolve('fine'))).toBe('fine')
})
