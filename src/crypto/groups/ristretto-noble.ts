// ristretto255 again, on noble's TypeScript: byte for byte the group of `ristretto.ts`, five to ten times slower, and
// needing no WebAssembly. The tests hold the two against each other; a page that may not compile WebAssembly uses it.

import { pippenger } from '@noble/curves/abstract/curve.js'
import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js'
import { sameBytes } from '../../core/index.ts'
import type { Element } from '../group.ts'
import { hashToBytes } from './hashing.ts'
import {
  RISTRETTO_ELEMENT_BYTES,
  RISTRETTO_NAME,
  RISTRETTO_WIDE_BYTES,
  type Ristretto,
  ristrettoIntegers,
} from './ristretto-shared.ts'

const { Point } = ristretto255
type Point = InstanceType<typeof Point>

/** Ristretto255 by the library @noble/curves. */
export function ristrettoNoble(): Ristretto {
  const { integer } = ristrettoIntegers
  const pointOf = (element: Element): Point => Point.fromBytes(element)
  const deriveToElement = ristretto255_hasher.deriveToCurve
  if (deriveToElement === undefined) throw new RangeError('this noble has no map from bytes to elements')
  const identity = Point.ZERO.toBytes()
  return {
    ...ristrettoIntegers,
    name: RISTRETTO_NAME,
    secure: true,
    elementBytes: RISTRETTO_ELEMENT_BYTES,
    identity,
    generator: Point.BASE.toBytes(),
    decode(bytes) {
      if (bytes.length !== RISTRETTO_ELEMENT_BYTES || sameBytes(bytes, identity)) return undefined
      try {
        pointOf(bytes)
        return bytes
      } catch {
        return undefined
      }
    },
    multiply(element, times) {
      const value = integer(times)
      return value === 0n ? identity.slice() : pointOf(element).multiply(value).toBytes()
    },
    multiplyBase(times) {
      const value = integer(times)
      return value === 0n ? identity.slice() : Point.BASE.multiply(value).toBytes()
    },
    sumOfProducts(terms) {
      const points = terms.map(([element]) => pointOf(element))
      const scalars = terms.map(([_element, times]) => integer(times))
      return pippenger(Point, points, scalars).toBytes()
    },
    add: (left, right) => pointOf(left).add(pointOf(right)).toBytes(),
    subtract: (left, right) => pointOf(left).subtract(pointOf(right)).toBytes(),
    negate: element => pointOf(element).negate().toBytes(),
    equal: sameBytes,
    fromUniformBytes: bytes => deriveToElement(bytes).toBytes(),
    hashToElement: (domain, message) => deriveToElement(hashToBytes(domain, message, RISTRETTO_WIDE_BYTES)).toBytes(),
  }
}
