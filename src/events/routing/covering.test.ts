// H4.2 and H4.3: covering is sound, hulls are wide enough, and b + 1 trees leave b liars nobody to cut.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventsDefaults } from '../defaults.ts'
import { type Clause, encodeFilter, type Filter, matches, parseFilter } from '../filter.ts'
import { FILTER_BYTES_MAX } from '../limits.ts'
import type { Attributes } from '../values.ts'
import { covers } from './covering.ts'
import { CLAUSE_BYTES_MAX } from './limits.ts'
import { cheapest, hull } from './merging.ts'
import { degreeOf, innerOf, neighboursOf, orderOf, placesIn } from './overlay.ts'
import { covering } from './patterns.ts'
import { fitting } from './wire.ts'

const text = fc.constantFrom('a', 'ab', 'abc', 'b', 'B', '')
const number = fc.integer({ min: 0, max: 6 })
const item = fc.oneof(text, number, fc.boolean())
const value = fc.oneof(item, fc.array(item, { maxLength: 3 }))
const event: fc.Arbitrary<Attributes> = fc.dictionary(fc.constantFrom('x', 'y', 'topic'), value, { maxKeys: 3 })
const operator = fc.oneof(
  item,
  fc.array(item, { minLength: 1, maxLength: 3 }),
  fc.record({ prefix: fc.constantFrom('a', 'ab', 'b') }),
  fc.record({ suffix: fc.constantFrom('b', 'bc', 'c') }),
  fc.record({ not: item }),
  fc.record({ not: fc.record({ prefix: fc.constantFrom('a', 'ab') }) }),
  fc.record({ not: fc.record({ gte: number }) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ ignoreCase: text }),
  fc.record({ gte: number }),
  fc.record({ lt: number }),
  fc.tuple(number, number).map(([a, b]) => ({ gte: Math.min(a, b), lte: Math.max(a, b) })),
)
const plain = fc.dictionary(fc.constantFrom('x', 'y'), operator, { minKeys: 1, maxKeys: 2 })
const clause: fc.Arbitrary<Clause> = fc
  .oneof(
    { weight: 3, arbitrary: plain },
    plain.map(one => ({ $not: one })),
  )
  .map(one => parseFilter(one))
  .filter(({ $any }) => $any.length === 1)
  .map(({ $any }) => $any[0]!)

const filterOf = (one: Clause): Filter => ({ $any: [one] })

describe('covering', () => {
  it('is sound: what the narrow one matches, the wide one does', () => {
    let covered = 0
    fc.assert(
      fc.property(clause, clause, fc.array(event, { minLength: 12, maxLength: 12 }), (wide, narrow, events) => {
        if (!covers(wide, narrow)) return
        covered++
        for (const one of events) if (matches(filterOf(narrow), one)) expect(matches(filterOf(wide), one)).toBe(true)
      }),
      { numRuns: 6_000 },
    )
    expect(covered).toBeGreaterThan(150)
  })

  it.each([
    ['a wider range', { x: { lte: 10 } }, { x: { lte: 5 } }, true],
    ['a narrower range', { x: { lte: 5 } }, { x: { lte: 10 } }, false],
    ['fewer attributes', { x: 1 }, { x: 1, y: 2 }, true],
    ['a shorter prefix', { x: { prefix: 'a' } }, { x: { prefix: 'ab' } }, true],
    ['a value in a range', { x: { gte: 1 } }, { x: 3 }, true],
    ['another value is not excluded by one that is there', { x: { not: 'a' } }, { x: 'b' }, true],
    ['in a list, an item that is there does not keep another out', { $not: { x: 'a' } }, { x: 'b' }, false],
    ['absent is none of anything', { $not: { x: 'a' } }, { x: { exists: false } }, true],
    ['everything', {}, { x: 1 }, true],
  ])('%s', (_what, wide, narrow, expected) => {
    expect(covers(parseFilter(wide).$any[0]!, parseFilter(narrow).$any[0]!)).toBe(expected)
  })

  it.each([
    ['mqtt', 'a/#', 'a/b/+', true],
    ['mqtt', 'a/#', 'a', true],
    ['mqtt', '#', '$SYS/x', false],
    ['mqtt', 'a/+', 'a/#', false],
    ['mqtt', '+/b', 'a/b', true],
    ['mqtt', 'a/b', 'a/b/c', false],
    ['nats', 'a.>', 'a.b.c', true],
    ['nats', 'a.>', 'a', false],
    ['nats', '*.b', 'a.b', true],
  ] as const)('topics of %s: %s over %s is %s', (dialect, wide, narrow, expected) => {
    expect(covering(dialect, wide, narrow)).toBe(expected)
  })
})

