// What each language's own documents, or the real implementation, say of single cases. The lines about arrays, null,
// numbers, case and absence in EventBridge were run against Event Ruler (337e8d9).

import { describe, expect, it } from 'vitest'
import { decodeFilter, encodeFilter, matches, parseFilter } from '../filter.ts'
import { InvalidFilter, parseAttributes } from '../index.ts'
import { flatten, languageNamed, languages } from './index.ts'

type Case = readonly [what: string, filter: unknown, event: Record<string, unknown>, expected: boolean]

const FACTS: Readonly<Record<string, readonly Case[]>> = {
  own: [['an empty filter', {}, {}, true]],
  sns: [
    ['an empty policy', {}, {}, true],
    [
      'anything-but on a list with another item',
      { sport: [{ 'anything-but': ['rugby'] }] },
      { sport: ['rugby', 'baseball'] },
      true,
    ],
    ['anything-but on a list of only those', { sport: [{ 'anything-but': ['rugby'] }] }, { sport: ['rugby'] }, false],
    ['anything-but, absent', { sport: [{ 'anything-but': ['rugby'] }] }, {}, false],
    ['attributes are joined by AND', { a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
    ['$or', { $or: [{ a: ['x'] }, { b: [{ exists: false }] }] }, { a: 'y' }, true],
    ['a number is no text', { a: ['3'] }, { a: 3 }, false],
    ['a range', { p: [{ numeric: ['>', 0, '<=', 150] }] }, { p: 150 }, true],
    ['outside of a range', { p: [{ numeric: ['>', 0, '<=', 150] }] }, { p: 0 }, false],
    ['body with nested keys', { store: { city: ['Bonn'] } }, { 'store.city': 'Bonn' }, true],
  ],
  eventbridge: [
    ['anything-but, absent', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['a value or absent', { a: ['a', { exists: false }] }, {}, true],
    ['an empty list is absent', { a: [{ exists: true }] }, { a: [] }, false],
    ['an empty list does not exist', { a: [{ exists: false }] }, { a: [] }, true],
    ['null exists', { a: [{ exists: true }] }, { a: null }, true],
    ['null equals null', { a: [null] }, { a: null }, true],
    ['null is anything but x', { a: [{ 'anything-but': 'x' }] }, { a: null }, true],
    ['300 = 3e2', { a: [300] }, { a: 3e2 }, true],
    ["300 ≠ '300'", { a: ['300'] }, { a: 300 }, false],
    ['-0 = 0', { a: [{ numeric: ['=', 0] }] }, { a: -0 }, true],
    ['prefix of a number', { a: [{ prefix: '3' }] }, { a: 300 }, false],
    ['prefix of one item', { a: [{ prefix: 'x' }] }, { a: ['a', 'xb'] }, true],
    ['both ends of a range on one item', { a: [{ numeric: ['>', 1, '<', 10] }] }, { a: [0, 20] }, false],
    ['case', { a: [{ 'equals-ignore-case': 'STRASSE' }] }, { a: 'straße' }, true],
    ['prefix without case', { a: [{ prefix: { 'equals-ignore-case': 'EVENT' } }] }, { a: 'eventBridge' }, true],
    ['nested', { detail: { state: ['running'] } }, { 'detail.state': 'running' }, true],
    ['$or below a name', { detail: { $or: [{ a: [1] }, { b: [2] }] } }, { 'detail.b': 2 }, true],
    ['wildcard with a star of its own', { a: [{ wildcard: 'a\\*b*' }] }, { a: 'a*bc' }, true],
    ['anything but several prefixes', { a: [{ 'anything-but': { prefix: ['x', 'y'] } }] }, { a: 'yes' }, false],
    ['cidr', { a: [{ cidr: '10.0.0.0/24' }] }, { a: '10.0.0.255' }, true],
  ],
  pubsub: [
    ['the empty expression', '', {}, true],
    ['!= holds where it is absent', 'attributes.name != "com"', {}, true],
    ['NOT = holds where it is absent', 'NOT attributes.name = "com"', {}, true],
    ['a minus is NOT', '-attributes:name', {}, true],
    ['a name in quotes', 'attributes:"iana.org/language_tag"', { 'iana.org/language_tag': 'en' }, true],
    ['parentheses', 'attributes:a AND (attributes:b OR attributes:c)', { a: '', c: '' }, true],
    ['an escaped quote', 'attributes.a = "say \\"hi\\""', { a: 'say "hi"' }, true],
    ['a code point', 'attributes.a = "\\u00e9"', { a: 'é' }, true],
    ['hasPrefix', 'hasPrefix(attributes.domain, "co")', { domain: 'com' }, true],
    ['NOT twice', 'NOT NOT attributes:a', { a: 'x' }, true],
  ],
  cloudevents: [
    ['no filters', [], {}, true],
    ['not holds where it is absent', { not: { exact: { a: 'x' } } }, {}, true],
    ['all attributes of one dialect', { exact: { a: 'x', b: 'y' } }, { a: 'x' }, false],
    ['any', { any: [{ prefix: { type: 'com.' } }, { suffix: { type: '.created' } }] }, { type: 'x.created' }, true],
    ['several filters are all', [{ exact: { a: 'x' } }, { exact: { b: 'y' } }], { a: 'x', b: 'y' }, true],
  ],
  mqtt: [
    ['# also holds for its parent', 'a/#', { topic: 'a' }, true],
    ['# holds for all below', 'a/#', { topic: 'a/b/c' }, true],
    ['+ is one level', 'a/+', { topic: 'a/b/c' }, false],
    ['+ may be empty', 'a/+', { topic: 'a/' }, true],
    ['+ does not hold for no level', 'a/+', { topic: 'a' }, false],
    ['a leading slash is a level', '+/+', { topic: '/finance' }, true],
    ['# does not hold for $SYS', '#', { topic: '$SYS/monitor' }, false],
    ['+ does not hold for $SYS', '+/monitor', { topic: '$SYS/monitor' }, false],
    ['$SYS by its name', '$SYS/#', { topic: '$SYS/monitor' }, true],
    ['levels differ by case', 'A', { topic: 'a' }, false],
    ['a shared subscription', '$share/team/a/#', { topic: 'a/b' }, true],
    ['a topic with NUL is none', 'a/+', { topic: 'a/\0' }, false],
    ['the empty text is no topic', '#', { topic: '' }, false],
    ['more levels than allowed are no topic', '#', { topic: Array(33).fill('a').join('/') }, false],
  ],
  nats: [
    ['> needs one token', 'a.>', { topic: 'a' }, false],
    ['> holds for more', 'a.>', { topic: 'a.b.c' }, true],
    ['> holds for $', '>', { topic: '$SYS.x' }, true],
    ['* is one token', 'a.*.c', { topic: 'a.b.c' }, true],
    ['no token is empty', 'a.*', { topic: 'a.' }, false],
    ['slashes are letters', 'a/b.*', { topic: 'a/b.c' }, true],
  ],
}

const REFUSED: Readonly<Record<string, readonly (readonly [unknown, RegExp])[]>> = {
  own: [
    [null, /a plain object is needed/],
    [new Date(0), /a plain object is needed/],
    [{ $nor: [] }, /\$nor is not known.*It is called \$not around \$or here/],
    [{ a: { lt: 'm' } }, /numbers are compared with numbers/],
    [{ a: { lt: Number.NaN } }, /finite/],
    [{ a: { gt: Number.POSITIVE_INFINITY } }, /finite/],
    [{ a: Number.NaN }, /finite/],
    [{ a: 10n }, /bigint/],
    [{ a: undefined }, /undefined/],
    [{ a: '\ud800' }, /surrogate/],
    [{ '\udfff': 1 }, /no name of an attribute/],
    [{ ['x'.repeat(65)]: 1 }, /no name of an attribute/],
    [{ a: 'x'.repeat(1025) }, /longer than 1024/],
    [{ a: {} }, /asks nothing/],
    [{ a: { exists: 1 } }, /true or false/],
    [{ a: { exists: false, gt: 1 } }, /must not exist/],
    [{ a: { not: [] } }, /empty list/],
    [{ $or: [] }, /list of one filter or more/],
    [{ topic: 'eu/+/x' }, /which no topic equals/],
    [{ topic: { topic: 'a\0b' } }, /NUL/],
    [{ a: { cidr: '10.0.0.0/33' } }, /block of addresses/],
    [{ a: { wildcard: 'a\\b' } }, /backslash/],
    [{ $any: [[{ attribute: 'a', some: true, tests: [{ op: 'eval', not: false }] }]] }, /no test/],
    [{ $any: [], more: 1 }, /beside \$any/],
    [{ a: { in: Array.from({ length: 1025 }, (_, i) => i) } }, /list of 1025 values/],
  ],
  sns: [
    [{ a: 'x' }, /list of alternatives is needed/],
    [{ a: [] }, /empty list/],
    [{ a: [{ numeric: ['<'] }] }, /it must be like/],
    [{ a: [{ numeric: ['<', 10, '>', 1] }] }, /must come first/],
    [{ a: [{ numeric: ['>', 10, '<', 1] }] }, /empty range/],
    [{ a: [{ prefx: 'x' }] }, /Did you mean 'prefix'/],
    [{ a: [{ prefix: 'x', suffix: 'y' }] }, /2 names/],
  ],
  eventbridge: [
    [{}, /empty/],
    [{ detail: {} }, /empty object/],
    [{ $or: [{ a: [1] }] }, /two alternatives or more/],
    [{ a: [{ wildcard: 'a**b' }] }, /two stars/],
    [{ a: [['x']] }, /alternative of "a"/],
    [{ a: [{ 'anything-but': [] }] }, /empty list/],
  ],
  pubsub: [
    [7, /is text/],
    ['attributes:a AND attributes:b OR attributes:c', /parentheses/],
    ['attributes.a == "x"', /is expected/],
    ['attributes.a = x', /text is expected/],
    ['attributes:a attributes:b', /AND or OR is expected/],
    ['(attributes:a', /is expected, and it ends/],
    ['attributes.a = "\\q"', /cannot be read/],
    ['data = "x"', /"attributes" is expected/],
    ['attributes.a = "\\ud800"', /surrogate/],
    ['('.repeat(40_000), /nested deeper/],
  ],
  cloudevents: [
    [{ sql: "type = 'x'" }, /CESQL/],
    [{ exact: { a: 1 } }, /must be text/],
    [{ exact: {} }, /object of attributes/],
    [{ any: [] }, /one filter or more/],
    [{ prefix: { a: 'x' }, suffix: { a: 'y' } }, /one dialect/],
    [{ exakt: { a: 'x' } }, /Did you mean 'exact'/],
  ],
  mqtt: [
    ['', /empty text/],
    ['a/#/b', /# must be the last/],
    ['a+/b', /whole levels/],
    ['a/b#', /whole levels/],
    ['a\0', /NUL/],
    ['$share/team', /shared subscription/],
    ['$share/+/a', /shared subscription/],
    [`$share/${'é'.repeat(33)}/a`, /shared subscription/],
    ['$share/\ud800/a', /shared subscription/],
    ['x'.repeat(513), /512 bytes/],
    [Array(33).fill('a').join('/'), /33 levels/],
    [7, /is text/],
  ],
  nats: [
    ['a..b', /no token may be empty/],
    ['a.>.b', /> must be the last/],
    ['a.b*', /whole tokens/],
    ['a b', /white space/],
  ],
}

describe.each(languages)('$name', ({ name, example, parse }) => {
  it('accepts its example', () => {
    expect(parse(example).$any.length).toBeGreaterThan(0)
    expect(parseFilter(parse(example))).toEqual(parse(example))
  })
  it.each(FACTS[name]!)('%s', (_what, filter, event, expected) => {
    expect(matches(parse(filter), parseAttributes(event))).toBe(expected)
  })
  it.each(REFUSED[name]!.map(([filter, sentence]) => [sentence, filter] as const))(
    'refuses: %s',
    (sentence, filter) => {
      expect(() => parse(filter)).toThrow(InvalidFilter)
      expect(() => parse(filter)).toThrow(sentence)
      expect(() => parse(filter)).toThrow(/\.$|\?$/)
    },
  )
})

describe.each(languages.filter(({ form }) => form === 'data'))('bad input to $name', ({ name, parse }) => {
  const wrap: Readonly<Record<string, (inner: unknown) => object>> = {
    own: inner => ({ $and: [inner] }),
    sns: inner => ({ $or: [inner, { a: ['x'] }] }),
    eventbridge: inner => ({ detail: inner }),
    cloudevents: inner => ({ not: inner }),
  }
  it('a cycle is refused', () => {
    const filter = wrap[name]!(undefined) as Record<string, unknown>
    const [key] = Object.keys(filter)
    if (Array.isArray(filter[key!])) (filter[key!] as unknown[])[0] = filter
    else filter[key!] = filter
    expect(() => parse(filter)).toThrow(/nested deeper than 32 levels, or holds itself/)
  })
  it('a million levels are refused', () => {
    let filter: unknown = { a: ['x'] }
    for (let level = 0; level < 1_000_000; level++) filter = wrap[name]!(filter)
    expect(() => parse(filter)).toThrow(/nested deeper/)
  })
  it('a part that doubles at each level is refused, soon', () => {
    const double: Readonly<Record<string, (inner: unknown) => object>> = {
      own: inner => ({ $and: [inner, inner] }),
      sns: inner => ({ $or: [inner, inner] }),
      eventbridge: inner => ({ $or: [inner, inner] }),
      cloudevents: inner => ({ all: [inner, inner] }),
    }
    let filter: unknown = name === 'cloudevents' ? { exact: { a: 'x' } } : { a: ['x'] }
    for (let level = 0; level < 30; level++) filter = double[name]!(filter)
    expect(() => parse(filter)).toThrow(/more than 4096 parts/)
  })
})

it.each<[string, unknown]>([
  ['sns', Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`key${at}`, ['x']]))],
  ['sns', { key: Array.from({ length: 200 }, (_, at) => `value ${at}`) }],
  ['eventbridge', { detail: { key: [{ 'anything-but': Array.from({ length: 200 }, (_, at) => `value ${at}`) }] } }],
  ['pubsub', `attributes.key = "${'x'.repeat(300)}"`],
])('%s: the limits of the service itself on keys, values and bytes are not ours', (name, filter) => {
  expect(languageNamed(name).parse(filter).$any).toHaveLength(1)
})

describe('counts are computed before anything is multiplied out', () => {
  it('a product of alternatives is refused with its count', () => {
    const choice = (name: string) => ({ $or: [{ [name]: { lt: 1 } }, { [name]: { gt: 2 } }] })
    const parts = Array.from({ length: 9 }, (_, at) => choice(`a${at}`))
    expect(() => parseFilter({ $and: parts })).toThrow('512 clauses when its alternatives are written out: at most 256')
  })
  it('overlapping $not stay small', () => {
    const values = Array.from({ length: 500 }, (_, at) => ({ a: at }))
    const filter = parseFilter({ $not: { $or: [...values, { $not: { $not: { $or: values } } }] } })
    expect(filter.$any).toHaveLength(1)
    expect(filter.$any[0]).toHaveLength(1)
    expect(matches(filter, { a: 499 })).toBe(false)
    expect(matches(filter, { a: 500 })).toBe(true)
    expect(matches(filter, {})).toBe(true)
  })
  it('33 predicates of a clause are refused, 32 are not', () => {
    const clause = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, at]))
    expect(parseFilter(clause(32)).$any[0]).toHaveLength(32)
    expect(() => parseFilter(clause(33))).toThrow(/33 predicates: at most 32/)
  })
  it('a filter of more than 64 KiB is refused', () => {
    const list = Array.from({ length: 100 }, (_, at) => `${at}${'x'.repeat(900)}`)
    expect(() => parseFilter({ a: list })).toThrow(/bytes: at most 65536/)
  })
})

