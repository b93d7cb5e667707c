import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Key } from '../filter.ts'
import { FilterError } from '../refusals.ts'
import { bytesOfKey, KeyHash } from './key-hash.ts'
import { mixBytes, mixInteger, mixSmall } from './unkeyed.ts'
import { Utf8Scratch } from './utf8.ts'

const KEY = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

function words(hash: KeyHash, key: Key): string {
  const one = hash.of(key)
  return `${one} ${hash.second[0]}`
}

describe.each(['keyed', 'unkeyed'] as const)('what hashes equal (filter.ts), %s', hashing => {
  const hash = new KeyHash(hashing === 'keyed' ? { key: KEY } : { hashing })

  test('a number and the bigint of the same value', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), value => {
        expect(words(hash, value)).toBe(words(hash, BigInt(value)))
        expect(words(hash, value)).toBe(words(hash, bytesOfKey(value)))
      }),
    )
    expect(words(hash, -0)).toBe(words(hash, 0))
    expect(bytesOfKey(-1)).toEqual(new Uint8Array(7).fill(255))
    expect(bytesOfKey(1n << 55n)).toHaveLength(15)
    expect(bytesOfKey((1n << 55n) - 1n)).toHaveLength(7)
    expect(bytesOfKey(-(1n << 119n))).toHaveLength(15)
  })

  test('a string and its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(words(hash, text)).toBe(words(hash, new TextEncoder().encode(text)))
        expect(words(hash, text)).toBe(words(hash, bytesOfKey(text)))
      }),
    )
  })

  test('a range and the same bytes on their own', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(100), fc.nat(100), (bytes, a, b) => {
        const start = Math.min(a, b, bytes.length)
        const end = Math.min(Math.max(a, b), bytes.length)
        const one = hash.ofRange(bytes, start, end)
        expect(`${one} ${hash.second[0]}`).toBe(words(hash, bytes.slice(start, end)))
      }),
    )
  })

  test('different lone surrogates stay different, and 17 is not "17"', () => {
    expect(words(hash, '\ud800')).not.toBe(words(hash, '\ud801'))
    expect(words(hash, '\ud800')).not.toBe(words(hash, '\ufffd'))
    expect(words(hash, 17)).not.toBe(words(hash, '17'))
  })

  test.each([Number.NaN, 0.5, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), undefined, null, {}, true])(
    'the key %s is refused',
    key => {
      expect(() => hash.of(key as never)).toThrow(FilterError)
    },
  )
})

describe('keys of the hash', () => {
  test('two secrets give two hashes and two tags; a fresh secret is drawn by default', () => {
    const one = new KeyHash({ key: KEY })
    const other = new KeyHash({ key: new Uint8Array(8) })
    expect(words(one, 'a')).not.toBe(words(other, 'a'))
    expect(one.tag).not.toEqual(other.tag)
    expect(new KeyHash({}).tag).not.toEqual(new KeyHash({}).tag)
  })

  test.each([new Uint8Array(7), new Uint8Array(16), 'secret!!', 5])('%s is no key', key => {
    expect(() => new KeyHash({ key: key as never })).toThrow(/key must be 8 secret bytes/)
  })

  test('a key that would not be used, and an unknown hashing, are refused', () => {
    expect(() => new KeyHash({ key: KEY, hashing: 'unkeyed' })).toThrow(/drop one/)
    expect(() => new KeyHash({ hashing: 'murmur' as never })).toThrow("hashing is murmur: it must be 'keyed'")
  })

  test('long strings do not keep their buffer', () => {
    const scratch = new Utf8Scratch()
    expect(scratch.write('x'.repeat(100_000))).toBe(100_000)
    scratch.write('x')
    expect(scratch.bytes.length).toBe(256)
  })
})

describe('MurmurHash3 x86_32, the unkeyed hash', () => {
  // Values that implementations of MurmurHash3 x86_32 publish in common.
  test.each([
    ['', 0],
    ['a', 0x3c2569b2],
    ['abc', 0xb3dd93fa],
    ['Hello, world!', 0xc0363e43],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
  ])('seed 0: %s', (text, expected) => {
    const bytes = new TextEncoder().encode(text)
    expect(mixBytes(bytes, 0, bytes.length, new Int32Array(1)) >>> 0).toBe(expected)
  })

  test.each([
    ['', 0xebb6c228],
    ['a', 0x7fa09ea6],
    ['abc', 0xc84a62dd],
    ['Hello, world!', 0x24884cba],
    ['The quick brown fox jumps over the lazy dog', 0x2fa826cd],
  ])('seed 0x9747b28c: %s', (text, expected) => {
    const second = new Int32Array(1)
    const bytes = new TextEncoder().encode(text)
    mixBytes(bytes, 0, bytes.length, second)
    expect(second[0]! >>> 0).toBe(expected)
  })

  test('an integer mixes as its 7 bytes', () => {
    const [small, whole, bytes] = [new Int32Array(1), new Int32Array(1), new Int32Array(1)]
    fc.assert(
      fc.property(fc.integer(), key => {
        const expected = mixBytes(bytesOfKey(key), 0, 7, bytes)
        expect([mixSmall(key, small), mixInteger(key, key >> 31, whole)]).toEqual([expected, expected])
        expect([small, whole]).toEqual([bytes, bytes])
      }),
    )
  })
})
