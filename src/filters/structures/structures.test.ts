// The suite that every structure passes (the table of cases says what each of them promises).

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FILTER_CASES, FILTER_KEY as KEY } from '../../../test/support/filter-cases.ts'
import { seededRandom } from '../../core/random.ts'
import { FilterError, restore, type Verdict } from '../index.ts'

const anyKey = fc.oneof(
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.uint8Array({ maxLength: 16 }),
  fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
  fc.maxSafeInteger(),
)

/** The last `window` elements, remembered the dumb way (THESIS definition 2.1.5). */
function dumbTwin(window: number): (element: number) => Verdict {
  let past: number[] = []
  return element => {
    const verdict = past.includes(element) ? 'duplicate' : 'unseen'
    past = [...past, element].slice(window === Number.POSITIVE_INFINITY ? 0 : -window)
    return verdict
  }
}

function numbers(count: number, alphabet: number, seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => random.below(alphabet))
}

describe.each(FILTER_CASES)('$name', ({ make, sizes, foundAtOnce, neverMissed, exact }) => {
  const bits = sizes[0]!
  const fresh = () => make(bits, { key: KEY })

  test.each(sizes)('uses some of %d bits, and no more', size => {
    const { bitsUsed } = make(size, { key: KEY })
    expect(bitsUsed).toBeGreaterThan(0)
    expect(bitsUsed).toBeLessThanOrEqual(size)
  })

  test('an empty filter has seen nothing, whatever the key', () => {
    fc.assert(
      fc.property(anyKey, key => {
        expect(fresh().detect(key)).toBe(false)
        expect(fresh().stream(key)).toBe('unseen')
      }),
      { numRuns: 40 },
    )
  })

  if (foundAtOnce)
    test('what came just now is a duplicate', () => {
      const filter = fresh()
      fc.assert(
        fc.property(anyKey, key => {
          filter.stream(key)
          expect(filter.stream(key)).toBe('duplicate')
          expect(filter.detect(key)).toBe(true)
        }),
        { numRuns: 300 },
      )
    })

  test('stream is detect, then insert (definition 2.1.2)', () => {
    const [whole, parts] = [fresh(), fresh()]
    for (const element of numbers(2000, 400, 1)) {
      const detected = parts.detect(element)
      parts.insert(element)
      expect(whole.stream(element)).toBe(detected ? 'duplicate' : 'unseen')
    }
    expect(whole.snapshot()).toEqual(parts.snapshot())
  })

  test('detect changes nothing', () => {
    const filter = fresh()
    for (const element of numbers(500, 300, 2)) filter.stream(element)
    const before = filter.snapshot()
    for (const element of numbers(500, 600, 3)) filter.detect(element)
    expect(filter.snapshot()).toEqual(before)
  })

  test('the same key and stream give the same answers and bytes', () => {
    const [one, other] = [fresh(), fresh()]
    for (const element of numbers(3000, 500, 4)) expect(one.stream(element)).toBe(other.stream(element))
    expect(one.snapshot()).toEqual(other.snapshot())
  })

  if (neverMissed > 0)
    test('misses nothing that it promises to find, beside a dumb twin', () => {
      for (const alphabet of [30, 120, 5000]) {
        const filter = fresh()
        const twin = dumbTwin(neverMissed)
        for (const element of numbers(3000, alphabet, alphabet)) {
          const said = filter.stream(element)
          if (twin(element) === 'duplicate') expect(said).toBe('duplicate')
          else if (exact) expect(said).toBe('unseen')
        }
      }
    })

  if (exact)
    test('agrees with the dumb twin on every stream', () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 400 }), stream => {
          const filter = fresh()
          const twin = dumbTwin(neverMissed)
          for (const element of stream) expect(filter.stream(element)).toBe(twin(element))
        }),
        { numRuns: 50 },
      )
    })

  test('a range of bytes streams like the bytes alone', () => {
    const [ranges, alone] = [fresh(), fresh()]
    const buffer = seededRandom(5).bytes(2000)
    for (let start = 0; start + 9 < buffer.length; start += 3) {
      const end = start + (start % 9)
      expect(ranges.streamRange(buffer, start, end)).toBe(alone.stream(buffer.slice(start, end)))
    }
  })

  test('cleared, it has seen nothing', () => {
    const filter = fresh()
    const elements = numbers(500, 1000, 6)
    for (const element of elements) filter.stream(element)
    filter.clear()
    for (const element of elements) expect(filter.detect(element)).toBe(false)
  })

  test.each([{ key: KEY }, { hashing: 'unkeyed' as const }])('a snapshot goes on where it stopped (%o)', hash => {
    const filter = make(bits, hash)
    for (const element of numbers(777, 400, 7)) filter.stream(element)
    const snapshot = filter.snapshot()
    const copy = restore(snapshot, 'key' in hash ? hash : {})
    expect(copy.name).toBe(filter.name)
    expect(copy.bitsUsed).toBe(filter.bitsUsed)
    expect(copy.snapshot()).toEqual(snapshot)
    for (const element of numbers(2000, 400, 8)) expect(copy.stream(element)).toBe(filter.stream(element))
  })

  test('a snapshot holds no key, and is refused to another', () => {
    const snapshot = fresh().snapshot()
    expect(hex(snapshot)).not.toContain(hex(KEY))
    expect(() => restore(snapshot, { key: new Uint8Array(8) })).toThrow(/not the one this snapshot was made with/)
    expect(() => restore(snapshot)).toThrow(/key is missing/)
  })

  test('a snapshot with any byte changed, or cut anywhere, is refused', () => {
    const snapshot = fresh().snapshot()
    const random = seededRandom(9)
    for (let round = 0; round < 150; round++) {
      const at = round < 60 ? round : random.below(snapshot.length)
      const changed = Uint8Array.from(snapshot)
      changed[at] = changed[at]! ^ (1 + random.below(255))
      expect(() => restore(changed, { key: KEY })).toThrow(FilterError)
      expect(() => restore(snapshot.slice(0, at), { key: KEY })).toThrow(FilterError)
    }
  })

  test('bits that are too few, not whole or no number are refused by name', () => {
    for (const wrong of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40])
      expect(() => make(wrong, { key: KEY })).toThrow(/^(bits|window) is .*: /)
    expect(() => make(1, { key: KEY })).toThrow(FilterError)
  })

  test.each([Number.NaN, 1.5, 2 ** 60, undefined, {}])('the key %s is refused, and changes nothing', key => {
    const filter = fresh()
    const before = filter.snapshot()
    expect(() => filter.stream(key as never)).toThrow(FilterError)
    expect(() => filter.detect(key as never)).toThrow(FilterError)
    expect(() => filter.insert(key as never)).toThrow(FilterError)
    expect(filter.snapshot()).toEqual(before)
  })
})

function hex(bytes: Uint8Array): string {
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
