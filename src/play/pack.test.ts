// Long addresses are packed, and what is no packed address is refused with a sentence.

import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ADDRESS_MAX, ADDRESS_PLAIN_MAX } from '../simulator/index.ts'
import { packAddress, unpackAddress } from './pack.ts'

describe('a packed address', () => {
  it('is unpacked to what it was; a short one stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 6_000, minLength: 1, size: 'max' }), async text => {
        const plain = `run=lock&${text}`
        const packed = await packAddress(plain)
        expect(packed.startsWith('z=')).toBe(plain.length > ADDRESS_PLAIN_MAX)
        if (packed.startsWith('z='))
          expect(await unpackAddress(`https://x.example/#${packed}`)).toEqual({ ok: true, text: plain })
      }),
      { numRuns: 30 },
    )
  })
  it('that unpacks to more than an address may have is refused, without unpacking it', async () => {
    const bomb = deflateRawSync(Buffer.alloc(50 * ADDRESS_MAX, 'a')).toString('base64url')
    expect(await unpackAddress(`#z=${bomb}`)).toEqual({
      ok: false,
      refusal: expect.stringMatching(/cannot be unpacked/),
    })
  })
  it.each([
    ['#z=', /cannot be unpacked/],
    ['#z=A', /letters that do not belong there/],
    ['#z=_____w', /cannot be unpacked/],
    ['#z=é', /letters that do not belong there/],
    [`#z=${'A'.repeat(ADDRESS_MAX)}`, /more than 131072 letters/],
  ])('%.12s is refused', async (text, why) => {
    const read = await unpackAddress(text)
    expect(read.ok ? '' : read.refusal).toMatch(why)
  })
})
