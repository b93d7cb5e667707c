// Settings that cannot work are refused with a sentence, and the arithmetic of leases holds for every pair of clocks.

import { describe, expect, it } from 'vitest'
import { SettingsError, seededRandom } from '../core/index.ts'
import { checkSettings, patienceMax, patienceMin, type SlotsSettings, settleMin, slotsDefaults } from './settings.ts'
import { slotsRules } from './verified/rules.ts'

const good: SlotsSettings = { ...slotsDefaults, name: 'channels', slots: ['a', 'b'] }

describe('settings', () => {
  it('the defaults work with three members', () => expect(() => checkSettings(good, 3)).not.toThrow())
  it.each([
    ['no slot', { slots: [] }, 3, '1 to 64'],
    ['one name twice', { slots: ['a', 'a'] }, 3, 'one name'],
    ['more slots than members', { slots: ['a', 'b', 'c', 'd'] }, 3, 'at most one slot a member'],
    ['two members', {}, 2, '3 to 64'],
    ['one liar among three', { liars: 1 }, 3, '4 to 64'],
    ['no patience', { patience: 1_000 }, 3, 'patience'],
    ['patience beyond the lease', { patience: 60_000 }, 3, 'patience'],
    [
      'patience that only clocks without drift would bear',
      { liars: 1, drift: 0.1, patience: 45_000 },
      4,
      '14667 and 43431 ms',
    ],
    ['clocks with which none fits', { liars: 1, drift: 0.2 }, 4, 'make the drift smaller'],
    ['among liars, epochs that end before anything was dealt', { liars: 1, settle: 72_000 }, 4, 'at least 72027 ms'],
    ['rotating and concurrent', { fairness: 'rotating', concurrent: true }, 3, 'lottery'],
    ['a lease of two days', { lease: 172_800_000 }, 3, 'lease'],
  ] as const)('%s is refused', (_what, change, members, words) => {
    const check = () => checkSettings({ ...good, ...change } as SlotsSettings, members)
    expect(check).toThrow(SettingsError)
    expect(check).toThrow(words)
  })
})

describe('patience', () => {
  it('whatever the clocks, a liar is silent to all before it is too late for one, and who is honest to none', () => {
    const random = seededRandom(9)
    for (let i = 0; i < 10_000; i++) {
      const lease = 1_000 + random.below(100_000)
      const drift = random.unit() * 0.15
      const beat = lease / 100
      const [least, most] = [patienceMin(lease, drift), patienceMax(lease, drift, beat, 1)]
      expect(least).toBeLessThan(most)
      const rate = () => 1 + drift * (random.unit() * 2 - 1)
      const [one, other] = [rate(), rate()]
      // In true time: one has lost its patience, and the other may still believe in what it opens then.
      expect(most / one).toBeLessThan(slotsRules.deadline(0, 0, lease, drift) / other)
      // Both wait for the same lease to run out, and one waits for the other's seal.
      const quiet = slotsRules.quiet(lease, drift)
      expect((quiet / other - quiet / one) * one).toBeLessThanOrEqual(least * 1.000_001)
    }
  })
})

describe('settle', () => {
  it('whatever the clocks, what one calls settled has dealt, also by the other that waits longest', () => {
    const random = seededRandom(10)
    for (let i = 0; i < 10_000; i++) {
      const [lease, patience] = [1_000 + random.below(100_000), 100 + random.below(10_000)]
      const drift = random.unit() * 0.15
      const rate = () => 1 + drift * (random.unit() * 2 - 1)
      const [one, other] = [rate(), rate()]
      const dealtBy = (slotsRules.quiet(lease, drift) + patience) / other
      expect(settleMin(lease, drift, patience) / one).toBeGreaterThanOrEqual(dealtBy * 0.999_999)
    }
  })
  it('where nobody lies, any works: whoever is left out has gone, and does not come and go', () => {
    expect(() => checkSettings({ ...good, settle: 1 }, 3)).not.toThrow()
  })
})

describe('leases (protocols/slots 8, protocols/slots 10)', () => {
  it('whatever the clocks, the holder stops believing before anybody deals again', () => {
    const random = seededRandom(8)
    for (let i = 0; i < 10_000; i++) {
      const lease = 1 + random.below(100_000)
      const drift = random.unit() * 0.4
      const rate = () => 1 + drift * (random.unit() * 2 - 1)
      const [holder, other] = [rate(), rate()]
      // In true time: the holder seals at 0, the other gives its last share, or signs a successor, later.
      const later = random.below(1_000)
      const believesUntil = slotsRules.deadline(0, later * holder, lease, drift) / holder
      const quietUntil = later + slotsRules.quiet(lease, drift) / other
      expect(believesUntil).toBeLessThanOrEqual(quietUntil)
      const at = (quietUntil - later) * other
      expect(slotsRules.mayReuse(false, 0, at * 0.999, lease, drift)).toBe(false)
      expect(slotsRules.mayReuse(false, 0, at * 1.001, lease, drift)).toBe(true)
    }
  })
  it('two quorums of signatures share an honest member', () => {
    for (let n = 3; n <= 64; n++) {
      for (let b = 0; 3 * b + 1 <= n; b++) {
        const quorum = slotsRules.successionQuorum(n, b)
        expect(2 * quorum - n).toBeGreaterThan(b)
        expect(quorum).toBeLessThanOrEqual(n - b)
      }
    }
  })
})
