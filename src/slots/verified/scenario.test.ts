// Slots under faults and liars (PROTOCOLS A): distinct slots, one successor, only cheats named, seals before shares,
// secrecy, and everybody served once all is healed. And the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { SettingsError } from '../../core/index.ts'
import { runOnce } from '../../simulator/index.ts'
import { slotsLiars } from './liars.ts'
import { plantedSlotsBugs } from './planted.ts'
import { slotsScenario, slotsScenarioFor } from './scenario.ts'

const SEEDS = 4

describe('the promises', () => {
  it.each([
    ['nobody lies', 0],
    ['one lies', 1],
  ])(`%s, ${SEEDS} seeds`, (_name, liars) => {
    const total = { rounds: 0, seats: 0, epochs: 0, tickets: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const scenario = slotsScenario({ liars })
      const { violations, drawn } = runOnce(scenario, seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      const tally = scenario.tally()
      for (const name of ['rounds', 'seats', 'epochs', 'tickets'] as const) total[name] += tally[name]
    }
    // And the runs are not idle.
    expect(total.rounds).toBeGreaterThan(25)
    expect(total.seats).toBeGreaterThan(20)
    expect(total.epochs).toBeGreaterThan(SEEDS)
    expect(total.tickets).toBeGreaterThan(80)
  })

  it('a run replays from its seed', () => {
    const run = () => runOnce(slotsScenario({ until: 4_000_000 }), 3).traceHash
    expect(run()).toBe(run())
  })
})

describe('liars that no evidence is needed for', () => {
  const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: false, drift: 0.05 } as const
  it.each(['withheld-share', 'withheld-from-one', 'always-held', 'asking-for-more', 'repeating', 'garbling'])(
    '%s: the others are served',
    liar => {
      const scenario = slotsScenario({
        members: 5,
        liar,
        settings: { ...settings, slots: ['a', 'b', 'c'] },
        faults: false,
      })
      expect(runOnce(scenario, 6).violations).toEqual([])
      expect(scenario.tally().seats).toBeGreaterThan(4)
    },
  )
  it('there is a liar for every lie that the planted bugs need', () => {
    const known = slotsLiars({ group: undefined!, signer: undefined!, known: [] }).map(liar => liar.name)
    for (const { liar } of Object.values(plantedSlotsBugs)) if (liar !== undefined) expect(known).toContain(liar)
  })
})

describe('planted bugs (HOUSE 16)', () => {
  /** A seed that finds each, and the words of the checker that does. */
  const pinned: Record<string, readonly [seed: number, what: string]> = {
    'no-possession': [1, 'is opened with a known number'],
    'share-before-seals': [1, 'gave a share of round 1 after'],
    'share-for-any-point': [1, 'signed two versions of one share'],
    'own-share-sent': [1, 'by a share that its owner gave away'],
    'reuse-before-lease': [1, 'is held by'],
    'lease-from-opening': [9, 'is held by'],
    'no-drift-factor': [5, 'is held by'],
    'no-quiet': [1, 'is held by'],
    'quorum-too-small': [8, 'is not that of'],
    'no-proof-of-knowledge': [2, 'is held by'],
    'vote-before-opening': [1, 'is held by'],
    'requests-forgotten': [1, 'was not served'],
    'key-posted-again': [2, 'signed two versions of one key'],
    'no-re-encryption': [1, 'can be followed through the lap'],
    'bad-lap-sealed': [1, 'is held by'],
  }

  it('none is forgotten here', () => expect(Object.keys(pinned).sort()).toEqual(Object.keys(plantedSlotsBugs).sort()))
  it.each(Object.entries(pinned))('%s is found', (bug, [seed, what]) => {
    const { violations } = runOnce(slotsScenarioFor({ bug }), seed)
    expect(violations.map(violation => violation.what).join('; ')).toContain(what)
  })
  it('a bug that nobody planted is refused', () => {
    expect(() => slotsScenarioFor({ bug: 'none-such' })).toThrow(SettingsError)
  })
})
