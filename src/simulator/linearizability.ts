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

import { fingerprint } from '../core/index.ts'
import { explain, findMisfit } from './linearization-report.ts'
import { search } from './linearization-search.ts'
import type { Micros } from './network.ts'
import type { Checker, Violation } from './scenario.ts'

export interface Step<State, Result> {
  readonly state: State
  readonly result: Result
}

/** What one copy would do, alone. States, calls and results are plain data. */
export interface Model<State, Call, Result> {
  /** The state of every key before its first operation. */
  readonly initial: State
  /** Everything that may follow; more than one where the object may choose, none where the call cannot be made. */
  step(state: State, call: Call): readonly Step<State, Result>[]
  /** A text that is equal exactly for equal states. Default: that of the core. */
  fingerprint?(state: State): string
  /** Default: equal fingerprints. */
  equal?(given: Result, expected: Result): boolean
  /** Operations of different keys never see each other. Default: one key for all. */
  partition?(call: Call): string
  /** Never changes any state. Speed only: leave it out where in doubt. */
  reads?(call: Call): boolean
  /**
   * The one state in which the call can have this result (`from`), and the one in which it leaves the object, if it
   * changes it (`to`); undefined where there is more than one. The result is undefined where nobody heard it. Speed
   * only: an order that overwrites what somebody has yet to read is given up at once.
   */
  hint?(call: Call, result: Result | undefined): Hint<State> | undefined
  /** A state that was left never comes back: counters that only grow, logs, versions. Makes hints count for more. */
  readonly forward?: boolean
}

/** What a call says about states, at least in part. */
export interface Hint<State> {
  readonly from?: State
  readonly to?: State
  /** With this result it has left the object in `to` for certain. */
  readonly sets?: boolean
}

export type OperationOutcome<Result> =
  | { readonly kind: 'returned'; readonly at: number; readonly result: Result }
  /** It certainly did not happen. */
  | { readonly kind: 'failed' }
  /** The client died, or its error is indefinite: it may take effect at any time after the call, or never. */
  | { readonly kind: 'unknown' }

export interface Operation<Call, Result> {
  readonly client: string
  readonly call: Call
  readonly calledAt: number
  readonly outcome: OperationOutcome<Result>
}

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

function withDefaults<State, Call, Result>(model: Model<State, Call, Result>): Required<Model<State, Call, Result>> {
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
  model: Required<Model<State, Call, Result>>,
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

/** Collects a history while a simulated run goes on, and judges it at the end. */
export class LinearizabilityChecker<State, Call, Result> implements Checker {
  readonly name = 'linearizability'
  private readonly model: Model<State, Call, Result>
  private readonly open = new Map<string, Operation<Call, Result>>()
  private readonly done: { readonly id: string; readonly operation: Operation<Call, Result> }[] = []
  private readonly broken: Violation[] = []

  constructor(model: Model<State, Call, Result>) {
    this.model = model
  }

  /** `id` is any text that no other operation bears while this one is open. */
  called(id: string, client: string, call: Call, at: Micros): void {
    this.abandoned(id)
    this.open.set(id, { client, call, calledAt: at, outcome: { kind: 'unknown' } })
  }

  returned(id: string, result: Result, at: Micros): void {
    this.close(id, { kind: 'returned', at, result })
  }

  failed(id: string): void {
    this.close(id, { kind: 'failed' })
  }

  /** Nothing more will be heard of it; it may happen yet. */
  abandoned(id: string): void {
    this.close(id, { kind: 'unknown' })
  }

  history(): Operation<Call, Result>[] {
    return [...this.done.map(({ operation }) => operation), ...this.open.values()]
  }

  /**
   * To be called at the end of the run. Undecided is a violation: a check that gave up must not look like a pass.
   * `orders`: where it is known in which order things happened, the ids, for each set of keys that never meet. They are
   * checked like any other, and only where they explain nothing an order is searched for.
   */
  finish(at: Micros, orders: readonly (readonly string[])[] = []): Linearizability {
    if (this.areExplained(orders)) return { verdict: 'linearizable', configurations: 0 }
    const answer = checkLinearizability(this.model, this.history())
    if (answer.verdict === 'violation') this.broken.push({ what: answer.explanation, at: answer.at })
    if (answer.verdict === 'undecided') {
      this.broken.push({ what: `key '${answer.key}' was not decided in ${answer.configurations} configurations`, at })
    }
    return answer
  }

  violations(): readonly Violation[] {
    return this.broken
  }

  private areExplained(orders: readonly (readonly string[])[]): boolean {
    const rest = new Map(this.open)
    for (const { id, operation } of this.done) rest.set(id, operation)
    for (const ids of orders) {
      const order = ids.map(id => rest.get(id))
      if (order.includes(undefined) || !explains(this.model, order as Operation<Call, Result>[])) return false
      for (const id of ids) rest.delete(id)
    }
    return [...rest.values()].every(({ outcome }) => outcome.kind !== 'returned')
  }

  private close(id: string, outcome: OperationOutcome<Result>): void {
    const operation = this.open.get(id)
    if (operation === undefined) return
    this.open.delete(id)
    this.done.push({ id, operation: { ...operation, outcome } })
  }
}