describe('at the edge of numbers and texts', () => {
  it.each([
    [{ a: { lt: -Number.MAX_VALUE } }, { a: 1 }, false],
    [{ a: { not: { lt: -Number.MAX_VALUE } } }, { a: 1 }, true],
    [{ $not: { a: { gt: Number.MAX_VALUE } } }, { a: 1 }, true],
    [{ a: { not: { in: [] } } }, { a: 1 }, true],
    [{ a: { not: { in: [] } } }, {}, false],
    [{ a: { gte: Number.MAX_VALUE } }, { a: Number.MAX_VALUE }, true],
    [{ a: { lt: 5e-324 } }, { a: 0 }, true],
  ])('%j on %j', (source, event, expected) => {
    const filter = parseFilter(source)
    expect(matches(filter, event)).toBe(expected)
    expect(decodeFilter(encodeFilter(filter))).toEqual({ ok: true, value: filter })
  })
  it('a text that grows beyond the limit when its case is taken away is refused', () => {
    const grows = '\u0390'.repeat(512)
    expect(() => parseFilter({ a: { ignoreCase: grows } })).toThrow(/once its case is taken away/)
    const fits = parseFilter({ a: { ignoreCase: '\u0390'.repeat(170) } })
    expect(decodeFilter(encodeFilter(fits))).toEqual({ ok: true, value: fits })
  })
  it('more tests of one item than allowed are refused', () => {
    const texts = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`)
    const policy = (count: number) => ({ a: [{ 'anything-but': { prefix: texts(count) } }] })
    expect(languageNamed('sns').parse(policy(64)).$any[0]![0]!.tests).toHaveLength(64)
    expect(() => languageNamed('sns').parse(policy(65))).toThrow(/list of 65: at most 64/)
  })
  it('lists with holes, and four billion long, are refused at once', () => {
    const holes = new Array(4_000_000_000 >>> 0)
    expect(() => parseFilter({ $or: holes })).toThrow(InvalidFilter)
    expect(() => parseFilter({ a: { in: holes } })).toThrow(InvalidFilter)
    expect(() => parseFilter({ $any: holes })).toThrow(InvalidFilter)
    expect(() => languageNamed('cloudevents').parse({ all: holes })).toThrow(InvalidFilter)
    expect(() => languageNamed('sns').parse({ a: holes })).toThrow(InvalidFilter)
  })
})

describe('events', () => {
  it.each([
    [{ a: Number.NaN }, /finite/],
    [{ a: { b: 1 } }, /an object/],
    [{ a: [[1]] }, /a list/],
    [{ a: Array(17).fill(1) }, /list of 17/],
    [{ a: '\ud800' }, /surrogate/],
    [{ '': 1 }, /needs a name/],
    [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a${at}`, 1])), /33 attributes/],
    [null, /plain object/],
  ])('%j is refused', (event, sentence) => {
    expect(() => parseAttributes(event)).toThrow(sentence)
  })
  it('that are nested become flat, but for lists of objects', () => {
    expect({ ...flatten({ detail: { state: 'on', ids: [1, 2] } }) }).toEqual({
      'detail.state': 'on',
      'detail.ids': [1, 2],
    })
    expect(() => flatten({ items: [{ a: 1 }, { b: 2 }] })).toThrow(/list of objects/)
    expect(() => flatten({ 'a.b': 1, a: { b: 2 } })).toThrow(/"a.b" is there twice/)
    expect(() => flatten({ a: { b: 2 }, 'a.b': 1 })).toThrow(/"a.b" is there twice/)
    const cycle: Record<string, unknown> = {}
    cycle.a = cycle
    expect(() => flatten(cycle)).toThrow(/holds itself/)
  })
  it('with __proto__ as a name change no prototype', () => {
    const event = flatten(JSON.parse('{"__proto__": {"polluted": "yes"}}'))
    expect(Object.keys(event)).toEqual(['__proto__.polluted'])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

it('NUL is in no topic and in no pattern of one (MQTT-1.5.4-2)', () => {
  for (const name of ['mqtt', 'nats']) {
    expect(() => languageNamed(name).parse('a\0b'), name).toThrow(/the character NUL is not allowed/)
    expect(matches(languageNamed(name).parse(name === 'mqtt' ? 'a/#' : 'a.>'), { topic: 'a/\0' }), name).toBe(false)
  }
  expect(() => languageNamed('mqtt').parse('$share/work\0/a')).toThrow(InvalidFilter)
})

it('a language that is not there is refused with those that are', () => {
  expect(() => languageNamed('natz')).toThrow(/own, sns, eventbridge.*Did you mean 'nats'/)
})
