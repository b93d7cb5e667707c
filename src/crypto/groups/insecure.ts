// Two groups for simulations, each as insecure as its name says: in the first a logarithm takes seconds, in the second
// one division. The machines that run over them are the shipped ones; only the group is another.
//
// The small one is for games of guessing, where an adversary that does not take logarithms should have no other way.
// The bare one is for ten thousand rounds with faults: an element is its own logarithm times a constant, the numbers
// modulo 2^61 - 1 under addition, so that a multiplication takes a microsecond.

import { sameBytes } from '../../core/index.ts'
import type { Group } from '../group.ts'
import { hashToBytes } from './hashing.ts'
import { bytesOf, integerOf, modulo } from './integers.ts'
import { residues } from './residues.ts'
import { scalarArithmetic } from './scalars.ts'

/** The largest safe prime below 2^61. */
const SMALL_SAFE_PRIME = 2n ** 61n - 2373n

/** For games of guessing: a logarithm takes seconds. */
export function insecureSmallGroup(): Group {
  return residues({ name: 'insecure-squares-61', secure: false, modulus: SMALL_SAFE_PRIME })
}

const BARE_PRIME = 2n ** 61n - 1n
/** Any constant will do; one that is not small, so that an element is not mistaken for a scalar. */
const BARE_GENERATOR = 1_957_836_140_217_263_909n
const BARE_BYTES = 8
const BARE_SPARE_BYTES = 24

/** For simulations: fast, and a logarithm takes one division. */
export function insecureBareGroup(): Group {
  const numberOf = (element: Uint8Array) => integerOf(element, 'highFirst')
  const elementOf = (value: bigint) => bytesOf(modulo(value, BARE_PRIME), BARE_BYTES, 'highFirst')
  return {
    ...scalarArithmetic(BARE_PRIME, BARE_BYTES, 'highFirst'),
    name: 'insecure-numbers-61',
    secure: false,
    elementBytes: BARE_BYTES,
    identity: elementOf(0n),
    generator: elementOf(BARE_GENERATOR),
    decode(bytes) {
      if (bytes.length !== BARE_BYTES) return undefined
      const value = numberOf(bytes)
      return value > 0n && value < BARE_PRIME ? bytes : undefined
    },
    multiply: (element, scalar) => elementOf(numberOf(element) * numberOf(scalar)),
    multiplyBase: scalar => elementOf(BARE_GENERATOR * numberOf(scalar)),
    sumOfProducts: terms =>
      elementOf(terms.reduce((sum, [element, scalar]) => sum + numberOf(element) * numberOf(scalar), 0n)),
    add: (left, right) => elementOf(numberOf(left) + numberOf(right)),
    subtract: (left, right) => elementOf(numberOf(left) - numberOf(right)),
    negate: element => elementOf(-numberOf(element)),
    equal: sameBytes,
    hashToElement(domain, message) {
      const hashed = integerOf(hashToBytes(domain, message, BARE_SPARE_BYTES), 'highFirst')
      return elementOf((hashed % (BARE_PRIME - 1n)) + 1n)
    },
  }
}
