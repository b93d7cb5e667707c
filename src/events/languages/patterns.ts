// The patterns of Amazon, which SNS and EventBridge share: for each attribute a list of alternatives. Nested objects are
// attributes with dots in their names: { detail: { state: ['on'] } } asks for `detail.state`.
//
// `anything-but` wants the attribute to be there and some item of a list that is none of these, as Event Ruler does.
// Numbers are doubles here; Event Ruler compares more digits beyond 2^53.

import {
  attributeName,
  type Comparison,
  cidr,
  compared,
  oneOfValues,
  opposite,
  prefix,
  same,
  scalar,
  suffix,
  wildcard,
} from '../build.ts'
import { and, type Clause, exists, or, some, TESTS_MAX } from '../canonical.ts'
import { DEPTH_MAX, PARTS_MAX } from '../filter.ts'
import { refuse, shown, suggestion } from '../refusals.ts'
import type { Test } from '../tests.ts'
import { isPlainObject } from '../values.ts'

interface Reading {
  readonly whose: string
  parts: number
}

/** The clauses of a pattern. */
export function readPattern(input: unknown, whose: string): readonly Clause[] {
  return readObject(input, '', 0, { whose, parts: 0 })
}

function count(reading: Reading, depth: number): void {
  if (depth > DEPTH_MAX) refuse(`the ${reading.whose} is nested deeper than ${DEPTH_MAX} levels, or holds itself.`)
  if (++reading.parts > PARTS_MAX) refuse(`the ${reading.whose} has more than ${PARTS_MAX} parts.`)
}

function readObject(input: unknown, path: string, depth: number, reading: Reading): readonly Clause[] {
  count(reading, depth)
  const where = path === '' ? `the ${reading.whose}` : path
  if (!isPlainObject(input)) return refuse(`${where} is ${shown(input)}: an object of attributes is needed.`)
  const names = Object.keys(input)
  if (names.length === 0 && path !== '') refuse(`${where} is an empty object: it asks nothing.`)
  return and(
    names.map(name => {
      const value = input[name]
      const place = path === '' ? name : `${path}.${name}`
      if (name === 'anything-but' || name === 'equals-ignore-case')
        refuse(`${shown(place)} is a matcher outside of a list: write [{ ${shown(name)}: … }].`)
      if (name === '$or') return readOr(value, path, depth, reading)
      if (Array.isArray(value)) return readAlternatives(attributeName(place, shown(place)), value, reading)
      if (isPlainObject(value)) return readObject(value, place, depth + 1, reading)
      return refuse(`${shown(place)} is ${shown(value)}: a list of alternatives is needed, such as ["x"].`)
    }),
  )
}

function readOr(value: unknown, path: string, depth: number, reading: Reading): readonly Clause[] {
  if (!Array.isArray(value) || value.length < 2)
    return refuse(`$or of the ${reading.whose} is ${shown(value)}: it must be a list of two alternatives or more.`)
  return or(Array.from(value, part => readObject(part, path, depth + 1, reading)))
}

function readAlternatives(attribute: string, list: readonly unknown[], reading: Reading): readonly Clause[] {
  if (typeof list[0] === 'string' && NUMERIC.has(list[0]) && typeof list[1] === 'number')
    refuse(`${shown(attribute)} compares outside of a matcher: write [{ "numeric": [${shown(list[0])}, ${list[1]}] }].`)
  if (list.length === 0) refuse(`${shown(attribute)} is an empty list: one alternative or more is needed.`)
  const values: unknown[] = []
  const alternatives: (readonly Test[])[] = []
  const presence: (readonly Clause[])[] = []
  for (const item of list) {
    count(reading, 0)
    if (typeof item !== 'object' || item === null) {
      values.push(scalar(item, attribute))
      continue
    }
    const [name, value] = only(item, attribute)
    if (name === 'exists') presence.push(exists(attribute, truth(value, attribute)))
    else alternatives.push(readMatcher(name, value, attribute))
  }
  if (values.length > 0) alternatives.push([oneOfValues(values, attribute)])
  return or([some(attribute, alternatives), ...presence])
}

function truth(value: unknown, attribute: string): boolean {
  if (typeof value === 'boolean') return value
  return refuse(`exists of ${shown(attribute)} is ${shown(value)}: it must be true or false.`)
}

