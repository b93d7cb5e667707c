// Slots under faults and liars (protocols/slots): distinct slots, one successor, only cheats named, seals before shares,
// secrecy, and everybody served once all is healed. And the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { readPins, showsBug } from '../../../../test/support/pins.ts'
import { SettingsError } from '../../../core/index.ts'
import { runOnce } from '../../../simulator/index.ts'
import { plantedSlotsRuns } from '../runs.ts'
import { slotsLiars } from './liars.ts'
import { plantedSlotsBugs } from './planted.ts'
import { slotsScenario, slotsScenarioFor } from './scenario.ts'

const SEEDS = [3, 4]

describe('the promises', () => {
  it.each([
    ['nobody lies', 0],
    ['one lies', 1],
  ])('%s', (_name, liars) => {
    const total = { rounds: 0, seats: 0, epochs: 0, tickets: 0 }
    for (const seed of SEEDS) {
      const scenario = slotsScenario({ liars })
      const { violations, drawn } = runOnce(scenario, seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      const tally = scenario.tally()
      for (const name of ['rounds', 'seats', 'epochs', 'tickets'] as const) total[name] += tally[name]
    }
    // And the runs are not idle.
    expect(total.rounds).toBeGreaterThan(20)
    expect(total.seats).toBeGreaterThan(15)
    expect(total.epochs).toBeGreaterThan(SEEDS.length)
    expect(total.tickets).toBeGreaterThan(40)
  })

  it('a run replays from its seed', () => {
    const run = () => runOnce(slotsScenario({ until: 4_000_000 }), 3).traceHash
    expect(run()).toBe(run())
  })
})

describe('served, counted in rounds', () => {
  it('seed 1150: a slow liar and one slot; by the clock it looked like a standstill, and was bad luck', () => {
    const settings = { slots: ['a'], fairness: 'lottery', concurrent: false, paced: false, onDemand: false } as const
    const scenario = slotsScenario({ members: 5, liar: 'slow', settings: { ...settings, drift: 0.1 } })
    expect(runOnce(scenario, 1150).violations).toEqual([])
    // Of five, one lies.
    expect(scenario.tally().served).toBe(4)
  })
  it('seed 20006: of four members one is silent, and the other three are served', () => {
    const scenario = slotsScenario({ members: 4, liar: 'silent', settings: { concurrent: false } })
    expect(runOnce(scenario, 20_006).violations).toEqual([])
    expect(scenario.tally().served).toBe(3)
  })
  it('seed 70126: the same, and one that restarted is the only one that can propose', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: false } as const
    const scenario = slotsScenario({ members: 4, liar: 'silent', settings })
    expect(runOnce(scenario, 70_126).violations).toEqual([])
    expect(scenario.tally().served).toBe(3)
  })
  it('seed 30006: the same on demand, with faults beside', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: true } as const
    const scenario = slotsScenario({ members: 4, liar: 'withheld-from-one', settings })
    expect(runOnce(scenario, 30_006).violations).toEqual([])
    expect(scenario.tally().served).toBe(3)
  })
})

describe('late, and never called silent', () => {
  it('seed 60007: by clocks at both ends of the drift, too late for some, in time for others', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: true, onDemand: false } as const
    expect(runOnce(slotsScenario({ members: 5, liar: 'lingering', settings }), 60_007).violations).toEqual([])
  })
  it('seed 60008: forgiven before the others agreed', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: true } as const
    expect(runOnce(slotsScenario({ members: 6, liar: 'lingering', settings }), 60_008).violations).toEqual([])
  })
  it('seed 300107: a round in which all are served, and all too late, costs the liar its place; the next one serves', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: true, onDemand: false } as const
    const scenario = slotsScenario({ members: 5, liar: 'lingering', settings })
    expect(runOnce(scenario, 300_107).violations).toEqual([])
    expect(scenario.tally().served).toBe(4)
  })
})

