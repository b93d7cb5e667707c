// One encoding for one list of parts, and another for every other list.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, encode, list, text, uint, variants } from '../core/index.ts'
import { framed, framedBriefly, type Part } from './framing.ts'

const part = fc.oneof<fc.Arbitrary<Part>[]>(
  fc.uint8Array({ maxLength: 3 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }),
  fc.nat({ max: 300 }),
)
const told = (parts: readonly Part[]) =>
  JSON.stringify(parts.map(one => (one instanceof Uint8Array ? { bytes: [...one] } : one)))

type Told = { kind: 'bytes'; value: Uint8Array } | { kind: 'text'; value: string } | { kind: 'number'; value: number }
/** The same by the codec that every word of the wire is written with. */
const twin = list(
  variants<Told>({ bytes: { value: bytes(1_000) }, text: { value: text(1_000) }, number: { value: uint() } }),
  10,
)
const toldPart = (one: Part): Told =>
  typeof one === 'string'
    ? { kind: 'text', value: one }
    : typeof one === 'number'
      ? { kind: 'number', value: one }
      : { kind: 'bytes', value: one }

describe('framed', () => {
  it('is what the codec writes, kept or brief', () => {
    const any = fc.oneof<fc.Arbitrary<Part>[]>(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.maxSafeNat())
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), parts => {
        const expected = encode(twin, parts.map(toldPart))
        expect(framedBriefly(...parts)).toEqual(expected)
        expect(framed(...parts)).toEqual(expected)
      }),
    )
  })
  it('keeps what it gave, while what is brief is overwritten by the next', () => {
    const [one, brief] = [framed('one', 1), framedBriefly('one', 1)]
    framed('two', 2)
    expect(one).toEqual(framed('one', 1))
    expect(brief).not.toEqual(framed('two', 3).fill(0))
  })
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
