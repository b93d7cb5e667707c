// A holder that stood still for longer than its session, on a whole group in this process: it knows before any timer has run,
// and whoever calls the recipe next has a session again.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { embedded } from '../embedded.ts'
import type { Group } from '../group.ts'
import { HoldLost, TreeLock } from './index.ts'

const TTL_MS = 300
let group: Group
beforeAll(async () => {
  group = await embedded()
})
afterAll(() => group.close())

/** As SIGSTOP does it: nothing of this thread runs. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

it('says that it is not held, by the clock, and the next call opens a new session', async () => {
  await using tree = group.tree({ ttl: TTL_MS })
  const lock = new TreeLock(tree.plain, '/locks/still')
  const hold = await lock.acquire()
  expect(hold.held()).toBe(true)
  standStill(2 * TTL_MS)
  expect(tree.plain.lives!()).toBe(false)
  expect(hold.held()).toBe(false)
  if (!hold.signal.aborted) await new Promise(resolve => hold.signal.addEventListener('abort', resolve))
  expect(hold.signal.reason).toBeInstanceOf(HoldLost)
  const next = await lock.acquire()
  expect(next.held()).toBe(true)
  expect(next.token).toBeGreaterThan(hold.token)
  expect(hold.held()).toBe(false)
  await next.release()
})
