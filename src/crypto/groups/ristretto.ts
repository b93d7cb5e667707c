// ristretto255 (RFC 9496), the default: a group of prime order out of Curve25519, without the cofactor that makes
// protocols over the plain curve go wrong. On libsodium's WebAssembly, which runs in Node and in browsers alike.

import sodium from 'libsodium-wrappers-sumo'
import { sameBytes } from '../../core/index.ts'
import type { Element, Group, Scalar } from '../group.ts'
import { hashToBytes } from './hashing.ts'
import {
  RISTRETTO_ELEMENT_BYTES,
  RISTRETTO_NAME,
  RISTRETTO_ORDER,
  RISTRETTO_WIDE_BYTES,
  type Ristretto,
  ristrettoIntegers,
} from './ristretto-shared.ts'
import { nonZero } from './scalars.ts'

/** Waits for the WebAssembly module, once; the group itself is synchronous. */
export async function ristretto(): Promise<Ristretto> {
  await sodium.ready
  const { integer, scalar, decodeScalar } = ristrettoIntegers
  const identity = new Uint8Array(RISTRETTO_ELEMENT_BYTES)
  const isIdentity = (element: Uint8Array) => sameBytes(element, identity)
  const zero = scalar(0n)
  const isZero = (value: Scalar) => sameBytes(value, zero)
  const add = sodium.crypto_core_ristretto255_add
  const subtract = sodium.crypto_core_ristretto255_sub
  // The library throws where the product is the identity.
  const multiply: Group['multiply'] = (element, times) =>
    isZero(times) || isIdentity(element) ? identity.slice() : sodium.crypto_scalarmult_ristretto255(times, element)
  return {
    name: RISTRETTO_NAME,
    secure: true,
    order: RISTRETTO_ORDER,
    elementBytes: RISTRETTO_ELEMENT_BYTES,
    scalarBytes: zero.length,
    identity,
    generator: sodium.crypto_scalarmult_ristretto255_base(scalar(1n)),
    decode(bytes) {
      if (bytes.length !== RISTRETTO_ELEMENT_BYTES || isIdentity(bytes)) return undefined
      return sodium.crypto_core_ristretto255_is_valid_point(bytes) ? bytes : undefined
    },
    decodeScalar,
    multiply,
    multiplyBase: times => (isZero(times) ? identity.slice() : sodium.crypto_scalarmult_ristretto255_base(times)),
    // With additions at a fifth of a multiplication, the usual tricks for many products at once lose.
    sumOfProducts: terms =>
      terms.reduce<Element>((sum, [element, times]) => add(sum, multiply(element, times)), identity),
    add: (left, right) => add(left, right),
    subtract: (left, right) => subtract(left, right),
    negate: element => subtract(identity, element),
    equal: sameBytes,
    addScalars: (left, right) => sodium.crypto_core_ristretto255_scalar_add(left, right),
    subtractScalars: (left, right) => sodium.crypto_core_ristretto255_scalar_sub(left, right),
    multiplyScalars: (left, right) => sodium.crypto_core_ristretto255_scalar_mul(left, right),
    invertScalar: value => sodium.crypto_core_ristretto255_scalar_invert(value),
    scalar,
    integer,
    randomScalar: random =>
      nonZero(zero, () => sodium.crypto_core_ristretto255_scalar_reduce(random(RISTRETTO_WIDE_BYTES))),
    fromUniformBytes: bytes => sodium.crypto_core_ristretto255_from_hash(bytes),
    hashToElement: (domain, message) =>
      sodium.crypto_core_ristretto255_from_hash(hashToBytes(domain, message, RISTRETTO_WIDE_BYTES)),
    hashToScalar: (domain, message) =>
      sodium.crypto_core_ristretto255_scalar_reduce(hashToBytes(domain, message, RISTRETTO_WIDE_BYTES)),
  }
}
