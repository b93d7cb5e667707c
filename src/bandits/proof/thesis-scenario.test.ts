// The thesis's protocols among members under faults and lies: the answer of the open algorithm, whoever crashes; an error, or the right
// answer, where a lie can be refused; and where it cannot, no arm pulls more than its share.

import { describe, expect, it } from 'vitest'
import { runOnce } from '../../simulator/index.ts'
import { brokenBanditRules } from './planted.ts'
import { thesisLiars } from './thesis-liars.ts'
import { thesisScenario } from './thesis-scenario.ts'

const SEEDS = Number(process.env.BANDIT_SEEDS ?? 40)
const LIES = thesisLiars().map((liar, lie) => [liar.name, lie, liar] as const)
const PER_LIE = Math.max(3, Math.ceil(SEEDS / LIES.length))

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
  }, 3_600_000)

  it('a party that restarts from nothing is found', () => {
    const rules = brokenBanditRules('restarts-from-nothing')
    const found = new Set<unknown>()
    for (let seed = 1; seed <= 60; seed++) {
      const { violations, drawn } = runOnce(thesisScenario({ rules }), seed)
      if (violations.length > 0) found.add(drawn?.level === 'sr-secured')
    }
    expect([...found].sort()).toEqual([false, true])
  }, 600_000)
})

describe('lies at the level of the thesis', () => {
  it.each(LIES)(
    `%s, ${PER_LIE} seeds`,
    (_name, lie) => {
      for (let seed = 1; seed <= PER_LIE; seed++) {
        const { violations, drawn } = runOnce(thesisScenario({ lie }), seed)
        expect(violations, `seed ${seed} ${JSON.stringify(drawn)}`).toEqual([])
      }
    },
    3_600_000,
  )

  const isStopped = (lie: number, seed: number) =>
    runOnce(thesisScenario({ lie }), seed, {}, true).trace.some(
      ({ kind, node, what }) => kind === 'emit' && node === 'user' && what.startsWith('stopped'),
    )

  it.each(LIES.filter(([, , { refused }]) => refused))(
    '%s is refused: the user is told that there is no answer',
    (_name, lie) => {
      expect([1, 2, 3, 4, 5, 6].some(seed => isStopped(lie, seed))).toBe(true)
    },
  )

  it.each(LIES.filter(([name, , { refused }]) => !refused && !/ is /.test(name)))('%s is not refused', (_name, lie) => {
    expect([1, 2, 3, 4, 5, 6].every(seed => isStopped(lie, seed))).toBe(false)
  })
})
