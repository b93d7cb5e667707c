// Why a filter matches an event, or does not: clause by clause, predicate by predicate, in words.

import { nextAbove, nextBelow } from './build.ts'
import type { Filter, Predicate } from './canonical.ts'
import { holds } from './filter.ts'
import { requireAttributes, requireFilter, shown } from './refusals.ts'
import { HIGHEST, LOWEST, type Test } from './tests.ts'
import { type Attributes, itemsOf } from './values.ts'

/** One predicate and what it found. */
export interface ExplainedPredicate {
  readonly attribute: string
  /** What it asks, in words. */
  readonly asks: string
  /** What the event has there, in words. */
  readonly found: string
  readonly holds: boolean
}

/** One clause: it holds where all its predicates do. */
export interface ExplainedClause {
  readonly holds: boolean
  readonly predicates: readonly ExplainedPredicate[]
}

/** Why a filter matches, or does not. */
export interface Explanation {
  readonly matches: boolean
  /** In one sentence: the clause that holds, or what failed in the clause that came nearest. */
  readonly why: string
  readonly clauses: readonly ExplainedClause[]
}

/** Why this filter matches this event, or which predicate failed. */
export function explain(filter: Filter, attributes: Attributes): Explanation {
  requireFilter(filter)
  requireAttributes(attributes)
  const clauses = filter.$any.map(clause => {
    const predicates = clause.map(predicate => explainPredicate(predicate, attributes))
    return { holds: predicates.every(one => one.holds), predicates }
  })
  return { matches: clauses.some(clause => clause.holds), why: whyOf(clauses), clauses }
}

function explainPredicate(predicate: Predicate, attributes: Attributes): ExplainedPredicate {
  const items = itemsOf(attributes, predicate.attribute)
  return {
    attribute: predicate.attribute,
    asks: asksOf(predicate),
    found: items.length === 0 ? 'nothing' : items.map(shown).join(', '),
    holds: holds(predicate, attributes),
  }
}

function whyOf(clauses: readonly ExplainedClause[]): string {
  if (clauses.length === 0) return 'The filter contradicts itself: no event matches it.'
  const held = clauses.find(clause => clause.holds)
  if (held !== undefined) {
    const asked = held.predicates.map(({ attribute, asks }) => `${attribute} ${asks}`)
    return asked.length === 0 ? 'The filter asks nothing: every event matches.' : `It matches: ${asked.join(', and ')}.`
  }
  const failures = clauses.map(clause => clause.predicates.filter(one => !one.holds))
  const nearest = failures.reduce((best, one) => (one.length < best.length ? one : best))
  const failed = nearest.map(({ attribute, asks, found }) => `${attribute} ${asks}, and the event has ${found}`)
  const others = clauses.length === 1 ? '' : ` (The nearest of ${clauses.length} alternatives.)`
  return `It does not match: ${failed.join('; ')}.${others}`
}

function asksOf({ some, tests }: Predicate): string {
  if (tests.length === 0) return some ? 'must be there' : 'must not be there'
  const asked = tests.map(wordsOf).join(' and ')
  return some ? `must be ${asked}` : `must not be ${asked}`
}

/** What a test asks, to stand after "be". */
function wordsOf(test: Test): string {
  const words = plainWords(test)
  return test.not ? `anything but ${words}` : words
}

function plainWords(test: Test): string {
  switch (test.op) {
    case 'in':
      return test.values.length === 1 ? shown(test.values[0]) : `one of ${test.values.map(shown).join(', ')}`
    case 'range':
      return rangeWords(test.from, test.to)
    case 'prefix':
    case 'suffix':
      return `text that ${test.op === 'prefix' ? 'begins' : 'ends'} with ${shown(test.text)}${test.fold ? ' in any case' : ''}`
    case 'same':
      return `${shown(test.text)} in any case`
    case 'wildcard':
      return `text like ${shown(test.text)}`
    case 'cidr':
      return `an address in ${test.text}`
    case 'topic':
      return `a topic like ${shown(test.text)}`
  }
}

function rangeWords(from: number, to: number): string {
  if (from === to) return `the number ${from}`
  if (from === LOWEST && to === HIGHEST) return 'a number'
  const least = endWords(from, nextBelow(from), 'from', 'above')
  const most = endWords(to, nextAbove(to), 'up to', 'below')
  if (from === LOWEST) return `a number ${most}`
  return to === HIGHEST ? `a number ${least}` : `a number ${least} and ${most}`
}

/** An end as it was written: "below 10" became "up to 9.999999999999998". */
function endWords(closed: number, open: number, atLeast: string, beyond: string): string {
  return String(open).length < String(closed).length ? `${beyond} ${open}` : `${atLeast} ${closed}`
}
