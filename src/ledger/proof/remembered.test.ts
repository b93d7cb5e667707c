import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { rememberedHash } from './remembered.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const text = (value: string) => new TextEncoder().encode(value)

describe('answers that a simulation remembers', () => {
  it('hashes as the hash does, also inputs with one fingerprint', () => {
    // Two inputs that FNV-1a does not tell apart.
    const [one, other] = [text('costarring'), text('liquid')]
    const hash = rememberedHash(sha256)
    for (const input of [one, other, one, other, bytes(), bytes(0)]) expect(hash(input)).toEqual(sha256(input))
  })

  it('asks once for the same bytes', () => {
    let asked = 0
    const hash = rememberedHash(input => {
      asked++
      return sha256(input)
    })
    hash(bytes(1, 2))
    hash(bytes(1, 2))
    expect(asked).toBe(1)
  })
})
