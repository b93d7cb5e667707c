// OMA lemmas 4 and 5 under lost, repeated and late messages, pauses and restarts: distinct slots, and everybody served.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { runOnce } from '../../simulator/index.ts'
import { ringScenario } from './index.ts'

describe('the ring, corrected', () => {
  /** All levels and ways to be fair are among them. */
  const few = [1, 2, 4, 6, 7, 9, 20]
  const seeds = sized(
    few,
    Array.from({ length: 40 }, (_, place) => place + 1),
  )
  it(`${seeds.length} runs with faults: distinct slots, everybody served`, () => {
    const drawn = new Set<string>()
    for (const seed of seeds) {
      const result = runOnce(ringScenario(), seed)
      expect(result.violations, `seed ${seed}`).toEqual([])
      drawn.add(`${result.drawn.level} ${result.drawn.fairness}`)
    }
    expect(drawn.size).toBe(4)
  })
  it('the same seed is the same run', () => {
    const once = () => runOnce(ringScenario(), 7).traceHash
    expect(once()).toBe(once())
  })
  it.each([
    ['a bug that is none', { bug: 'no-such' }, /there is no planted bug 'no-such'/],
    ['two members', { members: 2 }, /3 to 64 work/],
  ])('refuses %s', (_, options, sentence) => {
    expect(() => ringScenario(options)).toThrow(sentence)
  })
})
