import { describe, expect, it } from 'vitest'
import { Shelf } from './bytes.ts'

describe('a shelf', () => {
  it('gives out zeros of any length, and nothing twice', () => {
    const shelf = new Shelf()
    const lengths = [0, 1, 300, 1_024, 1_025, 70, 1_000, 1_000, 1_000, 5_000, 3]
    const taken = lengths.map((length, place) => {
      const part = shelf.take(length)
      expect([part.length, part.every(byte => byte === 0)]).toEqual([length, true])
      return part.fill(place + 1)
    })
    for (const [place, part] of taken.entries()) expect(part.every(byte => byte === place + 1)).toBe(true)
  })

  it('puts short ones together, and leaves a long one alone', () => {
    const shelf = new Shelf()
    expect(shelf.take(10).buffer).toBe(shelf.take(20).buffer)
    expect(shelf.take(2_000).buffer.byteLength).toBe(2_000)
  })
})
