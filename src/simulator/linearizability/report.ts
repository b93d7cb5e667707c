// A violation, told to a person: which answer fits nowhere, what was under way, and the order that got farthest.

import type { Operation, Whole } from './model.ts'
import { type Found, search } from './search.ts'

/** The end of an order tells most; the whole of a long one tells nothing. */
const ORDER_LINES_MAX = 12
const PENDING_LINES_MAX = 12
const VALUE_CHARS_MAX = 100

/** The first return that no order explains. */
interface Misfit<State, Call, Result> {
  readonly at: number
  readonly operation: Operation<Call, Result>
  /** All that were called before it returned. */
  readonly begun: readonly Operation<Call, Result>[]
  /** An order that explains every return before it, where one was found in time. */
  readonly before: Found<State, Call, Result>
}

/** Looks for it by halves: a history that has an order has one for each of its prefixes. */
export function findMisfit<State, Call, Result>(
  model: Whole<State, Call, Result>,
  operations: readonly Operation<Call, Result>[],
  configurationsMax: number,
): Misfit<State, Call, Result> {
  const returned = operations.filter(one => one.outcome.kind === 'returned').sort((a, b) => end(a) - end(b))
  let good = 0
  let bad = returned.length
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    const { kind } = search(model, prefix(operations, returned.slice(0, middle)), configurationsMax)
    // A prefix that could not be decided is not known to be bad.
    if (kind === 'none') bad = middle
    else good = middle
  }
  const operation = returned[bad - 1]!
  const before = search(model, prefix(operations, returned.slice(0, good)), configurationsMax)
  return { at: end(operation), operation, begun: operations.filter(one => one.calledAt <= end(operation)), before }
}

function end<Call, Result>({ outcome }: Operation<Call, Result>): number {
  return outcome.kind === 'returned' ? outcome.at : Number.POSITIVE_INFINITY
}

/** The history as it stood after these returns; what returned later was still under way. */
function prefix<Call, Result>(
  operations: readonly Operation<Call, Result>[],
  returns: readonly Operation<Call, Result>[],
): Operation<Call, Result>[] {
  const heard = new Set(returns)
  const last = returns.length === 0 ? Number.NEGATIVE_INFINITY : end(returns.at(-1)!)
  const begun = operations.filter(one => one.calledAt <= last)
  return begun.map(one => (heard.has(one) ? one : { ...one, outcome: { kind: 'unknown' } }))
}

export function explain<State, Call, Result>(
  model: Whole<State, Call, Result>,
  key: string,
  misfit: Misfit<State, Call, Result>,
): string {
  const { operation, begun, before, at } = misfit
  const order = before.kind === 'order' ? before.order : []
  const state = before.kind === 'order' ? before.state : model.initial
  const placed = new Set(order.map(one => `${one.client} ${one.calledAt}`))
  const open = begun.filter(one => one !== operation && !placed.has(`${one.client} ${one.calledAt}`))
  const answers = model.step(state, operation.call).map(({ result }) => value(result))
  const skipped = order.length - ORDER_LINES_MAX
  return [
    `${key === '' ? 'the history' : `key ${JSON.stringify(key)}`} is not linearizable at ${at}:`,
    `  ${line(operation)}   ← fits nowhere`,
    `an order that explains every return before it${order.length === 0 ? ' is empty' : ':'}`,
    ...(skipped > 0 ? [`  … ${skipped} before`] : []),
    ...order.slice(-ORDER_LINES_MAX).map(one => `  ${line(one)}`),
    `then the state is ${value(state)}, where it ${would(answers)}`,
    ...(open.length === 0 ? [] : ['under way, and not in that order:']),
    ...open.slice(0, PENDING_LINES_MAX).map(one => `  ${line(one)}`),
    ...(open.length > PENDING_LINES_MAX ? [`  … ${open.length - PENDING_LINES_MAX} more`] : []),
  ].join('\n')
}

function would(answers: readonly string[]): string {
  return answers.length === 0 ? 'could not be called' : `would return ${answers.join(' or ')}`
}

function line<Call, Result>({ client, call, calledAt, outcome }: Operation<Call, Result>): string {
  const told =
    outcome.kind === 'returned' ? `${value(outcome.result)} [${calledAt}, ${outcome.at}]` : `? [${calledAt}, …`
  return `${client}: ${value(call)} → ${told}`
}

function value(of: unknown): string {
  const text = JSON.stringify(of, (_, item) => plainer(item)) ?? 'nothing'
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
}

function plainer(item: unknown): unknown {
  if (item instanceof Map) return Object.fromEntries(item)
  if (item instanceof Uint8Array) return `${item.length} bytes ${[...item.subarray(0, 8)].join('.')}`
  return typeof item === 'bigint' ? `${item}` : item
}
