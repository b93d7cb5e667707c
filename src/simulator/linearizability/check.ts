// Is a history of overlapping operations one that a single copy could have given? (Herlihy and Wing, 1990.)
//
// Wing and Gong (1993) try every order that real time allows; Lowe (2017) remembers which pairs of "what is done" and
// "state" were tried, and puts an operation into the order only when a return demands it. Four observations make
// long histories and histories full of lost answers cheap; each is exact, and a dumb twin checks them:
// - keys that never meet in one operation are checked alone (`partition`);
// - a pending read that fits now may be taken now: it changes nothing for anybody (`reads`);
// - an order that overwrites a state which somebody has yet to see is given up at once (`hint`);
// - of two orders that lead to one state, the one that used fewer operations of unknown outcome can do whatever the
//   other can. Without it, k lost writes to one register cost 2^k, and every fault run has lost writes.
//
// Times are whole or broken numbers of one clock that all clients share. Where a return and a call bear the same time
// they count as overlapping: a coarse clock may hide a violation, it never invents one.

import { fingerprint } from '../../core/index.ts'
import type { Model, Operation, Whole } from './model.ts'
import { explain, findMisfit } from './report.ts'
import { search } from './search.ts'

/** What came of a check. */
export type Linearizability =
  | { readonly verdict: 'linearizable'; readonly configurations: number }
  | {
      readonly verdict: 'violation'
      readonly key: string
      /** When the return came that no order explains, by the history's clock. */
      readonly at: number
      /** How many operations of the key had begun by then. Every shorter prefix has an order. */
      readonly prefix: number
      /** For a person: what fits nowhere, and the order that got farthest. */
      readonly explanation: string
      readonly configurations: number
    }
  /** The limit was met first. Neither verdict: make keys smaller or the history shorter. */
  | { readonly verdict: 'undecided'; readonly key: string; readonly configurations: number }

/** Each configuration is a state with its fingerprint: a million of small ones are some hundred megabytes. */
const CONFIGURATIONS_MAX = 1_000_000

/** How long to try. */
export interface CheckOptions {
  /** How many pairs of done operations and state may be tried for one key. */
  readonly configurationsMax?: number
}

/** Checks a whole history; of several violations the one with the smallest prefix is told. */
export function checkLinearizability<State, Call, Result>(
  model: Model<State, Call, Result>,
  history: readonly Operation<Call, Result>[],
  options: CheckOptions = {},
): Linearizability {
  const { configurationsMax = CONFIGURATIONS_MAX } = options
  const settled = withDefaults(model)
  let configurations = 0
  let worst: (Linearizability & { verdict: 'violation' }) | undefined
  let undecided: string | undefined
  for (const [key, operations] of partitioned(settled, history)) {
    const found = search(settled, operations, configurationsMax)
    configurations += found.configurations
    if (found.kind === 'undecided') undecided ??= key
    if (found.kind !== 'none') continue
    const misfit = findMisfit(settled, operations, configurationsMax)
    if (worst !== undefined && worst.prefix <= misfit.begun.length) continue
    const explanation = explain(settled, key, misfit)
    const { at, begun } = misfit
    worst = { verdict: 'violation', key, at, prefix: begun.length, explanation, configurations: 0 }
  }
  if (worst !== undefined) return { ...worst, configurations }
  if (undecided !== undefined) return { verdict: 'undecided', key: undecided, configurations }
  return { verdict: 'linearizable', configurations }
}

/** Whether this order explains what was heard: quickly told, where somebody knows it. Nothing is said about the others. */
export function explains<State, Call, Result>(
  model: Model<State, Call, Result>,
  order: readonly Operation<Call, Result>[],
): boolean {
  const settled = withDefaults(model)
  const states = new Map<string, State>()
  let latestCall = Number.NEGATIVE_INFINITY
  for (const { call, calledAt, outcome } of order) {
    if (outcome.kind === 'failed') return false
    // It had returned before something that stands before it was called.
    if (outcome.kind === 'returned' && outcome.at < latestCall) return false
    latestCall = Math.max(latestCall, calledAt)
    const key = settled.partition(call)
    const before = states.has(key) ? states.get(key)! : settled.initial
    const fits = (result: Result) => outcome.kind === 'unknown' || settled.equal(outcome.result, result)
    const after = settled.step(before, call).find(({ result }) => fits(result))
    if (after === undefined) return false
    states.set(key, after.state)
  }
  return true
}

function withDefaults<State, Call, Result>(model: Model<State, Call, Result>): Whole<State, Call, Result> {
  return {
    initial: model.initial,
    step: (state, call) => model.step(state, call),
    fingerprint: state => model.fingerprint?.(state) ?? fingerprint(state),
    equal: (given, expected) => model.equal?.(given, expected) ?? fingerprint(given) === fingerprint(expected),
    partition: call => model.partition?.(call) ?? '',
    reads: call => model.reads?.(call) ?? false,
    forward: model.forward ?? false,
    hint: (call, result) => model.hint?.(call, result),
  }
}

function partitioned<State, Call, Result>(
  model: Whole<State, Call, Result>,
  history: readonly Operation<Call, Result>[],
): Map<string, Operation<Call, Result>[]> {
  const parts = new Map<string, Operation<Call, Result>[]>()
  for (const operation of history) {
    if (operation.outcome.kind === 'failed') continue
    const key = model.partition(operation.call)
    const part = parts.get(key)
    if (part === undefined) parts.set(key, [operation])
    else part.push(operation)
  }
  return parts
}
