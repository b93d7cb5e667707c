// Gossip by interest under churn: after twenty rounds nearly everything that is wanted comes, once. And every planted bug is found.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../../test/support/long.ts'
import { readPins, showsBug } from '../../../../test/support/pins.ts'
import { runOnce } from '../../../simulator/index.ts'
import { interestRules } from '../../interest/rules.ts'
import { interestLiars } from './liars.ts'
import { plantedInterestBugs } from './planted.ts'
import { plantedInterestRuns } from './runs.ts'
import { interestScenario } from './scenario.ts'

/** Without a liar another one is run below. */
const SEEDS = sized([1, 2], [100, 100])

describe('members that gossip by interest', () => {
  it.each(SEEDS.map((seeds, liars) => [liars, seeds]))('%i liars, %i seeds', (liars, seeds) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const { violations, drawn } = runOnce(interestScenario({ liars, rules: interestRules }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it('the runs have what they are about', () => {
    const { trace, violations } = runOnce(interestScenario({ liars: 0, rules: interestRules }), 2, {}, true)
    expect(violations).toEqual([])
    const handed = trace.filter(({ kind, what }) => kind === 'emit' && what.startsWith('handed'))
    expect(handed.length).toBeGreaterThan(200)
  })

  it('members swallow, misquote, and keep the dead alive', () => {
    expect(interestLiars().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['swallowing', 'selfish', 'rejuvenating', 'misquoting', 'two-faced', 'remembering']),
    )
  })
})

describe('planted bugs', () => {
  const pins = readPins(`${import.meta.dirname}/..`)

  it('none is forgotten here', () => {
    expect(Object.keys(plantedInterestBugs).filter(bug => pins[bug] === undefined)).toEqual([])
  })

  it.each(Object.keys(plantedInterestRuns))('%s is found', bug => {
    expect(showsBug(plantedInterestRuns[bug]!, pins[bug]!)).toBe(true)
  })
})
