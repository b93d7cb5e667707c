import { describe, expect, it } from 'vitest'
import { decodeFilter, encodeFilter, explain, type Filter, matches, parseAttributes, parseFilter } from './index.ts'

const match = (filter: unknown, event: unknown) => matches(parseFilter(filter), parseAttributes(event))

describe('our own language', () => {
  it.each<[string, unknown, unknown, boolean]>([
    ['everything', {}, {}, true],
    ['a value', { a: 1 }, { a: 1 }, true],
    ['nothing is converted', { a: 3 }, { a: '3' }, false],
    ['null is a value', { a: null }, { a: null }, true],
    ['null is there', { a: { exists: true } }, { a: null }, true],
    ['minus zero is zero', { a: -0 }, { a: 0 }, true],
    ['a list of values', { a: ['x', 'y'] }, { a: 'y' }, true],
    ['no value of an empty list', { a: { in: [] } }, { a: 'y' }, false],
    ['lt is open', { a: { lt: 10 } }, { a: 10 }, false],
    ['lt', { a: { lt: 10 } }, { a: 9.999999999999998 }, true],
    ['lte is closed', { a: { lte: 10 } }, { a: 10 }, true],
    ['gt is open', { a: { gt: 0 } }, { a: 0 }, false],
    ['gt 0 holds for the smallest number', { a: { gt: 0 } }, { a: 5e-324 }, true],
    ['gte', { a: { gte: -1 } }, { a: -1 }, true],
    ['text is no number', { a: { lt: 10 } }, { a: '9' }, false],
    ['prefix', { a: { prefix: 'AC' } }, { a: 'ACME' }, true],
    ['prefix of a number', { a: { prefix: '1' } }, { a: 12 }, false],
    ['suffix', { a: { suffix: 'ME' } }, { a: 'ACME' }, true],
    ['absent', { a: { exists: false } }, { b: 1 }, true],
    ['an empty list is absent', { a: { exists: false } }, { a: [] }, true],
    ['not, absent', { a: { not: 'x' } }, {}, false],
    ['$not, absent', { $not: { a: 'x' } }, {}, true],
    ['not, an item that is none of these', { a: { not: ['rugby'] } }, { a: ['rugby', 'baseball'] }, true],
    ['$not, a list', { $not: { a: 'a' } }, { a: ['a', 'b'] }, false],
    ['operators of one place speak of one item', { a: { gt: 1, lt: 10 } }, { a: [0, 20] }, false],
    ['in two places of two', { $and: [{ a: { gt: 1 } }, { a: { lt: 10 } }] }, { a: [0, 20] }, true],
    ['not of operators', { a: { not: { prefix: 'x', suffix: 'y' } } }, { a: 'xa' }, true],
    ['not of operators, all passed', { a: { not: { prefix: 'x', suffix: 'y' } } }, { a: 'xy' }, false],
    ['$or', { $or: [{ a: 'x' }, { b: { exists: false } }] }, { b: 1, a: 'x' }, true],
    ['$not of $or', { $not: { $or: [{ a: 1 }, { b: 2 }] } }, { a: 2, b: 2 }, false],
    ['ignoreCase', { a: { ignoreCase: 'STRASSE' } }, { a: 'Straße' }, true],
    ['wildcard', { a: { wildcard: 'a*c*e' } }, { a: 'abcde' }, true],
    ['wildcard, ends do not overlap', { a: { wildcard: 'ab*ba' } }, { a: 'aba' }, false],
    ['cidr', { a: { cidr: '10.1.0.0/15' } }, { a: '10.0.255.1' }, true],
    ['cidr of IPv6', { a: { cidr: '2001:db8::/33' } }, { a: '2001:db8:8000::1' }, false],
    ['topic', { topic: { topic: 'eu/+/ACME' } }, { topic: 'eu/xetra/ACME' }, true],
    ['a name that every object has', { constructor: { exists: true } }, {}, false],
    ['__proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}'), true],
  ])('%s', (_what, filter, event, expected) => {
    expect(match(filter, event)).toBe(expected)
  })

  it('sees no attribute that every object inherits', () => {
    const filter = parseFilter({ constructor: { exists: true } })
    expect(matches(filter, {})).toBe(false)
    expect(matches(filter, { constructor: 1 as never })).toBe(true)
    expect(explain(filter, {}).why).toBe('It does not match: constructor must be there, and the event has nothing.')
  })
  it('is understood as its one form, which is understood as itself', () => {
    const filter = parseFilter({ $or: [{ b: { lt: 3 }, a: ['y', 'x', 'y'] }, { c: { exists: false } }] })
    expect(parseFilter(filter)).toEqual(filter)
    expect(parseFilter(JSON.parse(JSON.stringify(filter)))).toEqual(filter)
    expect(decodeFilter(encodeFilter(filter))).toEqual({ ok: true, value: filter })
  })
  it('refuses bytes that are not in the one form', () => {
    const twice = { $any: [parseFilter({ a: 1 }).$any[0]!, parseFilter({ a: 1 }).$any[0]!] } satisfies Filter
    expect(decodeFilter(encodeFilter(twice))).toEqual({ ok: false, refusal: 'a filter that is not in its one form' })
  })
  it('explains what failed', () => {
    const filter = parseFilter({ price: { lt: 10 }, symbol: { prefix: 'AC' } })
    expect(explain(filter, { price: 12, symbol: 'ACME' }).why).toBe(
      'It does not match: price must be a number below 10, and the event has 12.',
    )
  })
})
