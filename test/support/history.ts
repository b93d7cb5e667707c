// The judgement of what clients of shared registers and a counter recorded.

import {
  type CounterCall,
  checkLinearizability,
  counter,
  type Operation,
  type RegisterCall,
  registers,
  type Value,
} from '../../src/simulator/index.ts'

export type SharedCall = RegisterCall | (CounterCall & { readonly key: 'sum' })
export type SharedHistory = Operation<SharedCall, Value | boolean>

/**
 * What is wrong with it, or nothing: linearizable, nothing acknowledged lost, everything applied once. `sum` is what the
 * counter says at last.
 */
export function problemsOf(history: readonly SharedHistory[], sum: number): string[] {
  const problems: string[] = []
  const additions = history.filter(({ call }) => call.kind === 'add')
  const answered = additions.filter(({ outcome }) => outcome.kind === 'returned').length
  const unknown = additions.filter(({ outcome }) => outcome.kind === 'unknown').length
  if (sum < answered || sum > answered + unknown) {
    problems.push(`the counter says ${sum}: ${answered} additions were answered, and of ${unknown} nobody knows`)
  }
  const counts = history.filter(({ call }) => call.key === 'sum') as unknown as Operation<CounterCall, number>[]
  const values = history.filter(({ call }) => call.key !== 'sum') as Operation<RegisterCall, Value | boolean>[]
  for (const found of [checkLinearizability(counter, counts), checkLinearizability(registers, values)]) {
    if (found.verdict === 'violation') problems.push(`${found.key} is not linearizable: ${found.explanation}`)
    if (found.verdict === 'undecided') problems.push(`${found.key}: the history is too long to be judged`)
  }
  return problems
}
