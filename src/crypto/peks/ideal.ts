// An ideal pairing, for simulations: every point is its own logarithm, so that arithmetic is that of the real groups and a
// pairing costs a multiplication. Never used outside a simulation: whoever sees a point knows every secret behind it.

import { sha256 } from '@noble/hashes/sha2.js'
import { framed } from '../framing.ts'
import { bytesOf, integerOf } from '../groups/integers.ts'
import { COEFFICIENT_BYTES, FIRST_BYTES, ORDER, type PairingEngine, SECOND_BYTES } from './engine.ts'

interface Logarithm {
  readonly value: bigint
}

const COEFFICIENTS = 12
const at = (point: object) => (point as Logarithm).value
const of = (value: bigint): Logarithm => ({ value: ((value % ORDER) + ORDER) % ORDER })
const scalar = (bytes: Uint8Array) => integerOf(bytes, 'highFirst')

/** The pairing in which everything is known. */
export function idealPairing(): PairingEngine {
  const decoded = (length: number) => (bytes: Uint8Array) => {
    const value = bytes.length === length ? scalar(bytes) : 0n
    return value > 0n && value < ORDER ? of(value) : undefined
  }
  const encoded = (length: number) => (point: object) => bytesOf(at(point), length, 'highFirst')
  return {
    name: 'ideal',
    firstGenerator: of(1n),
    secondGenerator: of(1n),
    decodeFirst: decoded(FIRST_BYTES),
    decodeSecond: decoded(SECOND_BYTES),
    encodeFirst: encoded(FIRST_BYTES),
    encodeSecond: encoded(SECOND_BYTES),
    hashToFirst: (message, domain) => of(scalar(sha256(framed(domain, message)))),
    multiplyFirst: (point, by) => of(at(point) * scalar(by)),
    addFirst: (left, right) => of(at(left) + at(right)),
    multiplySecond: (point, by) => of(at(point) * scalar(by)),
    pair: (first, second) => of(at(first) * at(second)),
    power: (element, by) => of(at(element) * scalar(by)),
    product: (left, right) => of(at(left) + at(right)),
    quotient: (left, right) => of(at(left) - at(right)),
    coefficients: element => bytesOf(at(element), COEFFICIENTS * COEFFICIENT_BYTES, 'highFirst'),
  }
}
