// The nodes as they ship, under faults and liars; and the test of the test: bugs planted in the composition are found.

import { describe, expect, it } from 'vitest'
import { trust } from '../../core/index.ts'
import { type AnyScenario, runOnce } from '../../simulator/index.ts'
import { brokenComposeRules, memberScenario, plantedNodeBugs, plantedWireBugs, serverScenario } from './index.ts'

function keepsItsPromises(scenario: AnyScenario, seeds: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations, drawn, trace } = runOnce(scenario, seed, {}, true)
    expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    for (const { kind, what } of trace) {
      const thing =
        kind === 'emit' ? /part=(\w+) body=\{(\w+)(?:.* body=\{(\w+))?/.exec(what)?.slice(1).join(' ') : kind
      counts.set(thing!.trim(), (counts.get(thing!.trim()) ?? 0) + 1)
    }
  }
  return counts
}

function finds(scenario: AnyScenario, seed: number): void {
  const found = runOnce(scenario, seed)
  expect(found.violations.length).toBeGreaterThan(0)
  expect(runOnce(scenario, seed).traceHash).toBe(found.traceHash)
}

describe('servers and clients: locks and objects in one node', () => {
  it.each([
    [0, 30],
    [1, 15],
  ])('%i liars, %i seeds, and both are busy', (liars, seeds) => {
    const counts = keepsItsPromises(serverScenario(trust({ liars })), seeds)
    for (const thing of ['lock acquired', 'lock extended', 'ordering answered', 'ordering value', 'restart', 'pause']) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(seeds / 5)
    }
  })

  /** The first seed that finds each, with three servers of which none lies. */
  const pinned: Record<keyof typeof plantedNodeBugs, number> = {
    'two-parts-in-one-lane': 2,
    'records-of-another': 1,
    'records-forgotten': 2,
    'timers-of-another': 1,
  }
  it('no planted bug is forgotten here', () => expect(Object.keys(pinned)).toEqual(Object.keys(plantedNodeBugs)))
  it.each(Object.entries(pinned))('%s is found by seed %i', (bug, seed) => {
    finds(serverScenario(trust({ liars: 0 }), brokenComposeRules(bug)), seed)
  })
})

describe('members: gossip, election and slots in one node', () => {
  it.each([
    [3, 0, 12],
    [5, 1, 8],
  ])('%i members, %i liars, %i seeds, and all are busy', (members, liars, seeds) => {
    const counts = keepsItsPromises(memberScenario({ members, liars }), seeds)
    for (const thing of ['election elected', 'hints tell', 'membership changed', 'slots said seat', 'restart']) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(seeds / 5)
    }
  })

  /** The first seed that finds each, with three members of whom none lies. */
  const pinned: Record<string, number> = {
    'two-parts-in-one-lane': 23,
    'records-of-another': 1,
    'records-forgotten': 11,
    'timers-of-another': 1,
    'wire-before-durable': 1,
  }
  it('no planted bug is forgotten here', () => {
    expect(Object.keys(pinned)).toEqual([...Object.keys(plantedNodeBugs), ...Object.keys(plantedWireBugs)])
  })
  /** With less time for everything to come about: enough for these seeds where nothing is planted. */
  const hurried = (bug?: string): AnyScenario => {
    const scenario = memberScenario({ members: 3, liars: 0 }, brokenComposeRules(bug))
    const plan: AnyScenario['plan'] = random => {
      const drawn = scenario.plan(random)
      return { ...drawn, ends: drawn.healsAt + 30_000_000 }
    }
    return { ...scenario, plan }
  }
  it.each(Object.entries(pinned))('%s is found by seed %i, which is fine without it', (bug, seed) => {
    expect(runOnce(hurried(), seed).violations).toEqual([])
    finds(hurried(bug), seed)
  })
})
