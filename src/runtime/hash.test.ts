import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { sha256 } from './hash.ts'

it('is SHA-256, as bytes of their own, of any length and of a part of an array', () => {
  const all = new Uint8Array(300).map((_, place) => (7 * place) % 256)
  for (let length = 0; length <= all.length; length++) {
    const part = all.subarray(300 - length)
    expect(sha256(part)).toEqual(new Uint8Array(createHash('sha256').update(part).digest()))
  }
  expect(sha256(all)).not.toBe(sha256(all))
})
