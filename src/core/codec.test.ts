// The wire codec: both directions, one encoding for one value, and as many refusals as acceptances.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodesBack, mutations, specimen, specimenCodec } from '../../test/support/codec.ts'
import {
  bool,
  bytes,
  type Codec,
  decode,
  encode,
  finite,
  list,
  option,
  struct,
  TooLong,
  text,
  uint,
  Writer,
} from './codec.ts'
import { seededRandom } from './random.ts'

const wellFormed = fc.string({ unit: 'binary', maxLength: 40 })
const number = fc.oneof(fc.nat(), fc.maxSafeNat())
const blob = fc.uint8Array({ maxLength: 100 })

function roundTrips<T>(codec: Codec<T>, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, value => {
      const encoded = encode(codec, value)
      expect(decode(codec, encoded)).toEqual({ ok: true, value })
      for (let cut = 0; cut < encoded.length; cut++) {
        expect(decode(codec, encoded.subarray(0, cut)).ok, `cut to ${cut}`).toBe(false)
      }
      expect(decode(codec, Uint8Array.of(...encoded, 0)).ok, 'one byte more').toBe(false)
    }),
  )
}

describe('a value comes back, and neither less nor more than its bytes is taken', () => {
  it('numbers', () => roundTrips(uint(), number))
  it('the ends of the number range', () => {
    for (const value of [0, 127, 128, 16_383, 16_384, 2 ** 32 - 1, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER]) {
      expect(decode(uint(), encode(uint(), value))).toEqual({ ok: true, value })
    }
  })
  it('numbers with a fraction', () =>
    roundTrips(
      finite,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
    ))
  it('truth values', () => roundTrips(bool, fc.boolean()))
  it('bytes', () => roundTrips(bytes(100), blob))
  it('text of every kind', () => roundTrips(text(200), wellFormed))
  it('text with a byte order mark, which stays', () => {
    expect(decode(text(9), encode(text(9), '\uFEFFa'))).toEqual({ ok: true, value: '\uFEFFa' })
  })
  it('lists', () => roundTrips(list(text(200), 20), fc.array(wellFormed, { maxLength: 20 })))
  it('options', () => roundTrips(option(uint()), fc.option(number, { nil: undefined })))
  it('structures', () =>
    roundTrips(struct<{ a: number; b: string }>({ a: uint(), b: text(200) }), fc.record({ a: number, b: wellFormed })))
  it('vocabularies', () => roundTrips(specimenCodec, specimen))
})

describe('one encoding for one value', () => {
  it('whatever is decoded encodes to the same bytes', () => {
    const frames = fc.uint8Array({ maxLength: 60 })
    fc.assert(
      fc.property(frames, frame => void encodesBack(frame)),
      { numRuns: 5_000 },
    )
  })

  it('20,000 mutated frames are decoded to what they say or refused', () => {
    const random = seededRandom(20_000)
    let taken = 0
    for (let i = 0; i < 20_000; i++) if (encodesBack(mutations(random))) taken++
    expect(taken, 'some mutations are valid messages too').toBeGreaterThan(1_000)
    expect(taken, 'most are not').toBeLessThan(19_000)
  })

  it('a nested option cannot say "a value which is nothing"', () => {
    expect(decode(option(option(uint())), Uint8Array.of(1, 0)).ok).toBe(false)
  })
})

function refusal<T>(codec: Codec<T>, ...frame: number[]): string {
  const decoded = decode(codec, Uint8Array.from(frame))
  return decoded.ok ? `took ${JSON.stringify(decoded.value)}` : decoded.refusal
}

