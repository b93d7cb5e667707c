// The one form of every filter: a disjunction of clauses, a clause a conjunction of predicates.
//
// A predicate is `some`: an item of the attribute passes all its tests, or its opposite, "none": the attribute is absent,
// or no item does. So "is there" is `some` without tests, "is not there" the opposite, and $not turns the one into the
// other: nothing is expanded but the product of conjunctions. The obvious form of the opposite (not x < 3 is "absent, or
// no number, or ≥ 3") is wrong for lists: of [1, 5] both would be true.
//
// Counts are computed before anything is multiplied, and what is larger than the limits is refused with its count.

import { fingerprint } from '../core/index.ts'
import { refuse } from './refusals.ts'
import { passesAll, type Test } from './tests.ts'
import type { Scalar } from './values.ts'

/** What is asked of one attribute: that some item passes all tests, or that none does. */
export interface Predicate {
  readonly attribute: string
  readonly some: boolean
  readonly tests: readonly Test[]
}

/** Predicates that must all hold. */
export type Clause = readonly Predicate[]

/** A filter in its one form: it matches where one of its clauses holds. Plain data; `$any` is what tells it apart. */
export interface Filter {
  readonly $any: readonly Clause[]
  /** The queue that a shared subscription of MQTT names. It says who gets an event, not which. */
  readonly $queue?: string
}

/** Clauses of a filter: each is an entry of the index, and an event may be asked for each. */
export const CLAUSES_MAX = 256
/** Predicates of a clause: as many as an event has attributes. */
export const PREDICATES_MAX = 32
/** Values of one list. The rest of the limit is `FILTER_BYTES_MAX`. */
export const VALUES_MAX = 1024

/** Tests of one item: there are eight kinds, each may stand with and without `not`, and several times. */
export const TESTS_MAX = 64

/** Some item of the attribute passes one of these lists of tests. */
export function some(attribute: string, alternatives: readonly (readonly Test[])[]): readonly Clause[] {
  return or(alternatives.map(tests => clauseOf([{ attribute, some: true, tests }])))
}

/** The attribute is there, or is not. */
export function exists(attribute: string, there: boolean): readonly Clause[] {
  return [[{ attribute, some: there, tests: [] }]]
}

/** All of these hold. */
export function and(parts: readonly (readonly Clause[])[]): readonly Clause[] {
  if (parts.some(clauses => clauses.length === 0)) return []
  // Those of one clause first, at once: a thousand of them are one clause, and not a thousand products.
  const single = parts.filter(clauses => clauses.length === 1)
  let product: readonly Clause[] = clauseOf(single.flatMap(([clause]) => clause!))
  for (const clauses of parts.filter(one => one.length > 1)) {
    limit(product.length * clauses.length)
    product = or(product.map(left => clauses.flatMap(right => clauseOf([...left, ...right]))))
  }
  return product
}

/** One of these holds. */
export function or(parts: readonly (readonly Clause[])[]): readonly Clause[] {
  const merged = merge(parts.flat())
  limit(merged.length)
  return merged
}

/** The opposite: of every clause one predicate does not hold. */
export function not(clauses: readonly Clause[]): readonly Clause[] {
  return and(
    clauses.map(clause =>
      or(clause.map(({ attribute, some, tests }) => clauseOf([{ attribute, some: !some, tests }]))),
    ),
  )
}

function limit(count: number): void {
  if (count > CLAUSES_MAX)
    refuse(`the filter has ${count} clauses when its alternatives are written out: at most ${CLAUSES_MAX} are allowed.`)
}

/** Clauses that somebody else wrote, in their one form. */
export function normal(clauses: readonly Clause[]): readonly Clause[] {
  return or(clauses.map(clauseOf))
}

/** One clause in its one form, in a list; no clause where it can never hold. */
function clauseOf(predicates: readonly Predicate[]): readonly Clause[] {
  const found: Predicate[] = []
  for (const predicate of predicates) {
    const tests = conjunction(predicate.tests)
    // No item passes: `some` never holds, its opposite always does.
    if (tests === undefined && predicate.some) return []
    if (tests === undefined) continue
    found.push({ attribute: predicate.attribute, some: predicate.some, tests })
  }
  const simple = found.length === 1 ? found : simplified(found)
  if (simple === undefined) return []
  const clause = sorted(simple)
  if (clause.length > PREDICATES_MAX)
    refuse(`a clause of the filter has ${clause.length} predicates: at most ${PREDICATES_MAX} are allowed.`)
  return [clause]
}

/** Without what follows from the rest; undefined where two contradict each other. */
function simplified(predicates: readonly Predicate[]): readonly Predicate[] | undefined {
  const there = new Set(predicates.filter(({ some }) => some).map(({ attribute }) => attribute))
  const asked = new Set(predicates.filter(({ some, tests }) => some && tests.length > 0).map(one => one.attribute))
  const absent = new Set(predicates.filter(({ some, tests }) => !some && tests.length === 0).map(one => one.attribute))
  if ([...absent].some(attribute => there.has(attribute))) return undefined
  const kept = predicates.filter(({ attribute, some, tests }) => {
    if (tests.length === 0) return !some || !asked.has(attribute)
    return some || !absent.has(attribute)
  })
  return withoutEach(kept)
}

