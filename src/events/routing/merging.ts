// What becomes of two clauses where there are more than a link may have: their hull, which wants all that either wants.
//
// Equal predicates stay, ranges become the span of both, lists of values their union, prefixes the longest that both have;
// everything else is dropped, which only widens. Which two: those whose hull wants the least that neither wants, as far as
// volumes tell: a range's share of what ranges on its attribute reach over, a guess for everything else.

import { type Clause, normal, type Predicate } from '../canonical.ts'
import { HIGHEST, LOWEST, type Test } from '../tests.ts'
import { keyOf } from './keys.ts'
import { fitting } from './wire.ts'

/** Values of a list that two lists may become. More, and only "is there" is left. */
const UNITED_MAX = 64
/** What one value, or a letter of a prefix, is guessed to leave of an attribute. */
const VALUE_SHARE = 0.01
const LETTER_SHARE = 0.1
/** A test of any other kind. */
const OTHER_SHARE = 0.1

/** The narrowest clause that we can say which wants all that either wants. Two lists may be longer together than a message holds. */
export function hull(one: Clause, other: Clause): Clause {
  // Of two that can never hold, as a liar may announce them, the hull never holds either, and has no form: each stands for both.
  return fitting(normal([joined(one, other)])[0] ?? one)
}

/** The hull, not yet in its one form: enough to see how much it wants. */
function joined(one: Clause, other: Clause): Clause {
  const found: Predicate[] = []
  for (const predicate of one) {
    const text = keyOf(predicate)
    if (other.some(two => keyOf(two) === text)) {
      found.push(predicate)
      continue
    }
    const beside = other.find(two => two.attribute === predicate.attribute && two.some)
    if (!predicate.some || beside === undefined) continue
    found.push({ ...predicate, tests: united(predicate.tests, beside.tests) })
  }
  return found
}

function united(one: readonly Test[], other: readonly Test[]): Test[] {
  const found: Test[] = []
  for (const test of one) {
    const both = other.map(two => unitedTest(test, two)).find(joined => joined !== undefined)
    if (both !== undefined) found.push(both)
  }
  return found
}

function unitedTest(one: Test, other: Test): Test | undefined {
  if (keyOf(one) === keyOf(other)) return one
  if (one.not || other.not) return undefined
  if (one.op === 'in' && other.op === 'in') {
    const values = [...new Set([...one.values, ...other.values])]
    return values.length <= UNITED_MAX ? { ...one, values } : undefined
  }
  if (one.op === 'prefix' && other.op === 'prefix' && one.fold === other.fold) {
    const text = commonStart(one.text, other.text)
    return text === '' ? undefined : { ...one, text }
  }
  const [a, b] = [spanOf(one), spanOf(other)]
  return a && b && { op: 'range', not: false, from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The numbers that a test reaches over: of a range, or of values that are all numbers. */
function spanOf(test: Test): Span | undefined {
  if (test.op === 'range') return test
  if (test.op !== 'in') return undefined
  const numbers = test.values.filter(value => typeof value === 'number')
  if (numbers.length < test.values.length) return undefined
  return { from: Math.min(...numbers), to: Math.max(...numbers) }
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  // Half of a letter is no text.
  const last = one.charCodeAt(length - 1)
  return one.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

/** How far ranges reach on each attribute: what their widths are measured by. */
export function reachesOf(clauses: Iterable<Clause>): Map<string, Span> {
  const reaches = new Map<string, Span>()
  for (const clause of clauses) {
    for (const { attribute, some, tests } of clause) {
      for (const test of tests) {
        const span = some && !test.not && test.op === 'range' ? test : undefined
        if (span === undefined) continue
        const known = reaches.get(attribute)
        const ends = [span.from, span.to].filter(end => end !== LOWEST && end !== HIGHEST)
        if (ends.length === 0) continue
        reaches.set(attribute, {
          from: Math.min(known?.from ?? ends[0]!, ...ends),
          to: Math.max(known?.to ?? ends[0]!, ...ends),
        })
      }
    }
  }
  return reaches
}

/** The share of all events that a clause wants, as far as can be guessed from it alone. */
export function volume(clause: Clause, reaches: ReadonlyMap<string, Span>): number {
  let share = 1
  for (const { attribute, some, tests } of clause) {
    if (!some) continue
    for (const test of tests) share *= shareOf(test, reaches.get(attribute))
  }
  return share
}

function shareOf(test: Test, reach: Span | undefined): number {
  if (test.not) return 1
  switch (test.op) {
    case 'range':
      return rangeShare(test, reach)
    case 'in':
      return Math.min(1, test.values.length * VALUE_SHARE)
    case 'prefix':
    case 'suffix':
      return LETTER_SHARE ** Math.min(6, test.text.length)
    default:
      return OTHER_SHARE
  }
}

function rangeShare({ from, to }: Span, reach: Span | undefined): number {
  if (reach === undefined || reach.to <= reach.from) return 1
  const width = Math.min(to, reach.to) - Math.max(from, reach.from)
  return Math.min(1, Math.max(0, width) / (reach.to - reach.from))
}

const pairs = new WeakMap<Clause, WeakMap<Clause, Clause>>()

/** Made once for each pair: a link that is full asks for the same ones with every new clause. */
function knownPair(one: Clause, other: Clause): Clause {
  const known = pairs.get(one) ?? new WeakMap<Clause, Clause>()
  pairs.set(one, known)
  const found = known.get(other) ?? joined(one, other)
  known.set(other, found)
  return found
}

/** The places of the two clauses whose hull adds the least to what is wanted, and that hull. */
export function cheapest(clauses: readonly Clause[]): {
  readonly pair: readonly [number, number]
  readonly hull: Clause
} {
  const reaches = reachesOf(clauses)
  const volumes = clauses.map(clause => volume(clause, reaches))
  let best: readonly [number, number] = [0, 1]
  let least = Number.POSITIVE_INFINITY
  for (let one = 0; one < clauses.length; one++) {
    for (let other = one + 1; other < clauses.length; other++) {
      const added = volume(knownPair(clauses[one]!, clauses[other]!), reaches) - volumes[one]! - volumes[other]!
      if (added >= least) continue
      least = added
      best = [one, other]
    }
  }
  return { pair: best, hull: hull(clauses[best[0]]!, clauses[best[1]]!) }
}