describe('hulls', () => {
  it('want all that either wants', () => {
    fc.assert(
      fc.property(clause, clause, fc.array(event, { minLength: 10, maxLength: 10 }), (one, other, events) => {
        const both = hull(one, other)
        for (const found of events) {
          if (matches(filterOf(one), found) || matches(filterOf(other), found))
            expect(matches(filterOf(both), found)).toBe(true)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('are made of the two that are nearest', () => {
    const clauses = [{ x: { gte: 0, lte: 1 } }, { x: { gte: 90, lte: 100 } }, { x: { gte: 1, lte: 2 } }].map(
      filter => parseFilter(filter).$any[0]!,
    )
    const { pair, hull: found } = cheapest(clauses)
    expect(pair).toEqual([0, 2])
    expect(found).toEqual(parseFilter({ x: { gte: 0, lte: 2 } }).$any[0])
  })

  it('a clause that is too long is widened until it fits', () => {
    const long = parseFilter({ x: Array.from({ length: 900 }, (_, at) => `value ${at}`), y: 1 }).$any[0]!
    expect(fitting(long)).toEqual(parseFilter({ y: 1 }).$any[0])
    expect(fitting(parseFilter({ y: 1 }).$any[0]!)).toEqual(parseFilter({ y: 1 }).$any[0])
  })

  it('a clause is widened at one byte more than a message holds, and not before', () => {
    const clauseOf = (length: number) =>
      parseFilter({ x: ['a'.repeat(1020), 'b'.repeat(1020), 'c'.repeat(1020), 'd'.repeat(length)], y: 1 }).$any[0]!
    const short = encodeFilter({ $any: [clauseOf(500)] }).length
    const longest = clauseOf(500 + CLAUSE_BYTES_MAX - short)
    expect(encodeFilter({ $any: [longest] })).toHaveLength(CLAUSE_BYTES_MAX)
    expect(fitting(longest)).toBe(longest)
    expect(fitting(clauseOf(501 + CLAUSE_BYTES_MAX - short))).toEqual(parseFilter({ y: 1 }).$any[0])
  })

  it('the channel fits beside the longest filter that there is', () => {
    const values = Array.from({ length: 65 }, (_, at) => String(at).padEnd(1000, 'x'))
    const long = parseFilter({
      x: [...values, 'y'.repeat(FILTER_BYTES_MAX - encodeFilter(parseFilter({ x: [...values, ''] })).length - 1)],
    })
    expect(encodeFilter(long)).toHaveLength(FILTER_BYTES_MAX)
    const channel = parseFilter({ channel: 'c'.repeat(200) }).$any[0]!
    expect(fitting([...channel, ...long.$any[0]!])).toEqual(channel)
  })

  it('the hull of two lists fits into a message', () => {
    const listed = (letter: string) =>
      parseFilter({ x: Array.from({ length: 30 }, (_, at) => `${letter}${at}`.padEnd(100)), y: { gte: 1, lte: 2 } })
        .$any[0]!
    expect(hull(listed('a'), listed('b'))).toEqual(parseFilter({ y: { gte: 1, lte: 2 } }).$any[0])
  })

  it('of clauses that can never hold, as a liar may announce them, is one of them', () => {
    const never = (attribute: string): Clause => [
      { attribute, some: true, tests: [{ op: 'range', not: false, from: 1, to: 0 }] },
    ]
    const price = never('price')
    expect(hull(price, [...price])).toBe(price)
    expect(cheapest([price, [...price]]).hull).toBe(price)
    expect(hull(price, never('volume'))).toEqual([])
  })
})

describe('trees', () => {
  const { hash } = eventsDefaults
  const sizes = [
    [2, 2],
    [3, 1],
    [7, 2],
    [8, 2],
    [9, 3],
    [10, 4],
    [64, 2],
    [64, 4],
  ] as const

  it.each(sizes)(
    '%i members, %i trees: neighbours agree, all are reached, and nobody passes on in two',
    (count, trees) => {
      const members = Array.from({ length: count }, (_, at) => `m${at}`)
      const record = { number: 7, members }
      const inner = new Map<string, number>()
      const links = new Map(members.map(id => [id, neighboursOf(hash, record, id, { trees, degree: 2 })]))
      for (let tree = 0; tree < trees; tree++) {
        const next = (id: string) =>
          links
            .get(id)!
            .filter(one => one.tree === tree)
            .map(({ peer }) => peer)
        for (const id of members) for (const peer of next(id)) expect(next(peer)).toContain(id)
        expect(members.reduce((sum, id) => sum + next(id).length, 0)).toBe(2 * (count - 1))
        const reached = new Set([members[0]!])
        for (const id of reached) for (const peer of next(id)) reached.add(peer)
        expect(reached.size).toBe(count)
        for (const id of members) if (next(id).length > 1) inner.set(id, (inner.get(id) ?? 0) + 1)
      }
      expect(Math.max(0, ...inner.values())).toBeLessThanOrEqual(1)
      expect(placesIn(orderOf(hash, record), 0, trees)).toHaveLength(count)
      expect(degreeOf(count, { trees, degree: 2 }) * innerOf(count, trees)).toBeGreaterThanOrEqual(count - 1)
    },
  )

  it('another list has another order', () => {
    const members = Array.from({ length: 20 }, (_, at) => `m${at}`)
    expect(orderOf(hash, { number: 1, members })).not.toEqual(orderOf(hash, { number: 2, members }))
    expect(neighboursOf(hash, { number: 1, members }, 'stranger', { trees: 2, degree: 2 })).toEqual([])
  })
})
