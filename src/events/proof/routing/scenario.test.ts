// Events among members, in b + 1 trees that change under load: what sound members want reaches them, once, whatever the faulty
// ones do. And every planted bug is found.

import { describe, expect, it, test } from 'vitest'
import { sized } from '../../../../test/support/long.ts'
import { readPins, showsBug } from '../../../../test/support/pins.ts'
import { runOnce } from '../../../simulator/index.ts'
import { routingRules } from '../../routing/rules.ts'
import { exploreRouting, exploreRoutingBug, plantedRoutingSystems, routingSystems } from './exploration.ts'
import { routingLiars } from './liars.ts'
import { plantedRoutingBugs } from './planted.ts'
import { plantedRoutingRuns, told } from './runs.ts'
import { routingScenario } from './scenario.ts'

const SEEDS = sized(5, 150)

describe('members that route', () => {
  it.each([0, 1, 2])(`%i faulty, ${SEEDS} seeds`, liars => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, drawn } = runOnce(routingScenario({ liars, rules: routingRules }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it(`lists that overtake each other, ${SEEDS} seeds`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations } = runOnce(routingScenario({ liars: 1, hasty: true, rules: routingRules }), seed)
      expect(violations, `seed ${seed}`).toEqual([])
    }
  })

  // A liar's clauses that can never hold, two of them on a link that is full: their hull had no form, and a member ended (906438).
  // Half of the members heard of a list after the next one, and never made its trees. The others passed them over, and published
  // there alone (4001534).
  it.each([906438, 4001534])('once broken, now sound: %i', seed => {
    expect(runOnce(routingScenario({ liars: 1, rules: routingRules }), seed).violations).toEqual([])
  })

  it.each([1, 2, 5, 9])('seed %i: of its acts and faults any may be left out, and nothing is broken by that', seed => {
    const scenario = routingScenario({ liars: 1, rules: routingRules })
    for (const part of [2, 7]) {
      const only = Array.from({ length: 300 }, (_, item) => item).filter(item => item % part === 1)
      expect(runOnce(scenario, seed, { only }).violations).toEqual([])
    }
  })

  it('the runs have what they are about', () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= 4; seed++) {
      const run = runOnce(routingScenario({ liars: 1, rules: routingRules }), seed, {}, true)
      for (const { kind, what } of run.trace) {
        const word = kind === 'emit' ? what.split(' ')[0]! : ''
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
    }
    for (const word of ['published', 'handed', 'open']) expect(counts.get(word) ?? 0, word).toBeGreaterThan(20)
  })

  it('members drop, invent, repeat, and lie about what they want', () => {
    expect(routingLiars().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['swallowing', 'wants-nothing', 'wants-all', 'two-faced', 'inventing', 'eager', 'silent']),
    )
  })
})

describe('a path of three, in every order', () => {
  // A number that changes without a change of the protocol means that the explorer looks at something else.
  test.each([
    ['path', false, 9_021],
    ['events', true, 2_961],
  ])('%s, to its end: %s, %i states', (name, complete, states) => {
    const found = exploreRouting(name)
    expect(found).toMatchObject({ complete, states, broken: undefined })
    expect(Object.entries(found.sometimes).filter(([, reached]) => !reached)).toEqual([])
    expect(Object.keys(routingSystems)).toContain(name)
  })

  test.each([
    ['uncover-after-remove', 'what a member wants all the time, everybody on the way is told all the time', 7],
    ['back-to-sender', 'nobody gets an event twice in one tree', 9],
    ['announcement-gap-taken', 'what a member wants all the time, everybody on the way is told all the time', 4],
  ])('%s breaks "%s" in %i lines', (bug, property, lines) => {
    const { broken } = exploreRoutingBug(bug)
    expect(broken?.property).toBe(property)
    expect(broken?.story).toHaveLength(lines)
  })

  test.each(Object.keys(plantedRoutingSystems))('without the bug nothing breaks: the system of %s', bug => {
    expect(exploreRoutingBug(bug, false, { depthMax: 10 })).toMatchObject({ broken: undefined })
  })
})

describe('planted bugs', () => {
  const pins = readPins(`${import.meta.dirname}/..`)

  it('none is forgotten here', () => {
    expect(Object.keys(plantedRoutingBugs).filter(bug => pins[bug] === undefined)).toEqual(told)
    expect(told.every(bug => bug in plantedRoutingSystems)).toBe(true)
  })

  it.each(Object.keys(plantedRoutingRuns))('%s is found', bug => {
    expect(showsBug(plantedRoutingRuns[bug]!, pins[bug]!)).toBe(true)
  })
})
