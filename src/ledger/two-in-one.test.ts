// Theorem 5.5.1: the pair of ledgers and the 2-in-1 are equivalent, in every state of small systems and along random walks;
// and the comparison notices a rule that is broken.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copy } from '../core/index.ts'
import { brokenLedgerRules } from './proof/planted.ts'
import { differs, exploreTwoInOne, TwoInOne, universe } from './proof/two-in-one.ts'

describe('two ledgers, and one with two registers', () => {
  it('are equivalent: supply 2, one burn, every state', () => {
    expect(exploreTwoInOne({ supply: 2n, burns: 1 })).toEqual({ states: 237, steps: 1884, difference: undefined })
  })
  it('are equivalent along random walks', () => {
    const steps = universe([1n, 2n, 3n], 6)
    fc.assert(
      fc.property(fc.array(fc.nat(steps.length - 1), { maxLength: 60 }), walk => {
        const product = new TwoInOne(9n)
        for (const place of walk) {
          const verdicts = [product.take(product.pair, steps[place]!), product.take(product.both, steps[place]!)]
          expect(differs(product, product.pair, product.both, verdicts)).toBeUndefined()
        }
      }),
      { numRuns: 60 },
    )
  })
  it.each([
    ['no-spent-set', /went out/],
    ['minted-as-own', /supply/],
  ])('a broken rule shows: %s', (bug, why) => {
    const { difference } = exploreTwoInOne({ supply: 2n, burns: 1, rules: brokenLedgerRules(bug) })
    expect(difference?.why).toMatch(why)
  })
  it('copies are apart', () => {
    const product = new TwoInOne(2n)
    const before = product.describe(product.both)
    product.take(copy(product.both), { kind: 'transfer', at: 0, from: 0, to: 1, amount: 1n, foreign: false })
    expect(product.describe(product.both)).toBe(before)
  })
})
