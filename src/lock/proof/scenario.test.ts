// The lock under faults and liars (protocols/lock): no two holders, no token that goes back, no stale write taken,
// progress once all is healed.
// And the test of the test: every planted bug is found.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { trust } from '../../core/index.ts'
import { runOnce, shrink, traceLine } from '../../simulator/index.ts'
import { plantedBugs } from './planted.ts'
import { plantedLockRuns } from './runs.ts'
import { lockScenario } from './scenario.ts'

const groups = {
  '3 servers, none lies': trust({ servers: 3 }),
  '4 servers, one lies': trust({ servers: 4, liars: 1 }),
  '7 servers, one lies': trust({ liars: 1 }),
}
const SEEDS = sized(80, 300)
/** With somebody who means harm among the clients. */
const HARMED = sized(20, 60)

describe('never two holders', () => {
  it.each(Object.entries(groups))(`%s, ${SEEDS} seeds`, (_name, group) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, drawn } = runOnce(lockScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it(`a stranger who renews what others hold gets nowhere, ${HARMED} seeds`, () => {
    for (let seed = 1; seed <= HARMED; seed++) {
      const { violations } = runOnce(lockScenario(groups['4 servers, one lies'], {}, { stranger: true }), seed)
      expect(violations, `seed ${seed}`).toEqual([])
    }
  })

  it(`a spoiler who asks under the largest token gets nowhere, ${HARMED} seeds`, () => {
    for (let seed = 1; seed <= HARMED; seed++) {
      const { violations } = runOnce(lockScenario(groups['3 servers, none lies'], {}, { spoiler: true }), seed)
      expect(violations, `seed ${seed}`).toEqual([])
    }
  })

  it(`a server that asks the others for locks gets none, ${HARMED} seeds`, () => {
    for (let seed = 1; seed <= HARMED; seed++) {
      const { violations } = runOnce(lockScenario(groups['4 servers, one lies'], {}, { usurper: true }), seed)
      expect(violations, `seed ${seed}`).toEqual([])
    }
  })

  it('and the runs are not idle: every kind of thing happens often', () => {
    const counts = new Map<string, number>()
    const liars = new Set<string>()
    for (let seed = 1; seed <= 60; seed++) {
      const { trace, drawn } = runOnce(lockScenario(groups['4 servers, one lies']), seed, {}, true)
      liars.add(String(drawn.liars).split(' ')[1]!)
      for (const { kind, what } of trace) {
        const thing = kind === 'emit' || kind === 'deliver' ? what.split(' ')[0]! : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    const least = {
      acquired: 1_000,
      extended: 300,
      lost: 50,
      failed: 100,
      released: 500,
      crash: 20,
      restart: 20,
      stop: 5,
      pause: 20,
      locked: 500,
      tooLow: 500,
      notRenewed: 5,
      wait: 5_000,
      queued: 1_000,
      given: 1_000,
      inquire: 100,
      yield: 100,
    }
    for (const [thing, count] of Object.entries(least)) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(count)
    }
    expect(liars.size, 'all ten kinds of liar').toBe(10)
  })
})

describe('planted bugs', () => {
  const pins = readPins(import.meta.dirname)
  const scenario = (bug: string) => plantedLockRuns[bug]!.scenario()
  const find = (bug: string) => runOnce(scenario(bug), pins[bug]!)

  it('none is forgotten here', () => expect(Object.keys(pins).sort()).toEqual(Object.keys(plantedBugs).sort()))

  it.each(Object.keys(plantedBugs))('%s is found, and the seed replays it', bug => {
    const found = find(bug)
    expect(found.violations[0]?.what).toMatch(plantedLockRuns[bug]!.says)
    const again = runOnce(scenario(bug), found.seed, {}, true)
    expect(again.violations).toEqual(found.violations)
    expect(again.traceHash).toBe(found.traceHash)
    expect(again.trace.length).toBeGreaterThan(0)
    expect(traceLine(again.trace[0]!)).toContain('ms')
  })

  it('a failing run shrinks to fewer acts and faults, and the shrunk one replays too', () => {
    const found = find('no-drift-factor')
    const failure = shrink(scenario('no-drift-factor'), found)
    expect(failure.items).toBe(found.items)
    expect(failure.itemsKept).toBeLessThan(found.items / 2)
    expect(failure.kept.only!.length).toBe(failure.itemsKept)
    const replay = runOnce(scenario('no-drift-factor'), failure.seed, failure.kept)
    expect(replay.violations).toEqual(failure.violations)
    expect(replay.violations.length).toBeGreaterThan(0)
  })

  it('a run without its acts and faults has nothing to complain of', () => {
    const found = find('release-of-any-holder')
    const only = Array.from({ length: found.items }, (_, item) => item)
    const empty = runOnce(scenario('release-of-any-holder'), found.seed, { only: [], calm: true })
    const whole = runOnce(scenario('release-of-any-holder'), found.seed, { only })
    expect(whole.traceHash).toBe(found.traceHash)
    expect(empty.traceHash).not.toBe(found.traceHash)
    expect(empty.messages).toBeLessThan(1_000)
  })
})

describe('one seed, one run', () => {
  it('the same seed gives the same trace, with and without a record of it; another seed another', () => {
    const scenario = lockScenario(groups['7 servers, one lies'])
    const hash = (seed: number, record = false) => runOnce(scenario, seed, {}, record).traceHash
    expect(hash(7)).toBe(hash(7))
    expect(hash(7, true)).toBe(hash(7))
    expect(hash(8)).not.toBe(hash(7))
  })
})
