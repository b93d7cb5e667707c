// Who matches: our index, our own meaning asked filter by filter, and libraries that people use for it.

import qlobber from 'qlobber'
import sift from 'sift'
import { type Attributes, type Filter, Matcher, matches } from '../../src/events/index.ts'

/** How many subscriptions an event matches. */
export type Count<T> = (event: T) => number

export function ours(filters: readonly Filter[]): Count<Attributes> {
  const matcher = new Matcher<number>()
  for (const [id, filter] of filters.entries()) matcher.add(id, filter)
  return counted(matcher)
}

/** Every name that an event matches is taken, and counted; the others count, too. */
export function counted(matcher: Matcher<number>): Count<Attributes> {
  let count = 0
  const take = () => count++
  return event => {
    count = 0
    matcher.each(event, take)
    return count
  }
}

/** The same for topics, as a list: qlobber makes one. */
export function listed(filters: readonly Filter[]): Count<Attributes> {
  const matcher = new Matcher<number>()
  for (const [id, filter] of filters.entries()) matcher.add(id, filter)
  return event => matcher.match(event).length
}

export function naive(filters: readonly Filter[]): Count<Attributes> {
  return event => {
    let count = 0
    for (const filter of filters) if (matches(filter, event)) count++
    return count
  }
}

export function bySift(sources: readonly Record<string, unknown>[]): Count<Attributes> {
  const tests = sources.map(source => sift.default(queryOf(source)))
  return event => {
    let count = 0
    for (const test of tests) if (test(event)) count++
    return count
  }
}

const WORDS: Readonly<Record<string, string>> = { lt: '$lt', lte: '$lte', gt: '$gt', gte: '$gte', exists: '$exists' }

/** Our own language as sift's, as far as the workloads use it. */
function queryOf(source: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(source).map(([name, condition]) => [name, conditionOf(condition)]))
}

function conditionOf(condition: unknown): unknown {
  if (Array.isArray(condition)) return { $in: condition }
  if (typeof condition !== 'object' || condition === null) return condition
  return Object.fromEntries(
    Object.entries(condition).flatMap(([name, value]) => {
      if (name === 'prefix') return [['$regex', `^${value}`]]
      if (name === 'not') {
        return [
          ['$nin', value],
          ['$exists', true],
        ]
      }
      return [[WORDS[name]!, value]]
    }),
  )
}

export function byQlobber(patterns: readonly string[]): Count<string> {
  const tree = new qlobber.Qlobber({ separator: '/', wildcard_one: '+', wildcard_some: '#' })
  for (const [id, pattern] of patterns.entries()) tree.add(pattern, id)
  return topic => tree.match(topic).length
}
