// What JSON holds comes back from it; what it does not is named with its path.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { whyNotJson } from './json.ts'

describe('a value that JSON can hold', () => {
  it('is let pass, and comes back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(whyNotJson(value, 'value')).toBeUndefined()
      }),
    )
  })
  it('whatever is let pass comes back the same: the dumb twin is JSON itself', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true, withTypedArray: true }),
      fc.array(fc.oneof(fc.constant(undefined), fc.integer(), fc.double())),
    )
    fc.assert(
      fc.property(odd, value => {
        if (whyNotJson(value, 'value') !== undefined) return
        // JSON knows one zero.
        const back = JSON.parse(JSON.stringify(value), (_, one) => one)
        expect(JSON.stringify(back)).toBe(JSON.stringify(value))
        expect(back).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
  it('may hold one thing twice, which is no circle', () => {
    const one = { a: 1 }
    expect(whyNotJson([one, one, { one }], 'value')).toBeUndefined()
  })
})

describe('the path', () => {
  class Own {}
  it.each<[unknown, string]>([
    [{ items: [0, 0, 0, { when: new Date(0) }] }, 'state.items[3].when is a Date'],
    [{ 'a b': { '"': Number.NaN } }, 'state["a b"]["\\""] is NaN'],
    [[undefined], 'state[0] is undefined'],
    [Object.assign([0], { 2: 1 }), 'state[1] is undefined'],
    [new Own(), 'state is an Own'],
    [{ f() {} }, 'state.f is a function'],
    [{ n: Number.NEGATIVE_INFINITY }, 'state.n is -Infinity'],
    [new Uint8Array(1), 'state is a Uint8Array'],
    [{ s: Symbol('x') }, 'state.s is a symbol'],
    [{ b: 5n }, 'state.b is a bigint'],
    [{ set: new Set() }, 'state.set is a Set'],
  ])('leads to what is wrong: %#', (value, why) => {
    expect(whyNotJson(value, 'state')).toBe(why)
  })
  it('ends: circles and towers are refused', () => {
    const circle: unknown[] = []
    circle.push([circle])
    expect(whyNotJson(circle, 'state')).toBe('state[0][0] contains itself')
    let tower: unknown = 1
    for (let level = 0; level < 100_000; level++) tower = [tower]
    expect(whyNotJson(tower, 'state')).toContain('is nested deeper than 500')
  })
})
