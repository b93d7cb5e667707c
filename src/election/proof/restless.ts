// A list that never rests: where a coordinator that signs twice for one number shows soonest.

import type { Scenario } from '../../simulator/index.ts'
import { brokenElectionRules } from './planted.ts'
import { type ElectionAct, type ElectionPlan, electionScenario } from './scenario.ts'

/** Members come and go all the time, proposed by coordinators that step down just after, and messages are lost. */
export function restless(bug?: string): Scenario<ElectionPlan, ElectionAct> {
  const scenario = electionScenario({ members: 3, liars: 0 }, { rules: brokenElectionRules(bug) })
  const newcomers = ['newcomer-1', 'newcomer-2']
  const acts = (names: readonly string[]) =>
    Array.from({ length: 42 }, (_, place): ElectionPlan['acts'] => {
      const at = 1_000_000 + 250_000 * place
      const resigned = at + 4_000 + 2_000 * ((place + 1) % 5)
      const resign = names.map(name => ({ kind: 'resign' as const, name, at: resigned }))
      return [{ kind: 'change', member: newcomers[place % 2]!, at }, ...resign]
    }).flat()
  const also = <Value>(known: ReadonlyMap<string, Value>, value: Value) =>
    new Map([...known, ...newcomers.filter(id => !known.has(id)).map(id => [id, value] as const)])
  return {
    ...scenario,
    plan(random) {
      const plan = scenario.plan(random)
      const { rates, values, priorities, network, names } = plan
      const people = { rates: also(rates, 1), values: also(values, [1, 1, 0]), priorities: also(priorities, [0, 1, 2]) }
      return { ...plan, ...people, newcomers, network: { ...network, loss: 0.3 }, acts: acts(names) }
    },
  }
}
