import { describe, expect, it, vi } from 'vitest'
import { firstNames } from './largest.ts'
import { seededRandom } from './random.ts'

/** The same, by putting all in order. */
function dumb(names: readonly string[], after: string, most: number) {
  const all = names.filter(name => name > after).sort()
  return { names: all.slice(0, most), more: all.length > most }
}

describe('a page of names', () => {
  it('is the first of all that are after, whatever order they come in', () => {
    const random = seededRandom(5)
    for (let run = 0; run < 500; run++) {
      const names = [...new Set(Array.from({ length: random.below(120) }, () => `${random.below(200)}`))]
      if (run % 3 === 1) names.sort()
      if (run % 3 === 2) names.sort().reverse()
      const [after, most] = [run % 2 === 0 ? '' : `${random.below(200)}`, 1 + random.below(12)]
      expect(firstNames(names, after, most)).toEqual(dumb(names, after, most))
    }
  })
  it('puts few of them in order, however many there are', () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `${(at * 7_919) % 20_000}`)
    const sort = vi.spyOn(Array.prototype, 'sort')
    firstNames(names, '', 10)
    const lengths = sort.mock.contexts.map(list => (list as unknown[]).length)
    sort.mockRestore()
    expect(Math.max(...lengths)).toBeLessThanOrEqual(41)
    expect(lengths.length).toBeLessThan(20)
  })
})
