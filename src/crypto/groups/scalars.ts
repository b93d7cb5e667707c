// Arithmetic modulo the order of a group, on BigInt, for every group that has none of its own.

import { sameBytes } from '../../core/index.ts'
import type { Group, Scalar } from '../group.ts'
import { hashToBytes } from './hashing.ts'
import { type ByteOrder, bytesOf, integerOf, inverse, modulo } from './integers.ts'

export type ScalarArithmetic = Pick<
  Group,
  | 'order'
  | 'scalarBytes'
  | 'decodeScalar'
  | 'addScalars'
  | 'subtractScalars'
  | 'multiplyScalars'
  | 'invertScalar'
  | 'scalar'
  | 'integer'
  | 'randomScalar'
  | 'hashToScalar'
>

/** Bytes beyond those of the order: reduced from them too, a random integer is uniform but for a chance of 2^-128. */
const SPARE_BYTES = 16

export function scalarArithmetic(
  order: bigint,
  scalarBytes: number,
  byteOrder: ByteOrder,
  wideBytes: number = scalarBytes + SPARE_BYTES,
): ScalarArithmetic {
  const integer = (scalar: Scalar) => integerOf(scalar, byteOrder)
  const scalar = (value: bigint) => bytesOf(modulo(value, order), scalarBytes, byteOrder)
  return {
    order,
    scalarBytes,
    integer,
    scalar,
    decodeScalar: bytes => (bytes.length === scalarBytes && integer(bytes) < order ? bytes : undefined),
    addScalars: (left, right) => scalar(integer(left) + integer(right)),
    subtractScalars: (left, right) => scalar(integer(left) - integer(right)),
    multiplyScalars: (left, right) => scalar(integer(left) * integer(right)),
    invertScalar: value => scalar(inverse(integer(value), order)),
    randomScalar: random => nonZero(scalar(0n), () => scalar(integer(random(wideBytes)))),
    hashToScalar: (domain, message) => scalar(integer(hashToBytes(domain, message, wideBytes))),
  }
}

/** Draws of zero in a row before the source counts as broken: then nothing is safe. */
const DRAWS_MAX = 64

export function nonZero(zero: Scalar, draw: () => Scalar): Scalar {
  for (let drawn = 0; drawn < DRAWS_MAX; drawn++) {
    const scalar = draw()
    if (!sameBytes(scalar, zero)) return scalar
  }
  throw new RangeError('the source of randomness gives nothing but zeros')
}
