// Filters: what a subscriber wants to hear. Our own language, and the one form that all languages are translated into.
//
//   { price: { lt: 10 }, symbol: { prefix: 'AC' } }          all attributes must fit
//   { $or: [{ a: 'x' }, { b: { exists: false } }] }          $or, $and, $not around them
//   { tags: ['red', 'blue'] }                                a list of values: one of them
//
// What is absent fits nothing but `exists: false` and $not. Operators written on one attribute in one place speak of one
// item: { gt: 1, lt: 10 } does not hold for [0, 20]. `not` wants an item that is none of these. Nothing is converted.

import type { Decoded } from '../core/index.ts'
import {
  attributeName,
  type Comparison,
  cidr,
  compared,
  NEVER,
  oneOfValues,
  opposite,
  prefix,
  same,
  scalar,
  suffix,
  topic,
  wildcard,
} from './build.ts'
import {
  and,
  CLAUSES_MAX,
  type Clause,
  exists,
  type Filter,
  normal,
  not,
  or,
  PREDICATES_MAX,
  type Predicate,
  some,
  TESTS_MAX,
} from './canonical.ts'
import { decodeFilter as decodeWhole, encodeFilter } from './filter-codec.ts'
import {
  otherwiseCalled,
  refuseComparedName,
  refuseComparison,
  refuseWildcards,
  read as told,
} from './languages/strangers.ts'
import { refuse, requireAttributes, requireFilter, shown, suggestion } from './refusals.ts'
import { passesAll, type Test } from './tests.ts'
import { checkPattern, isQueueName, QUEUE_BYTES_MAX } from './topics.ts'
import { type Attributes, isPlainObject } from './values.ts'

/** How deep a filter may be nested. Deeper ones are made by mistakes, such as an object that holds itself. */
export const DEPTH_MAX = 32
/** Parts of a filter, counted as often as they occur: an object that is used twice at each level doubles at each. */
export const PARTS_MAX = 4096

/** Counts what was read, so that no input takes long. */
interface Reading {
  parts: number
}

/** A filter in our own language, in its one form; one that is in it already stays. Throws `InvalidFilter`. */
export function parseFilter(input: unknown): Filter {
  const filter =
    isPlainObject(input) && Object.hasOwn(input, '$any')
      ? parseCanonical(input)
      : told('own', input, () => parseOwn(input))
  encodeFilter(filter)
  return filter
}

/** Whether the filter matches an event with these attributes. */
export function matches(filter: Filter, attributes: Attributes): boolean {
  requireFilter(filter)
  requireAttributes(attributes)
  for (const clause of filter.$any) if (holdsAll(clause, attributes)) return true
  return false
}

function holdsAll(clause: Clause, attributes: Attributes): boolean {
  for (const predicate of clause) if (!holds(predicate, attributes)) return false
  return true
}

/** Whether a predicate holds. */
export function holds({ attribute, some, tests }: Predicate, attributes: Attributes): boolean {
  // Not `attributes[name]` alone, which finds `constructor` in every object.
  if (!Object.hasOwn(attributes, attribute)) return !some
  const value = attributes[attribute]!
  if (typeof value !== 'object' || value === null) return passesAll(tests, value) === some
  for (const item of value) if (passesAll(tests, item)) return some
  return !some
}

/** The filter that these bytes encode, or why they are refused. Never throws. */
export function decodeFilter(bytes: Uint8Array): Decoded<Filter> {
  return decodeWhole(bytes, filter => parseCanonical(filter as unknown as Record<string, unknown>))
}

function parseOwn(input: unknown): Filter {
  return { $any: read(input, 'the filter', 0, { parts: 0 }) }
}

function count(reading: Reading, depth: number, where: string): void {
  if (depth > DEPTH_MAX) refuse(`${where} is nested deeper than ${DEPTH_MAX} levels, or holds itself.`)
  if (++reading.parts > PARTS_MAX) refuse(`the filter has more than ${PARTS_MAX} parts.`)
}

function read(input: unknown, where: string, depth: number, reading: Reading): readonly Clause[] {
  count(reading, depth, where)
  if (!isPlainObject(input))
    return refuse(`${where} is ${shown(input)}: a plain object is needed, such as { price: { lt: 10 } }.`)
  const parts: (readonly Clause[])[] = []
  for (const name of Object.keys(input)) {
    const value = input[name]
    const place = `${where === 'the filter' ? '' : `${where}.`}${name.slice(0, 64)}`
    if (name.startsWith('$')) parts.push(readJoined(name, value, { where: place, depth, reading }))
    else parts.push(readAttribute(attributeName(name, place), value, place, reading))
  }
  return and(parts)
}

