// The election under the explorer: protocols/election, terms, in every schedule of three members.

import { describe, expect, test } from 'vitest'
import { isLong } from '../../../test/support/long.ts'
import { electionSystems, exploreElection, exploreElectionBug, plantedElectionSystems } from './exploration.ts'

describe('every schedule is safe', () => {
  // A number that changes without a change of the protocol means that the explorer looks at something else.
  const pinned: Readonly<Record<string, number>> = {
    'same-term': 10_413,
    'same-term-restart': 4_218,
    terms: 21_245,
    restart: 97_060,
    renewal: 58_442,
    alone: 915,
  }
  test.each([
    ['restart', 8, 6_414],
    ['renewal', 8, 3_238],
  ])('%s, as far as %i steps: %i states', (name, depthMax, states) => {
    expect(exploreElection(name, { depthMax })).toMatchObject({ depth: depthMax, states, broken: undefined })
  })
  const large = ['restart', 'renewal']
  test.each(Object.entries(pinned).filter(([name]) => isLong || !large.includes(name)))(
    '%s: %i states',
    (name, states) => {
      const found = exploreElection(name)
      expect(found).toMatchObject({ system: name, complete: true, states, broken: undefined })
      expect(Object.entries(found.sometimes).filter(([, reached]) => !reached)).toEqual([])
      expect(Object.keys(found.sometimes).length).toBeGreaterThanOrEqual(2)
    },
  )

  test('no system is forgotten, and one that is cut short says so', () => {
    expect(Object.keys(pinned)).toEqual(Object.keys(electionSystems))
    expect(exploreElection('restart', { statesMax: 300 })).toMatchObject({ complete: false, broken: undefined })
  })

  test('an unknown name is refused with the known ones', () => {
    expect(() => exploreElection('nonsense')).toThrow("no system 'nonsense'; there are: same-term")
    expect(() => exploreElectionBug('nonsense')).toThrow("no system for a planted bug 'nonsense'")
  })
})

describe('planted bugs', () => {
  test.each([
    ['majority-of-those-seen', 'never two coordinators', 3],
    ['stale-claim-granted', 'one coordinator a term', 8],
    ['grant-not-saved', 'never two coordinators', 8],
    ['promise-not-kept', 'never two coordinators', 7],
    ['promise-forgotten', 'never two coordinators', 8],
    ['no-drift-factor', 'never two coordinators', 8],
    ['deadline-from-answer', 'never two coordinators', 8],
  ])('%s breaks "%s" in %i lines', (bug, property, lines) => {
    const { broken } = exploreElectionBug(bug)
    expect(broken?.property).toBe(property)
    expect(broken?.story).toHaveLength(lines)
  })

  test('every system of a bug is in the list above, and is safe without the bug', () => {
    expect(Object.keys(plantedElectionSystems)).toHaveLength(7)
    for (const bug of ['stale-claim-granted', 'promise-not-kept', 'promise-forgotten']) {
      expect(exploreElectionBug(bug, false), bug).toMatchObject({ complete: true, broken: undefined })
    }
  })
})
