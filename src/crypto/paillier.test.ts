import { generatePrimeSync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type PaillierDecryption,
  type PaillierEncryption,
  paillierDecryption,
  paillierEncryption,
  paillierLimit,
} from './paillier.ts'

const bytes = (length: number) => new Uint8Array(randomBytes(length))
const prime = (bits: number) => generatePrimeSync(bits, { bigint: true })

let owner: PaillierDecryption
let other: PaillierEncryption
beforeAll(() => {
  owner = paillierDecryption({ p: prime(256), q: prime(256) }, bytes)
  other = paillierEncryption(owner.key, bytes)
})

const values = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })

describe('Paillier', () => {
  it('decrypts sums, products with known numbers, and other encryptions of the same, signed', () => {
    fc.assert(
      fc.property(values, values, fc.bigInt({ min: 1n, max: 1_000n }), (one, two, factor) => {
        const sum = other.add(other.encrypt(one), other.times(owner.encrypt(two), factor))
        expect(owner.decrypt(other.rerandomise(sum))).toBe(one + two * factor)
      }),
      { numRuns: 40 },
    )
  })

  it('never encrypts the same way twice', () => {
    const all = Array.from({ length: 20 }, () => other.encrypt(5n))
    expect(new Set(all).size).toBe(20)
    expect(other.rerandomise(all[0]!)).not.toBe(all[0])
  })

  it('agrees with the definition: c = (1 + n)^v · r^n modulo n²', () => {
    const n = owner.key.modulus
    const drawn = bytes(100)
    const fixed = paillierEncryption(owner.key, () => drawn)
    let r = 0n
    for (const byte of drawn) r = r * 256n + BigInt(byte)
    const power = (base: bigint, exponent: bigint): bigint => {
      let result = 1n
      for (let [b, e] = [base % (n * n), exponent]; e > 0n; [b, e] = [(b * b) % (n * n), e / 2n])
        if (e % 2n === 1n) result = (result * b) % (n * n)
      return result
    }
    expect(fixed.encrypt(42n)).toBe((power(1n + n, 42n) * power(r % n, n)) % (n * n))
  })

  it('says that a value is too large, also a sum that grew too large', () => {
    const limit = paillierLimit(owner.key)
    expect(() => other.encrypt(limit)).toThrow('beyond a quarter')
    expect(() => other.encrypt(-limit)).toThrow('beyond a quarter')
    expect(owner.decrypt(other.encrypt(limit - 1n))).toBe(limit - 1n)
    const large = other.encrypt(limit - 1n)
    expect(() => owner.decrypt(other.add(large, large))).toThrow('beyond a quarter')
  })

  it('goes through bytes, and refuses what is no ciphertext', () => {
    const ciphertext = other.encrypt(-3n)
    expect(other.fromBytes(other.toBytes(ciphertext))).toBe(ciphertext)
    expect(other.fromBytes(new Uint8Array(3))).toBeUndefined()
    expect(other.fromBytes(new Uint8Array(other.ciphertextBytes))).toBeUndefined()
    expect(other.fromBytes(new Uint8Array(other.ciphertextBytes).fill(255))).toBeUndefined()
    expect(other.fromBytes(other.toBytes(owner.key.modulus))).toBeUndefined()
  })

  it('refuses primes that are none, or the same', () => {
    const p = prime(128)
    expect(() => paillierDecryption({ p, q: p }, bytes)).toThrow('two different odd primes')
    expect(() => paillierDecryption({ p, q: prime(128) * prime(64) }, bytes)).toThrow()
  })
})
