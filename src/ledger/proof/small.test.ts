// All schedules of one height, two attempts and two values (protocols/ledger, "Attempts"): never two certified. Counts are
// pinned, so that a step which nobody takes any more is noticed; and each planted bug of voting is refuted by the shortest
// schedule that there is.

import { describe, expect, it } from 'vitest'
import { exploreLedger, exploreLedgerBug, ledgerSystems } from './exploration.ts'
import { brokenLedgerRules, plantedVotingBugs } from './planted.ts'
import { exploreVotes } from './small.ts'

const honest = { servers: 4, crashes: 1, liars: 0 }
const lied = { servers: 6, crashes: 1, liars: 1 }

describe('never two values, in any schedule', () => {
  it.each([
    ['4 servers, one may lose its store', honest, { states: 5_637, steps: 16_895, certified: [652, 1_496] }],
    ['6 servers, one of which lies', lied, { states: 6_134, steps: 19_127, certified: [228, 982] }],
  ] as const)('%s', (_name, group, counts) => {
    expect(exploreVotes(group, 2)).toEqual({ ...counts, broken: undefined })
  })
})

/** How many steps the shortest schedule has that certifies two. What is not executed before a vote is not about votes alone. */
const DEPTHS: Readonly<Record<string, number>> = {
  'certificate-one-short': 4,
  'small-quorum': 4,
  'no-reports': 7,
  'vote-twice': 6,
  'vote-below-promise': 10,
  'promise-not-saved': 12,
  'vote-not-saved': 8,
  'votes-after-lost-store': 8,
  'newest-not-kept': 10,
}

describe('each planted bug of voting is found', () => {
  it('none is forgotten', () => {
    expect([...Object.keys(DEPTHS), 'votes-unseen'].sort()).toEqual(Object.keys(plantedVotingBugs).sort())
  })
  it.each(Object.entries(DEPTHS))('%s, after %i steps', (bug, depth) => {
    expect(exploreVotes(honest, 2, brokenLedgerRules(bug)).broken).toBe(depth)
  })
  it('and that 3f + 2b servers are too few', () => {
    expect(exploreVotes({ servers: 5, crashes: 1, liars: 1 }, 2).broken).toBe(11)
  })
})

describe('coterie explore ledger', () => {
  it('looks at every system to its end, with the counts that are pinned', () => {
    const counts = Object.keys(ledgerSystems).map(name => {
      const { states, transitions, complete, broken, sometimes } = exploreLedger(name)
      expect([complete, broken, Object.values(sometimes).every(Boolean)]).toEqual([true, undefined, true])
      return [name, states, transitions]
    })
    expect(counts).toEqual([
      ['votes', 5_637, 16_895],
      ['votes-lied', 6_134, 19_127],
      ['two-in-one', 237, 1_884],
    ])
  })
  it('tells the shortest story of a planted bug, and none without it', () => {
    const { broken, depth } = exploreLedgerBug('certificate-one-short')
    expect([depth, broken?.property]).toEqual([4, 'two values were certified for one height'])
    expect(broken?.story).toEqual([
      'server 1 votes x in attempt 1',
      'server 2 votes x in attempt 1',
      'server 3 votes y in attempt 1',
      'server 4 votes y in attempt 1',
      'certified: x, in attempt 1',
      'certified: y, in attempt 1',
    ])
    expect(exploreLedgerBug('certificate-one-short', false, { depthMax: 4 }).broken).toBeUndefined()
  })
})
