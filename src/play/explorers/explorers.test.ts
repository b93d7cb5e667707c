// What a page explores: planted bugs are found, and the shortest way to them is a walk (walks.test.ts); the small systems end within
// the limit.

import { describe, expect, it } from 'vitest'
import { isLong } from '../../../test/support/long.ts'
import { allExplorers as explorers } from './all.ts'
import { STATES_MAX } from './explorer.ts'
import { lockExplorer } from './lock.ts'
import { orderingExplorer } from './ordering.ts'

const systems = explorers.flatMap(({ protocol, systems }) => systems.map(({ name }) => [protocol, name] as const))
const bugs = explorers.flatMap(({ protocol, bugs }) => bugs.map(bug => [protocol, bug] as const))
const named = (protocol: string) => explorers.find(each => each.protocol === protocol)!

describe('explorations in a page', () => {
  it('are of four protocols, sound ones and planted bugs', () => {
    const counts = explorers.map(({ protocol, systems, bugs }) => [protocol, systems.length, bugs.length])
    expect(counts).toEqual([
      ['lock', 6, Object.keys(lockExplorer.bugs).length],
      ['ordering', 3, Object.keys(orderingExplorer.bugs).length],
      ['election', 6, 7],
      ['mutex', 11, 4],
    ])
    expect(lockExplorer.bugs.length).toBeGreaterThanOrEqual(10)
    expect(orderingExplorer.bugs.length).toBeGreaterThanOrEqual(10)
    // One name names one thing: it is the address.
    for (const { systems, bugs } of explorers) {
      const names = [...systems.map(({ name }) => name), ...bugs]
      expect(new Set(names).size).toBe(names.length)
    }
  })
  it.each([
    ['election', 'promise-not-kept', 'never two coordinators'],
    ['mutex', 'centralised-forgets', 'never two inside'],
  ])('of %s find %s', (protocol, bug, property) => {
    expect(named(protocol).explore(bug).broken?.property).toBe(property)
  })
  it.runIf(isLong).each(systems)('%s %s ends within the limit', (protocol, name) => {
    const found = named(protocol).explore(name)
    // Some have a depth of their own, beyond which there are too many states.
    const { depth } = named(protocol).system(name)!
    expect(found).toMatchObject({ broken: undefined, ...(depth === undefined ? { complete: true } : { depth }) })
    expect(found.states).toBeLessThanOrEqual(STATES_MAX)
  })
  it.runIf(isLong).each(bugs)('%s %s is found within the limit', (protocol, name) => {
    const { broken, steps } = named(protocol).explore(name)
    expect([broken?.property, steps?.length]).not.toContain(undefined)
  })
})
