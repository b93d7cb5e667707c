import { describe, expect, it } from 'vitest'
import { Caught, wordsFor } from './caught.ts'

describe('what members were caught at', () => {
  it('is said once a minute for each member and way: just before, just after', () => {
    const caught = new Caught()
    expect(caught.take('eve', 'gossip', 'two-faced', 0)).toBe(true)
    expect(caught.take('eve', 'gossip', 'two-faced', 59_999)).toBe(false)
    expect(caught.take('eve', 'gossip', 'two-faced', 60_000)).toBe(true)
    expect(caught.take('eve', 'election', 'two-claims', 60_000)).toBe(true)
    expect(caught.take('bob', 'gossip', 'two-faced', 60_000)).toBe(true)
    expect(caught.of('eve')).toEqual(['two-claims (election)', 'two-faced (gossip)'])
    expect(caught.of('ann')).toEqual([])
  })
  it('is bounded: the thousandth matter is kept, one more is not, and those known are said again', () => {
    const caught = new Caught()
    for (let number = 1; number <= 1_000; number++) {
      expect(caught.take(`m${number}`, 'gossip', 'forging', 0)).toBe(true)
    }
    expect(caught.take('one-more', 'gossip', 'forging', 0)).toBe(false)
    expect(caught.of('one-more')).toEqual([])
    expect(caught.take('m7', 'gossip', 'forging', 60_000)).toBe(true)
  })
  it('is called a lie where the words prove one, and nothing else is', () => {
    expect(wordsFor('gossip', 'two-faced')).toBe('a member lies in gossip')
    expect(wordsFor('election', 'two-claims')).toBe('a member lies in an election')
    for (const how of ['flooding', 'accusing']) expect(wordsFor('gossip', how)).not.toMatch(/lies/)
    expect(wordsFor('election', 'flooding')).toBe('a member asks too much of the others in an election')
  })
})
