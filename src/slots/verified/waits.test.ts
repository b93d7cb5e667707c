// How long a member that comes and goes waits outside.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DOUBLED_MAX, FORGIVEN_AFTER, timesAfter, waitAfter } from './waits.ts'

const SETTLE = 4_000

describe('a member that goes', () => {
  it('waits for settle the first time, as anybody who wants in, then twice as long each time, up to a bound', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 100].map(times => waitAfter(times, SETTLE) / SETTLE)
    expect(waits).toEqual([1, 1, 2, 4, 8, 16, 16, 16])
  })
  it('again at once counts once more, and never beyond what doubles', () => {
    expect(timesAfter(1, 0, SETTLE)).toBe(2)
    expect(timesAfter(DOUBLED_MAX + 1, 0, SETTLE)).toBe(DOUBLED_MAX + 2)
    expect(timesAfter(DOUBLED_MAX + 2, 0, SETTLE)).toBe(DOUBLED_MAX + 2)
  })
  it.each([1, 2, 3, 4])('is forgiven one time for four of its last waits that it stays (%i times)', times => {
    const stays = FORGIVEN_AFTER * waitAfter(times, SETTLE)
    expect(timesAfter(times, stays - 1, SETTLE)).toBe(times + 1)
    expect(timesAfter(times, stays, SETTLE)).toBe(times)
    expect(timesAfter(times, 2 * stays, SETTLE)).toBe(Math.max(1, times - 1))
  })
  it('and that was there for long is as if it had never gone', () => {
    expect(timesAfter(5, 1_000 * SETTLE, SETTLE)).toBe(1)
  })
})

// The formula of returning.ts: whatever it stays for each time, what it costs is a bounded share of the time.
describe('what coming and going can cost', () => {
  const lease = 2_000
  /** Two leases are waited for, once without it and once with it, and a patience and the ballots. */
  const COST = 2 * lease + 1_500 + 500

  /** Of the time, how much is dealt in, where it stays each time for so long after the old leases, and then holds up. */
  const dealt = (stays: readonly number[]) => {
    let [times, all, used] = [1, 0, 0]
    for (const stay of stays) {
      const wait = waitAfter(times, SETTLE)
      all += wait - lease + stay + COST
      used += wait - lease + stay
      times = timesAfter(times, lease + stay, SETTLE)
    }
    return used / all
  }

  it('where it never stays: less each time, and a tenth in the end', () => {
    const once = [0, 0, 0, 0, 0, 0].map((_stay, place) => {
      const wait = waitAfter(place + 1, SETTLE)
      return (wait - lease) / (wait - lease + COST)
    })
    expect(once.map(share => Math.round(share * 100))).toEqual([25, 50, 70, 83, 91, 91])
  })
  it('however long it stays each time: it gains nothing by being forgiven', () => {
    const grid = Array.from({ length: 100 }, (_, place) => place * 1_000)
    for (const stay of grid) expect(dealt(new Array(40).fill(stay))).toBeGreaterThan(0.7)
  })
  it('whenever it stays, most of the time is dealt in after the first few times', () => {
    const stay = fc.integer({ min: 0, max: 400_000 })
    const check = (stays: number[]) => {
      expect(dealt(stays)).toBeGreaterThan(0.6)
    }
    fc.assert(fc.property(fc.array(stay, { minLength: 12, maxLength: 40 }), check), { seed: 14 })
  })
})
