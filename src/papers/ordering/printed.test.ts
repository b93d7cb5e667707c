import { describe, expect, it } from 'vitest'
import { trust } from '../../core/index.ts'
import { runOnce } from '../../simulator/index.ts'
import { OrderChecker } from './checker.ts'
import { type Answer, choose, completedVersion, newestCommitted, pendingAtEnough } from './choose.ts'
import { printedOrderingScenario } from './scenario.ts'

const zero = { version: 0, operations: [] }
const one = { version: 1, operations: ['a'] }
const other = { version: 1, operations: ['b'] }
const two = { version: 2, operations: ['a', 'c'] }

function answer(change: Partial<Answer>): Answer {
  return { committed: zero, proposed: undefined, proposer: 0, pending: [], ...change }
}

describe('what a quorum says (BACKOFF figure 2)', () => {
  it('lines 14, 15: the newest state that b + 1 report committed', () => {
    const answers = [answer({ committed: two }), answer({ committed: one }), answer({ committed: one })]
    expect(newestCommitted(answers, 0)).toEqual(two)
    expect(newestCommitted(answers, 1)).toEqual(one)
    expect(newestCommitted(answers.slice(0, 2), 1)).toBeUndefined()
  })
  it('lines 33–48: by version, then by proposer', () => {
    const answers = [
      answer({ proposed: one, proposer: 5 }),
      answer({ proposed: other, proposer: 9 }),
      answer({ proposed: one, proposer: 5 }),
    ]
    expect(choose(answers, 0)).toEqual(other)
    expect(choose(answers, 1)).toEqual(one)
    expect(choose(answers, 2)).toBeUndefined()
    expect(choose([...answers, answer({ proposed: two, proposer: 1 })], 0)).toEqual(two)
  })
  it('lines 17, 18: what b + 1 were proposed is built on something complete', () => {
    const answers = [answer({ proposed: two }), answer({ proposed: one }), answer({})]
    expect(completedVersion(answers, 0)).toBe(1)
    expect(completedVersion(answers, 1)).toBe(0)
    expect(completedVersion(answers, 2)).toBe(-1)
  })
  it('line 24: one server alone cannot invent an operation', () => {
    const answers = [answer({ pending: ['x', 'x', 'y'] }), answer({ pending: ['y'] })]
    expect(pendingAtEnough(answers, 1)).toEqual(['y'])
    expect(pendingAtEnough(answers, 0)).toEqual(['x', 'y'])
  })
})

describe('the checker of lemma 4 and theorem 1', () => {
  const told = (tell: (checker: OrderChecker) => void) => {
    const checker = new OrderChecker()
    tell(checker)
    return checker.violations().length
  }
  it('accepts versions that extend each other, in any order of news', () => {
    expect(told(checker => [two, one, one].map(state => checker.state(state, 0)))).toBe(0)
  })
  it('refuses two states for a version, and one that does not extend', () => {
    expect(told(checker => [one, other].map(state => checker.state(state, 0)))).toBeGreaterThan(0)
    expect(told(checker => [two, other].map(state => checker.state(state, 0)))).toBe(1)
  })
  it('refuses a response that contradicts the sequence, also one that came early', () => {
    expect(told(checker => [checker.response('c', 1, 0), checker.state(two, 0)])).toBe(0)
    expect(told(checker => [checker.response('c', 0, 0), checker.state(two, 0)])).toBe(1)
  })
})

describe('the printed ordering under faults', () => {
  const runs = (scenario: ReturnType<typeof printedOrderingScenario>, first: number, count: number) =>
    Array.from({ length: count }, (_, place) => runOnce(scenario, first + place)).flatMap(run =>
      run.violations.map(violation => `seed ${run.seed}: ${violation.what}`),
    )
  it('one order with three servers, none of which lies (theorem 1, theorem 2)', () => {
    expect(runs(printedOrderingScenario(trust({ liars: 0 })), 1, 150)).toEqual([])
  })
  it('one order with seven servers, one of which lies, with ranks that no liar can lift', () => {
    expect(runs(printedOrderingScenario(trust({ liars: 1 }), { rankRule: 'masked' }), 1, 100)).toEqual([])
  })
  it('erratum: with ranks above the maximum reported, one liar burns the rank space, and nobody is served', () => {
    const burnt = runs(printedOrderingScenario(trust({ liars: 1 })), 28, 1)
    expect(burnt.join()).toMatch(/was not served/)
  })
  it('erratum: without a get for every version, a decided version is lost', () => {
    const scenario = printedOrderingScenario(trust({ liars: 0 }), { skipsGet: true })
    expect(runs(scenario, 8794, 1).join()).toMatch(/decided twice/)
  })
})
