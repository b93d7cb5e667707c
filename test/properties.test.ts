// Property tests draw from one seed, and a failure says which.

import fc from 'fast-check'
import { expect, it } from 'vitest'

const seed = Number(process.env.COTERIE_FUZZ_SEED || 1_729)

it('every property draws from the pinned seed', () => {
  expect(fc.readConfigureGlobal().seed).toBe(seed)
  expect(fc.check(fc.property(fc.nat(), () => true)).seed).toBe(seed)
  expect(fc.sample(fc.nat(), { seed, numRuns: 5 })).toEqual(fc.sample(fc.nat(), 5))
})

it('a list of at most so many is drawn as long as that, and short ones too', () => {
  const lengths = fc.sample(fc.array(fc.nat(), { maxLength: 120 }), 200).map(({ length }) => length)
  expect(Math.max(...lengths)).toBeGreaterThan(100)
  expect(Math.min(...lengths)).toBeLessThan(10)
})

it('one that fails prints the seed', () => {
  const wrong = () => fc.assert(fc.property(fc.nat(), number => number < 3))
  expect(wrong).toThrow(`{ seed: ${seed}, path: "`)
})
