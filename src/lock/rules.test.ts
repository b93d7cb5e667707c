// The lock's arithmetic beside dumb twins.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exponentialBackoff } from './backoff.ts'
import { brokenRules, plantedBugs } from './proof/planted.ts'
import { CLOCKS_APART, lockRules } from './rules.ts'

const rate = fc.double({ min: -1, max: 1, noNaN: true })

describe('the belief in a lease (protocols/lock 2)', () => {
  const story = fc.record({
    ttl: fc.integer({ min: 1, max: 86_400_000 }),
    drift: fc.double({ min: 0, max: 0.2, noNaN: true }),
    client: rate,
    server: rate,
    flight: fc.double({ min: 0, max: 100_000, noNaN: true }),
    answer: fc.double({ min: 0, max: 100_000, noNaN: true }),
  })
  // In real time, from when the client sent: the server holds until flight + ttl / its rate.
  const serverHoldsUntil = (s: { ttl: number; drift: number; server: number; flight: number }) =>
    s.flight + s.ttl / (1 + s.drift * s.server)

  it('ends before the server’s lease does, in real time, for all clocks within the drift', () => {
    fc.assert(
      fc.property(story, s => {
        const clientRate = 1 + s.drift * s.client
        const start = lockRules.beliefStart(0, (s.flight + s.answer) * clientRate)
        const until = (start + lockRules.belief(s.ttl, s.drift)) / clientRate
        expect(until).toBeLessThanOrEqual(serverHoldsUntil(s) * (1 + 1e-12))
      }),
      { numRuns: 2_000 },
    )
  })
  it('is not needlessly short: at the ends of the drift it fits, to a millisecond', () => {
    const belief = lockRules.belief(60_000, 0.01)
    expect(belief / (1 - 0.01)).toBeGreaterThan(60_000 / (1 + 0.01) - 1.02)
  })
  it('breaks without the drift factor, and counted from the answer', () => {
    const until = brokenRules('no-drift-factor').belief(60_000, 0.01) / 0.99
    expect(until).toBeGreaterThan(60_000 / 1.01)
    expect(brokenRules('lease-from-reply').beliefStart(0, 500)).toBe(500)
  })
})

describe('raising a token (protocols/lock 3)', () => {
  const { raiseToken } = lockRules
  const reports = fc.array(fc.nat(2 ** 40), { maxLength: 9 })
  it('never goes down', () => {
    fc.assert(
      fc.property(fc.nat(), reports, fc.nat(3), fc.nat(20), (token, reported, b, tries) => {
        expect(raiseToken(token, reported, b, tries)).toBeGreaterThanOrEqual(token)
      }),
    )
  })
  it('what b + 1 report is followed: b liars cannot have made it up', () => {
    fc.assert(
      fc.property(fc.nat(), reports, fc.nat(3), (token, reported, b) => {
        const vouched = [...reported].filter(one => reported.filter(other => other >= one).length >= b + 1)
        for (const one of vouched) expect(raiseToken(token, reported, b, 1)).toBeGreaterThanOrEqual(one)
      }),
    )
  })
  it('b liars alone lead no farther than clocks are apart, however often they speak', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.nat(1_000)),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(2 ** 40),
        (token, honest, b, clock) => {
          const lies = new Array<number>(b).fill(2 ** 53 - 2 ** 40)
          const most = Math.max(token, clock + CLOCKS_APART, ...honest)
          const once = raiseToken(token, [...honest, ...lies], b, clock)
          expect(once).toBeLessThanOrEqual(most)
          expect(raiseToken(once, [...honest, ...lies], b, clock)).toBe(once)
        },
      ),
    )
  })
  it('a lone honest server that a fast clock led ahead is reached at once, up to a minute', () => {
    const clock = 1_000_000_000
    expect(raiseToken(1_000, [clock + CLOCKS_APART], 1, clock)).toBe(clock + CLOCKS_APART)
    expect(raiseToken(1_000, [clock + CLOCKS_APART + 1], 1, clock)).toBe(clock + CLOCKS_APART)
  })
})

describe('who may release', () => {
  it('the holder, with the token it holds', () => {
    expect(lockRules.mayRelease('ann', 5, 'ann', 5)).toBe(true)
    expect(lockRules.mayRelease('ann', 5, 'bob', 5)).toBe(false)
    expect(lockRules.mayRelease('ann', 5, 'ann', 4)).toBe(false)
  })
})

describe('planted bugs', () => {
  it('there is one for every rule', () => {
    const broken = new Set(Object.values(plantedBugs).flatMap(rules => Object.keys(rules)))
    expect(broken).toEqual(new Set(Object.keys(lockRules)))
  })
  it('each breaks one rule, and an unknown one is refused by name', () => {
    for (const bug of Object.keys(plantedBugs)) {
      const broken = brokenRules(bug)
      const changed = Object.entries(lockRules).filter(
        ([rule, honest]) => broken[rule as keyof typeof broken] !== honest,
      )
      expect(changed.length, bug).toBe(1)
    }
    expect(brokenRules(undefined)).toBe(lockRules)
    expect(() => brokenRules('typo')).toThrow("no planted bug 'typo'; there are: one-grant-too-few")
  })
})

describe('backoff (BACKOFF §4, figure 1: d ←R [δ … 2^s δ])', () => {
  it('lies between the base and 2^s times the base, and under its bound', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (base, tries, max, chance) => {
          const delay = exponentialBackoff(base, tries, max, bound => Math.floor(chance * bound))
          expect(delay).toBeGreaterThanOrEqual(base)
          expect(delay).toBeLessThanOrEqual(Math.max(base, Math.min(base * 2 ** tries, max)))
          expect(Number.isInteger(delay)).toBe(true)
        },
      ),
    )
  })
  it('reaches both ends', () => {
    expect(exponentialBackoff(2, 3, 500, () => 0)).toBe(2)
    expect(exponentialBackoff(2, 3, 500, bound => bound - 1)).toBe(16)
    expect(exponentialBackoff(2, 30, 500, bound => bound - 1)).toBe(500)
    expect(
      exponentialBackoff(9, 1, 5, bound => bound - 1),
      'a bound below the base',
    ).toBe(9)
  })
})
