// Filters of CloudEvents subscriptions: a list of which all must hold, each of one dialect: exact, prefix, suffix, all,
// any, not. `not` inverts, so it holds where an attribute is absent. An empty list holds for everything.

import { attributeName, oneOfValues, prefix, suffix, textOf } from '../build.ts'
import { and, type Clause, type Filter, not, or, some } from '../canonical.ts'
import { DEPTH_MAX, PARTS_MAX } from '../filter.ts'
import { refuse, shown, suggestion } from '../refusals.ts'
import type { Test } from '../tests.ts'
import { isPlainObject } from '../values.ts'
import { finished } from './finished.ts'
import type { Language } from './language.ts'
import { read as told } from './strangers.ts'

const DIALECTS = ['exact', 'prefix', 'suffix', 'all', 'any', 'not']

interface Reading {
  parts: number
}

/** The `filters` of a CloudEvents subscription, or one of them, as a filter of ours. */
export function cloudEvents(filters: unknown): Filter {
  const reading = { parts: 0 }
  const list = Array.isArray(filters) ? filters : [filters]
  return told('cloudevents', filters, () => finished(and(Array.from(list, one => read(one, 0, reading)))))
}

function read(input: unknown, depth: number, reading: Reading): readonly Clause[] {
  if (depth > DEPTH_MAX) refuse(`the filter is nested deeper than ${DEPTH_MAX} levels, or holds itself.`)
  if (++reading.parts > PARTS_MAX) refuse(`the filter has more than ${PARTS_MAX} parts.`)
  if (!isPlainObject(input)) return refuse(`a filter of CloudEvents is an object, and ${shown(input)} is none.`)
  const names = Object.keys(input)
  const [dialect] = names
  if (names.length !== 1 || dialect === undefined)
    return refuse(`a filter of CloudEvents has one dialect, and this one has ${names.length}: ${DIALECTS.join(', ')}.`)
  const value = input[dialect]
  switch (dialect) {
    case 'exact':
      return attributes(value, dialect, (text, where) => oneOfValues([textOf(text, where)], where))
    case 'prefix':
      return attributes(value, dialect, (text, where) => prefix(text, where))
    case 'suffix':
      return attributes(value, dialect, (text, where) => suffix(text, where))
    case 'all':
      return and(Array.from(several(value, dialect), part => read(part, depth + 1, reading)))
    case 'any':
      return or(Array.from(several(value, dialect), part => read(part, depth + 1, reading)))
    case 'not':
      return not(read(value, depth + 1, reading))
    case 'sql':
      return refuse('the dialect sql (CESQL) is not spoken here: exact, prefix, suffix, all, any and not are.')
    default:
      return refuse(`there is no dialect ${shown(dialect)}: ${DIALECTS.join(', ')}.${suggestion(dialect, DIALECTS)}`)
  }
}

function several(value: unknown, dialect: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value
  return refuse(`${dialect} is ${shown(value)}: it must be a list of one filter or more.`)
}

/** Every attribute named must pass. */
function attributes(value: unknown, dialect: string, test: (text: unknown, where: string) => Test): readonly Clause[] {
  if (!isPlainObject(value) || Object.keys(value).length === 0)
    return refuse(`${dialect} is ${shown(value)}: it must be an object of attributes and texts.`)
  return and(
    Object.keys(value).map(name => {
      const where = `${dialect}.${name.slice(0, 64)}`
      return some(attributeName(name, where), [[test(value[name], where)]])
    }),
  )
}

/** Filters of CloudEvents. */
export const cloudEventsLanguage: Language = {
  name: 'cloudevents',
  title: 'filters of CloudEvents: exact prefix suffix all any not; without CESQL',
  form: 'data',
  example: [{ prefix: { type: 'com.example.' } }, { not: { exact: { source: '/test' } } }],
  parse: cloudEvents,
}
