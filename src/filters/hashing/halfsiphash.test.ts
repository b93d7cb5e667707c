import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashBytes, hashInteger, hashText } from './halfsiphash.ts'
import { mixBytes, mixText } from './unkeyed.ts'
import { Utf8Scratch } from './utf8.ts'

// vectors_hsip64 of the reference implementation, github.com/veorq/SipHash, vectors.h: the key is 00 01 … 07, and the
// n-th message is 00 01 … n-1.
const VECTORS = `
  218d1f59b9b83cc8 be552412f8387315 064f39ef7c50eb57 ce0f1a45f7060679 d5e78a175be52ea1 cb9d7c3f2f3db580
  ce3e91358aa2bc25 ff202728b07bc684 edfee820bce4858c 5b51cccc13888307 95b0469f06a6f2ee ae26333994ddcd48
  7bc71f9faef5c799 5a2352d75a0c3744 3bb1a870eae8e658 217d0bcb4e81c902 7336aad25f7bf3b5 37adc0641c4c4f6a
  c9b2db2b9a3e42f9 f910e48020ab363c 1bf52b0a6feea7db 00741dc269e8b3ef e20103fa1ba776ef 4c2210e54b681d73
  70741045ae3fa6f1 0c86403739714038 0d899ed8112923f0 226bf5fab81ee1b8 2d925ffb1e0016b5 361958d52cee10f1
  291aaf864898179d 863c7f155c34117c 28709d46d811626c 248477681d28f89c 8324e4d7528f9830 f9efd4e13aea6bd8
  86d67a40ec4276dc 3f6292eccca97e35 cbd92ee724d42109 368df6808d403d79 5b38c81c67c8ae4c 95ab7189d439acb3
  a91a52c025327024 5b0087c69528acea 1e30f3ad27dcb15a 697f5c9a90324ed4 495c0f995557dc38 9427202a3c29f94d
  a9eaa8c04ba93e3e eea4c1737d011218 912d568fd8f65a49 56919596b0ff5c97 02445a7998f550e1 86ec466ce71d1fb2
  359569e7d289e3bc 871b05ca62bb7c96 a1a492f942f15f1d 12ec267ff6095b6e 5d1b5ea1b231d89d d8cfb4453f92ee54
  d6762890bf26e460 313563a4b7ed5cf3 f90b3ab572d46693 2ea63c71bf326087
`
  .trim()
  .split(/\s+/)

const K0 = 0x03020100
const K1 = 0x07060504

function hex(first: number, second: number): string {
  const out = new DataView(new ArrayBuffer(8))
  out.setInt32(0, first, true)
  out.setInt32(4, second, true)
  return [...new Uint8Array(out.buffer)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

describe('HalfSipHash-2-4, 64-bit output', () => {
  test('all 64 reference vectors, also from the middle of a buffer', () => {
    expect(VECTORS).toHaveLength(64)
    const second = new Int32Array(1)
    for (const [length, expected] of VECTORS.entries()) {
      const bytes = Uint8Array.from({ length: length + 5 }, (_, i) => (i < 3 ? 0xaa : i - 3))
      const first = hashBytes(K0, K1, bytes, 3, 3 + length, second)
      expect(hex(first, second[0]!)).toBe(expected)
    }
  })

  test('a string hashes as its UTF-8 bytes, wherever it stops being ASCII, and so without a key', () => {
    const second = new Int32Array(1)
    const scratch = new Utf8Scratch()
    const mixed = fc
      .tuple(fc.string({ maxLength: 9 }), fc.string({ unit: 'grapheme', maxLength: 300 }))
      .map(([a, b]) => a + b)
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.oneof(fc.string({ maxLength: 40 }), mixed), (k0, k1, text) => {
        const bytes = new TextEncoder().encode(text)
        const first = hashBytes(k0, k1, bytes, 0, bytes.length, second)
        const expected = hex(first, second[0]!)
        expect(hex(hashText(k0, k1, text, scratch, second), second[0]!)).toBe(expected)
        const unkeyed = hex(mixBytes(bytes, 0, bytes.length, second), second[0]!)
        expect(hex(mixText(text, scratch, second), second[0]!)).toBe(unkeyed)
      }),
      { numRuns: 500 },
    )
  })

  test('an integer hashes as its 7 bytes', () => {
    const second = new Int32Array(1)
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer(), fc.integer(), (k0, k1, low, high) => {
        const view = new DataView(new ArrayBuffer(8))
        view.setInt32(0, low, true)
        view.setInt32(4, high, true)
        const first = hashBytes(k0, k1, new Uint8Array(view.buffer), 0, 7, second)
        const expected = hex(first, second[0]!)
        expect(hex(hashInteger(k0, k1, low, high, second), second[0]!)).toBe(expected)
      }),
    )
  })
})
