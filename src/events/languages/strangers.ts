// Which language a filter looks like that another one refused, or that it would take and match nothing by. Only guesses for a
// sentence: nothing is read by them. They look at a few parts of what was given, as it may be of any size or hold itself.

import { InvalidFilter, refuse, shown } from '../refusals.ts'
import { isPlainObject } from '../values.ts'

/** Parts that are looked at on each of so many levels. */
const LOOKED_AT_MAX = 16
const LEVELS_MAX = 3
/** Text that is looked at. */
const LETTERS_MAX = 4096

type Kind =
  | 'own'
  | 'sns'
  | 'eventbridge'
  | 'pubsub'
  | 'cloudevents'
  | 'mqtt'
  | 'nats'
  | 'words'
  | 'mongodb'
  | 'elasticsearch'
  | 'expression'
  | 'json'
  | 'regexp'

/** Ends "It looks like …". */
const SENTENCES: Readonly<Record<Kind, string>> = {
  own: 'our own language: parseFilter(…) reads it, on the command line --language own.',
  sns: 'a filter policy of Amazon SNS: sns(…) reads it, on the command line --language sns.',
  eventbridge:
    'an event pattern of Amazon EventBridge: eventBridge(…) reads it, on the command line --language eventbridge.',
  pubsub: 'a filter of Google Pub/Sub: pubSub(…) reads it, on the command line --language pubsub.',
  cloudevents: 'filters of CloudEvents: cloudEvents(…) reads them, on the command line --language cloudevents.',
  mqtt: 'a topic filter of MQTT: mqtt(…) reads it, on the command line --language mqtt.',
  nats: 'a subject of NATS: nats(…) reads it, on the command line --language nats.',
  mongodb:
    'a query of MongoDB: ours has no $ before its operators, {"price": {"gt": 10}}, and $or, $and and $not around filters.',
  elasticsearch:
    'a query of Elasticsearch: ours is {"price": {"gte": 10}, "symbol": "ACME"}, with $or, $and and $not around filters.',
  words:
    'filters put together by a word: ours are $or and $and with a list, and $not, as an attribute may be called or.',
  expression:
    'an expression, as in SQL: ours is {"price": {"gte": 10}, "symbol": "ACME"}, with $or, $and and $not around filters.',
  json: 'text with JSON in it: JSON.parse(…) first.',
  regexp: 'a regular expression: ours has prefix, suffix, ignoreCase, and wildcard, in which * stands for anything.',
}

/** Nobody mistypes a word so that it looks like these. */
const SURE: readonly Kind[] = ['mongodb', 'words']

/** Operators that other languages call otherwise, and ours. */
const OTHERWISE: Readonly<Record<string, string>> = {
  ...{ '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte', '=': 'equal', '==': 'equal', '===': 'equal', eq: 'equal' },
  ...{ '!=': 'not', '!==': 'not', '<>': 'not', ne: 'not', neq: 'not', nin: 'not', notin: 'not', 'anything-but': 'not' },
  ...{ min: 'gte', max: 'lte', from: 'gte', to: 'lte', between: 'gte and lte', numeric: 'lt, lte, gt, gte or equal' },
  ...{ startswith: 'prefix', beginswith: 'prefix', hasprefix: 'prefix', endswith: 'suffix', hassuffix: 'suffix' },
  ...{ like: 'wildcard', contains: 'wildcard', regex: 'wildcard', regexp: 'wildcard', matches: 'wildcard' },
  ...{ glob: 'wildcard', ilike: 'ignoreCase', 'equals-ignore-case': 'ignoreCase', iexact: 'ignoreCase' },
  ...{ or: '$or', any: '$or', and: '$and', all: '$and', nor: '$not around $or' },
}

/** " It is called gte here.", or nothing where no other language has such an operator. */
export function otherwiseCalled(operator: string): string {
  const plain = operator.replace(/^[$_]/, '').toLowerCase()
  return Object.hasOwn(OTHERWISE, plain) ? ` It is called ${OTHERWISE[plain]} here.` : ''
}

/** Reads a filter; where that is refused, the sentence also says which other language it looks like. */
export function read<Filter>(asked: string, input: unknown, parse: () => Filter): Filter {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof InvalidFilter)) throw error
    const hint = looksLike(asked, input)
    // Who mistyped a word is told that, and no more.
    const isMistyped =
      /Did you mean|It is called/.test(error.message) && !SURE.some(kind => hint.endsWith(SENTENCES[kind]))
    throw hint === '' || isMistyped || error.message.endsWith(hint)
      ? error
      : new InvalidFilter(`${error.message}${hint}`)
  }
}

