// Objects under the explorer: protocols/ordering and BACKOFF §7 in every schedule of small systems.

import { describe, expect, test } from 'vitest'
import { isLong } from '../../../test/support/long.ts'
import { checkClaims, explore, type Moment, type System } from '../../simulator/index.ts'
import { exploreOrdering, exploreOrderingBug, orderingSystems, plantedOrderingSystems } from './exploration.ts'
import { accountsIn, objectOf, orderAlways, serversIn, usersIn } from './one-order.ts'
import { plantedOrderingBugs } from './planted.ts'
import { FIRST, type OrderingSystemOptions, orderingSystem, SECOND } from './small-system.ts'

const one = { servers: 1, crashes: 0 }
const three = { servers: 3, crashes: 1 }

describe('every schedule is safe', () => {
  // A number that changes without a change of the protocol means that the explorer looks at something else.
  test.runIf(isLong)('read, to its end: 37482 states', () => {
    const found = exploreOrdering('read')
    expect(found).toMatchObject({ system: 'read', complete: true, states: 37_482, broken: undefined })
    const reached = { 'a read sees the operation': true, 'a read sees what no server calls committed': true }
    expect(found.sometimes).toEqual(reached)
  })

  // `coterie explore ordering` goes further: those of one server to their end, where everything that should come about does.
  test.each([
    ['read', 14, 1_657],
    ['one', 12, 3_781],
    ['one-duplicate', 12, 6_829],
    ['one-restart', 14, 3_947],
    ['one-turns', 10, 5_181],
    ['three', 12, 3_630],
    ['gone', 14, 7_559],
    ['gone-higher', 12, 1_987],
    ['restart', 10, 3_140],
    ['lag', 12, 7_035],
    ['liar', 9, 3_236],
  ])('%s, as far as %i steps: %i states', (name, depthMax, states) => {
    expect(exploreOrdering(name, { depthMax })).toMatchObject({ depth: depthMax, states, broken: undefined })
  })

  test('an unknown name is refused with the known ones', () => {
    expect(() => exploreOrdering('nonsense')).toThrow("no system 'nonsense'; there are: one, one-duplicate")
    expect(() => exploreOrderingBug('nonsense')).toThrow("no system for a planted bug 'nonsense'; there are: lower")
  })

  test('where a depth is named, it is kept unless another is asked for', () => {
    const deep = Object.entries(orderingSystems).filter(([, { depth }]) => depth !== undefined)
    expect(deep.map(([name]) => name)).toEqual(['three', 'gone', 'gone-higher', 'restart', 'lag', 'liar'])
    expect(exploreOrdering('gone', { depthMax: 3 })).toMatchObject({ complete: false, depth: 3 })
  })
})

describe('planted bugs', () => {
  test('each has a system, but for those that only the simulator can show', () => {
    const simulated = [
      'built-on-proposed', // not within the steps that can be tried
      'one-rank-for-all', // likewise
      'rank-above-the-largest', // nothing goes wrong, but nobody gets on any more
      'pending-not-told', // likewise
      'a-vote-for-each-word', // the liar tells of no operations
      'memory-without-bound', // a few words are no memory
      'any-version-is-committed', // likewise: clients do not lie
      'lease-ends-on-old-word', // nobody asks for a lease
      'any-rank-is-promised', // time stands still, and clients do not lie
    ]
    const all = [...Object.keys(plantedOrderingSystems), ...simulated]
    expect(all.sort()).toEqual(Object.keys(plantedOrderingBugs).sort())
  })

  test.each([
    ['lower-version-in-a-rank', 'nothing decided is lost', 10],
    ['committed-goes-back', 'servers keep their invariants', 11],
    ['parent-not-committed', 'nothing decided is lost', 21],
    ['only-proposed-vouches', 'nothing decided is lost', 21],
    ['liars-are-enough', 'nobody proposes what nobody asked for', 11],
    ['commit-without-propose', 'nothing decided is lost', 4],
    ['one-acknowledgement-too-few', 'nothing decided is lost', 8],
    ['rank-forgotten-at-restart', 'servers keep their invariants', 8],
    ['answered-from-proposed', 'an answer is what the operation gave', 8],
    ['half-done-not-completed', 'nothing decided is lost', 6],
    ['highest-sequence-number', 'each operation once, in its order', 12],
    ['read-of-committed-alone', 'a read sees what was answered before', 16],
  ])('%s breaks "%s" in %i lines, and without it nothing breaks so soon', (bug, property, lines) => {
    const { broken, depth } = exploreOrderingBug(bug)
    expect(broken?.property).toBe(property)
    expect(broken?.story).toHaveLength(lines)
    expect(exploreOrderingBug(bug, false, { depthMax: depth + 2 }).broken).toBeUndefined()
  })

  test('half-done-not-completed: the story', () => {
    expect(exploreOrderingBug('half-done-not-completed').broken?.story).toEqual([
      'start',
      'client-1: submits 1',
      'client-1 → server-1: get, rank 1 of client-1, with 1.0/1',
      'server-1 → client-1: got, rank 1 of client-1, committed 1:481db9c4',
      'client-1 → server-1: propose 2:93dcac33 on 481db9c4, rank 1 of client-1',
      'server-1 → client-1: accepted 2:93dcac33, rank 1 of client-1',
    ])
  })
})

