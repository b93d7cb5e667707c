// Elections under faults and liars (protocols/election): never two coordinators in a term or at one time, never a term
// without a count that checks, one list for a number, progress once all is healed. And the test of the test: every
// planted bug.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { readPins } from '../../../test/support/pins.ts'
import { runOnce } from '../../simulator/index.ts'
import { plantedElectionBugs } from './planted.ts'
import { CALLS, electionOfTerms, INFLATES, plantedElectionRuns, SPOILED } from './runs.ts'
import { type ElectionGroup, electionScenario } from './scenario.ts'

const groups: Readonly<Record<string, ElectionGroup & { readonly seeds: number }>> = {
  '3 members, none lies': { members: 3, liars: 0, seeds: sized(12, 40) },
  '4 members, one lies': { members: 4, liars: 1, seeds: sized(8, 25) },
  '7 members, two lie': { members: 7, liars: 2, seeds: sized(2, 4) },
}

describe('never two coordinators', () => {
  it.each(Object.entries(groups))('%s', (_name, group) => {
    for (let seed = 1; seed <= group.seeds; seed++) {
      const { violations, drawn } = runOnce(electionScenario(group), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  it('and the runs are not idle: every kind of thing happens', () => {
    const counts = new Map<string, number>()
    for (let seed = 1; seed <= 12; seed++) {
      for (const { kind, what } of runOnce(electionScenario({ members: 4, liars: 1 }), seed, {}, true).trace) {
        const thing = kind === 'emit' || kind === 'deliver' ? what.split(' ')[0]! : kind
        counts.set(thing, (counts.get(thing) ?? 0) + 1)
      }
    }
    const least = { elected: 50, extended: 1_000, lost: 5, coordinator: 100, vacant: 20, turnout: 10, ballot: 500 }
    const more = { call: 100, claim: 250, grant: 100, refusal: 50, alive: 2_000, approve: 5, list: 5, crash: 2 }
    for (const [thing, count] of Object.entries({ ...least, ...more })) {
      expect(counts.get(thing) ?? 0, thing).toBeGreaterThanOrEqual(count)
    }
  })
})

describe('terms that a liar speaks of', () => {
  it.each([
    ['one that says it was in terms that nobody was in', INFLATES],
    ['one that calls for term after term', CALLS],
    ['stores that are tens of millions of terms apart', SPOILED],
    ['stores that are apart, where nobody lies', { members: 3, liars: 0, ...SPOILED }],
    ['stores that are apart, and one that goes on', { ...SPOILED, ...INFLATES }],
  ])('%s: there is a coordinator all the same', (_name, group) => {
    for (let seed = 1; seed <= sized(1, 4); seed++) {
      expect(runOnce(electionOfTerms(group), seed).violations, `seed ${seed}`).toEqual([])
    }
  })
})

describe('liars are named, by what their words prove', () => {
  it.each([
    ['votes-twice', 0, /^evidence/],
    ['claims-always', 2, /^misbehaved.*(false-claim|two-claims)/],
    ['inflates-terms', 11, /^misbehaved.*impossible-term/],
    ['proves-with-too-few', 13, /^misbehaved.*false-proof/],
    ['resigns-for-others', 14, /^misbehaved.*false-resignation/],
    ['forges-lists', 15, /^misbehaved.*forged-list/],
    ['forges-leaders', 17, /^misbehaved.*false-proof/],
  ])('%s', (name, lie, how) => {
    const seeds = Array.from({ length: sized(1, 4) }, (_, place) => place + 1)
    const caught = seeds.filter(seed => {
      const { trace, violations, drawn } = runOnce(electionScenario({ members: 4, liars: 1, lie }), seed, {}, true)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      return trace.some(({ kind, what }) => kind === 'emit' && how.test(what))
    })
    expect(caught.length, `${name} is named`).toBeGreaterThan(0)
  })
  it.each([['stuffs', 19, /^misbehaved.*forged-ballot/]])('%s, where ballots are secret', (name, lie, how) => {
    const { trace, violations } = runOnce(
      electionScenario({ members: 4, liars: 1, lie }, { mode: 'secret' }),
      1,
      {},
      true,
    )
    expect(violations).toEqual([])
    const named = trace.some(({ kind, what }) => kind === 'emit' && how.test(what))
    expect(named, `${name} is named`).toBe(true)
  })
})

describe('secret ballots', () => {
  it('keep the same promises, and totals are opened', () => {
    let opened = 0
    for (let seed = 1; seed <= sized(2, 5); seed++) {
      const scenario = electionScenario({ members: 4, liars: 1 }, { mode: 'secret' })
      const { violations, drawn, trace } = runOnce(scenario, seed, {}, true)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      opened += trace.filter(({ kind, what }) => kind === 'deliver' && /opened /.test(what)).length
    }
    expect(opened).toBeGreaterThan(sized(2, 5))
  })
})

describe('planted bugs', () => {
  const pins = readPins(import.meta.dirname)

  it('none is forgotten: the explorer finds a stale claim, machine.test.ts an endless promise', () => {
    expect(Object.keys(pins).sort()).toEqual(Object.keys(plantedElectionRuns).sort())
    const found = new Set(Object.keys(pins).map(name => name.replace('secret/', '')))
    const elsewhere = ['stale-claim-granted', 'promise-for-ever']
    expect([...found, ...elsewhere].sort()).toEqual(Object.keys(plantedElectionBugs).sort())
  })
  it.each(Object.entries(pins))('%s is found by seed %i, which has nothing to show without it', (name, seed) => {
    const { scenario, sound, says } = plantedElectionRuns[name]!
    expect(runOnce(scenario(), seed).violations[0]?.what).toMatch(says)
    expect(runOnce(sound(), seed).violations).toEqual([])
  })
})

describe('seeds that found something', () => {
  // The lie was drawn among fewer, so it is named.
  const told = (seed: number, lie: number, only: number[]) =>
    runOnce(electionScenario({ members: 4, liars: 1, lie }), seed, { only }).violations

  // One old claim, said to each member whenever its promise was nearly over, bound all of them in turn for ever.
  it('5611: a liar that replays a claim does not keep a quorum from being free', () => {
    expect(told(5611, 5, [])).toEqual([])
  })
  // It was always the first to give up, and called the others again with itself as a candidate.
  it('5660: a candidate that never claims does not call before all others each time', () => {
    expect(told(5660, 11, [])).toEqual([])
  })
  // Ballots came before the call to vote, and each who had one began on its own view, in the same term.
  it('90006: a ballot before its call does not split the votes', () => {
    expect(told(90006, 8, [3, 4, 5, 9])).toEqual([])
  })
  // Elected by grants that hold, it showed fewer to a member that missed them, or that had not heard of it for a while.
  it.each(sized([14], [14, 25, 34]))(
    '%i: a coordinator that proves too little does not keep a member from knowing who leads',
    seed => {
      expect(runOnce(electionScenario({ members: 4, liars: 1, lie: 13 }), seed).violations).toEqual([])
    },
  )
  // Called to vote on a view without rows, a member that had none itself proved a shuffle of nothing, which threw.
  it('41000130: a secret ballot on nobody is not cast', () => {
    expect(runOnce(electionScenario({ members: 4, liars: 1 }, { mode: 'secret' }), 41000130).violations).toEqual([])
  })
  // Membership never saw a quorum of a list with newcomers: those who came back waited for it for half a minute.
  it('304517: a first election does not wait long for a quorum that is not seen', () => {
    expect(runOnce(electionScenario({ members: 3, liars: 0 }), 304517).violations).toEqual([])
  })
})

describe('one seed, one run', () => {
  it('the same seed gives the same trace, another seed another', () => {
    const hash = (seed: number) => runOnce(electionScenario({ members: 4, liars: 1 }), seed).traceHash
    expect(hash(5)).toBe(hash(5))
    expect(hash(6)).not.toBe(hash(5))
  })
})
