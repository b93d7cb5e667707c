// Lists of events as bytes: what neighbours share is written once, and there is one way to write it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Codec, decode, encode, list } from '../core/index.ts'
import { type Item, itemsCodec } from './items.ts'
import { BATCH_MAX } from './limits.ts'
import { pathsOf } from './signed.ts'
import { itemCodec } from './wire.ts'

const strict = itemsCodec(BATCH_MAX, true)
const lenient = itemsCodec(BATCH_MAX, false)
const oneByOne: Codec<readonly Item[]> = list(itemCodec, BATCH_MAX)

/** A hash that tells its inputs apart well enough, and is quick. */
function hash(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(32)
  for (const [at, byte] of input.entries()) output[at % 32] = (output[at % 32]! * 31 + byte + at) & 255
  return output
}

function batch(first: number, count: number): Item[] {
  const contents = Array.from({ length: count }, (_, place) => new Uint8Array([first + place, 7]))
  const { paths } = pathsOf(hash, contents.map(hash))
  const signature = new Uint8Array(64).fill(first)
  return contents.map((content, place) => ({
    counter: first + place,
    content,
    proof: { first, count, path: paths[place]!, signature },
  }))
}

const read = (codec: Codec<readonly Item[]>, bytes: Uint8Array) => decode(codec, bytes)

describe('events in a list', () => {
  it.each([1, 2, 3, 5, 16, 63, 64])('come back as they were, %i of a batch', count => {
    const items = batch(10, count)
    expect(read(strict, encode(strict, items))).toEqual({ ok: true, value: items })
    const some = items.filter((_, place) => place % 3 !== 1)
    expect(read(strict, encode(strict, some))).toEqual({ ok: true, value: some })
  })

  it('come back as they were, of several batches, signed and not', () => {
    const bare = { counter: 90, content: new Uint8Array(3), proof: undefined }
    const items = [...batch(1, 8), ...batch(9, 1), bare, ...batch(91, 5).slice(2)]
    expect(read(strict, encode(strict, items))).toEqual({ ok: true, value: items })
  })

  it('of a whole batch are less than a third of what they are one by one', () => {
    const items = batch(1, BATCH_MAX)
    expect(encode(strict, items).length).toBeLessThan(encode(oneByOne, items).length / 3)
  })

  it('that were saved one by one are read, and are refused on the wire', () => {
    const items = batch(1, 4)
    const old = encode(oneByOne, items)
    expect(read(lenient, old)).toEqual({ ok: true, value: items })
    expect(read(strict, old)).toMatchObject({ ok: false, refusal: expect.stringContaining('stood there') })
  })

  it('are refused where they lean on nothing, repeat a hash, or are too many', () => {
    const [one, two] = batch(1, 2) as [Item, Item]
    const tail = encode(strict, [one, two]).slice(encode(strict, [one]).length)
    expect(read(strict, new Uint8Array([1, ...tail]))).toMatchObject({ ok: false })
    const [a, b] = batch(1, 4) as [Item, Item]
    const bytes = encode(strict, [a, b])
    // The second one's path is its own hash and one that it shares; written out, the shared one stands there twice.
    const start = encode(strict, [a]).length + 4
    expect([...bytes.slice(start, start + 3)]).toEqual([2, 1, 1])
    const twice = [...bytes.slice(0, start), 2, 0, 2, ...bytes.slice(start + 3), 32, ...b.proof!.path[1]!]
    expect(read(strict, new Uint8Array(twice))).toMatchObject({ ok: false })
    expect(read(strict, new Uint8Array([BATCH_MAX + 1]))).toMatchObject({ ok: false })
    expect(() => encode(strict, batch(1, BATCH_MAX + 1))).toThrow(RangeError)
  })

  it('have one encoding: what is read from any bytes is written as these bytes', () => {
    const whole = encode(strict, [...batch(1, 7), ...batch(8, 2)])
    let understood = 0
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const bytes = Uint8Array.from(whole)
        bytes[at] = byte
        const decoded = read(strict, bytes)
        if (!decoded.ok) return
        understood++
        expect(encode(strict, decoded.value)).toEqual(bytes)
      }),
    )
    expect(understood).toBeGreaterThan(10)
    for (let end = 0; end < whole.length; end++) expect(read(strict, whole.subarray(0, end)).ok).toBe(false)
  })
})