/** None of a and none of b is none of a, b: a long $not of equalities stays one predicate. */
function withoutEach(predicates: readonly Predicate[]): readonly Predicate[] {
  const vetoed = new Map<string, Scalar[]>()
  const rest: Predicate[] = []
  for (const predicate of predicates) {
    const values = predicate.some ? undefined : onlyValues(predicate)
    if (values === undefined) rest.push(predicate)
    else vetoed.set(predicate.attribute, [...(vetoed.get(predicate.attribute) ?? []), ...values])
  }
  for (const [attribute, values] of vetoed) {
    rest.push({ attribute, some: false, tests: [{ op: 'in', not: false, values: distinct(values) }] })
  }
  return rest
}

/** The values of a predicate that is nothing but "one of these". */
export function onlyValues({ tests }: Predicate): readonly Scalar[] | undefined {
  const [test] = tests
  return tests.length === 1 && test!.op === 'in' && !test!.not ? test!.values : undefined
}

/** Tests of one item in one form; undefined where no item passes. */
function conjunction(tests: readonly Test[]): readonly Test[] | undefined {
  let joined: readonly Test[] = tests.filter(test => !(test.not && isEmpty(test)))
  const ranges = joined.filter(test => test.op === 'range' && !test.not) as Extract<Test, { op: 'range' }>[]
  if (ranges.length > 0) {
    const from = Math.max(...ranges.map(range => range.from))
    const to = Math.min(...ranges.map(range => range.to))
    if (from > to) return undefined
    joined = [...joined.filter(test => test.op !== 'range' || test.not), { op: 'range', not: false, from, to }]
  }
  const vetoes = joined.filter(test => test.op === 'in' && test.not) as Extract<Test, { op: 'in' }>[]
  if (vetoes.length > 0) {
    const values = distinct(vetoes.flatMap(veto => veto.values))
    joined = [...joined.filter(test => test.op !== 'in' || !test.not), { op: 'in', not: true, values }]
  }
  return sortedTests(withValues(joined))
}

/** Whether no item can be what it asks: its opposite asks nothing. */
function isEmpty(test: Test): boolean {
  return (test.op === 'range' && test.from > test.to) || (test.op === 'in' && test.values.length === 0)
}

/** Where the values are listed, the other tests are asked of each of them, now. */
function withValues(tests: readonly Test[]): readonly Test[] | undefined {
  const list = tests.find(test => test.op === 'in' && !test.not) as Extract<Test, { op: 'in' }> | undefined
  if (list === undefined) return tests
  const values = distinct(list.values.filter(value => passesAll(tests, value)))
  return values.length === 0 ? undefined : [{ op: 'in', not: false, values }]
}

function sortedTests(tests: readonly Test[] | undefined): readonly Test[] | undefined {
  if (tests === undefined || tests.length < 2) return tests
  const each = distinctBy(tests)
  if (each.length > TESTS_MAX)
    refuse(`one attribute of the filter is asked ${each.length} things in one place: at most ${TESTS_MAX} are allowed.`)
  return each
}

function sorted(clause: readonly Predicate[]): Clause {
  return clause.length < 2 ? clause : distinctBy(clause)
}

/** Each once, in the order of their texts. */
function distinctBy<T>(items: readonly T[]): readonly T[] {
  const byText = new Map(items.map(item => [fingerprint(item), item]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}

function distinct(values: readonly Scalar[]): readonly Scalar[] {
  const each = [...new Set(values)]
  if (each.length > VALUES_MAX)
    refuse(`a list of the filter has ${each.length} values: at most ${VALUES_MAX} are allowed.`)
  return each.length < 2 ? each : distinctBy(each)
}

/** Clauses each once, in order; those that only ask one attribute for a value become one. */
function merge(clauses: readonly Clause[]): readonly Clause[] {
  if (clauses.length < 2) return clauses
  // A clause that asks nothing always holds.
  if (clauses.some(clause => clause.length === 0)) return [[]]
  const values = new Map<string, Scalar[]>()
  const rest: Clause[] = []
  for (const clause of clauses) {
    const [first] = clause
    const listed = clause.length === 1 && first!.some ? onlyValues(first!) : undefined
    if (listed === undefined) rest.push(clause)
    else values.set(first!.attribute, [...(values.get(first!.attribute) ?? []), ...listed])
  }
  for (const [attribute, all] of values) {
    const each = distinctBy([...new Set(all)])
    // Over the limit of one list they stay several: a filter may have more clauses than a list values.
    for (let at = 0; at < each.length; at += VALUES_MAX) {
      const tests: readonly Test[] = [{ op: 'in', not: false, values: each.slice(at, at + VALUES_MAX) }]
      rest.push([{ attribute, some: true, tests }])
    }
  }
  return distinctBy(rest)
}