/** " It looks like …", or nothing where it looks like what was asked for, or like nothing that is known. */
export function looksLike(asked: string, input: unknown): string {
  const kind = typeof input === 'string' ? kindOfText(asked, input.slice(0, LETTERS_MAX)) : kindAsData(asked, input)
  return kind === undefined || kind === asked || areOne(kind, asked) ? '' : ` It looks like ${SENTENCES[kind]}`
}

/** Two that are read alike here. */
function areOne(kind: Kind, asked: string): boolean {
  return [kind, asked].every(one => one === 'sns' || one === 'eventbridge')
}

/** Refuses a pattern of topics that has the wildcards of another language, or of files: it would wait for these very letters. */
export function refuseWildcards(asked: 'mqtt' | 'nats', text: string): void {
  if (asked === 'nats') {
    if (isMqtt(text)) refuse(`${shown(text)} has no wildcard of NATS in it: * and > are.${looksLike('nats', text)}`)
    return
  }
  if (isNats(text)) refuse(`${shown(text)} has no wildcard of MQTT in it: + and # are.${looksLike('mqtt', text)}`)
  if (/(^|\/)\*{1,2}(\/|$)/.test(text))
    refuse(
      `${shown(text)} has a level *, which is no wildcard in a topic: + is one level, and # at the end is all the rest.`,
    )
}

const COMPARED = /^\s*(<=|>=|<>|!=|==|<|>)\s*-?\d/
const COMPARISON = /^(<=|>=|<>|!=|==|=|<|>)$/

/** Refuses a value that is a comparison in letters: nothing equals it. Who means these letters says `equal`. */
export function refuseComparison(value: unknown, where: string): void {
  const [first, second] = Array.isArray(value) ? value : []
  const isPair = typeof first === 'string' && COMPARISON.test(first) && typeof second === 'number'
  const sign = isPair ? first : typeof value === 'string' ? COMPARED.exec(value)?.[1] : undefined
  if (sign === undefined) return
  const given = isPair ? `[${shown(first)}, ${second}]` : shown(value)
  refuse(
    `${where} is ${given}, which is compared letter by letter: a number is compared by { ${OTHERWISE[sign]}: 10 }. Where these letters are meant, write { in: [${isPair ? '…' : given}] }.`,
  )
}

/** Refuses a name with a comparison behind it: no attribute is called so. */
export function refuseComparedName(name: string, where: string): void {
  const sign = /\s(<=|>=|<>|!=|==|=|<|>)\s*$/.exec(name)?.[1]
  if (sign !== undefined)
    refuse(`${where} has a comparison in its name: write { ${name.split(/\s/)[0]}: { ${OTHERWISE[sign]}: … } }.`)
}

