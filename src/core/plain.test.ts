import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copy, fingerprint } from './plain.ts'

const leaf = fc.oneof(
  fc.integer(),
  fc.bigInt(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.uint8Array({ maxLength: 4 }),
)
const { plain } = fc.letrec(tie => ({
  plain: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('plain'), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 5 }), tie('plain'), { maxKeys: 3, noNullPrototype: true }),
    fc.array(fc.tuple(fc.string({ maxLength: 3 }), tie('plain')), { maxLength: 3 }).map(pairs => new Map(pairs)),
    fc.array(leaf, { maxLength: 3 }).map(items => new Set(items)),
  ),
}))

describe('copy', () => {
  it('is equal and shares nothing', () => {
    fc.assert(
      fc.property(plain, value => {
        const twin = copy(value)
        expect(twin).toEqual(value)
        if (typeof value === 'object' && value !== null) expect(twin).not.toBe(value)
      }),
    )
  })
  it('copies the bytes of a Node Buffer, whose slice is only a view', () => {
    const buffer = Buffer.from([1, 2])
    const twin = copy({ buffer })
    buffer[0] = 9
    expect([...twin.buffer]).toEqual([1, 2])
  })
  it('goes deep', () => {
    const value = { list: [new Map([['k', { n: 1 }]])] }
    const twin = copy(value)
    value.list[0]!.get('k')!.n = 2
    expect(twin.list[0]!.get('k')!.n).toBe(1)
  })
})

describe('fingerprint', () => {
  it('is equal for copies', () => {
    fc.assert(fc.property(plain, value => fingerprint(copy(value)) === fingerprint(value)))
  })
  it('is different for different values', () => {
    fc.assert(
      fc.property(plain, plain, (a, b) => {
        if (fingerprint(a) === fingerprint(b)) expect(a).toEqual(b)
      }),
      { numRuns: 2_000 },
    )
  })
  it.each([
    [{ a: 1, b: 2 }, { 'a:1,b': 2 }],
    [['1'], [1]],
    [[1, 2], ['1,2']],
    [1, 1n],
    [null, undefined],
    [[], {}],
    [new Map(), {}],
    [Uint8Array.of(1, 2), [1, 2]],
    [Uint8Array.of(12), Uint8Array.of(1, 2)],
    [{ a: undefined }, {}],
    [new Map([['a', 1]]), { a: 1 }],
    [new Set(['a']), ['a']],
    [new Set(['a', 'b']), new Set(['a,b'])],
    [new Set(), new Map()],
  ])('tells pair %# apart', (a, b) => expect(fingerprint(a)).not.toBe(fingerprint(b)))
  it('does not see the order of fields or of entries', () => {
    expect(fingerprint({ a: 1, b: 2 })).toBe(fingerprint({ b: 2, a: 1 }))
    const forth = new Map([
      ['a', 1],
      ['b', 2],
    ] as const)
    const back = new Map([
      ['b', 2],
      ['a', 1],
    ] as const)
    expect(fingerprint(forth)).toBe(fingerprint(back))
    expect(fingerprint(new Set([1, 2]))).toBe(fingerprint(new Set([2, 1])))
  })
  it('refuses what is not plain', () => {
    expect(() => fingerprint(new (class Odd {})())).toThrow('not plain data')
    expect(() => fingerprint(() => 1)).toThrow('not plain data')
  })
})
