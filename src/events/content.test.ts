// An event as bytes: what comes back, and what is refused.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encode, uint } from '../core/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import { ATTRIBUTES_MAX } from './values.ts'

const item = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => value + 0),
  fc.boolean(),
)
const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'é'), fc.string({ minLength: 1, maxLength: 20 }))
const entries = fc.uniqueArray(fc.tuple(name, fc.oneof(item, fc.array(item, { maxLength: 3 }))), {
  maxLength: 8,
  selector: ([key]) => key,
})
const time = 7

describe('content', () => {
  it('comes back, names of prototypes too, and one byte less or more is refused', () => {
    fc.assert(
      fc.property(entries, fc.uint8Array({ maxLength: 40 }), (pairs, payload) => {
        const attributes = Object.fromEntries(pairs)
        const bytes = encodeContent({ attributes, payload, time })
        const decoded = decodeContent(bytes)
        expect(decoded).toEqual({ ok: true, value: { attributes, payload, time, retained: false, expires: 0 } })
        if (!decoded.ok) return
        expect(Object.getPrototypeOf(decoded.value.attributes)).toBe(Object.prototype)
        expect(Object.keys(decoded.value.attributes).sort()).toEqual(Object.keys(attributes).sort())
        expect(encodeContent(decoded.value)).toEqual(bytes)
        expect(decodeContent(bytes.subarray(0, bytes.length - 1)).ok).toBe(false)
        expect(decodeContent(Uint8Array.of(...bytes, 0)).ok).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  it('is refused with names out of order, twice, empty, or too many', () => {
    const swapped = (one: string, other: string) => {
      const bytes = encodeContent({ attributes: { b: true, c: true }, payload: new Uint8Array(), time })
      const text = new TextEncoder()
      bytes.set(text.encode(one), 2)
      bytes.set(text.encode(other), 2 + 5)
      return decodeContent(bytes)
    }
    expect(swapped('b', 'c').ok).toBe(true)
    expect(swapped('c', 'b')).toMatchObject({ ok: false, refusal: expect.stringContaining('out of order') })
    expect(swapped('b', 'b')).toMatchObject({ ok: false, refusal: expect.stringContaining('out of order') })
    expect(decodeContent(Uint8Array.of(1, 0, 0, 3))).toMatchObject({
      ok: false,
      refusal: expect.stringContaining('without a name'),
    })
    expect(decodeContent(encode(uint(), ATTRIBUTES_MAX + 1))).toMatchObject({
      ok: false,
      refusal: expect.stringContaining(`more than ${ATTRIBUTES_MAX}`),
    })
  })
})
