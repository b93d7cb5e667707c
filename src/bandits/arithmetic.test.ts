import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seededRandom } from '../core/index.ts'
import { beta, cos, exp, gamma, ln, normal } from './arithmetic.ts'

const near = (ours: number, theirs: number, parts = 4e-15) =>
  Math.abs(ours - theirs) <= parts * Math.max(Math.abs(theirs), 1e-300)

it('ln agrees with the engine to the last bits', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 1e-300, max: 1e300, noNaN: true }),
      x => near(ln(x), Math.log(x), 3e-15) || Math.abs(ln(x) - Math.log(x)) < 3e-16,
    ),
    { numRuns: 20_000 },
  )
  expect(ln(1)).toBe(0)
  expect(ln(2)).toBe(Math.LN2)
  expect(near(ln(5e-324), Math.log(5e-324))).toBe(true)
  expect([ln(0), ln(-1), ln(Number.POSITIVE_INFINITY)]).toEqual([
    Number.NEGATIVE_INFINITY,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])
})

it('ln grows from pull to pull', () => {
  let last = ln(1)
  for (let pulls = 2; pulls <= 1_000_000; pulls++) {
    const next = ln(pulls)
    if (!(next > last)) throw new Error(`ln(${pulls}) is not above ln(${pulls - 1})`)
    last = next
  }
})

it('exp and cos agree with the engine', () => {
  fc.assert(
    fc.property(fc.double({ min: -700, max: 700, noNaN: true }), x => near(exp(x), Math.exp(x))),
    { numRuns: 20_000 },
  )
  fc.assert(
    fc.property(fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }), x => Math.abs(cos(x) - Math.cos(x)) < 1e-15),
    { numRuns: 20_000 },
  )
  expect([exp(0), exp(-800), exp(800), exp(Number.NaN)]).toEqual([1, 0, Number.POSITIVE_INFINITY, Number.NaN])
})

// Means of 40,000 draws; four standard errors.
it('draws have the mean and variance of their distribution', () => {
  const random = seededRandom(7)
  const draw = (make: () => number, mean: number, variance: number) => {
    const all = Array.from({ length: 40_000 }, make)
    const found = all.reduce((sum, x) => sum + x, 0) / all.length
    const spread = all.reduce((sum, x) => sum + (x - found) ** 2, 0) / all.length
    expect(Math.abs(found - mean)).toBeLessThan(4 * Math.sqrt(variance / all.length))
    expect(Math.abs(spread / variance - 1)).toBeLessThan(0.1)
  }
  draw(() => normal(random.unit), 0, 1)
  draw(() => gamma(2.5, random.unit), 2.5, 2.5)
  draw(() => beta(3, 2, random.unit), 3 / 5, (3 * 2) / (5 ** 2 * 6))
})
