// "This share was made with the secret of this key" (Chaum-Pedersen): key = x·G and share = x·base with one x.
// A wrong share would make an owner read another ticket than its own, and two members would hold one slot.

import { type Codec, struct } from '../../core/index.ts'
import { elementCodec, scalarCodec } from '../codecs.ts'
import { framed } from '../framing.ts'
import type { Element, Group, RandomBytes, Scalar } from '../group.ts'

/** That the key's logarithm to the generator is the share's logarithm to the base. */
export interface ShareStatement {
  readonly publicKey: Element
  /** The first half of the ciphertext that is opened. */
  readonly base: Element
  readonly share: Element
}

/** Proves that a share was made with the secret of a known key. */
export interface EqualLogarithmsProof {
  readonly keyCommitment: Element
  readonly shareCommitment: Element
  readonly response: Scalar
}

const DOMAIN = 'coterie proof of equal logarithms'

function challenge(
  group: Group,
  { publicKey, base, share }: ShareStatement,
  context: Uint8Array,
  keyCommitment: Element,
  shareCommitment: Element,
): Scalar {
  const message = framed(group.name, context, publicKey, base, share, keyCommitment, shareCommitment)
  return group.hashToScalar(DOMAIN, message)
}

/** Proves that a share was made with the secret of a known key, and tells nothing else. */
export function proveEqualLogarithms(
  group: Group,
  statement: ShareStatement,
  secret: Scalar,
  context: Uint8Array,
  random: RandomBytes,
): EqualLogarithmsProof {
  const mask = group.randomScalar(random)
  const keyCommitment = group.multiplyBase(mask)
  const shareCommitment = group.multiply(statement.base, mask)
  const asked = challenge(group, statement, context, keyCommitment, shareCommitment)
  const response = group.addScalars(mask, group.multiplyScalars(asked, secret))
  return { keyCommitment, shareCommitment, response }
}

/** Never throws: what is not in its one form is not a proof. */
export function checkEqualLogarithms(
  group: Group,
  statement: ShareStatement,
  context: Uint8Array,
  proof: EqualLogarithmsProof,
): boolean {
  const { publicKey, base, share } = statement
  const elements = [publicKey, base, share, proof.keyCommitment, proof.shareCommitment]
  if (elements.some(element => group.decode(element) === undefined)) return false
  if (group.decodeScalar(proof.response) === undefined) return false
  const asked = challenge(group, statement, context, proof.keyCommitment, proof.shareCommitment)
  return (
    group.equal(group.multiplyBase(proof.response), group.add(proof.keyCommitment, group.multiply(publicKey, asked))) &&
    group.equal(group.multiply(base, proof.response), group.add(proof.shareCommitment, group.multiply(share, asked)))
  )
}

/** The proof on the wire. */
export function equalLogarithmsProofCodec(group: Group): Codec<EqualLogarithmsProof> {
  const element = elementCodec(group)
  return struct<EqualLogarithmsProof>({
    keyCommitment: element,
    shareCommitment: element,
    response: scalarCodec(group),
  })
}
