// Levels `curious` and `strong` under faults: distinct slots, one successor, and everybody served once all is healed. And
// the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { readPins, showsBug } from '../../../../test/support/pins.ts'
import { SettingsError } from '../../../core/index.ts'
import { runOnce } from '../../../simulator/index.ts'
import { plantedSlotsRuns } from '../runs.ts'
import { plantedTrustingBugs } from './planted.ts'
import { trustingScenario, trustingScenarioFor } from './scenario.ts'

const SEEDS = [1, 2, 3, 4, 5, 6]

describe('the promises', () => {
  it.each(['curious', 'strong'] as const)('level %s', level => {
    const total = { rounds: 0, seats: 0, epochs: 0, served: 0 }
    for (const seed of SEEDS) {
      const scenario = trustingScenario({ level })
      const { violations, drawn } = runOnce(scenario, seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      const tally = scenario.tally()
      for (const name of ['rounds', 'seats', 'epochs', 'served'] as const) total[name] += tally[name]
    }
    // And the runs are not idle.
    expect(total.rounds).toBeGreaterThan(100)
    expect(total.seats).toBeGreaterThan(50)
    expect(total.epochs).toBeGreaterThan(2 * SEEDS.length)
    expect(total.served).toBeGreaterThan(3 * SEEDS.length)
  })

  it('members that are stopped at bad moments do not believe when they go on', () => {
    for (const fairness of ['lottery', 'rotating'] as const) {
      const scenario = trustingScenario({ settings: { fairness, drift: 0.05, patience: 1_300 }, weather: 'stops' })
      expect(runOnce(scenario, 7).violations).toEqual([])
      expect(scenario.tally().epochs).toBeGreaterThan(1)
    }
  })

  it('a run replays from its seed', () => {
    const run = () => runOnce(trustingScenario(), 5).traceHash
    expect(run()).toBe(run())
  })
})

describe('the test of the test', () => {
  const pins = readPins(import.meta.dirname, '..')
  it.each(Object.keys(plantedTrustingBugs))('%s is found, at its pinned seed', bug => {
    const name = `trusting/${bug}`
    expect(showsBug(plantedSlotsRuns[name]!, pins[name]!)).toBe(true)
  })

  it('an unknown one is refused', () => {
    expect(() => trustingScenarioFor({ level: 'curious', bug: 'no-such' })).toThrow(SettingsError)
  })
})
