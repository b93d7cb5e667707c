// Who is named: each liar about locks alone among four, and whether its words prove the lie to some client. Those that only
// keep silent, are late, or say to each client what an honest server could say to it are not called liars.

import { describe, expect, it } from 'vitest'
import { trust } from '../../core/index.ts'
import { runOnce, type Scenario } from '../../simulator/index.ts'
import { lockLiars } from './liars.ts'
import { type LockAct, type LockPlan, lockScenario } from './scenario.ts'

const LIAR = 'server-3'
/** Those that are named are named in one of the first runs; of the others a few are looked at. */
const NAMED_WITHIN = 8
const LOOKED_AT = 3
const named: readonly string[] = ['token-burner', 'replaying', 'forging']

/** The scenario, with this liar at this place whatever is drawn. */
function scenarioWith(kind: number): Scenario<LockPlan, LockAct> {
  const scenario = lockScenario(trust({ servers: 4, liars: 1 }))
  return { ...scenario, plan: random => ({ ...scenario.plan(random), liars: new Map([[LIAR, kind]]) }) }
}

function liesOf(kind: number, seeds: number): Set<string> {
  const lies = new Set<string>()
  for (let seed = 1; seed <= seeds && lies.size === 0; seed++) {
    const { trace, violations } = runOnce(scenarioWith(kind), seed, {}, true)
    expect(violations, `seed ${seed}`).toEqual([])
    for (const { kind: what, what: words } of trace) if (what === 'emit' && words.startsWith('lied')) lies.add(words)
  }
  return lies
}

describe('a liar is named', () => {
  it.each(lockLiars().map(({ name }, kind) => [name, kind] as const))('%s', (name, kind) => {
    const isNamed = named.includes(name)
    const lies = liesOf(kind, isNamed ? NAMED_WITHIN : LOOKED_AT)
    expect(lies.size > 0, [...lies].join()).toBe(isNamed)
    for (const words of lies) expect(words).toContain(LIAR)
  })
})