const MATCHERS = ['prefix', 'suffix', 'equals-ignore-case', 'wildcard', 'cidr', 'numeric', 'exists', 'anything-but']

/** The one name of a matcher and what it is given. */
function only(matcher: unknown, attribute: string): readonly [string, unknown] {
  if (!isPlainObject(matcher)) return refuse(`an alternative of ${shown(attribute)} is ${shown(matcher)}.`)
  const names = Object.keys(matcher)
  const [name] = names
  if (names.length !== 1 || name === undefined)
    return refuse(
      `an alternative of ${shown(attribute)} has ${names.length} names: it must have one of ${MATCHERS.join(', ')}.`,
    )
  return [name, matcher[name]]
}

function readMatcher(name: string, value: unknown, attribute: string): readonly Test[] {
  const where = `${name} of ${shown(attribute)}`
  switch (name) {
    case 'prefix':
      return [isPlainObject(value) ? prefix(ignoringCase(value, where), where, true) : prefix(value, where)]
    case 'suffix':
      return [isPlainObject(value) ? suffix(ignoringCase(value, where), where, true) : suffix(value, where)]
    case 'equals-ignore-case':
      return [same(value, where)]
    case 'wildcard':
      return [checkedWildcard(value, where)]
    case 'cidr':
      return [cidr(value, where)]
    case 'numeric':
      return readNumeric(value, where)
    case 'anything-but':
      return readAnythingBut(value, where)
    default:
      return refuse(`${where} is not known: there are ${MATCHERS.join(', ')}.${suggestion(name, MATCHERS)}`)
  }
}

function ignoringCase(value: Record<string, unknown>, where: string): unknown {
  const [name, text] = only(value, where)
  return name === 'equals-ignore-case' ? text : refuse(`${where} may only have equals-ignore-case inside.`)
}

function checkedWildcard(value: unknown, where: string): Test {
  if (typeof value === 'string' && /(^|[^\\])(\\\\)*\*\*/.test(value))
    refuse(`${where} is ${shown(value)}: two stars in a row are not allowed.`)
  return wildcard(value, where)
}

const NUMERIC: ReadonlyMap<unknown, Comparison> = new Map<unknown, Comparison>([
  ['=', 'equal'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
])

/** ['=', 5], ['>', 0] or ['>', 0, '<=', 5]. */
function readNumeric(value: unknown, where: string): readonly Test[] {
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 4))
    return refuse(`${where} is ${shown(value)}: it must be like ["<", 10] or [">", 0, "<=", 10].`)
  const tests: Test[] = []
  for (let at = 0; at < value.length; at += 2) {
    const comparison = NUMERIC.get(value[at])
    if (comparison === undefined) return refuse(`${where} has ${shown(value[at])}: there are = < <= > >=.`)
    if (value.length === 4 && !(at === 0 ? ['gt', 'gte'] : ['lt', 'lte']).includes(comparison))
      refuse(`${where} is a range: > or >= must come first, then < or <=.`)
    tests.push(compared(comparison, value[at + 1], where))
  }
  const [lowest, highest] = tests
  if (lowest?.op === 'range' && highest?.op === 'range' && lowest.from > highest.to)
    refuse(`${where} is an empty range: its bottom must be below its top.`)
  return tests
}

/** One value or text, or a list of them, that some item is none of. */
function readAnythingBut(value: unknown, where: string): readonly Test[] {
  if (!isPlainObject(value)) {
    const values = Array.isArray(value) ? value : [value]
    if (values.length === 0) refuse(`${where} is an empty list: one value or more is needed.`)
    return [oneOfValues(values, where, true)]
  }
  const [name, inner] = only(value, where)
  if (!['prefix', 'suffix', 'equals-ignore-case', 'wildcard'].includes(name))
    refuse(`${where} has ${shown(name)} inside: prefix, suffix, equals-ignore-case and wildcard are allowed.`)
  const texts = Array.isArray(inner) ? inner : [inner]
  if (texts.length === 0) refuse(`${where} is an empty list: one text or more is needed.`)
  if (texts.length > TESTS_MAX) refuse(`${where} is a list of ${texts.length}: at most ${TESTS_MAX} are allowed.`)
  return texts.flatMap(text => readMatcher(name, text, where).map(opposite))
}
