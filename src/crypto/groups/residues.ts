// The paper's group (OMA §4.1): the squares modulo a safe prime p = 2q + 1, of prime order q. What is not a square is
// outside, and its Legendre symbol would tell a ticket from another through every encryption: tickets are made by
// squaring, and `decode` refuses what is no square.
//
// The one expensive step, a modular power, is an argument: BigInt here, OpenSSL where there is one (src/runtime).
// BigInt's timing depends on its operands; with it, secrets are safe only from those who cannot measure.

import { sameBytes } from '../../core/index.ts'
import type { Element, Group, Scalar } from '../group.ts'
import { hashToBytes } from './hashing.ts'
import { bytesOf, integerOf, inverse, modulo } from './integers.ts'
import { scalarArithmetic } from './scalars.ts'

/** base^exponent modulo a fixed modulus; 1 < base < modulus - 1, 0 < exponent < modulus. */
export type Power = (base: bigint, exponent: bigint) => bigint

/** Makes the power function of a modulus, which may prepare itself. */
export type ModularPower = (modulus: bigint) => Power

export interface ResidueSettings {
  readonly name: string
  readonly secure: boolean
  /** A safe prime. */
  readonly modulus: bigint
  readonly power?: ModularPower
}

const SPARE_BYTES = 16

export function residues(settings: ResidueSettings): Group {
  const { modulus } = settings
  const order = (modulus - 1n) / 2n
  const elementBytes = Math.ceil(modulus.toString(16).length / 2)
  const power = (settings.power ?? bigintPower)(modulus)
  const numberOf = (element: Element) => integerOf(element, 'highFirst')
  const elementOf = (value: bigint) => bytesOf(value, elementBytes, 'highFirst')
  const multiplied = (left: bigint, right: bigint) => (left * right) % modulus
  const raised = (base: bigint, exponent: bigint) => (exponent === 0n || base === 1n ? 1n : power(base, exponent))
  const times = (element: Element, scalar: Scalar) => raised(numberOf(element), numberOf(scalar))
  // The square of two: for every safe prime above five a square that is neither 1 nor -1 (readings OMA 10).
  const generator = elementOf(4n)
  return {
    ...scalarArithmetic(order, elementBytes, 'highFirst'),
    name: settings.name,
    secure: settings.secure,
    elementBytes,
    identity: elementOf(1n),
    generator,
    decode(bytes) {
      if (bytes.length !== elementBytes) return undefined
      const value = numberOf(bytes)
      return value > 1n && value < modulus && legendre(value, modulus) === 1 ? bytes : undefined
    },
    multiply: (element, scalar) => elementOf(times(element, scalar)),
    multiplyBase: scalar => elementOf(times(generator, scalar)),
    sumOfProducts: terms =>
      elementOf(terms.reduce((product, [element, scalar]) => multiplied(product, times(element, scalar)), 1n)),
    add: (left, right) => elementOf(multiplied(numberOf(left), numberOf(right))),
    subtract: (left, right) => elementOf(multiplied(numberOf(left), inverse(numberOf(right), modulus))),
    negate: element => elementOf(inverse(numberOf(element), modulus)),
    equal: sameBytes,
    hashToElement(domain, message) {
      const hashed = integerOf(hashToBytes(domain, message, elementBytes + SPARE_BYTES), 'highFirst')
      // From 2 to modulus - 2: the squares of 0, 1 and -1 are not wanted.
      const root = (hashed % (modulus - 3n)) + 2n
      return elementOf(multiplied(root, root))
    },
  }
}

/** 1 for a square, -1 for another number, 0 for a multiple of the modulus, which is odd. */
export function legendre(value: bigint, modulus: bigint): -1 | 0 | 1 {
  let upper = modulo(value, modulus)
  let lower = modulus
  let sign: -1 | 1 = 1
  while (upper !== 0n) {
    const twos = trailingZeros(upper)
    upper >>= BigInt(twos)
    const eighth = lower & 7n
    if (twos % 2 === 1 && (eighth === 3n || eighth === 5n)) sign = -sign as -1 | 1
    // Reciprocity: exchanged, the sign turns only if both are 3 modulo 4.
    if ((upper & 3n) === 3n && (lower & 3n) === 3n) sign = -sign as -1 | 1
    ;[upper, lower] = [lower % upper, upper]
  }
  return lower === 1n ? sign : 0
}

function trailingZeros(value: bigint): number {
  let zeros = 0
  for (let rest = value; ; ) {
    const word = Number(BigInt.asUintN(32, rest))
    if (word !== 0) return zeros + 31 - Math.clz32(word & -word)
    zeros += 32
    rest >>= 32n
  }
}

const WINDOW_BITS = 4
const WINDOW_SIZE = 1 << WINDOW_BITS

/** Four bits of the exponent at a time. */
export const bigintPower: ModularPower = modulus => (base, exponent) => {
  const powers = [1n]
  for (let i = 1; i < WINDOW_SIZE; i++) powers.push((powers[i - 1]! * base) % modulus)
  const digits = exponent.toString(WINDOW_SIZE)
  let result = 1n
  for (let place = 0; place < digits.length; place++) {
    for (let bit = 0; bit < WINDOW_BITS && place > 0; bit++) result = (result * result) % modulus
    const digit = Number.parseInt(digits[place]!, WINDOW_SIZE)
    if (digit !== 0) result = (result * powers[digit]!) % modulus
  }
  return result
}
