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

/** Bases and exponents at the ends of what is allowed, and in between. */
function agrees(power: Power, oracle: Power, modulus: bigint): boolean {
  const half = (modulus - 1n) / 2n
  const cases: readonly (readonly [bigint, bigint])[] = [
    [2n, 1n],
    [4n, half - 1n],
    [modulus - 2n, 3n],
    [half, half / 3n],
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
