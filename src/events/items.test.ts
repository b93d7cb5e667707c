// Lists of events as bytes: what neighbours share is written once, and there is one way to write it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Codec, decode, encode, list } from '../core/index.ts'
import { endingWhole, type Item, itemCodec, itemsCodec, pathOf } from './items.ts'
import { BATCH_MAX } from './limits.ts'
import { pathIn, treeOf } from './tree.ts'

const strict = itemsCodec(BATCH_MAX, true)
const lenient = itemsCodec(BATCH_MAX, false)
const oneByOne: Codec<readonly Item[]> = list(itemCodec, BATCH_MAX)

/** A hash that tells its inputs apart well enough, and is quick. */
function hash(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(32)
  for (const [at, byte] of input.entries()) output[at % 32] = (output[at % 32]! * 31 + byte + at) & 255
  return output
}

/** A batch as its author has it: with its tree. */
function planted(first: number, count: number): Item[] {
  const contents = Array.from({ length: count }, (_, place) => new Uint8Array([first + place, 7]))
  const tree = treeOf(hash, contents.map(hash))
  const proof = { first, count, signature: new Uint8Array(64).fill(first), tree }
  return contents.map((content, place) => ({ counter: first + place, content, proof }))
}

/** Each with its path, as parts of a batch come, and as whole ones were written before. */
function batch(first: number, count: number): Item[] {
  return planted(first, count).map(({ counter, content, proof }) => {
    const { tree, signature } = proof!
    return { counter, content, proof: { first, count, signature, path: pathIn(tree!, counter - first, count) } }
  })
}

/** As it comes: the tree is not sent. */
function treeless(items: readonly Item[]): Item[] {
  return items.map(({ counter, content, proof }) => {
    const { first, count, signature } = proof!
    return { counter, content, proof: { first, count, signature } }
  })
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

  it.each([2, 3, 5, 63, 64])('come without paths as a whole batch of %i, and with paths as a part of it', count => {
    const items = planted(10, count)
    const whole = [...batch(1, 3), ...items, ...batch(90, 2), ...planted(92, 2)].slice(-BATCH_MAX)
    const at = whole.indexOf(items[0]!)
    if (at >= 0) {
      const [before, after] = [whole.slice(0, at), whole.slice(at + count, -2)]
      const value = [...before, ...treeless(items), ...after, ...treeless(whole.slice(-2))]
      expect(read(strict, encode(strict, whole))).toEqual({ ok: true, value })
    }
    expect(encode(strict, items).length).toBe(count * 3 + 1 + 1 + 1 + 1 + 65)
    expect(read(strict, encode(strict, items))).toEqual({ ok: true, value: treeless(items) })
    expect(encode(strict, treeless(items))).toEqual(encode(strict, items))
    for (const part of [items.slice(1), items.slice(0, -1)]) {
      const value = batch(10, count).filter(({ counter }) => part.some(item => item.counter === counter))
      expect(read(strict, encode(strict, part))).toEqual({ ok: true, value })
      expect(() => encode(strict, treeless(part))).toThrow(RangeError)
    }
    for (const [place, item] of items.entries())
      expect(read(strict, new Uint8Array([1, ...encode(itemCodec, item)]))).toEqual({
        ok: true,
        value: [batch(10, count)[place]],
      })
  })

  it('of a whole batch in another order, or one of them twice, go with paths: no place says which they are', () => {
    const items = planted(1, 3)
    const [one, two, three] = batch(1, 3) as [Item, Item, Item]
    expect(
      read(
        strict,
        encode(
          strict,
          [0, 2, 1].map(place => items[place]!),
        ),
      ),
    ).toEqual({ ok: true, value: [one, three, two] })
    expect(
      read(
        strict,
        encode(
          strict,
          [0, 1, 1].map(place => items[place]!),
        ),
      ),
    ).toEqual({ ok: true, value: [one, two, two] })
  })

  it('that end for want of room end with a whole batch, unless there is none', () => {
    const items = [...planted(1, 8), ...planted(9, 4)]
    expect(endingWhole(items)).toBe(items)
    expect(endingWhole(items.slice(0, 11)).length).toBe(8)
    expect(endingWhole(items.slice(0, 5)).length).toBe(5)
    expect(endingWhole(batch(1, 8).slice(0, 5)).length).toBe(5)
    expect(endingWhole([])).toEqual([])
  })

  it('of a whole batch are refused where not all of it is there, or there is but one', () => {
    const bytes = encode(strict, planted(10, 4))
    expect([...bytes.slice(0, 6)]).toEqual([4, 10, 2, 10, 7, 3])
    for (const [place, byte] of [
      [0, 3],
      [6, 5],
      [6, 1],
      [6, 0],
      [6, 65],
    ] as const) {
      const wrong = Uint8Array.from(bytes)
      wrong[place] = byte
      expect(read(strict, wrong)).toMatchObject({ ok: false })
    }
    const number = encode(strict, [{ ...planted(10, 1)[0]!, counter: Number.MAX_SAFE_INTEGER, proof: undefined }])
    const beyond = new Uint8Array([2, ...number.slice(1, -1), 3, 2, ...bytes.slice(7, 72), 0])
    expect(read(strict, beyond)).toMatchObject({ ok: false, refusal: expect.stringContaining('too large') })
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
    const twice = [...bytes.slice(0, start), 2, 0, 2, ...bytes.slice(start + 3), 32, ...pathOf(b)![1]!]
    expect(read(strict, new Uint8Array(twice))).toMatchObject({ ok: false })
    expect(read(strict, new Uint8Array([BATCH_MAX + 1]))).toMatchObject({ ok: false })
    expect(() => encode(strict, batch(1, BATCH_MAX + 1))).toThrow(RangeError)
  })

  it('have one encoding: what is read from any bytes is written as these bytes', () => {
    const whole = encode(strict, [...batch(1, 7), ...batch(8, 2), ...planted(10, 5), ...planted(15, 3).slice(1)])
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