describe('a story to its end', () => {
  // The server's own invariant and the quorum's choice notice it sooner; lemma 4 is what breaks in the end.
  test('rank-forgotten-at-restart: two states of version 2, both acknowledged', () => {
    const options = { ...plantedOrderingSystems['rank-forgotten-at-restart']!, bug: 'rank-forgotten-at-restart' }
    const { 'one state a version': lemma } = orderAlways(options)
    const { broken } = explore(orderingSystem(options), { always: { lemma: lemma! }, sometimes: {} })
    expect(broken?.story).toEqual([
      'start',
      'client-1: submits 1',
      'client-1 → server-1: get, rank 1 of client-1, with 1.0/1',
      'server-1 → client-1: got, rank 1 of client-1, committed 1:481db9c4',
      'client-2: submits 11',
      'client-2 → server-1: get, rank 1 of client-2, with 1.1/1',
      'server-1 → client-2: got, rank 1 of client-2, committed 1:481db9c4, with 1.0/1',
      'server-1: crashes and restarts',
      'client-1 → server-1: propose 2:93dcac33 on 481db9c4, rank 1 of client-1',
      'server-1 → client-1: accepted 2:93dcac33, rank 1 of client-1',
      'client-2 → server-1: propose 2:f368b26d on 481db9c4, rank 1 of client-2',
      'server-1 → client-2: accepted 2:f368b26d, rank 1 of client-2',
    ])
  })
})

describe('the reductions leave nothing out', () => {
  /** All that can be seen from outside, in any state that can be reached, but for which server is which. */
  function observed(system: System, reduced: boolean): { states: number; seen: string[] } {
    const seen = new Set<string>()
    const look = (moment: Moment) => {
      seen.add(JSON.stringify([clientsIn(moment, system), heldIn(moment, system)]))
      return true
    }
    const { complete, states } = explore(system, { always: { look }, sometimes: {} }, { reduced, statesMax: 300_000 })
    expect(complete).toBe(true)
    return { states, seen: [...seen].sort() }
  }

  function clientsIn(moment: Moment, system: System): unknown {
    return usersIn(moment, system).map(({ asked, gone, answers, decided, reads }) => {
      return [asked, gone, [...answers].sort(), [...decided.keys()].sort(), reads]
    })
  }

  function heldIn(moment: Moment, system: System): unknown {
    const logs = accountsIn(moment, system).map(({ version, log }) => [
      version,
      log.map(({ operation }) => operation.id),
    ])
    const servers = serversIn(moment, system).map(server => {
      const { promised, committed, proposed, pending } = objectOf(server)
      return JSON.stringify([
        promised,
        committed.version,
        proposed?.version,
        proposed?.rank,
        [...pending.keys()].sort(),
      ])
    })
    return [logs.map(log => JSON.stringify(log)).sort(), servers.sort()]
  }

  const cases: [string, OrderingSystemOptions][] = [
    ['an operation each', { ...one, submits: [1, 1] }],
    ['two operations', { ...one, submits: [2, 0], timers: 1 }],
    ['a duplicate', { ...one, submits: [2, 0], duplicates: 1 }],
    ['a restart', { ...one, submits: [1, 1], restarts: 1 }],
    ['turns', { ...one, submits: [1, 2], turns: true }],
    ['one is gone', { ...one, submits: [1, 1], dies: FIRST }],
    ['the higher one is gone', { ...one, submits: [1, 1], dies: SECOND }],
    ['a read', { servers: 2, crashes: 0, submits: [1, 0], reads: true }],
    ['two servers', { servers: 2, crashes: 0, submits: [1, 0], timers: 1 }],
    ['two servers, and one is gone', { servers: 2, crashes: 0, submits: [1, 1], dies: FIRST }],
    ['three servers', { ...three, submits: [1, 0] }],
  ]
  const large = ['a restart', 'two servers, and one is gone', 'three servers']
  const tried = cases.filter(([name]) => isLong || !large.includes(name))
  test.each(tried)('%s', (_name, options) => {
    const system = orderingSystem(options)
    const small = observed(system, true)
    const full = observed(system, false)
    expect(small.seen).toEqual(full.seen)
    expect(small.states).toBeLessThanOrEqual(full.states)
  })

  test.each(tried)('what is claimed holds: %s', (_name, options) => {
    const { states, locals } = checkClaims(orderingSystem(options))
    expect(states).toBeGreaterThan(50)
    expect(locals).toBeGreaterThan(10)
  })
})
