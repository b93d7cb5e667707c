// Powers on OpenSSL against BigInt, and the group over them.

import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import { bigintPower, residues2048 } from '../../src/crypto/index.ts'
import { opensslPower } from './modular-power.ts'

describe('modular powers on OpenSSL', () => {
  const group = residues2048(opensslPower)
  const twin = residues2048()
  const modulus = 2n * group.order + 1n

  it('agree with BigInt', () => {
    const random = seededRandom(5)
    const number = () => BigInt(`0x${Buffer.from(random.bytes(256)).toString('hex')}`) % group.order
    const [power, oracle] = [opensslPower(modulus), bigintPower(modulus)]
    for (let run = 0; run < 5; run++) {
      const [base, exponent] = [number() + 2n, number() + 1n]
      expect(power(base, exponent)).toBe(oracle(base, exponent))
    }
  })
  it('are OpenSSL’s, not the fallback: a base that it refuses is refused', () => {
    expect(() => opensslPower(modulus)(1n, 5n)).toThrow()
    expect(bigintPower(modulus)(1n, 5n)).toBe(1n)
  })
  it('give the same group', () => {
    const random = seededRandom(6)
    const scalar = group.randomScalar(length => random.bytes(length))
    const element = group.hashToElement('test', Uint8Array.of(1))
    expect(group.multiply(element, scalar)).toEqual(twin.multiply(element, scalar))
    expect(group.multiplyBase(scalar)).toEqual(twin.multiplyBase(scalar))
    expect(group.multiply(group.identity, scalar)).toEqual(group.identity)
    expect(group.multiplyBase(group.scalar(0n))).toEqual(group.identity)
  })
  it('are BigInt’s where OpenSSL cannot: an even modulus', () => {
    expect(opensslPower(1_000n)(7n, 5n)).toBe(7n ** 5n % 1_000n)
  })
})
