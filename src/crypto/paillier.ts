// Paillier's encryption: sums under encryption (Paillier 1999). The level `thesis` of bandits adds what parties drew
// without seeing it. Values are signed: what is above half of the modulus counts as negative, and both sides check that
// a value is far from there, so that a sum never turns round unnoticed.
//
// Powers modulo n² go through an injected function. Who has the primes computes modulo p² and q² and puts the two
// together: a quarter of the work. BigInt is not constant in time: keys are for one run (docs/protocols/bandits.md).

import type { RandomBytes } from './group.ts'
import { bytesOf, integerOf, inverse, modulo } from './groups/integers.ts'
import { bigintPower, type ModularPower } from './groups/residues.ts'

/** What everybody may know: the modulus. */
export interface PaillierPublicKey {
  readonly modulus: bigint
}

/** The two primes, of equal length. */
export interface PaillierSecret {
  readonly p: bigint
  readonly q: bigint
}

/** Encrypts, adds, multiplies by known numbers. */
export interface PaillierEncryption {
  readonly key: PaillierPublicKey
  /** Bytes of a ciphertext. */
  readonly ciphertextBytes: number
  encrypt(value: bigint): bigint
  /** The encryption of the sum. */
  add(one: bigint, other: bigint): bigint
  /** The encryption of the value times a known positive number. */
  times(ciphertext: bigint, factor: bigint): bigint
  /** Another encryption of the same value: nobody can tell that it is the same. */
  rerandomise(ciphertext: bigint): bigint
  toBytes(ciphertext: bigint): Uint8Array
  /** Undefined where the bytes are no ciphertext of this key. */
  fromBytes(bytes: Uint8Array): bigint | undefined
}

/** Decrypts as well. */
export interface PaillierDecryption extends PaillierEncryption {
  decrypt(ciphertext: bigint): bigint
}

/** Below this no key is secure: 2,048 bits is NIST's lower bound for factoring (SP 800-57). */
export const PAILLIER_BITS_MIN = 2048
/** Random bytes beyond the modulus, so that the remainder is uniform to 2^-128. */
const SPARE_BYTES = 16

/** The largest absolute value: a quarter of the modulus leaves room for a sum to be seen as too large. */
export function paillierLimit({ modulus }: PaillierPublicKey): bigint {
  return modulus / 4n
}

function checkValue(value: bigint, key: PaillierPublicKey): void {
  const limit = paillierLimit(key)
  if (value >= limit || value <= -limit) throw new RangeError('a value beyond a quarter of the modulus')
}

/** With the public key alone. */
export function paillierEncryption(
  key: PaillierPublicKey,
  bytes: RandomBytes,
  power: ModularPower = bigintPower,
): PaillierEncryption {
  const { modulus } = key
  const square = modulus * modulus
  const raise = power(square)
  return encryptionBy(key, bytes, base => raise(base, modulus), raise)
}

function encryptionBy(
  key: PaillierPublicKey,
  bytes: RandomBytes,
  mask: (base: bigint) => bigint,
  raise: (base: bigint, exponent: bigint) => bigint,
): PaillierEncryption {
  const { modulus } = key
  const square = modulus * modulus
  const ciphertextBytes = Math.ceil(square.toString(16).length / 2)
  const drawn = (): bigint => {
    const length = Math.ceil(modulus.toString(16).length / 2) + SPARE_BYTES
    for (;;) {
      const base = integerOf(bytes(length), 'highFirst') % modulus
      if (base > 1n && base < modulus - 1n) return base
    }
  }
  return {
    key,
    ciphertextBytes,
    encrypt(value) {
      checkValue(value, key)
      // (1 + n)^v is 1 + n·v modulo n².
      return ((1n + modulus * modulo(value, modulus)) * mask(drawn())) % square
    },
    add: (one, other) => (one * other) % square,
    times(ciphertext, factor) {
      if (factor < 1n || factor >= modulus) throw new RangeError('a factor from 1 to below the modulus')
      return factor === 1n ? ciphertext : raise(ciphertext, factor)
    },
    rerandomise: ciphertext => (ciphertext * mask(drawn())) % square,
    toBytes: ciphertext => bytesOf(ciphertext, ciphertextBytes, 'highFirst'),
    fromBytes(encoded) {
      if (encoded.length !== ciphertextBytes) return undefined
      const found = integerOf(encoded, 'highFirst')
      // A multiple of a prime factor would be no unit; who can send one could factor the modulus.
      return found > 1n && found < square - 1n && found % modulus !== 0n ? found : undefined
    },
  }
}

