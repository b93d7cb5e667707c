// The small pure parts of the TLS transport: waiting frames, delays, and the log that cannot be flooded.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, backoffMs } from './backoff.ts'
import { FrameSplitter } from './frames.ts'
import { BLOCK_BYTES, BlockPool, Outbox } from './outbox.ts'
import { limitRefusals, REFUSALS_PER_SECOND_MAX } from './refusals.ts'

function takeAll(outbox: Outbox): Uint8Array[] {
  const splitter = new FrameSplitter(1 << 20)
  const out: Uint8Array[] = []
  for (let block = outbox.shift(); block !== undefined; block = outbox.shift()) {
    splitter.push(block.bytes.subarray(0, block.length))
    for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) out.push(Uint8Array.from(frame))
  }
  return out
}

const sizes = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: BLOCK_BYTES - 20, max: BLOCK_BYTES + 20 })), {
  maxLength: 12,
})

describe('outbox', () => {
  it('gives back, block by block, the frames that were put in', () => {
    fc.assert(
      fc.property(sizes, lengths => {
        const outbox = new Outbox(new BlockPool(), 1 << 22)
        const frames = lengths.map((length, i) => new Uint8Array(length).fill(i + 1))
        for (const frame of frames) expect(outbox.push(frame)).toBe(true)
        const out = takeAll(outbox)
        expect(out.length).toBe(frames.length)
        expect(out.every((frame, i) => Buffer.compare(frame, frames[i]!) === 0)).toBe(true)
        expect(outbox.empty).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('is never over its limit, and keeps no part of a frame that does not fit', () => {
    const outbox = new Outbox(new BlockPool(), 100)
    expect(outbox.push(new Uint8Array(50))).toBe(true)
    expect(outbox.push(new Uint8Array(43))).toBe(false)
    expect(outbox.push(new Uint8Array(42))).toBe(true)
    expect(outbox.bytes).toBe(100)
    expect(takeAll(outbox).map(frame => frame.length)).toEqual([50, 42])
  })

  it('counts each frame that is cleared once, though it lies in several blocks', () => {
    const outbox = new Outbox(new BlockPool(), 1 << 20)
    for (const length of [10, 3 * BLOCK_BYTES, 0, 10]) outbox.push(new Uint8Array(length))
    expect(outbox.clear()).toBe(4)
    expect(outbox.bytes).toBe(0)
  })

  it('moves behind what waits elsewhere', () => {
    const pool = new BlockPool()
    const [first, second] = [new Outbox(pool, 1000), new Outbox(pool, 1000)]
    first.push(new Uint8Array([1]))
    second.push(new Uint8Array([2]))
    second.moveInto(first)
    expect(takeAll(first)).toEqual([new Uint8Array([1]), new Uint8Array([2])])
    expect([first.bytes, second.bytes]).toEqual([0, 0])
  })

  it('uses blocks again that were given back', () => {
    const pool = new BlockPool()
    const block = pool.take()
    pool.give(block)
    expect(pool.take()).toBe(block)
  })
})

describe('backoff', () => {
  it('stays between half the first delay and the longest, and doubles on the way', () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (failures, chance) => {
        const delay = backoffMs(failures, chance)
        expect(delay).toBeGreaterThanOrEqual(BACKOFF_FIRST_MS / 2)
        expect(delay).toBeLessThanOrEqual(BACKOFF_MAX_MS)
      }),
    )
    expect([1, 2, 3, 50].map(failures => backoffMs(failures, 0))).toEqual([25, 50, 100, 2500])
  })
})

describe('refusals', () => {
  it('are logged, up to so many a second, and the rest is counted', () => {
    const lines: string[] = []
    let now = 0
    const refused = limitRefusals(
      (_, message, fields) => lines.push(`${message} ${fields.why ?? fields.count}`),
      () => now,
    )
    for (let i = 0; i < REFUSALS_PER_SECOND_MAX + 5; i++) refused('x', {})
    expect(lines).toHaveLength(REFUSALS_PER_SECOND_MAX)
    now = 1_000
    refused('y', {})
    expect(lines.slice(-2)).toEqual(['more connections refused 5', 'connection refused y'])
  })
})
