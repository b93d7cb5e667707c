import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Dice, diceOf } from '../../../test/events/random.ts'
import { type Attributes, type Filter, Matcher, matches, parseFilter } from '../index.ts'
import { BUCKET_MAX } from './bucket.ts'
import { ENTRIES_MAX } from './matcher.ts'
import { SHAPES_MAX } from './registry.ts'

/** Filters of few shapes, so that buckets fill; ends and values that meet. */
function filterOf(dice: Dice): Filter {
  const range = () => {
    const from = dice.below(60)
    return dice.of([{ gte: from, lte: from + dice.below(20) }, { lt: from }, { gt: from, lt: from + 9 }, { gte: from }])
  }
  const text = () => dice.of(['ACME', 'ACM', 'AC', 'BOLT', 'BO', 'CRUX'])
  return parseFilter(
    dice.of<() => object>([
      () => ({ x: range() }),
      () => ({ x: range(), y: range() }),
      () => ({ x: range(), y: range(), z: range() }),
      () => ({ x: range(), y: range(), z: range(), w: range() }),
      () => ({ s: text(), x: range() }),
      () => ({ s: { prefix: text() }, x: range() }),
      () => ({ s: { not: [text(), text()] }, x: range() }),
      () => ({ s: { not: text() } }),
      // Rare values, whose vetoes are lists of slots and not rows.
      () => ({ s: { not: [rare(dice), rare(dice)] } }),
      () => ({ s: { not: [rare(dice), rare(dice)] } }),
      () => ({ $not: { s: rare(dice) }, x: range() }),
      () => ({ $not: { s: [text(), text()] }, x: range() }),
      () => ({ $not: { x: range() }, y: range() }),
      () => ({ s: [text(), text(), text()], y: range() }),
      () => ({ $or: [{ x: range() }, { y: range(), s: text() }] }),
      () => ({ $and: [{ x: range() }, { x: range() }] }),
      () => ({ s: { exists: false }, y: range() }),
      () => ({ s: { suffix: text() } }),
    ])(),
  )
}

const rare = (dice: Dice) => `R${dice.below(60)}`

function eventOf(dice: Dice): Attributes {
  const event: Record<string, string | number | (string | number)[]> = {}
  const number = () => dice.below(80)
  for (const name of ['x', 'y', 'z', 'w']) {
    if (dice.chance(0.1)) continue
    event[name] = dice.chance(0.1) ? [number(), number(), 'ACME'].slice(0, dice.below(4)) : number()
  }
  if (dice.chance(0.8))
    event.s = dice.chance(0.15)
      ? ['ACME', 'BOLT']
      : dice.of(['ACME', 'BOLT', 'CRUX', 'ACTS', 'BOND', rare(dice), rare(dice)])
  return event
}

const sorted = (ids: Iterable<number>) => [...ids].sort((a, b) => a - b)

describe('the index', () => {
  it('finds what was added since a bucket was sorted, also where nothing that was sorted lies', () => {
    const matcher = new Matcher<string>()
    const add = (symbol: string, from: number) =>
      matcher.add(`${symbol} ${from}`, parseFilter({ symbol, price: { gte: from, lt: from + 1 } }))
    // The cells of the attribute are shared: those of B are empty in the bucket of A.
    for (let from = 0; from < 300; from++) add('B', 1000 + from)
    for (let from = 0; from < 40; from++) add('A', from)
    add('A', 1100)
    expect(matcher.match({ symbol: 'A', price: 1100.5 })).toEqual(['A 1100'])
  })

  it('names exactly those that match, while filters come and go', () => {
    let pairs = 0
    fc.assert(
      fc.property(fc.nat(), seed => {
        const dice = diceOf(seed)
        const matcher = new Matcher<number>()
        const filters = new Map<number, Filter>()
        for (let round = 0; round < 4; round++) {
          for (let i = 0; i < 700; i++) {
            const id = dice.below(2000)
            if (dice.chance(round === 3 ? 0.8 : 0.2)) {
              expect(matcher.remove(id)).toBe(filters.delete(id))
              continue
            }
            const filter = filterOf(dice)
            matcher.add(id, filter)
            filters.set(id, filter)
          }
          for (let i = 0; i < 6; i++) {
            const event = eventOf(dice)
            const expected = [...filters].filter(([, filter]) => matches(filter, event)).map(([id]) => id)
            expect(sorted(matcher.match(event))).toEqual(sorted(expected))
            expect(matcher.count(event)).toBe(expected.length)
            const each: number[] = []
            matcher.each(event, id => each.push(id))
            expect(sorted(each)).toEqual(sorted(expected))
            pairs += filters.size
          }
        }
        expect(matcher.size).toBe(filters.size)
      }),
      { numRuns: 6 },
    )
    expect(pairs).toBeGreaterThan(100_000)
  })

  it('fills several buckets of one key, and empties them', () => {
    const matcher = new Matcher<number>()
    const count = 2 * BUCKET_MAX + 100
    const bound = (id: number) => (id * 7919) % count
    for (let id = 0; id < count; id++) matcher.add(id, parseFilter({ x: { gte: bound(id) } }))
    const expected = (event: number, among: (id: number) => boolean) =>
      Array.from({ length: count }, (_, id) => id).filter(id => among(id) && bound(id) <= event)
    for (const x of [0, 1, 77, BUCKET_MAX, count - 1]) {
      expect(sorted(matcher.match({ x }))).toEqual(expected(x, () => true))
    }
    for (let id = 0; id < count; id += 1) if (id % 3 !== 0) matcher.remove(id)
    expect(sorted(matcher.match({ x: 5000 }))).toEqual(expected(5000, id => id % 3 === 0))
    for (let id = 0; id < count; id += 3) matcher.remove(id)
    expect(matcher.size).toBe(0)
    expect(matcher.match({ x: 5000 })).toEqual([])
  })

  it('forgets what nobody uses: a million names one after the other take the room of one', () => {
    const matcher = new Matcher<string>()
    for (let i = 0; i < 2000; i++) {
      matcher.add('one', parseFilter({ [`name-${i}`]: { prefix: `text-${i}` }, topic: { topic: `a/${i}/+` } }))
    }
    const { attributes, spaces, gates, shapes } = (
      matcher as unknown as { registry: Record<string, Map<string, unknown>> }
    ).registry
    expect([attributes!.size, spaces!.size, gates!.size, shapes!.size]).toEqual([2, 3, 1, 1])
    matcher.remove('one')
    expect([attributes!.size, spaces!.size, gates!.size, shapes!.size]).toEqual([0, 0, 0, 0])
  })
})

