// The holder's clock (protocols/lock 2): time that the machine slept through counts, in every thread.

import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { clockMemory, holderClock, threadsClock } from './clock.ts'

function clocks() {
  const time = { monotonic: 5_000, wall: 1_700_000_000_000 }
  const monotonic = () => time.monotonic
  const wall = () => time.wall
  const memory = clockMemory(monotonic, wall)
  const pass = (millis: number) => {
    time.monotonic += millis
    time.wall += millis
  }
  return { time, pass, one: holderClock(memory, monotonic, wall), other: holderClock(memory, monotonic, wall) }
}

describe('the holder clock', () => {
  it('goes with the monotonic clock', () => {
    const { pass, one } = clocks()
    const before = one()
    pass(1_234)
    expect(one() - before).toBeCloseTo(1_234)
  })
  it('counts a sleep once, whichever thread sees it first', () => {
    const { time, one, other } = clocks()
    const before = one()
    time.wall += 60_000
    expect(one() - before).toBeCloseTo(60_000)
    expect(other() - before).toBeCloseTo(60_000)
    expect(one() - before).toBeCloseTo(60_000)
  })
  it('does not go back with the wall clock, and counts the next sleep in full', () => {
    const { time, one, other } = clocks()
    const before = one()
    time.wall -= 3_600_000
    expect(other() - before).toBeCloseTo(0)
    time.wall += 5_000
    expect(one() - before).toBeCloseTo(5_000)
  })
})

it('the clock beneath it is the same in every thread', async () => {
  const before = threadsClock()
  const code = 'require("worker_threads").parentPort.postMessage(Number(process.hrtime.bigint()) / 1e6)'
  const there = await new Promise<number>((resolve, reject) =>
    new Worker(code, { eval: true }).on('message', resolve).on('error', reject),
  )
  expect(there).toBeGreaterThanOrEqual(before)
  expect(there).toBeLessThanOrEqual(threadsClock())
})
