// A matcher written apart: each language is evaluated as its documents describe it, on what the user wrote, item by item,
// without a common form and without any code of src/events. Slow and simple.

import type { Event, Value } from './random.ts'

type Items = readonly Value[]
type Data = Readonly<Record<string, unknown>>

const itemsAt = (event: Event, name: string): Items => {
  if (!Object.hasOwn(event, name)) return []
  const value = event[name]!
  return Array.isArray(value) ? (value as Items) : [value as Value]
}
/** Of a part of a filter, which is asked about very many events. */
const written = new WeakMap<Data, [string, unknown][]>()
const entriesOf = (data: Data): [string, unknown][] => {
  const known = written.get(data)
  if (known !== undefined) return known
  const entries = Object.entries(data)
  written.set(data, entries)
  return entries
}
const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value)
const caseless = (text: string) => text.toUpperCase().toLowerCase()
const isText = (value: Value): value is string => typeof value === 'string'

const expressions = new Map<string, RegExp>()

/** Stars as anything, by a regular expression. */
function like(pattern: string, text: string): boolean {
  let expression = expressions.get(pattern)
  if (expression === undefined) {
    expression = expressionOf(pattern)
    expressions.set(pattern, expression)
  }
  return expression.test(text)
}

function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(/\\([*\\])|\*|[.+?^${}()|[\]\\]/g, (found, escaped) => {
    if (escaped !== undefined) return `\\${escaped}`
    return found === '*' ? '[^]*' : `\\${found}`
  })
  return new RegExp(`^${source}$`, 'u')
}

function inBlock(block: string, address: string): boolean {
  const [network, length] = block.split('/') as [string, string | undefined]
  if (network.includes(':')) return address.includes(':')
  const number = (text: string) => {
    const parts = text.split('.')
    if (parts.length !== 4 || parts.some(part => !/^\d+$/.test(part))) return undefined
    return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  }
  const [mine, theirs] = [number(network)!, number(address)]
  const shift = BigInt(32 - Number(length ?? 32))
  return theirs !== undefined && mine >> shift === theirs >> shift
}

/** Pattern and topic, level by level. */
function mqttFits(pattern: readonly string[], topic: readonly string[]): boolean {
  if (pattern[0] === '#') return true
  if (pattern.length === 0 || topic.length === 0) return pattern.length === topic.length
  if (pattern[0] !== '+' && pattern[0] !== topic[0]) return false
  return mqttFits(pattern.slice(1), topic.slice(1))
}

