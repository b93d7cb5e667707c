import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBatch } from '../../../test/events/compare.ts'
import { languages } from './index.ts'

// Three ways, written apart, must agree: the twin on what the user wrote, `matches` on the one form, and the index.
describe.each(languages)('$name', language => {
  it('agrees with a matcher written apart', () => {
    const total = { pairs: 0, matched: 0, refused: 0 }
    fc.assert(
      fc.property(fc.nat(), seed => {
        const compared = compareBatch(language, seed, 40, 20)
        total.pairs += compared.pairs
        total.matched += compared.matched
        total.refused += compared.refused
      }),
      { numRuns: 60 },
    )
    // Both outcomes are common, or the agreement would say little.
    expect(total.pairs).toBeGreaterThan(14_000)
    expect(total.matched / total.pairs).toBeGreaterThan(0.03)
    expect(total.matched / total.pairs).toBeLessThan(0.9)
  })
})
