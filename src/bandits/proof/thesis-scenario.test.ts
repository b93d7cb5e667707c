// The thesis's protocols among members under faults and lies: the answer of the open algorithm, whoever crashes; an error, or the right
// answer, where a lie can be refused; and where it cannot, no arm pulls more than its share.

import { describe, expect, it } from 'vitest'
import { runOnce } from '../../simulator/index.ts'
import { memberRunScenario } from './member-scenario.ts'
import { brokenBanditRules } from './planted.ts'
import { thesisLiars } from './thesis-liars.ts'
import { thesisScenario } from './thesis-scenario.ts'

const SEEDS = Number(process.env.BANDIT_SEEDS ?? 40)
const LIES = thesisLiars().map((liar, lie) => [liar.name, lie, liar] as const)
const PER_LIE = Math.max(3, Math.ceil(SEEDS / LIES.length))

/** What the user is told; of keys that nobody takes, and of silence, only that its time was up. */
const SAYS: Readonly<Record<string, RegExp>> = {
  'changes turns': /a turn of AS does not open/,
  'skips rings': /AS skipped a round/,
  'says old turns again': /a turn of AS does not open/,
  'changes the keys of the ring': /no answer in time/,
  'changes the total': /the sum is none/,
  'passes rubbish on': /along the ring does not open/,
  'names a leader that nobody sealed': /no arm sealed the leader/,
  'passes an old leader on': /along the ring does not open/,
  'names an old leader': /no arm sealed the leader/,
  'sends rubbish for its sum': /the sum is none/,
  'changes the order of a phase': /the order of a phase does not open/,
  'sends two lists for one phase': /two lists of sums/,
  'leaves out an arm': /the order of a phase does not open/,
  'names a best arm unsigned': /the best arm is not from BAI/,
  'leaves a sum out': /left out an arm/,
  'sends sums under no key': /no sums under the key/,
  'names a place where nobody is': /a place where nobody is/,
  'has a key that is none': /no answer in time/,
  'arm is silent': /no answer in time/,
  'shuffler is silent': /no answer in time/,
}

describe('UCB-DS, UCB-DS2 and SR-secured among members', () => {
  it(`every member crashing: the right answer, ${SEEDS} seeds`, () => {
    const levels = new Set<unknown>()
    let crashes = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const found = runOnce(thesisScenario(), seed, {}, seed <= 60)
      expect(found.violations, `seed ${seed} ${JSON.stringify(found.drawn)}`).toEqual([])
      levels.add(found.drawn?.level)
      crashes += found.trace.filter(({ kind }) => kind === 'crash').length
    }
    expect(levels.size).toBe(4)
    expect(crashes).toBeGreaterThan(Math.min(SEEDS, 60) / 4)
  })

  it('a party that restarts from nothing is found', () => {
    const rules = brokenBanditRules('restarts-from-nothing')
    const found = new Set<unknown>()
    for (let seed = 1; seed <= 60; seed++) {
      const { violations, drawn } = runOnce(thesisScenario({ rules }), seed)
      if (violations.length > 0) found.add(drawn?.level === 'sr-secured')
    }
    expect([...found].sort()).toEqual([false, true])
  })
})

describe('lies at the level of the thesis', () => {
  it.each(LIES)(`%s, ${PER_LIE} seeds`, (_name, lie) => {
    for (let seed = 1; seed <= PER_LIE; seed++) {
      const { violations, drawn } = runOnce(thesisScenario({ lie }), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
    }
  })

  const stopped = (lie: number, seed: number) =>
    runOnce(thesisScenario({ lie }), seed, {}, true).trace.flatMap(({ kind, node, what }) =>
      kind === 'emit' && node === 'user' && what.startsWith('stopped') ? [what] : [],
    )

  it('the user is killed as it learns of a lie: it is told after the restart', () => {
    expect(runOnce(thesisScenario({ liars: 1 }), 909702).violations).toEqual([])
  })

  it('a user that never asks is told nothing, and that is no fault', () => {
    expect(runOnce(thesisScenario({ liars: 1 }), 909702, { only: [] }).violations).toEqual([])
    expect(runOnce(memberRunScenario(), 1, { only: [] }).violations).toEqual([])
  })

  it('each that is refused has its words', () => {
    expect(Object.keys(SAYS)).toEqual(LIES.filter(([, , { refused }]) => refused).map(([name]) => name))
  })

  it.each(LIES.filter(([, , { refused }]) => refused))('%s is refused, and the user is told why', (name, lie) => {
    expect([1, 2, 3, 4, 5, 6].flatMap(seed => stopped(lie, seed)).join('; ')).toMatch(SAYS[name]!)
  })

  it.each(LIES.filter(([name, , { refused }]) => !refused && !/ is /.test(name)))('%s is not refused', (_name, lie) => {
    expect([1, 2, 3, 4, 5, 6].every(seed => stopped(lie, seed).length > 0)).toBe(false)
  })
})
