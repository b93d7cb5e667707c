// One encoding for one list of parts, and another for every other list.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { framed, type Part } from './framing.ts'

const part = fc.oneof<fc.Arbitrary<Part>[]>(
  fc.uint8Array({ maxLength: 3 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }),
  fc.nat({ max: 300 }),
)
const told = (parts: readonly Part[]) =>
  JSON.stringify(parts.map(one => (one instanceof Uint8Array ? { bytes: [...one] } : one)))

describe('framed', () => {
  it('gives equal bytes for equal lists only', () => {
    const lists = fc.array(part, { maxLength: 4 })
    fc.assert(
      fc.property(lists, lists, (left, right) => {
        expect(String(framed(...left)) === String(framed(...right))).toBe(told(left) === told(right))
      }),
      { numRuns: 2_000 },
    )
  })
  it.each<[string, readonly Part[], readonly Part[]]>([
    ['a border moved', ['ab', 'c'], ['a', 'bc']],
    ['text and its bytes', ['a'], [Uint8Array.of(97)]],
    ['a number and its digits', [1], ['1']],
    ['a number and its byte', [1], [Uint8Array.of(1)]],
    ['an empty part more', ['a'], ['a', '']],
    ['a list and its bytes', ['a', 'b'], [framed('a', 'b')]],
  ])('tells apart: %s', (_name, left, right) => expect(framed(...left)).not.toEqual(framed(...right)))
  it('refuses numbers that have no one form', () => {
    for (const bad of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => framed(bad)).toThrow(RangeError)
  })
})
