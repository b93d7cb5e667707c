import { expect, it } from 'vitest'
import { randomBelow, randomBytes, soon } from './platform.ts'

it('draws bytes of any length, never the same', () => {
  for (const length of [0, 1, 8, 32, 1024, 1025, 70_000]) expect(randomBytes(length)).toHaveLength(length)
  const seen = new Set(Array.from({ length: 2_000 }, () => Buffer.from(randomBytes(8)).toString('hex')))
  expect(seen.size).toBe(2_000)
})

it('gives out bytes that are not changed later', () => {
  const kept = Array.from({ length: 1_000 }, () => randomBytes(16))
  const copies = kept.map(bytes => Buffer.from(bytes).toString('hex'))
  randomBytes(1_000)
  expect(kept.map(bytes => Buffer.from(bytes).toString('hex'))).toEqual(copies)
})

it('fills every part of a long draw', () => {
  const bytes = randomBytes(200_000)
  for (let at = 0; at < bytes.length; at += 1_000)
    expect(new Set(bytes.subarray(at, at + 1_000)).size).toBeGreaterThan(100)
})

// With 6,000 draws below 6 the chi-square of a fair die exceeds 29.9 once in 65,000 times (five degrees of freedom).
it('draws every number below the bound about equally often', () => {
  const counts = new Array<number>(6).fill(0)
  for (let draw = 0; draw < 6_000; draw++) counts[randomBelow(6)]!++
  const square = counts.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0)
  expect(square).toBeLessThan(29.9)
})

// The bound 2^47 + 1 leaves nearly half of all draws over: without throwing them away, the upper half would be rare.
it('is fair where the bound does not divide the draw', () => {
  const bound = 2 ** 47 + 1
  let high = 0
  for (let draw = 0; draw < 2_000; draw++) if (randomBelow(bound) >= bound / 2) high++
  expect(Math.abs(high - 1_000)).toBeLessThan(150)
})

it('refuses a bound below which there is nothing', () => {
  for (const bound of [0, -1, 1.5, Number.NaN, 2 ** 49])
    expect(() => randomBelow(bound)).toThrow('below a whole number')
  expect(randomBelow(1)).toBe(0)
})

it('lets due timers run between two turns', async () => {
  let turns = 0
  let fired = false
  setTimeout(() => (fired = true), 0)
  await new Promise<void>(resolve => {
    const turn = () => (fired || ++turns > 100_000 ? resolve() : soon(turn))
    turn()
  })
  expect(fired).toBe(true)
})
