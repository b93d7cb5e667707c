// A checker that collects a history during a simulated run and judges it at the end.

import type { Micros } from '../network.ts'
import type { Checker, Violation } from '../scenario.ts'
import { checkLinearizability, explains, type Linearizability } from './check.ts'
import type { Model, Operation, OperationOutcome } from './model.ts'

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
