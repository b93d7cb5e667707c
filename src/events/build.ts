// Tests, made of what a language gives: each checked, and refused in a sentence that says where.

import { isText } from '../core/index.ts'
import { VALUES_MAX } from './canonical.ts'
import { fold } from './fold.ts'
import { networkOf, networkText } from './networks.ts'
import { refuse, shown } from './refusals.ts'
import { HIGHEST, LOWEST, piecesOf, type Test } from './tests.ts'
import { checkPattern, type TopicDialect } from './topics.ts'
import { isAttributeName, isScalar, plainScalar, type Scalar, TEXT_BYTES_MAX, whyNotScalar } from './values.ts'

/** An attribute's name, checked. */
export function attributeName(name: string, where: string): string {
  if (isAttributeName(name)) return name
  return refuse(`${where} is no name of an attribute: 1 to 64 bytes of well-formed text are needed.`)
}

/** One value, checked. */
export function scalar(value: unknown, where: string): Scalar {
  if (isScalar(value)) return plainScalar(value)
  return refuse(`${where} cannot be compared with: ${whyNotScalar(value)}.`)
}

/** A text, checked. */
export function textOf(value: unknown, where: string): string {
  if (typeof value === 'string' && isText(value, TEXT_BYTES_MAX)) return value
  return refuse(
    typeof value === 'string' ? `${where}: ${whyNotScalar(value)}.` : `${where} is ${shown(value)}: it must be text.`,
  )
}

/** One of these values, or, with `not`, none of them. */
export function oneOfValues(values: readonly unknown[], where: string, negated = false): Test {
  if (values.length > VALUES_MAX)
    refuse(`${where} is a list of ${values.length} values: at most ${VALUES_MAX} are allowed.`)
  return { op: 'in', not: negated, values: Array.from(values, (value, at) => scalar(value, `${where}[${at}]`)) }
}

/** How a number may be compared. */
export type Comparison = 'lt' | 'lte' | 'gt' | 'gte' | 'equal'

/** A number below, up to, above, from or equal to a bound. Ranges are closed: an open end is the next number there is. */
export function compared(comparison: Comparison, bound: unknown, where: string): Test {
  if (typeof bound !== 'number') refuse(`${where} is ${shown(bound)}: numbers are compared with numbers.`)
  if (!Number.isFinite(bound)) refuse(`${where} is ${bound}: it must be a finite number.`)
  const value = bound === 0 ? 0 : (bound as number)
  const range = (from: number, to: number): Test => ({ op: 'range', not: false, from, to })
  switch (comparison) {
    case 'lt':
      return range(LOWEST, nextBelow(value))
    case 'lte':
      return range(LOWEST, value)
    case 'gt':
      return range(nextAbove(value), HIGHEST)
    case 'gte':
      return range(value, HIGHEST)
    case 'equal':
      return range(value, value)
  }
}

/** The test that no item passes. */
export const NEVER: Test = { op: 'in', not: false, values: [] }

/** Without case a text may be longer: one letter may become three. */
function foldedText(text: string, where: string): string {
  const folded = fold(text)
  if (isText(folded, TEXT_BYTES_MAX)) return folded
  return refuse(`${where} is longer than ${TEXT_BYTES_MAX} bytes once its case is taken away.`)
}

/** Text that begins so. */
export function prefix(value: unknown, where: string, folded = false): Test {
  const text = textOf(value, where)
  return { op: 'prefix', not: false, text: folded ? foldedText(text, where) : text, fold: folded }
}

/** Text that ends so. */
export function suffix(value: unknown, where: string, folded = false): Test {
  const text = textOf(value, where)
  return { op: 'suffix', not: false, text: folded ? foldedText(text, where) : text, fold: folded }
}

/** This text, whatever the case. */
export function same(value: unknown, where: string): Test {
  return { op: 'same', not: false, text: foldedText(textOf(value, where), where) }
}

/** Text in which `*` stands for anything. */
export function wildcard(value: unknown, where: string): Test {
  const text = textOf(value, where)
  if (piecesOf(text) === undefined)
    refuse(`${where} is ${shown(text)}: a backslash stands only before * or another backslash.`)
  // Two stars are one: one form, and no work for nothing.
  return { op: 'wildcard', not: false, text: text.replace(/(\\[\s\S])|\*+/g, (_all, escaped) => escaped ?? '*') }
}

/** An internet address in a block. */
export function cidr(value: unknown, where: string): Test {
  const network = networkOf(textOf(value, where))
  if (network === undefined)
    return refuse(`${where} is ${shown(value)}: a block of addresses is needed, such as 10.0.0.0/8 or 2001:db8::/32.`)
  return { op: 'cidr', not: false, text: networkText(network) }
}

/** A topic that fits a pattern. */
export function topic(value: unknown, where: string, dialect: TopicDialect): Test {
  if (typeof value !== 'string') return refuse(`${where} is ${shown(value)}: it must be text.`)
  checkPattern(dialect, value)
  return { op: 'topic', not: false, dialect, text: value }
}

/** The other answer. */
export function opposite(test: Test): Test {
  return { ...test, not: !test.not }
}

const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

/** The smallest number above: an open end as a closed one. Beyond the highest there is infinity, and no number. */
export function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE
  double[0] = value
  bits[0] = bits[0]! + (value > 0 ? 1n : -1n)
  return double[0] === 0 ? 0 : double[0]
}

/** The largest number below. */
export function nextBelow(value: number): number {
  return -nextAbove(-value) || 0
}
