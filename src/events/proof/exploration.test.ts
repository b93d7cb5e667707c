// Events under the explorer: protocols/events 10 to 15, in every schedule of a small system.

import { describe, expect, test } from 'vitest'
import { eventsSystems, exploreEvents, exploreEventsBug, plantedEventsSystems } from './exploration.ts'
import { plantedEventsBugs } from './planted.ts'

describe('every schedule loses nothing', () => {
  // A number that changes without a change of the protocol means that the explorer looks at something else.
  test.each([
    ['one', true, 746],
    ['three', true, 293_228],
    ['three-two', false, 264_496],
    ['four', true, 476_534],
  ])('%s, to its end: %s, %i states', (name, complete, states) => {
    const found = exploreEvents(name)
    expect(found).toMatchObject({ complete, states, broken: undefined })
    expect(Object.entries(found.sometimes).filter(([, reached]) => !reached)).toEqual([])
    expect(Object.keys(found.sometimes).length).toBeGreaterThanOrEqual(2)
  })

  test('an unknown name is refused with the known ones', () => {
    expect(() => exploreEvents('nonsense')).toThrow(
      `no system 'nonsense'; there are: ${Object.keys(eventsSystems).join(', ')}`,
    )
  })
})

describe('planted bugs', () => {
  test.each([
    ['gap-accepted', 'what is held has no gap', 8],
    ['few-acks', 'what is accepted is held by n - f, less those that lie', 4],
  ])('%s breaks "%s" in %i lines', (bug, property, lines) => {
    const { broken } = exploreEventsBug(bug)
    expect(broken?.property).toBe(property)
    expect(broken?.story).toHaveLength(lines)
  })

  test.each(Object.keys(plantedEventsSystems))('without the bug nothing breaks: the system of %s', bug => {
    expect(plantedEventsBugs).toHaveProperty(bug)
    expect(exploreEventsBug(bug, false, { depthMax: 8 })).toMatchObject({ broken: undefined })
  })
})
