// The pairing on noble: plain TypeScript, five times slower than mcl. The oracle of the quick one.

import { bytesOf, integerOf } from '../groups/integers.ts'
import type { PairingEngine } from './engine.ts'
import { COEFFICIENT_BYTES, FIRST_BYTES, SECOND_BYTES } from './engine.ts'

/** Loads noble's curve with the first call. */
export async function nobleEngine(): Promise<PairingEngine> {
  const { bls12_381: curve } = await import('@noble/curves/bls12-381.js')
  const First = curve.G1.Point
  const Second = curve.G2.Point
  const { Fp12 } = curve.fields
  type First = InstanceType<typeof First>
  type Second = InstanceType<typeof Second>
  type Third = Parameters<typeof Fp12.mul>[0]
  const integer = (scalar: Uint8Array) => integerOf(scalar, 'highFirst')
  return {
    name: 'noble',
    firstGenerator: First.BASE,
    secondGenerator: Second.BASE,
    decodeFirst: bytes => decoded(bytes, FIRST_BYTES, () => First.fromBytes(bytes)),
    decodeSecond: bytes => decoded(bytes, SECOND_BYTES, () => Second.fromBytes(bytes)),
    encodeFirst: point => (point as First).toBytes(),
    encodeSecond: point => (point as Second).toBytes(),
    // Whole: also the part that the quick engine does by its own.
    hashToFirst: (message, domain) => curve.G1.hashToCurve(message, { DST: domain }),
    multiplyFirst: (point, scalar) => (point as First).multiply(integer(scalar)),
    addFirst: (left, right) => (left as First).add(right as First),
    multiplySecond: (point, scalar) => (point as Second).multiply(integer(scalar)),
    pair: (first, second) => curve.pairing(first as First, second as Second) as Third,
    power: (element, scalar) => Fp12.pow(element as Third, integer(scalar)),
    product: (left, right) => Fp12.mul(left as Third, right as Third),
    quotient: (left, right) => Fp12.div(left as Third, right as Third),
    coefficients(element) {
      const { c0, c1 } = element as Third
      const parts = [c0.c0, c0.c1, c0.c2, c1.c0, c1.c1, c1.c2].flatMap(part => [part.c0, part.c1])
      const out = new Uint8Array(parts.length * COEFFICIENT_BYTES)
      parts.forEach((part, place) => {
        out.set(bytesOf(part, COEFFICIENT_BYTES, 'highFirst'), place * COEFFICIENT_BYTES)
      })
      return out
    },
  }
}

interface Checked {
  assertValidity(): void
  is0(): boolean
}

function decoded<P extends Checked>(bytes: Uint8Array, length: number, read: () => P): P | undefined {
  if (bytes.length !== length) return undefined
  try {
    const point = read()
    if (point.is0()) return undefined
    point.assertValidity()
    return point
  } catch {
    // What is no point throws: it is somebody's bad bytes.
    return undefined
  }
}
