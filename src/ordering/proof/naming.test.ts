// Who is named: each liar alone among seven, and whether its words prove the lie to some client. Those that only keep
// silent, wait or refuse are not called liars: an honest server may do the same.

import { describe, expect, it } from 'vitest'
import { trust } from '../../core/index.ts'
import { runOnce, type Scenario } from '../../simulator/index.ts'
import { orderingDefaults } from '../defaults.ts'
import { orderingLiars } from './liars.ts'
import { type OrderingAct, type OrderingPlan, orderingScenario } from './scenario.ts'

const seven = trust({ liars: 1 })
/** Those that are named are named in one of the first runs; of the others a few are looked at. */
const NAMED_WITHIN = 8
const LOOKED_AT = 2

/** The others lie as well, and nobody can prove it: what they say may be so, or may be late. */
const named = ['ahead-of-time', 'inventing', 'misanswering', 'content-forger', 'always-busy', 'flooding', 'forging']

/** The scenario, with this liar at this place whatever is drawn. */
function scenarioWith(kind: number): Scenario<OrderingPlan, OrderingAct> {
  const scenario = orderingScenario(seven)
  return { ...scenario, plan: random => ({ ...scenario.plan(random), liars: new Map([['server-3', kind]]) }) }
}

function liesOf(kind: number, seeds: number): Set<string> {
  const lies = new Set<string>()
  for (let seed = 1; seed <= seeds && lies.size === 0; seed++) {
    const { trace, violations } = runOnce(scenarioWith(kind), seed, {}, true)
    expect(violations).toEqual([])
    for (const { kind: what, what: words } of trace) if (what === 'emit' && words.startsWith('lied')) lies.add(words)
  }
  return lies
}

describe('a liar is named', () => {
  const kinds = orderingLiars(orderingDefaults.hash)
  it.each(kinds.map(({ name }, kind) => [name, kind] as const))('%s', (name, kind) => {
    const isNamed = named.includes(name)
    const lies = liesOf(kind, isNamed ? NAMED_WITHIN : LOOKED_AT)
    expect(lies.size > 0, [...lies].join()).toBe(isNamed)
  })
})
