// Modular powers on OpenSSL, ten times as fast as BigInt at 2048 bits, and even in their timing. Node has no such
// function; the agreement on a secret of Diffie and Hellman is one: with our exponent for its private key and our base
// for the other side's public key, the secret is the power. That use is not documented, so it is tried against BigInt
// first, and BigInt stays if the two differ or OpenSSL refuses.

import { createDiffieHellman } from 'node:crypto'
import { bigintPower, type ModularPower, type Power } from '../crypto/index.ts'

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function throughDiffieHellman(modulus: bigint): Power {
  const exchange = createDiffieHellman(bytesOf(modulus))
  return (base, exponent) => {
    exchange.setPrivateKey(bytesOf(exponent))
    return BigInt(`0x${exchange.computeSecret(bytesOf(base)).toString('hex')}`)
  }
}

/** Beyond this many bits BigInt takes half a second for a power with a whole exponent. */
const WHOLE_BITS_MAX = 3_072
const SHORT_BITS = 512

/** Bases and exponents at the ends of what is allowed, and in between; of a long modulus exponents are cut short. */
function agrees(power: Power, oracle: Power, modulus: bigint): boolean {
  const half = (modulus - 1n) / 2n
  const bits = modulus.toString(2).length
  const longest = bits > WHOLE_BITS_MAX ? half >> BigInt(bits - SHORT_BITS) : half
  const cases: readonly (readonly [bigint, bigint])[] = [
    [2n, 1n],
    [4n, longest - 1n],
    [modulus - 2n, 3n],
    [half, longest / 3n],
  ]
  return cases.every(([base, exponent]) => power(base, exponent) === oracle(base, exponent))
}

/** The quickest power that is right. */
export const opensslPower: ModularPower = modulus => {
  const oracle = bigintPower(modulus)
  try {
    const power = throughDiffieHellman(modulus)
    return agrees(power, oracle, modulus) ? power : oracle
  } catch {
    return oracle
  }
}

/** Found when it is first used, and kept for a few moduli: who only adds under encryption never needs it. */
export const lazyPower: ModularPower = modulus => (base, exponent) => {
  const power = found.get(modulus) ?? opensslPower(modulus)
  if (found.size >= FOUND_MAX && !found.has(modulus)) found.delete(found.keys().next().value!)
  found.set(modulus, power)
  return power(base, exponent)
}

const FOUND_MAX = 16
const found = new Map<bigint, Power>()
