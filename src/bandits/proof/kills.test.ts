// Each party killed at each of its steps (protocols/bandits 8): the run ends with the answer of the open algorithm.

import { describe, expect, it } from 'vitest'
import { runOnce, type Scenario } from '../../simulator/index.ts'
import { ALGORITHMS } from '../settings.ts'
import { memberRunScenario } from './member-scenario.ts'
import { banditScenario } from './scenario.ts'
import { thesisScenario } from './thesis-scenario.ts'

const SEEDS = Number(process.env.BANDIT_KILLS ?? 20)
const FROM = Number(process.env.BANDIT_KILLS_FROM ?? 1)
/** Nobody has more in a run of six pulls. */
const STEPS_MAX = 100
const PARTIES = ['arm-1', 'arm-2', 'shuffler', 'comparator', 'user']

describe('killed at one step', () => {
  // biome-ignore lint/suspicious/noExplicitAny: three kinds of plan
  const drawn: readonly (readonly [string, () => Scenario<any, any>])[] = [
    ['at one table', () => banditScenario({ kill: 'drawn' })],
    ['among members', () => memberRunScenario(undefined, true)],
    ['at the level of the thesis', () => thesisScenario({ kills: true })],
  ]
  it.each(drawn)(`%s: the same answer, ${SEEDS} seeds`, (_where, scenario) => {
    const killed = new Map<string, number>()
    for (let seed = FROM; seed < FROM + SEEDS; seed++) {
      const { violations, drawn: plan, trace } = runOnce(scenario(), seed, {}, true)
      expect(violations, `seed ${seed} ${JSON.stringify(plan)}`).toEqual([])
      for (const { kind, node } of trace) if (kind === 'crash') killed.set(node!, (killed.get(node!) ?? 0) + 1)
    }
    const kills = [...killed.values()].reduce((sum, count) => sum + count, 0)
    // Many are drawn beyond the last step.
    expect(kills).toBeGreaterThan(SEEDS / 5)
    expect(killed.size).toBeGreaterThan(3)
  })

  it.each([
    ['at one table', () => banditScenario({ liars: 1, kill: 'drawn' }), [900096]],
    ['at the level of the thesis', () => thesisScenario({ liars: 1, kills: true }), [900188, 900236]],
  ] as const)(`%s, while somebody lies: an answer or an error, ${SEEDS} seeds`, (_where, scenario, found) => {
    const drawnNow = Array.from({ length: SEEDS }, (_, at) => FROM + at)
    for (const seed of [...found, ...drawnNow]) {
      const { violations, drawn: plan } = runOnce(scenario(), seed)
      expect(violations, `seed ${seed} ${JSON.stringify(plan)}`).toEqual([])
    }
  })

  it('the user is killed with its answer, when the others have heard that it is over: it has the answer after the restart', () => {
    for (const seed of [69, 1061]) expect(runOnce(memberRunScenario(undefined, true), seed).violations).toEqual([])
    expect(runOnce(thesisScenario({ kills: true }), 98).violations).toEqual([])
  })

  it('the user is killed before its run begins and asks anew: an invitation of the life before, which comes late, ends nothing', () => {
    expect(runOnce(thesisScenario({ kills: true }), 900279).violations).toEqual([])
  })

  it.each(ALGORITHMS)(
    '%s, two arms and six pulls: each party at each of its steps, until there is none left',
    algorithm => {
      for (const party of PARTIES) {
        let step = 0
        for (; step < STEPS_MAX; step++) {
          const kill = { party, step, lasts: 300_000 }
          const { violations, trace } = runOnce(banditScenario({ algorithm, kill }), 7, {}, true)
          expect(violations, `${party} killed at step ${step}`).toEqual([])
          if (!trace.some(({ kind }) => kind === 'crash')) break
        }
        expect(step, party).toBeGreaterThan(4)
        expect(step, party).toBeLessThan(STEPS_MAX)
      }
    },
  )
})