describe('a lap in two versions', () => {
  it('seed 300367: each half misses another honest member, and they agree on the one that lied', () => {
    const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: true } as const
    const scenario = slotsScenario({ members: 5, liar: 'two-passes', settings })
    expect(runOnce(scenario, 300_367).violations).toEqual([])
    expect(scenario.tally().served).toBe(4)
  })
})

describe('epoch after epoch, and nothing is dealt', () => {
  const busy = { fairness: 'rotating', concurrent: false, paced: true, onDemand: true } as const
  const quick = { fairness: 'lottery', concurrent: true, paced: false, onDemand: true } as const

  it.each([
    ['seed 410016: says that it restarted, in a ring of three that can spare nobody', 410_016, 4, 'restarting', busy],
    ['seed 100: silent, and says that it restarted, to half of them', 100, 7, 'clinging', busy],
    ['seed 5: proposes the same members, and three who restarted would go along', 5, 5, 'restless', quick],
    ['seed 5: another record for each, and one who restarted alone in its ballots', 5, 5, 'splitting', quick],
  ])('%s', (_what, seed, members, liar, settings) => {
    const scenario = slotsScenario({ members, liar, settings })
    expect(runOnce(scenario, seed).violations).toEqual([])
    expect(scenario.tally().served).toBeGreaterThan(1)
  })
})

describe('told in time', () => {
  it('the end of a lease waits for no disk', () => {
    const { rules: _broken, ...where } = plantedSlotsBugs['told-behind-saves']!
    const slow = slotsScenario({ liars: 0, ...where })
    expect(runOnce(slow, 3).violations).toEqual([])
    expect(slow.tally().seats).toBeGreaterThan(0)
  })
})

describe('the checkers', () => {
  it('seed 40013: whoever takes back another request still has its seat, and is told in time', () => {
    expect(runOnce(slotsScenario(), 40_013).violations).toEqual([])
  })
  it('seed 10068: words that a liar forges in the name of another are not held against that one', () => {
    const settings = { fairness: 'lottery', concurrent: true, paced: false, onDemand: false } as const
    expect(runOnce(slotsScenario({ members: 6, liar: 'forging', settings }), 10_068).violations).toEqual([])
  })
})

describe('liars that no evidence is needed for', () => {
  const settings = { fairness: 'lottery', concurrent: false, paced: false, onDemand: false, drift: 0.05 } as const
  it.each([
    'withheld-share',
    'withheld-from-one',
    'always-held',
    'lingering',
    'late-to-one',
    'restless',
    'restarting',
    'clinging',
    'splitting',
    'repeating',
    'garbling',
    'framing',
    'unsigned-successor',
    'hasty-header',
    'flooding',
    'flipping',
  ])('%s: the others are served', liar => {
    const scenario = slotsScenario({
      members: 5,
      liar,
      settings: { ...settings, slots: ['a', 'b', 'c'] },
      faults: false,
    })
    expect(runOnce(scenario, 6).violations).toEqual([])
    expect(scenario.tally().seats).toBeGreaterThan(4)
  })
  it('there is a liar for every lie that the planted bugs need', () => {
    const known = slotsLiars({ group: undefined!, signer: undefined!, known: [] }).map(liar => liar.name)
    for (const { liar } of Object.values(plantedSlotsBugs)) if (liar !== undefined) expect(known).toContain(liar)
  })
})

describe('planted bugs', () => {
  const pins = readPins(import.meta.dirname, '..')

  it('none is forgotten here', () => {
    const pinned = Object.keys(pins).filter(name => !name.startsWith('trusting/'))
    expect(pinned.sort()).toEqual(Object.keys(plantedSlotsBugs).sort())
  })
  it.each(Object.keys(plantedSlotsBugs))('%s is found, at its pinned seed', bug => {
    expect(showsBug(plantedSlotsRuns[bug]!, pins[bug]!)).toBe(true)
  })
  it('a bug that nobody planted is refused', () => {
    expect(() => slotsScenarioFor({ bug: 'none-such' })).toThrow(SettingsError)
  })
})
