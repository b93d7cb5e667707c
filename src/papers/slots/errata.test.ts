// readings OMA 1 to 14, each switched back on and found by its instrument. The numbers that are not here break no
// promise that a checker watches but tell a secret, and are found by adversaries: 9, 12, 13 and 14 in
// lab/oma/oma.test.ts.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calm, runOnce } from '../../simulator/index.ts'
import { generatorFrom, plantedErrata, ringScenario, SMALL_MODULUS, squareOf, ticketOfSquare } from './index.ts'

/** Where each shows, found by looking from seed 1 on. */
const SEEDS: Readonly<Record<string, number>> = {
  'root-off-by-two': 1,
  'full-key-release': 1,
  'passes-unopened': 50,
  'forgets-requests': 2,
  'counts-from-one': 3,
  'forwards-for-ever': 1,
  'needs-dummy': 1,
  'own-share-twice': 1,
}

describe('found by the checkers of the scenario', () => {
  it.each(Object.entries(SEEDS))('%s, in seed %i', (bug, seed) => {
    const { violations } = runOnce(ringScenario({ bug }), seed)
    expect(violations[0]?.what).toContain(plantedErrata[bug]!.says)
  })

  it('every planted erratum has its seed, or its story below', () => {
    expect(Object.keys(plantedErrata).filter(bug => SEEDS[bug] === undefined)).toEqual(['restarts-anew'])
  })
})

describe('11: a process that restarts', () => {
  const SECOND = 1_000_000
  const story = (bug?: string) => {
    const scenario = ringScenario({ bug: 'restarts-anew' })
    const acts = [
      { kind: 'use', member: 'member-2', at: SECOND / 10, hold: 2 * SECOND },
      { kind: 'use', member: 'member-3', at: 0.3 * SECOND, hold: SECOND / 10 },
    ] as const
    const faults = [{ kind: 'crash', node: 'member-1', at: SECOND / 2, lasts: SECOND / 10, clean: false }] as const
    const told = ringScenario(bug === undefined ? {} : { bug })
    return runOnce(
      {
        ...told,
        plan: random => ({ ...scenario.plan(random), network: calm, acts, faults, crashes: true, ends: 3 * SECOND }),
      },
      4,
    )
  }

  it('begins the first round again, and the only slot has two holders', () => {
    expect(story('restarts-anew').violations[0]?.what).toMatch(/'slot 0' is held by member-3 .* and member-2/)
  })
  it('corrected, it stays out', () => {
    expect(story().violations).toEqual([])
  })
})

/** Safe primes, small enough to try every number. */
const SAFE_PRIMES = [7n, 11n, 23n, 47n, 59n, 83n, 107n, 167n, 179n, 227n]

describe('1: square roots (§5.3)', () => {
  it('every ticket below (p - 1)/2 comes back', () => {
    for (const prime of SAFE_PRIMES) {
      for (let ticket = 0n; ticket < (prime - 1n) / 2n; ticket++) {
        expect(ticketOfSquare(squareOf(ticket, prime), prime)).toBe(ticket)
      }
    }
  })
  it('and in the group of 61 bits', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (SMALL_MODULUS - 3n) / 2n), ticket => {
        expect(ticketOfSquare(squareOf(ticket, SMALL_MODULUS), SMALL_MODULUS)).toBe(ticket)
      }),
    )
  })
  it('as printed it is the ticket or two more, and two tickets read the same', () => {
    for (const prime of SAFE_PRIMES.slice(2)) {
      const tickets = Array.from({ length: Number((prime - 1n) / 2n) }, (_, ticket) => BigInt(ticket))
      const printed = tickets.map(ticket => ticketOfSquare(squareOf(ticket, prime), prime, true))
      const off = printed.map((found, place) => found - tickets[place]!)
      expect(new Set(off)).toEqual(new Set([0n, 2n]))
      expect(new Set(printed).size).toBeLessThan(tickets.length)
    }
  })
})

describe('10: the generator (§5.3)', () => {
  it('never 1, whatever is drawn, and of order q', () => {
    for (const prime of SAFE_PRIMES) {
      for (let drawn = 1n; drawn < prime; drawn++) {
        const generator = generatorFrom(drawn, prime)
        if (generator === undefined) expect([1n, prime - 1n]).toContain(drawn)
        else expect(generator === 1n || generator ** ((prime - 1n) / 2n) % prime !== 1n).toBe(false)
      }
    }
  })
  it('as printed -1 is not left out, and gives 1', () => {
    for (const prime of SAFE_PRIMES) expect(generatorFrom(prime - 1n, prime, true)).toBe(1n)
  })
})
