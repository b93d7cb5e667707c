// The standard groups of RFC 7919 (appendix A), 2048 and 3072 bits. Their primes are given by a formula in the digits of
// e, so that nobody can have chosen them for a weakness: p = 2^b - 2^(b-64) + (⌊2^(b-130)·e⌋ + X)·2^64 - 1, with X the
// least number that makes p and (p - 1) / 2 prime.

import type { Group } from '../group.ts'
import { type ModularPower, residues } from './residues.ts'

/** ⌊2^bits·e⌋, from e = 1 + 1/1! + 1/2! + …, with spare bits for what the terms lose. */
function eTimesPowerOfTwo(bits: number): bigint {
  const spare = 64n
  let sum = 0n
  let term = 1n << (BigInt(bits) + spare)
  for (let i = 1n; term > 0n; i++) {
    sum += term
    term /= i
  }
  return sum >> spare
}

function standardPrime(bits: number, x: bigint): bigint {
  const size = BigInt(bits)
  return 2n ** size - 2n ** (size - 64n) + (eTimesPowerOfTwo(bits - 130) + x) * 2n ** 64n - 1n
}

/** The group of 2048 bits of RFC 7919. */
export function residues2048(power?: ModularPower): Group {
  return standard('ffdhe2048', standardPrime(2048, 560_316n), power)
}

/** The group of 3072 bits of RFC 7919. */
export function residues3072(power?: ModularPower): Group {
  return standard('ffdhe3072', standardPrime(3072, 2_625_351n), power)
}

function standard(name: string, modulus: bigint, power: ModularPower | undefined): Group {
  return residues({ name: `${name}-squares`, secure: true, modulus, ...(power === undefined ? {} : { power }) })
}
