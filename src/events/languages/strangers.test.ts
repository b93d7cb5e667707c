// Words of one language in another: a sentence that says which language it looks like, and never a filter that waits for nothing.

import { describe, expect, it } from 'vitest'
import { InvalidFilter, matches, parseFilter } from '../index.ts'
import { languageNamed } from './index.ts'

const SNS = 'It looks like a filter policy of Amazon SNS: sns(…) reads it, on the command line --language sns.'
const BRIDGE = '--language eventbridge.'
const CLOUD = '--language cloudevents.'
const PUBSUB = '--language pubsub.'
const OWN = '--language own.'
const MONGO = 'It looks like a query of MongoDB'
const ELASTIC = 'It looks like a query of Elasticsearch'
const SQL = 'It looks like an expression, as in SQL'
const WORDS = 'It looks like filters put together by a word'

/** Written into the language, and what the refusal says. */
const STRANGERS: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
  own: [
    [{ price: [{ numeric: ['<', 10] }] }, SNS],
    [{ symbol: ['B', { prefix: 'AC' }] }, SNS],
    [{ $or: [{ a: [{ exists: false }] }, { b: ['x'] }] }, SNS],
    [{ detail: { state: ['running'] } }, BRIDGE],
    [{ source: ['aws.ec2'], detail: { state: [{ prefix: 'stop' }] } }, BRIDGE],
    [{ price: { $gt: 5 } }, MONGO],
    [{ $nor: [{ a: 1 }] }, MONGO],
    [{ $and: [{ tags: { $elemMatch: { a: 1 } } }] }, MONGO],
    [{ price: '>= 10' }, '{ gte: 10 }'],
    [{ price: '<10' }, '{ lt: 10 }'],
    [{ price: ['<', 10] }, '{ lt: 10 }'],
    [{ 'price >=': 10 }, '{ price: { gte: … } }'],
    [{ price: { '>=': 10 } }, 'It is called gte here.'],
    [{ price: { eq: 10 } }, 'It is called equal here.'],
    [{ name: { startsWith: 'A' } }, 'It is called prefix here.'],
    [{ name: { contains: 'A' } }, 'It is called wildcard here.'],
    [{ name: { 'anything-but': ['A'] } }, 'It is called not here.'],
    [{ name: /^A/ }, 'It looks like a regular expression'],
    [/^A/, 'It looks like a regular expression'],
    [{ OR: [{ a: 1 }, { b: 1 }] }, WORDS],
    [{ not: { a: 1 } }, WORDS],
    [{ bool: { must: [{ term: { a: 1 } }] } }, ELASTIC],
    [{ range: { price: { gte: 10 } } }, ELASTIC],
    [[{ prefix: { type: 'com.' } }], CLOUD],
    [{ any: [{ exact: { type: 'x' } }] }, CLOUD],
    ['attributes.symbol = "ACME"', PUBSUB],
    ['hasPrefix(attributes.a, "x")', PUBSUB],
    ['eu/+/ACME', '--language mqtt.'],
    ['eu/xetra', '--language mqtt.'],
    ['eu.*.ACME', '--language nats.'],
    ['eu.>', '--language nats.'],
    ['price >= 10', SQL],
    ["symbol LIKE 'AC%'", SQL],
    ['{"price":{"lt":10}}', 'It looks like text with JSON in it: JSON.parse(…) first.'],
    [{ topic: 'eu.*.ACME' }, '--language nats.'],
    [{ topic: { topic: 'eu.>' } }, '--language nats.'],
    [{ topic: 'eu/*/ACME' }, '+ is one level'],
  ],
  sns: [
    [{ price: { lt: 10 } }, OWN],
    [{ price: { $gt: 5 } }, MONGO],
    [{ price: ['<', 10] }, '[{ "numeric": ["<", 10] }]'],
    [{ a: { 'anything-but': ['x'] } }, '[{ "anything-but": … }]'],
    [[{ exact: { type: 'x' } }], CLOUD],
    ['eu/#', '--language mqtt.'],
  ],
  eventbridge: [
    [{ price: { gte: 10 } }, OWN],
    [{ exact: { type: 'x' } }, CLOUD],
    ['attributes:a', PUBSUB],
  ],
  pubsub: [
    ['{"price": {"lt": 10}}', OWN],
    ['{"price": [{"numeric": ["<", 10]}]}', SNS],
    [{ price: { lt: 10 } }, OWN],
    ['eu/+', '--language mqtt.'],
    ['price = 10', SQL],
  ],
  cloudevents: [
    [{ price: { lt: 10 } }, OWN],
    [{ price: [{ numeric: ['<', 10] }] }, SNS],
    [{ price: { $gt: 5 } }, MONGO],
  ],
  mqtt: [
    ['eu.*.ACME', '--language nats.'],
    ['eu.>', '--language nats.'],
    ['eu/*/ACME', '+ is one level'],
    ['eu/**', '+ is one level'],
    [{ price: { lt: 10 } }, OWN],
  ],
  nats: [
    ['eu/+/ACME', '--language mqtt.'],
    ['eu/#', '--language mqtt.'],
    ['$share/team/eu', '--language mqtt.'],
    [{ price: { lt: 10 } }, OWN],
  ],
}

describe.each(Object.entries(STRANGERS))('%s', (name, strangers) => {
  it.each(strangers)('refuses %j and says what it looks like', (input, says) => {
    const parse = () => languageNamed(name).parse(input)
    expect(parse).toThrow(InvalidFilter)
    expect(parse).toThrow(says)
  })
})

it('guesses nothing where a word is only mistyped, or where nothing is known', () => {
  expect(() => parseFilter({ price: { inn: [1] } })).toThrow(/Did you mean 'in'\?$/)
  expect(() => parseFilter({ price: { lt: '10' } })).toThrow(/numbers are compared with numbers\.$/)
  expect(() => parseFilter(5)).toThrow(/such as \{ price: \{ lt: 10 \} \}\.$/)
})

it('takes letters that mean themselves where they are said to', () => {
  expect(matches(parseFilter({ a: { equal: '>= 10' } }), { a: '>= 10' })).toBe(true)
  expect(matches(parseFilter({ a: { in: ['<', 10] } }), { a: '<' })).toBe(true)
  expect(matches(parseFilter({ a: '<b>10</b>' }), { a: '<b>10</b>' })).toBe(true)
  expect(matches(parseFilter({ topic: { equal: 'eu/*/x' } }), { topic: 'eu/*/x' })).toBe(true)
})

it('looks at little of what is large or holds itself', () => {
  const held: Record<string, unknown> = { price: 'x' }
  for (let n = 0; n < 100; n++) held[`a${n}`] = held
  expect(() => parseFilter({ list: [held], held })).toThrow(InvalidFilter)
  expect(() => parseFilter(`{"a":${'['.repeat(100_000)}`)).toThrow(InvalidFilter)
})
