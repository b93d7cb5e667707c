// OMA lemmas 4 and 5 under lost, repeated and late messages, pauses and restarts: distinct slots, and everybody served.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { runOnce } from '../../simulator/index.ts'
import { ringScenario } from './index.ts'

describe('the ring, corrected', () => {
  const runs = sized(12, 40)
  it(`${runs} runs with faults: distinct slots, everybody served`, () => {
    const drawn = new Set<string>()
    for (let seed = 1; seed <= runs; seed++) {
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
