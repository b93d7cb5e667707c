// Strategies of backing off (BACKOFF §4 figure 1, §5): one suite for all, then what each is for.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffNames, backoffStrategies } from './backoff.ts'

const low = () => 0
const high = (bound: number) => bound - 1

describe.each(backoffNames)('%s', name => {
  const strategy = backoffStrategies[name]
  const asked = fc.record({
    base: fc.integer({ min: 1, max: 1_000 }),
    max: fc.integer({ min: 1, max: 100_000 }),
    tries: fc.integer({ min: 1, max: 200 }),
    last: fc.nat(100_000),
  })

  it('waits for whole milliseconds between the base and the most, or not at all', () => {
    fc.assert(
      fc.property(asked, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (backoff, chance) => {
        const wait = strategy.wait(backoff, bound => Math.floor(chance * bound))
        expect(Number.isInteger(wait)).toBe(true)
        if (name === 'none') expect(wait).toBe(0)
        else expect(wait).toBeGreaterThanOrEqual(backoff.base)
        expect(wait).toBeLessThanOrEqual(Math.max(backoff.base, backoff.max))
      }),
    )
  })
  it('asks chance for a bound that it can give', () => {
    fc.assert(
      fc.property(asked, backoff => {
        const bounds: number[] = []
        strategy.wait(backoff, bound => {
          bounds.push(bound)
          return 0
        })
        for (const bound of bounds) expect(bound).toBeGreaterThanOrEqual(1)
        expect(bounds.length).toBe(name === 'none' ? 0 : 1)
      }),
    )
  })
  it('never narrows as tries fail, if chance is as bad as it can be', () => {
    let last = 0
    for (let tries = 1; tries < 60; tries++) {
      const wait = strategy.wait({ base: 2, max: 500, tries, last }, high)
      expect(wait).toBeGreaterThanOrEqual(last)
      last = wait
    }
    expect(last).toBe(name === 'none' ? 0 : 500)
  })
})

describe('how they grow', () => {
  const widest = (name: keyof typeof backoffStrategies, count: number) => {
    const waits: number[] = []
    for (let tries = 1; tries <= count; tries++) {
      waits.push(backoffStrategies[name].wait({ base: 2, max: 1e9, tries, last: waits.at(-1) ?? 0 }, high))
    }
    return waits
  }
  it('exponential doubles (figure 1)', () => expect(widest('exponential', 5)).toEqual([4, 8, 16, 32, 64]))
  it('polynomial grows as the square', () => expect(widest('polynomial', 5)).toEqual([8, 18, 32, 50, 72]))
  it('decorrelated trebles at worst', () => expect(widest('decorrelated', 4)).toEqual([6, 18, 54, 162]))
  it('and comes back down after the best of luck', () => {
    const { decorrelated } = backoffStrategies
    const lucky = decorrelated.wait({ base: 2, max: 1e9, tries: 9, last: 162 }, low)
    expect(decorrelated.wait({ base: 2, max: 1e9, tries: 10, last: lucky }, high)).toBe(6)
  })
})
