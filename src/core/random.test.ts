import { describe, expect, it } from 'vitest'
import { seededRandom } from './random.ts'

const draws = (seed: number, stream?: number) => {
  const random = seededRandom(seed, stream)
  return Array.from({ length: 4 }, () => random.below(2 ** 32))
}

describe('seeded randomness', () => {
  it('gives these numbers for ever: a replay of years ago must stay the same', () => {
    expect(draws(1)).toMatchInlineSnapshot(`
      [
        441792574,
        614447336,
        1644328534,
        3387734806,
      ]
    `)
    expect(draws(2 ** 40 + 7, 3)).toMatchInlineSnapshot(`
      [
        1360754365,
        461997770,
        2630647728,
        2464712560,
      ]
    `)
    const random = seededRandom(42)
    expect(random.fork(5).below(1_000_000)).toMatchInlineSnapshot(`267151`)
    expect([...random.bytes(6)]).toMatchInlineSnapshot(`
      [
        0,
        21,
        137,
        228,
        80,
        76,
      ]
    `)
    expect(random.unit()).toMatchInlineSnapshot(`0.8789325451944023`)
  })

  it('differs with the seed, its upper half and the stream', () => {
    const first = [draws(1), draws(2), draws(1 + 2 ** 32), draws(1, 1)].map(String)
    expect(new Set(first).size).toBe(4)
  })

  it.each([2, 3, 7, 10, 100])('is uniform below %i (chi-squared, six standard deviations)', bound => {
    const random = seededRandom(99, bound)
    const counts = new Array<number>(bound).fill(0)
    const each = 2_000
    for (let i = 0; i < each * bound; i++) counts[random.below(bound)]!++
    const chi = counts.reduce((sum, count) => sum + (count - each) ** 2 / each, 0)
    expect(chi).toBeLessThan(bound - 1 + 6 * Math.sqrt(2 * (bound - 1)))
  })

  it('is uniform where a remainder would show: below three quarters of the range', () => {
    const random = seededRandom(7)
    const bound = 3 * 2 ** 30
    let low = 0
    for (let i = 0; i < 9_000; i++) if (random.below(bound) < 2 ** 30) low++
    expect(Math.abs(low - 3_000)).toBeLessThan(300)
  })

  it('chance keeps its promise', () => {
    const random = seededRandom(3)
    let hits = 0
    for (let i = 0; i < 10_000; i++) if (random.chance(0.2)) hits++
    expect(Math.abs(hits - 2_000)).toBeLessThan(240)
    expect(seededRandom(1).chance(0)).toBe(false)
    expect(seededRandom(1).chance(1)).toBe(true)
  })

  it('a fork is not touched by what its parent does later, and labels part', () => {
    const forked = (label: number, after: number) => {
      const parent = seededRandom(8)
      const fork = parent.fork(label)
      for (let i = 0; i < after; i++) parent.below(10)
      return Array.from({ length: 4 }, () => fork.below(2 ** 32)).join()
    }
    expect(forked(1, 0)).toBe(forked(1, 50))
    expect(forked(1, 0)).not.toBe(forked(2, 0))
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])('refuses below(%d)', bound =>
    expect(() => seededRandom(1).below(bound)).toThrow(RangeError),
  )
})
