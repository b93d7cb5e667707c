// BACKOFF §4: with n = 5b the printed rule does not hold, with one server more it does. All duels of one attempt each.

import { describe, expect, it } from 'vitest'
import { exhaustDuels } from './duels.ts'

describe('all duels of the printed rule', () => {
  it('n = 5b: six of 144 give two holders, each with an even split and FREE to both', () => {
    const { tried, broken, outside } = exhaustDuels(5)
    expect({ tried, broken: broken.length, outside }).toEqual({ tried: 144, broken: 6, outside: 0 })
    for (const { say, acts } of broken) {
      expect(say['server-5']!.words).toEqual(['f', 'f'])
      const first = acts.filter(act => 'to' in act && act.from === 'client-2' && act.to !== 'server-5')
      expect(first).toHaveLength(2)
    }
  })
  it('n = 5b + 1: none of 288', () => {
    const told: number[] = []
    const { tried, broken, outside } = exhaustDuels(6, count => told.push(count))
    expect({ tried, broken: broken.length, outside }).toEqual({ tried: 288, broken: 0, outside: 0 })
    expect(told.at(-1)).toBe(288)
  })
})