interface Place {
  readonly where: string
  readonly depth: number
  readonly reading: Reading
}

const JOINTS = ['$or', '$and', '$not']

function readJoined(name: string, value: unknown, { where, depth, reading }: Place): readonly Clause[] {
  if (!JOINTS.includes(name))
    refuse(`${where} is not known: $or, $and and $not are.${otherwiseCalled(name) || suggestion(name, JOINTS)}`)
  if (name === '$not') return not(read(value, where, depth + 1, reading))
  if (!Array.isArray(value) || value.length === 0)
    return refuse(`${where} is ${shown(value)}: it must be a list of one filter or more.`)
  const parts = Array.from(value, (part, at) => read(part, `${where}[${at}]`, depth + 1, reading))
  return name === '$or' ? or(parts) : and(parts)
}

function readAttribute(attribute: string, value: unknown, where: string, reading: Reading): readonly Clause[] {
  count(reading, 0, where)
  refuseComparedName(attribute, where)
  refuseComparison(value, where)
  if (Array.isArray(value)) return some(attribute, [[oneOfValues(value, where)]])
  if (typeof value !== 'object' || value === null) {
    if (attribute === 'topic' && typeof value === 'string') {
      if (/(^|\/)[+#](\/|$)/.test(value))
        refuse(
          `topic is ${shown(value)}, which no topic equals: write { topic: { topic: ${shown(value)} } } for a pattern.`,
        )
      refuseWildcards('mqtt', value)
    }
    return some(attribute, [[oneOfValues([scalar(value, where)], where)]])
  }
  if (!isPlainObject(value)) return refuse(`${where} is ${shown(value)}: a value or a plain object is needed.`)
  const names = Object.keys(value)
  if (names.length === 0) refuse(`${where} asks nothing: give a value or an operator, such as { exists: true }.`)
  if (!names.includes('exists')) return some(attribute, readTests(value, where))
  if (typeof value.exists !== 'boolean')
    return refuse(`${where}.exists is ${shown(value.exists)}: it must be true or false.`)
  if (names.length === 1) return exists(attribute, value.exists)
  if (!value.exists) return refuse(`${where} must not exist, and more is asked of it: drop one of both.`)
  const { exists: _there, ...rest } = value
  return some(attribute, readTests(rest, where))
}

const COMPARISONS: readonly string[] = ['lt', 'lte', 'gt', 'gte'] satisfies Comparison[]
const OPERATORS = [
  ...COMPARISONS,
  'equal',
  'in',
  'not',
  'prefix',
  'suffix',
  'exists',
  'topic',
  'ignoreCase',
  'wildcard',
  'cidr',
]

/** Alternatives, each a list of tests that one item must pass: `not` of several operators has several. */
function readTests(operators: Record<string, unknown>, where: string): readonly (readonly Test[])[] {
  let alternatives: readonly (readonly Test[])[] = [[]]
  for (const name of Object.keys(operators)) {
    const choices = readOperator(name, operators[name], `${where}.${name.slice(0, 64)}`)
    alternatives = alternatives.flatMap(tests => choices.map(choice => [...tests, ...choice]))
  }
  return alternatives
}

function readOperator(name: string, value: unknown, where: string): readonly (readonly Test[])[] {
  if (COMPARISONS.includes(name)) return [[compared(name as Comparison, value, where)]]
  switch (name) {
    case 'equal':
      return [[oneOfValues([scalar(value, where)], where)]]
    case 'in':
      if (!Array.isArray(value)) return refuse(`${where} is ${shown(value)}: it must be a list of values.`)
      return [[value.length === 0 ? NEVER : oneOfValues(value, where)]]
    case 'not':
      return readNot(value, where)
    case 'prefix':
      return [[prefix(value, where)]]
    case 'suffix':
      return [[suffix(value, where)]]
    case 'topic':
      if (typeof value === 'string') refuseWildcards('mqtt', value)
      return [[topic(value, where, 'mqtt')]]
    case 'ignoreCase':
      return [[same(value, where)]]
    case 'wildcard':
      return [[wildcard(value, where)]]
    case 'cidr':
      return [[cidr(value, where)]]
    default:
      return refuse(
        `${where} is no operator: there are ${OPERATORS.join(', ')}.${otherwiseCalled(name) || suggestion(name, OPERATORS)}`,
      )
  }
}

/** None of these values; or, of operators, at least one that the item does not pass. */
function readNot(value: unknown, where: string): readonly (readonly Test[])[] {
  if (!isPlainObject(value)) {
    const values = Array.isArray(value) ? value : [scalar(value, where)]
    if (values.length === 0) refuse(`${where} is an empty list: one value or more is needed.`)
    return [[oneOfValues(values, where, true)]]
  }
  const operators = Object.keys(value)
  if (operators.length === 0 || operators.includes('not') || operators.includes('exists'))
    refuse(`${where} needs values or operators other than not and exists: use $not around the whole.`)
  return readTests(value, where).flatMap(tests => tests.map(test => [opposite(test)]))
}

/** A filter that is in its one form already: every part is checked, as it may come from anywhere. */
function parseCanonical(input: Record<string, unknown>): Filter {
  const { $any, $queue, ...rest } = input
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) refuse(`${shown(unknown)} stands beside $any: only $queue may.`)
  if (!Array.isArray($any)) return refuse(`$any is ${shown($any)}: it must be a list of clauses.`)
  if ($any.length > CLAUSES_MAX) refuse(`$any has ${$any.length} clauses: at most ${CLAUSES_MAX} are allowed.`)
  if ($queue !== undefined && !isQueueName($queue))
    return refuse(`$queue is ${shown($queue)}: it must be 1 to ${QUEUE_BYTES_MAX} bytes of text without / + #.`)
  const reading = { parts: 0 }
  const clauses = Array.from($any, (clause, at) => {
    if (!Array.isArray(clause)) return refuse(`$any[${at}] is ${shown(clause)}: it must be a list of predicates.`)
    return Array.from(clause, (predicate, place) => checkedPredicate(predicate, `$any[${at}][${place}]`, reading))
  })
  return { $any: normal(clauses), ...($queue === undefined ? {} : { $queue }) }
}

/** Predicates that a filter in its one form can have. */
const CHECKED_MAX = CLAUSES_MAX * PREDICATES_MAX

function checkedPredicate(input: unknown, where: string, reading: Reading): Predicate {
  if (++reading.parts > CHECKED_MAX) refuse(`the filter has more than ${CHECKED_MAX} predicates.`)
  if (!isPlainObject(input) || typeof input.attribute !== 'string' || typeof input.some !== 'boolean')
    return refuse(`${where} is ${shown(input)}: it must be { attribute, some, tests }.`)
  if (!Array.isArray(input.tests) || input.tests.length > TESTS_MAX)
    return refuse(`${where}.tests must be a short list.`)
  const tests = Array.from(input.tests, (test, at) => checkedTest(test, `${where}.tests[${at}]`))
  return { attribute: attributeName(input.attribute, `${where}.attribute`), some: input.some, tests }
}

function checkedTest(input: unknown, where: string): Test {
  if (!isPlainObject(input) || typeof input.not !== 'boolean')
    return refuse(`${where} is ${shown(input)}: it must be { op, not, … }.`)
  const test = plainTest(input, where)
  return input.not ? opposite(test) : test
}

function plainTest(input: Record<string, unknown>, where: string): Test {
  const { op, text } = input
  switch (op) {
    case 'in':
      return oneOfValues(Array.isArray(input.values) ? input.values : refuse(`${where}.values must be a list.`), where)
    case 'range':
      return { op, not: false, from: finiteOf(input.from, where), to: finiteOf(input.to, where) }
    case 'prefix':
      return prefix(text, where, input.fold === true)
    case 'suffix':
      return suffix(text, where, input.fold === true)
    case 'same':
      return same(text, where)
    case 'wildcard':
      return wildcard(text, where)
    case 'cidr':
      return cidr(text, where)
    case 'topic':
      if (typeof text === 'string' && (input.dialect === 'mqtt' || input.dialect === 'nats')) {
        checkPattern(input.dialect, text)
        return { op, not: false, dialect: input.dialect, text }
      }
      return refuse(`${where} must be a pattern of mqtt or nats.`)
    default:
      return refuse(`${where}.op is ${shown(op)}, which is no test.`)
  }
}

function finiteOf(value: unknown, where: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  return refuse(`${where} is ${shown(value)}: it must be a finite number.`)
}

export type { Test } from './tests.ts'
export type { Attributes, AttributeValue, Scalar } from './values.ts'
export { type Clause, encodeFilter, type Filter, type Predicate }
