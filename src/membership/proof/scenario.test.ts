// Membership under faults and liars: nobody speaks for another, nothing goes back, views come together after healing.
// And the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { runOnce } from '../../simulator/index.ts'
import { brokenMembershipRules, membershipBugs } from './planted.ts'
import { plantedMembershipRuns } from './runs.ts'
import { membershipScenario } from './scenario.ts'

/** Seeds that once broke a promise, and what was wrong then; found when there were so many kinds of liars. */
const KINDS = 12
/** What happens how often was counted with these. */
const COUNTED_KINDS = 18
const FOUND = {
  'accusations by those believed dead were not answered: a partition never healed': 250,
  'a liar could make honest members lose their word by answering late': 17,
  'a refutation that missed the one who suspects was not told again': 1020,
  'a member that has left still gave others up': 475,
}

describe('nobody speaks for another, and views come together', () => {
  const runs = sized(6, 16)
  it(`in ${runs} runs with faults and a liar`, () => {
    const kinds = new Set<string>()
    for (let seed = 1; seed <= runs; seed++) {
      const { violations, drawn } = runOnce(membershipScenario(), seed)
      kinds.add(String(drawn.liars).replace(/^\S+ /, ''))
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
    expect(kinds.size).toBeGreaterThan(sized(3, 6))
  })

  it.each(Object.entries(FOUND))('%s', (_story, seed) => {
    expect(runOnce(membershipScenario({ kinds: KINDS }), seed).violations).toEqual([])
  })

  it('with two liars among nine', () => {
    for (let seed = 1; seed <= 2; seed++) {
      const { violations, drawn } = runOnce(membershipScenario({ liars: 2, members: 9 }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it('with one that has two certificates, and lives one life under both: it is named, and nobody else is', () => {
    let liars = 0
    for (let seed = 1; seed <= 8; seed++) {
      const { violations, drawn } = runOnce(membershipScenario({ lie: 'has two keys' }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      if (drawn.liars !== 'none') liars++
    }
    expect(liars).toBeGreaterThan(3)
  })

  it('and the runs are not idle: every kind of thing happens', () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= 6; seed++) {
      for (const { kind, what } of runOnce(membershipScenario({ kinds: COUNTED_KINDS }), seed, {}, true).trace) {
        const [first, second] = what.split(' ')
        const thing = kind === 'emit' && first === 'changed' ? second! : kind === 'timer' ? kind : `${kind} ${first}`
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    const least = {
      'change=joined': 100,
      'change=suspected': 20,
      'change=cleared': 10,
      'change=failed': 10,
      'change=left': 2,
      'emit certified': 5,
      'emit misbehaved': 2,
      'deliver pingRequest': 20,
      'deliver relayed': 10,
      'deliver nack': 10,
      'deliver page': 20,
      'deliver want': 10,
    }
    const rare = Object.entries(least).filter(([thing, count]) => (counts.get(thing) ?? 0) < count)
    expect(rare, JSON.stringify([...counts])).toEqual([])
  })
})

describe('planted bugs are found', () => {
  const pins = readPins(import.meta.dirname)

  it('all of them are pinned', () => {
    expect(Object.keys(pins).sort()).toEqual(Object.keys(membershipBugs).sort())
  })

  it.each(Object.entries(pins))('%s', (bug, seed) => {
    const { scenario, sound, says } = plantedMembershipRuns[bug]!
    expect(runOnce(scenario(), seed).violations[0]?.what).toMatch(says)
    expect(runOnce(sound(), seed).violations).toEqual([])
  })

  it('a name that is no bug is refused', () => {
    expect(() => brokenMembershipRules('nonsense')).toThrow('no planted bug')
  })
})

describe('one seed, one run', () => {
  it('the same seed gives the same trace, another seed another', () => {
    const hash = (seed: number) => runOnce(membershipScenario({ members: 4 }), seed).traceHash
    expect(hash(7)).toBe(hash(7))
    expect(hash(8)).not.toBe(hash(7))
  })
})
