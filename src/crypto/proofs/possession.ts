// "I know the secret of this key" (Schnorr). Without it the last member to post a key posts its own minus the sum of the
// others', and alone owns the group's key. Bound to a context (epoch, member), or one member could post another's key
// and proof as its own.

import { type Codec, struct } from '../../core/index.ts'
import { elementCodec, scalarCodec } from '../codecs.ts'
import type { KeyPair } from '../elgamal.ts'
import { framed } from '../framing.ts'
import type { Element, Group, RandomBytes, Scalar } from '../group.ts'

/** Proves that its author knows the secret of a key. */
export interface PossessionProof {
  readonly commitment: Element
  readonly response: Scalar
}

const DOMAIN = 'coterie proof of possession'

function challenge(group: Group, publicKey: Element, context: Uint8Array, commitment: Element): Scalar {
  return group.hashToScalar(DOMAIN, framed(group.name, context, publicKey, commitment))
}

/** Proves that one knows the secret of one's key. */
export function provePossession(
  group: Group,
  keys: KeyPair,
  context: Uint8Array,
  random: RandomBytes,
): PossessionProof {
  const mask = group.randomScalar(random)
  const commitment = group.multiplyBase(mask)
  const asked = challenge(group, keys.publicKey, context, commitment)
  return { commitment, response: group.addScalars(mask, group.multiplyScalars(asked, keys.secret)) }
}

/** Never throws: what is not in its one form is not a proof. */
export function checkPossession(
  group: Group,
  publicKey: Element,
  context: Uint8Array,
  proof: PossessionProof,
): boolean {
  if (group.decode(publicKey) === undefined || group.decode(proof.commitment) === undefined) return false
  if (group.decodeScalar(proof.response) === undefined) return false
  const asked = challenge(group, publicKey, context, proof.commitment)
  const expected = group.add(proof.commitment, group.multiply(publicKey, asked))
  return group.equal(group.multiplyBase(proof.response), expected)
}

/** The proof on the wire. */
export function possessionProofCodec(group: Group): Codec<PossessionProof> {
  return struct<PossessionProof>({ commitment: elementCodec(group), response: scalarCodec(group) })
}