/** With the primes. It encrypts four times as fast, and proves on itself that it works before it is used. */
export function paillierDecryption(
  secret: PaillierSecret,
  bytes: RandomBytes,
  power: ModularPower = bigintPower,
): PaillierDecryption {
  const { p, q } = secret
  const modulus = p * q
  if (p === q || modulo(modulus, 2n) === 0n) throw new RangeError('two different odd primes')
  const [squareP, squareQ] = [p * p, q * q]
  const [raiseP, raiseQ] = [power(squareP), power(squareQ)]
  const joined = joining(squareP, squareQ)
  const joinedValue = joining(p, q)
  // r^n modulo p²: the exponent may be taken modulo the order p(p - 1).
  const mask = (base: bigint) =>
    joined(
      raised(raiseP, base, modulus % (p * (p - 1n)), squareP),
      raised(raiseQ, base, modulus % (q * (q - 1n)), squareQ),
    )
  const raise = (base: bigint, exponent: bigint) =>
    joined(raised(raiseP, base, exponent, squareP), raised(raiseQ, base, exponent, squareQ))
  const encryption = encryptionBy({ modulus }, bytes, mask, raise)
  const logarithm = (value: bigint, prime: bigint) => (value - 1n) / prime
  const scaleOf = (prime: bigint, square: bigint, raiseTo: (base: bigint, exponent: bigint) => bigint) =>
    inverse(logarithm(raised(raiseTo, 1n + modulus, prime - 1n, square), prime) % prime, prime)
  const [scaleP, scaleQ] = [scaleOf(p, squareP, raiseP), scaleOf(q, squareQ, raiseQ)]
  const decryption: PaillierDecryption = {
    ...encryption,
    decrypt(ciphertext) {
      const overP = (logarithm(raised(raiseP, ciphertext, p - 1n, squareP), p) * scaleP) % p
      const overQ = (logarithm(raised(raiseQ, ciphertext, q - 1n, squareQ), q) * scaleQ) % q
      const found = joinedValue(overP, overQ)
      const value = found > modulus / 2n ? found - modulus : found
      checkValue(value, { modulus })
      return value
    },
  }
  testItself(decryption)
  return decryption
}

function testItself(paillier: PaillierDecryption): void {
  const sum = paillier.add(paillier.encrypt(12_345n), paillier.times(paillier.encrypt(-7n), 5n))
  if (paillier.decrypt(paillier.rerandomise(sum)) !== 12_310n) throw new RangeError('these primes make no Paillier key')
}

/** The power function takes bases between 1 and modulus - 1 only. */
function raised(
  raise: (base: bigint, exponent: bigint) => bigint,
  base: bigint,
  exponent: bigint,
  modulus: bigint,
): bigint {
  const small = modulo(base, modulus)
  if (small <= 1n || exponent === 0n) return exponent === 0n ? 1n : small
  return small === modulus - 1n ? (exponent % 2n === 0n ? 1n : small) : raise(small, exponent)
}

/** The number below m·n with these remainders (Garner). */
function joining(m: bigint, n: bigint): (overM: bigint, overN: bigint) => bigint {
  const factor = inverse(m, n)
  return (overM, overN) => overM + m * modulo((overN - overM) * factor, n)
}