function kindOfText(asked: string, text: string): Kind | undefined {
  if (/^\s*[{[]/.test(text)) return kindOfJson(asked, text)
  if (/\battributes\s*[.:]\s*["\w]|\bhasPrefix\s*\(/.test(text)) return 'pubsub'
  if (isNats(text)) return 'nats'
  if (/^\s*["'`]?[\w.-]+["'`]?\s*(<|>|=|!=|(not\s+)?(like|in|between|is)\s)/i.test(text)) return 'expression'
  if (/^\/.+\/[gimsuy]*$/.test(text) && /[\^$*+?()[\]\\|]/.test(text.slice(1, -1)) && !isMqtt(text)) return 'regexp'
  return isMqtt(text) || /^[^\s/]+(\/[^\s/]+)+$/.test(text) ? 'mqtt' : undefined
}

function isMqtt(text: string): boolean {
  return text.startsWith('$share/') || /(^|\/)[+#](\/|$)/.test(text)
}

function isNats(text: string): boolean {
  return !/[\s/]/.test(text) && /\.[*](\.|$)|^[*]\.|\.>$|^>$/.test(text)
}

/** Where text was asked for, any object may be a filter of ours. */
function kindAsData(asked: string, input: unknown): Kind | undefined {
  return kindOfData(asked, input) ?? (TEXTS.includes(asked) && isPlainObject(input) ? 'own' : undefined)
}

/** For a language that is text: what the JSON looks like. */
function kindOfJson(asked: string, text: string): Kind | undefined {
  if (!TEXTS.includes(asked)) return 'json'
  try {
    return kindAsData(asked, JSON.parse(text))
  } catch {
    return undefined
  }
}

const TEXTS: readonly string[] = ['pubsub', 'mqtt', 'nats']
const JOINTS = ['$or', '$and', '$not', '$any', '$queue']
const DIALECTS = ['exact', 'prefix', 'suffix', 'all', 'any', 'not', 'sql']
const MATCHERS = ['prefix', 'suffix', 'equals-ignore-case', 'wildcard', 'cidr', 'numeric', 'exists', 'anything-but']
const OPERATORS = ['lt', 'lte', 'gt', 'gte', 'equal', 'in', 'not', 'ignoreCase', 'topic', 'exists', 'prefix', 'suffix']
const CLAUSES = ['bool', 'term', 'terms', 'range', 'match', 'match_phrase', 'wildcard', 'query', 'must', 'must_not']
const ENVELOPE = ['detail', 'detail-type', 'source', 'resources', 'account', 'region']

function kindOfData(asked: string, input: unknown): Kind | undefined {
  if (input instanceof RegExp) return 'regexp'
  if (Array.isArray(input)) return input.length > 0 && isDialect(input[0]) ? 'cloudevents' : undefined
  if (!isPlainObject(input)) return undefined
  const names = namesOf(input)
  const parts = partsOf(input, 0)
  if (parts.some(({ name }) => name.startsWith('$') && !JOINTS.includes(name))) return 'mongodb'
  if (names.length === 1 && isDialect(input)) return 'cloudevents'
  if (names.some(name => /^(and|or|not|all|any|none)$/i.test(name) && isFilters(input[name]))) return 'words'
  if (names.some(name => CLAUSES.includes(name) && isPlainObject(input[name]) && !isOperators(input[name])))
    return 'elasticsearch'
  if (parts.some(({ value }) => value instanceof RegExp)) return 'regexp'
  if (
    parts.some(({ value }) => isMatchers(value)) ||
    (asked !== 'own' && names.every(name => Array.isArray(input[name])))
  )
    return names.some(name => ENVELOPE.includes(name)) ? 'eventbridge' : 'sns'
  if (names.some(name => isPlainObject(input[name]) && hasLists(input[name]))) return 'eventbridge'
  return asked !== 'own' && parts.some(({ value }) => isOperators(value)) ? 'own' : undefined
}

interface Part {
  readonly name: string
  readonly value: unknown
}

/** Names and values of an object and of what is in it. */
function partsOf(input: unknown, level: number): readonly Part[] {
  if (level > LEVELS_MAX) return []
  const inside = Array.isArray(input) ? input.slice(0, LOOKED_AT_MAX).map(value => ({ name: '', value })) : undefined
  const own = inside ?? (isPlainObject(input) ? namesOf(input).map(name => ({ name, value: input[name] })) : [])
  return own.flatMap(part => [part, ...partsOf(part.value, level + 1)])
}

function namesOf(input: object): readonly string[] {
  return Object.keys(input).slice(0, LOOKED_AT_MAX)
}

/** { prefix: { type: 'com.' } }, { all: [ … ] }. */
function isDialect(input: unknown, level = 0): boolean {
  if (!isPlainObject(input) || level > LEVELS_MAX) return false
  const [name = '', ...more] = namesOf(input)
  if (more.length > 0 || !DIALECTS.includes(name)) return false
  const value = input[name]
  if (name === 'all' || name === 'any') return Array.isArray(value) && isDialect(value[0], level + 1)
  if (name === 'not') return isDialect(value, level + 1)
  if (name === 'sql') return typeof value === 'string'
  return isPlainObject(value) && namesOf(value).every(one => typeof value[one] === 'string')
}

/** [{ prefix: 'x' }, 'y']: alternatives as Amazon writes them. */
function isMatchers(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value
    .slice(0, LOOKED_AT_MAX)
    .some(one => isPlainObject(one) && namesOf(one).every(name => MATCHERS.includes(name)))
}

/** A filter, or several: no value of an attribute. */
function isFilters(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length > 0 && isPlainObject(value[0]) && !isMatchers(value)
    : isPlainObject(value) && !isOperators(value)
}

function isOperators(value: unknown): boolean {
  return isPlainObject(value) && namesOf(value).some(name => OPERATORS.includes(name))
}

/** Lists below names: { state: ['running'] }, and `in` and `not` of ours are none. */
function hasLists(value: Record<string, unknown>): boolean {
  return namesOf(value).some(name => Array.isArray(value[name]) && !OPERATORS.includes(name))
}
