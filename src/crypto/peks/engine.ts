// Pairings on BLS12-381 as searchable encryption sees them: two groups with points, a third in which pairings lie, and
// scalars. One interface, so that the quick engine (mcl, WebAssembly) and the plain one (noble, TypeScript) can be compared
// byte by byte: points in their compressed standard form, elements of the third group as their twelve coefficients.
//
// Points from outside enter by `decodeFirst` and `decodeSecond` only: not canonical, off the curve, outside the subgroup of
// prime order, or the identity is refused. An identity as a trapdoor would match every event; a point outside the subgroup
// gives away bits of a secret it is multiplied with.

import { expand_message_xmd } from '@noble/curves/abstract/hash-to-curve.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { RandomBytes } from '../group.ts'
import { bytesOf, integerOf } from '../groups/integers.ts'

declare const side: unique symbol

/** A point of the first group (G1), in the form of its engine. */
export type FirstPoint = object & { readonly [side]?: 'first' }
/** A point of the second group (G2), in the form of its engine. */
export type SecondPoint = object & { readonly [side]?: 'second' }
/** An element of the third group, in which pairings lie. */
export type Paired = object & { readonly [side]?: 'third' }

/** Arithmetic of a pairing. Scalars are 32 bytes, high byte first, from 1 to the order less 1. */
export interface PairingEngine {
  readonly name: string
  readonly firstGenerator: FirstPoint
  readonly secondGenerator: SecondPoint
  /** 48 bytes, or nothing where they are no point of the subgroup other than its identity. Never throws. */
  decodeFirst(bytes: Uint8Array): FirstPoint | undefined
  /** 96 bytes, likewise. Never throws. */
  decodeSecond(bytes: Uint8Array): SecondPoint | undefined
  encodeFirst(point: FirstPoint): Uint8Array
  encodeSecond(point: SecondPoint): Uint8Array
  /** The hash of RFC 9380 to G1, under a domain tag of the caller's. */
  hashToFirst(message: Uint8Array, domain: string): FirstPoint
  multiplyFirst(point: FirstPoint, scalar: Uint8Array): FirstPoint
  addFirst(left: FirstPoint, right: FirstPoint): FirstPoint
  multiplySecond(point: SecondPoint, scalar: Uint8Array): SecondPoint
  pair(first: FirstPoint, second: SecondPoint): Paired
  power(element: Paired, scalar: Uint8Array): Paired
  product(left: Paired, right: Paired): Paired
  quotient(left: Paired, right: Paired): Paired
  /** Twelve coefficients of 48 bytes, high byte first, in the order c0.c0.c0 … c1.c2.c1: one encoding for all engines. */
  coefficients(element: Paired): Uint8Array
}

/** Bytes of a point of the first group. */
export const FIRST_BYTES = 48
/** Bytes of a point of the second group. */
export const SECOND_BYTES = 96
/** Bytes of a coefficient. */
export const COEFFICIENT_BYTES = 48
const SCALAR_BYTES = 32
/** The order of all three groups. */
export const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** The field under the curve. */
const FIELD = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
/** RFC 9380, 5.1: of these bytes the remainder is uniform but for 2^-128. */
const WIDE_BYTES = 64
/** Draws of zero in a row before the source counts as broken. */
const DRAWS_MAX = 64

/** A secret: uniform, and not zero. */
export function randomPairingScalar(random: RandomBytes): Uint8Array {
  for (let drawn = 0; drawn < DRAWS_MAX; drawn++) {
    const value = integerOf(random(SCALAR_BYTES + 16), 'highFirst') % ORDER
    if (value !== 0n) return bytesOf(value, SCALAR_BYTES, 'highFirst')
  }
  throw new RangeError('the source of randomness gives nothing but zeros')
}

/** Whether it is a scalar that a secret may be. */
export function isPairingScalar(bytes: Uint8Array): boolean {
  if (bytes.length !== SCALAR_BYTES) return false
  const value = integerOf(bytes, 'highFirst')
  return value > 0n && value < ORDER
}

/** Two elements of the field for a message (RFC 9380, 5.2): each engine maps them to the curve and adds. */
export function hashToField(message: Uint8Array, domain: string): readonly [bigint, bigint] {
  const wide = expand_message_xmd(message, domain, 2 * WIDE_BYTES, sha256)
  const at = (place: number) => integerOf(wide.subarray(place, place + WIDE_BYTES), 'highFirst') % FIELD
  return [at(0), at(WIDE_BYTES)]
}