describe('refusals', () => {
  it('numbers that are not minimal', () => {
    expect(refusal(uint(), 0x80, 0x00)).toBe('number not minimal at byte 2')
    expect(refusal(uint(), 0xff, 0x80, 0x00)).toBe('number not minimal at byte 3')
  })
  it('numbers that are too large', () => {
    expect(refusal(uint(9), 10)).toBe('number over 9 at byte 1')
    expect(refusal(uint(), 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10)).toMatch(/^number too large/)
  })
  // Without a limit on the bytes of a number its scale reaches infinity, zero times infinity is no number at all,
  // and the reader stands nowhere: it would read for ever.
  it('a number of very many bytes, before it becomes no number', () => {
    const endless = new Uint8Array(400).fill(0x80)
    endless[399] = 1
    const two = struct<{ name: string; count: number }>({ name: text(200), count: uint() })
    const decoded = decode(two, endless)
    expect(decoded).toEqual({ ok: false, refusal: 'number too large at byte 8' })
    expect(decode(list(uint(), 9), endless).ok).toBe(false)
    expect(decode(bytes(9), endless).ok).toBe(false)
  })
  it('truth values other than 0 and 1', () => expect(refusal(bool, 2)).toBe('neither true nor false at byte 1'))
  it('a second encoding of zero, and what is no finite number', () => {
    for (const value of [-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const frame = new Uint8Array(8)
      new DataView(frame.buffer).setFloat64(0, value)
      expect(refusal(finite, ...frame)).toMatch(/^not a finite number/)
    }
    expect(encode(finite, -0)).toEqual(encode(finite, 0))
  })
  it('too many bytes, letters, items', () => {
    expect(refusal(bytes(2), 3, 1, 1, 1)).toMatch(/^more than 2 bytes/)
    expect(refusal(text(2), 3, 65, 65, 65)).toMatch(/^more than 2 bytes of text/)
    expect(refusal(list(uint(), 2), 3, 1, 1, 1)).toMatch(/^a list of more than 2/)
  })
  it('text that is not UTF-8: stray, overlong, a surrogate, cut', () => {
    for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      expect(refusal(text(9), bad.length, ...bad)).toMatch(/^text is not UTF-8/)
    }
    const long = [...new Array(70).fill(65), 0xff]
    expect(refusal(text(90), long.length, ...long)).toMatch(/^text is not UTF-8/)
  })
  it('kinds that do not exist', () => expect(refusal(specimenCodec, 77)).toMatch(/^unknown kind 77/))
  it('bytes that nobody asked for', () => expect(refusal(uint(), 1, 2, 3)).toBe('2 bytes too many'))
  it('a huge list in a small frame, without room made for it', () => {
    const many = list(text(100), Number.MAX_SAFE_INTEGER)
    expect(refusal(many, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0)).toMatch(/^ends too early/)
  })
  it('huge bytes in a small frame, without room made for them', () => {
    expect(refusal(bytes(Number.MAX_SAFE_INTEGER), 0xff, 0xff, 0xff, 0xff, 0x0f, 0)).toMatch(/^ends too early/)
  })
})

describe('what cannot be encoded is a bug of ours and throws', () => {
  it.each([
    ['a negative number', () => encode(uint(), -1)],
    ['a fraction', () => encode(uint(), 0.5)],
    ['no number', () => encode(uint(), Number.NaN)],
    ['an endless number where a finite one is due', () => encode(finite, Number.POSITIVE_INFINITY)],
    ['a number over its limit', () => encode(uint(5), 6)],
    ['bytes over their limit', () => encode(bytes(1), Uint8Array.of(1, 2))],
    ['text over its limit, short', () => encode(text(1), 'ab')],
    ['text over its limit in bytes, not in letters', () => encode(text(3), 'éé')],
    ['a lone surrogate, which would be replaced in silence', () => encode(text(9), '\uD800')],
    ['a list over its limit', () => encode(list(uint(), 1), [1, 2])],
    ['a kind nobody declared', () => encode(specimenCodec, { kind: 'other' } as never)],
  ])('%s', (_what, attempt) => expect(attempt).toThrow(RangeError))
})

describe('buffers', () => {
  it('decoded bytes are a copy, also out of a Node Buffer, whose slice is only a view', () => {
    const frame = Buffer.from([3, 7, 8, 9])
    const decoded = decode(bytes(9), frame)
    frame.fill(0)
    expect(decoded).toEqual({ ok: true, value: Uint8Array.of(7, 8, 9) })
    expect(decoded.ok && Buffer.isBuffer(decoded.value)).toBe(false)
  })
  it('a writer with a bound refuses what is longer, takes no memory for it, and serves again', () => {
    const writer = new Writer(1_000)
    expect(encode(text(2_000), 'x'.repeat(998), writer)).toHaveLength(1_000)
    expect(() => encode(text(2_000), 'x'.repeat(999), writer)).toThrow(TooLong)
    expect(() => encode(bytes(2 ** 30), new Uint8Array(2 ** 20), writer)).toThrow(TooLong)
    expect(writer.bytes.length).toBeLessThan(2_000)
    expect(encode(text(500), 'y', writer)).toEqual(Uint8Array.of(1, 121))
  })
  it('one writer serves many values, and what it gave stays', () => {
    const writer = new Writer()
    const first = encode(text(500), 'x'.repeat(400), writer)
    const second = encode(text(500), 'y', writer)
    expect(first.length).toBe(402)
    expect(second).toEqual(Uint8Array.of(1, 121))
    expect(first[2]).toBe(120)
  })
})