it('does not hand over what another question has overwritten', () => {
  const matcher = new Matcher<string>()
  matcher.add('a', parseFilter({ x: 1 }))
  matcher.add('b', parseFilter({ x: 1 }))
  expect(() => matcher.each({ x: 1 }, () => matcher.match({ x: 2 }))).toThrow('the index was asked')
})

it('removing a filter with one form of topic twice leaves its neighbours', () => {
  const matcher = new Matcher<string>()
  matcher.add('twice', parseFilter({ $and: [{ t: { topic: 'a/+' } }, { t: { topic: 'b/+' } }] }))
  matcher.add('neighbour', parseFilter({ t: { exists: true } }))
  expect(matcher.match({ t: ['a/x', 'b/x'] })).toEqual(['twice', 'neighbour'])
  matcher.remove('twice')
  expect(matcher.match({ t: 'a/x' })).toEqual(['neighbour'])
})

describe('bounds of the index', () => {
  it('writes out one list of a clause only: three of 40 values are 40 entries, not 64,000', () => {
    const list = Array.from({ length: 40 }, (_, i) => `v${i}`)
    const matcher = new Matcher<number>()
    matcher.add(1, parseFilter({ a: list, b: list, c: list }))
    expect(entriesOf(matcher, 0)).toBe(40)
    expect(matcher.match({ a: 'v3', b: 'v39', c: 'v0' })).toEqual([1])
    expect(matcher.match({ a: 'v3', b: 'v40', c: 'v0' })).toEqual([])
  })
  it(`writes out at most ${ENTRIES_MAX} entries of a subscription`, () => {
    const list = (name: string) => Array.from({ length: 60 }, (_, i) => `${name}${i}`)
    const clauses = Array.from({ length: 40 }, (_, i) => ({ a: list(`a${i}-`), b: { gt: i } }))
    const matcher = new Matcher<number>()
    matcher.add(1, parseFilter({ $or: clauses }))
    expect(entriesOf(matcher, 0)).toBeLessThanOrEqual(ENTRIES_MAX + clauses.length)
    expect(matcher.match({ a: 'a39-59', b: 40 })).toEqual([1])
    expect(matcher.match({ a: 'a39-59', b: 39 })).toEqual([])
  })
  it(`makes at most ${SHAPES_MAX} shapes for an attribute, and still names who matches`, () => {
    const matcher = new Matcher<number>()
    const filters = new Map<number, Filter>()
    for (let id = 0; id < SHAPES_MAX + 300; id++) {
      const levels = Array.from({ length: 12 }, (_, level) => ((id >> level) & 1 ? 'x' : '+'))
      const filter = parseFilter({ topic: { topic: levels.join('/') } })
      filters.set(id, filter)
      matcher.add(id, filter)
    }
    const { shapes } = (matcher as unknown as { registry: { shapes: Map<string, unknown> } }).registry
    expect(shapes.size).toBeLessThanOrEqual(SHAPES_MAX + 2)
    for (const topic of ['x/x/x/x/x/x/x/x/x/x/x/x', 'y/x/y/x/x/x/y/y/x/x/x/x', 'x/x']) {
      const expected = [...filters].filter(([, filter]) => matches(filter, { topic })).map(([id]) => id)
      expect(sorted(matcher.match({ topic }))).toEqual(expected)
    }
  })
})

function entriesOf(matcher: Matcher<number>, number: number): number {
  return (matcher as unknown as { several: Map<number, readonly unknown[]> }).several.get(number)!.length / 2
}