function mqttText(pattern: string, topic: string): boolean {
  if (topic === '') return false
  if (topic.startsWith('$') && /^[+#]/.test(pattern)) return false
  // `a/#` also holds for `a` itself.
  return mqttFits(pattern.split('/'), topic.split('/'))
}

function natsText(pattern: string, topic: string): boolean {
  const tokens = topic.split('.')
  const wanted = pattern.split('.')
  if (tokens.includes('')) return false
  if (wanted.at(-1) !== '>' && wanted.length !== tokens.length) return false
  if (wanted.at(-1) === '>' && tokens.length < wanted.length) return false
  return wanted.every((word, at) => word === '*' || word === '>' || word === tokens[at])
}

function ownOperator(name: string, given: unknown, item: Value): boolean {
  const number = typeof item === 'number' ? item : Number.NaN
  switch (name) {
    case 'lt':
      return number < (given as number)
    case 'lte':
      return number <= (given as number)
    case 'gt':
      return number > (given as number)
    case 'gte':
      return number >= (given as number)
    case 'equal':
      return item === given
    case 'in':
      return (given as Items).includes(item)
    case 'not':
      if (isData(given)) return !entriesOf(given).every(([inner, value]) => ownOperator(inner, value, item))
      return Array.isArray(given) ? !given.includes(item) : item !== given
    default:
      return isText(item) && ownText(name, given as string, item)
  }
}

function ownText(name: string, given: string, item: string): boolean {
  switch (name) {
    case 'prefix':
      return item.slice(0, given.length) === given
    case 'suffix':
      return item.length >= given.length && item.slice(item.length - given.length) === given
    case 'ignoreCase':
      return caseless(item) === caseless(given)
    case 'wildcard':
      return like(given, item)
    case 'cidr':
      return inBlock(given, item)
    case 'topic':
      return mqttText(given, item)
    default:
      throw new Error(name)
  }
}

function own(filter: Data, event: Event): boolean {
  return entriesOf(filter).every(([name, condition]) => {
    if (name === '$or') return (condition as Data[]).some(part => own(part, event))
    if (name === '$and') return (condition as Data[]).every(part => own(part, event))
    if (name === '$not') return !own(condition as Data, event)
    const items = itemsAt(event, name)
    if (Array.isArray(condition)) return items.some(item => condition.includes(item))
    if (!isData(condition)) return items.some(item => item === condition)
    if ('exists' in condition) return items.length > 0 === condition.exists
    return items.some(item => entriesOf(condition).every(([operator, given]) => ownOperator(operator, given, item)))
  })
}

function amazonItem(alternative: unknown, item: Value): boolean {
  if (!isData(alternative)) return item === alternative
  const [[name, given]] = entriesOf(alternative) as [[string, unknown]]
  const sameCase = isData(given) ? (given['equals-ignore-case'] as string) : undefined
  switch (name) {
    case 'prefix':
      if (sameCase !== undefined) return isText(item) && caseless(item).startsWith(caseless(sameCase))
      return isText(item) && item.startsWith(given as string)
    case 'suffix':
      return isText(item) && item.endsWith(given as string)
    case 'equals-ignore-case':
      return isText(item) && caseless(item) === caseless(given as string)
    case 'wildcard':
      return isText(item) && like(given as string, item)
    case 'cidr':
      return isText(item) && inBlock(given as string, item)
    case 'numeric':
      return typeof item === 'number' && numeric(given as (string | number)[], item)
    case 'anything-but': {
      if (!isData(given)) return !(Array.isArray(given) ? given : [given]).includes(item)
      const [[inner, texts]] = entriesOf(given) as [[string, string | string[]]]
      return ![texts].flat().some(text => amazonItem({ [inner]: text }, item))
    }
    default:
      throw new Error(name)
  }
}

function numeric([sign, bound, ...rest]: readonly (string | number)[], item: number): boolean {
  const signs: Record<string, boolean> = {
    '=': item === bound,
    '<': item < (bound as number),
    '<=': item <= (bound as number),
    '>': item > (bound as number),
    '>=': item >= (bound as number),
  }
  return signs[sign as string]! && (rest.length === 0 || numeric(rest, item))
}

function amazon(pattern: Data, event: Event, path = ''): boolean {
  return entriesOf(pattern).every(([name, given]) => {
    if (name === '$or') return (given as Data[]).some(part => amazon(part, event, path))
    if (isData(given)) return amazon(given, event, `${path}${name}.`)
    const items = itemsAt(event, path + name)
    return (given as unknown[]).some(alternative =>
      isData(alternative) && 'exists' in alternative
        ? items.length > 0 === alternative.exists
        : items.some(item => amazonItem(alternative, item)),
    )
  })
}

/** By turning it into an expression of JavaScript: names and texts are JSON already. */
function pubSub(expression: string, event: Event): boolean {
  const source = expression
    .replaceAll(/attributes:("[^"]*"|\w+)/g, (_all, name: string) => `has(${JSON.stringify(unquoted(name))})`)
    .replaceAll(
      /hasPrefix\(attributes\.("[^"]*"|\w+), /g,
      (_all, name: string) => `begins(${JSON.stringify(unquoted(name))}, `,
    )
    .replaceAll(
      /attributes\.("[^"]*"|\w+) (!?=) ("(?:[^"\\]|\\.)*")/g,
      (_all, name: string, sign: string, text: string) =>
        `${sign === '=' ? '' : '!'}equal(${JSON.stringify(unquoted(name))}, ${text})`,
    )
    .replaceAll(/\bAND\b/g, '&&')
    .replaceAll(/\bOR\b/g, '||')
    .replaceAll(/\bNOT |-(?=[-!(a-zA-Z])/g, '!')
  const has = (name: string) => itemsAt(event, name).length > 0
  const begins = (name: string, text: string) =>
    itemsAt(event, name).some(item => isText(item) && item.startsWith(text))
  const equal = (name: string, text: string) => itemsAt(event, name).includes(text)
  return compiled(source)(has, begins, equal)
}

type Compiled = (...given: readonly unknown[]) => boolean
let last: { readonly source: string; readonly run: Compiled } | undefined
function compiled(source: string): Compiled {
  if (last?.source !== source) {
    last = { source, run: new Function('has', 'begins', 'equal', `return ${source}`) as Compiled }
  }
  return last.run
}
const unquoted = (name: string) => name.replaceAll('"', '')

function cloudEvent(filter: Data, event: Event): boolean {
  const [[dialect, given]] = entriesOf(filter) as [[string, unknown]]
  const all = (test: (item: string, text: string) => boolean) =>
    (entriesOf(given as Data) as [string, string][]).every(([name, text]) =>
      itemsAt(event, name).some(item => isText(item) && test(item, text)),
    )
  switch (dialect) {
    case 'exact':
      return all((item, text) => item === text)
    case 'prefix':
      return all((item, text) => item.startsWith(text))
    case 'suffix':
      return all((item, text) => item.endsWith(text))
    case 'not':
      return !cloudEvent(given as Data, event)
    case 'all':
      return (given as Data[]).every(part => cloudEvent(part, event))
    case 'any':
      return (given as Data[]).some(part => cloudEvent(part, event))
    default:
      throw new Error(dialect)
  }
}

const onTopic = (test: (pattern: string, topic: string) => boolean) => (pattern: unknown, event: Event) =>
  itemsAt(event, 'topic').some(topic => isText(topic) && test(pattern as string, topic))

/** For each language, by its name: whether a filter matches an event. */
export const twins: Readonly<Record<string, (filter: unknown, event: Event) => boolean>> = {
  own: (filter, event) => own(filter as Data, event),
  sns: (filter, event) => amazon(filter as Data, event),
  eventbridge: (filter, event) => amazon(filter as Data, event),
  pubsub: (filter, event) => pubSub(filter as string, event),
  cloudevents: (filter, event) => (filter as Data[]).every(one => cloudEvent(one, event)),
  mqtt: onTopic(mqttText),
  nats: onTopic(natsText),
}
