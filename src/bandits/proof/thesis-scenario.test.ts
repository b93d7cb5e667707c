// The thesis's protocols among members under faults: the answer of the open algorithm, whoever crashes.

import { describe, expect, it } from 'vitest'
import { runOnce } from '../../simulator/index.ts'
import { brokenBanditRules } from './planted.ts'
import { thesisScenario } from './thesis-scenario.ts'

const SEEDS = Number(process.env.BANDIT_SEEDS ?? 60)

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
  }, 600_000)

  it('a party that restarts from nothing is found', () => {
    const rules = brokenBanditRules('restarts-from-nothing')
    const found = new Set<unknown>()
    for (let seed = 1; seed <= 60; seed++) {
      const { violations, drawn } = runOnce(thesisScenario(rules), seed)
      if (violations.length > 0) found.add(drawn?.level === 'sr-secured')
    }
    expect([...found].sort()).toEqual([false, true])
  }, 600_000)
})
