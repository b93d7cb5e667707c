// How a clause is looked up: which of its predicates become keys, which become ranges, and what is left to be tested on
// those few clauses that all keys and ranges let through.
//
// Keys are equalities. A prefix of length l is an equality on the first 1, 2, 4, 8 … ≤ l letters (powers of two only: a
// client that subscribes with every length would otherwise make a table for each); a topic filter is an equality on each
// of its fixed levels, and a gate on their number.

import { type Clause, onlyValues, type Predicate } from '../canonical.ts'
import { piecesOf, type Test } from '../tests.ts'
import { patternOf, type TopicDialect, type TopicPattern } from '../topics.ts'
import type { Scalar } from '../values.ts'

/** Of a list of values, at most so many become an entry each. A longer one is tested. */
export const EXPANDED_MAX = 64

/** From which part of an attribute a key is taken. */
export interface KeySpec {
  readonly attribute: string
  readonly kind: 'value' | 'prefix' | 'suffix' | 'folded' | 'folded prefix' | 'folded suffix' | TopicDialect
  /** How many letters, or which level. */
  readonly size: number
}

/** A key and what it must be. */
export interface Key {
  readonly spec: KeySpec
  readonly value: Scalar
}

/** What the levels of a topic must be like, whatever they are. */
export interface GateSpec {
  readonly attribute: string
  readonly pattern: TopicPattern
}

/** Numbers of an attribute, both ends included. */
export interface Range {
  readonly attribute: string
  readonly from: number
  readonly to: number
}

/** How a clause is looked up. */
export interface Plan {
  readonly keys: readonly Key[]
  /** One more key, which may be any of several: an entry for each. */
  readonly several: { readonly spec: KeySpec; readonly values: readonly Scalar[] } | undefined
  readonly gates: readonly GateSpec[]
  readonly ranges: readonly Range[]
  readonly present: readonly string[]
  readonly absent: readonly string[]
  /** Predicates that one value makes false: none of these, or anything but these. */
  readonly vetoes: readonly Predicate[]
  /** What is tested at the end. */
  readonly tests: readonly Predicate[]
  /** What is tested only where the event has lists. */
  readonly listTests: readonly Predicate[]
}

interface Draft {
  keys: Key[]
  lists: { predicate: Predicate; values: readonly Scalar[] }[]
  gates: GateSpec[]
  ranges: Range[]
  present: Set<string>
  absent: string[]
  vetoes: Predicate[]
  tests: Predicate[]
  listTests: Predicate[]
}

/** The plan of a clause. Without `expand`, lists of values are tested, so that it is one entry. */
export function planOf(clause: Clause, expand: boolean): Plan {
  const draft: Draft = {
    keys: [],
    lists: [],
    gates: [],
    ranges: [],
    present: new Set(),
    absent: [],
    vetoes: [],
    tests: [],
    listTests: [],
  }
  for (const predicate of clause) {
    if (predicate.some) place(draft, predicate)
    else if (predicate.tests.length === 0) draft.absent.push(predicate.attribute)
    else if (onlyValues(predicate) !== undefined) draft.vetoes.push(predicate)
    else draft.tests.push(predicate)
  }
  // The shortest list becomes entries: two lists of 64 would be 4,096.
  draft.lists.sort((a, b) => a.values.length - b.values.length)
  const [shortest] = draft.lists
  const several = expand && shortest !== undefined && shortest.values.length <= EXPANDED_MAX ? shortest : undefined
  for (const { predicate } of draft.lists) if (predicate !== several?.predicate) draft.tests.push(predicate)
  const { lists: _lists, present, ...rest } = draft
  return {
    ...rest,
    present: [...present],
    several: several && { spec: valueSpec(several.predicate.attribute), values: several.values },
  }
}

/** A plan that only asks whether one attribute is there, and tests everything: for shapes beyond the limit. */
export function barePlan(clause: Clause): Plan {
  const required = clause.find(({ some }) => some)?.attribute
  const present = required === undefined ? [] : [required]
  const none = { keys: [], several: undefined, gates: [], ranges: [], absent: [], vetoes: [], listTests: [] }
  return { ...none, present, tests: clause }
}

const valueSpec = (attribute: string): KeySpec => ({ attribute, kind: 'value', size: 0 })

function place(draft: Draft, predicate: Predicate): void {
  const { attribute, tests } = predicate
  draft.present.add(attribute)
  const values = onlyValues(predicate)
  if (values?.length === 1) draft.keys.push({ spec: valueSpec(attribute), value: values[0]! })
  else if (values !== undefined) draft.lists.push({ predicate, values })
  else if (tests.length === 1 && tests[0]!.op === 'in') draft.vetoes.push(predicate)
  else if (tests.length > 0 && !(tests.some(test => isExact(draft, test, predicate)) && tests.length === 1))
    draft.tests.push(predicate)
}

/** Makes keys, gates or a range of a test, and says whether they are all that it asks of a single item. */
function isExact(draft: Draft, test: Test, { attribute }: Predicate): boolean {
  if (test.not) return false
  switch (test.op) {
    case 'range':
      if (draft.ranges.some(range => range.attribute === attribute)) return false
      draft.ranges.push({ attribute, from: test.from, to: test.to })
      return true
    case 'prefix':
      return isExactEnd(draft, attribute, test.fold ? 'folded prefix' : 'prefix', test.text)
    case 'suffix':
      return isExactEnd(draft, attribute, test.fold ? 'folded suffix' : 'suffix', test.text)
    case 'same':
      draft.keys.push({ spec: { attribute, kind: 'folded', size: 0 }, value: test.text })
      return true
    case 'wildcard':
      placeWildcard(draft, attribute, test.text)
      return false
    case 'topic':
      return isExactTopic(draft, attribute, test)
    default:
      return false
  }
}

function isExactEnd(draft: Draft, attribute: string, kind: KeySpec['kind'], text: string): boolean {
  if (text === '') return false
  const size = 2 ** (31 - Math.clz32(text.length))
  const value = kind.endsWith('prefix') ? text.slice(0, size) : text.slice(-size)
  draft.keys.push({ spec: { attribute, kind, size }, value })
  return size === text.length
}

/** Its fixed beginning or end is a key. */
function placeWildcard(draft: Draft, attribute: string, pattern: string): void {
  const pieces = piecesOf(pattern)!
  if (pieces[0] !== '') isExactEnd(draft, attribute, 'prefix', pieces[0]!)
  else isExactEnd(draft, attribute, 'suffix', pieces.at(-1)!)
}

function isExactTopic(draft: Draft, attribute: string, test: Extract<Test, { op: 'topic' }>): boolean {
  const pattern = patternOf(test.dialect, test.text)
  draft.gates.push({ attribute, pattern })
  for (const [level, word] of pattern.levels.entries()) {
    if (word !== undefined) draft.keys.push({ spec: { attribute, kind: test.dialect, size: level }, value: word })
  }
  // Of a list of topics one may have the first level and another the second.
  const tests = [test]
  draft.listTests.push({ attribute, some: true, tests })
  return true
}
