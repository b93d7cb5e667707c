import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { halvingPhases, pullsOf, rejectPhases } from './phases.ts'
import { phaseFormulas, phasesInDoubles } from './proof/doubles.ts'

describe('successive rejects (THESIS §2.2.2)', () => {
  it("has the thesis's phases for four arms and 500 pulls: 79, 26, 52, in all 498", () => {
    const phases = rejectPhases(4, 500)
    expect(phases.map(({ pulls }) => pulls)).toEqual([79, 26, 52])
    expect(pullsOf(phases)).toBe(498)
  })

  it('never spends more than the budget, and lets one arm go after each phase', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 5_000 }), (arms, more) => {
        const phases = rejectPhases(arms, arms + more)
        expect(phases.map(({ stay }) => stay)).toEqual(Array.from({ length: arms - 1 }, (_, place) => arms - 1 - place))
        expect(phases.every(({ pulls }) => pulls >= 0)).toBe(true)
        expect(pullsOf(phases)).toBeLessThanOrEqual(arms + more)
      }),
    )
  })

  it.each([
    ['log first', 'K = 5, N = 112'],
    ['one division', 'K = 5, N = 112'],
    ['as printed', 'K = 4, N = 23'],
  ] as const)('differs from floating point, %s, first at %s', (name, first) => {
    const differ: string[] = []
    for (let arms = 2; arms <= 8; arms++) {
      for (let budget = arms + 1; budget <= 300; budget++) {
        const exact = rejectPhases(arms, budget).map(({ pulls }) => pulls)
        if (exact.join() !== phasesInDoubles(arms, budget, phaseFormulas[name]).join())
          differ.push(`K = ${arms}, N = ${budget}`)
      }
    }
    expect(differ[0]).toBe(first)
  })

  it('refuses what cannot be divided', () => {
    expect(() => rejectPhases(4, 4)).toThrow('a whole number from 5')
    expect(() => rejectPhases(1, 10)).toThrow('at least 2 arms')
    expect(() => rejectPhases(3, 10.5)).toThrow('not 10.5')
    expect(() => rejectPhases(3, 2 ** 25)).toThrow('16,777,216')
  })
})

describe('sequential halving', () => {
  it('halves until one is left, within the budget', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 64 }), fc.integer({ min: 0, max: 5_000 }), (arms, more) => {
        const budget = arms * Math.ceil(Math.log2(arms)) + more
        const phases = halvingPhases(arms, budget)
        expect(phases).toHaveLength(Math.ceil(Math.log2(arms)))
        expect(phases.at(-1)!.stay).toBe(1)
        expect(phases.every(({ pulls }) => pulls >= 1)).toBe(true)
        expect(pullsOf(phases)).toBeLessThanOrEqual(budget)
      }),
    )
  })

  it('refuses a budget with which it would pull nothing', () => {
    expect(() => halvingPhases(32, 33)).toThrow('from 160')
  })
})
