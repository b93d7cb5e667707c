// "I know the randomness and the number in this vote" (Okamoto), for the secure OR (protocols/slots): A = r·G and
// B = r·Y + rho·G, where rho is zero for "free" and random for "held". The proof says that (r, rho) are known and not
// which they are. Without it a member could post the negative of the others' votes, or slip in a ticket and have the
// group open it (readings OMA 14).

import { type Codec, struct } from '../../core/index.ts'
import { elementCodec, scalarCodec } from '../codecs.ts'
import { framed } from '../framing.ts'
import type { Element, Group, RandomBytes, Scalar } from '../group.ts'

/** A vote under a key: an encryption of `held` times the generator. */
export interface VoteStatement {
  readonly key: Element
  readonly a: Element
  readonly b: Element
}

/** What the voter knows: the randomness of the encryption, and a random number if it holds, zero if not. */
export interface VoteSecret {
  readonly randomness: Scalar
  readonly held: Scalar
}

/** Proves that a veiled vote is well formed. */
export interface RepresentationProof {
  readonly aCommitment: Element
  readonly bCommitment: Element
  readonly randomnessResponse: Scalar
  readonly heldResponse: Scalar
}

const DOMAIN = 'coterie proof of a vote'

/** The same steps for a holder and for anybody else: always drawn, always computed, then selected. */
export function drawVote(group: Group, holds: boolean, random: RandomBytes): VoteSecret {
  const randomness = group.randomScalar(random)
  const drawn = group.randomScalar(random)
  const nothing = group.scalar(0n)
  const mask = -Number(holds)
  const held = drawn.map((byte, place) => (byte & mask) | (nothing[place]! & ~mask))
  return { randomness, held }
}

/** Veils a vote: held or free. */
export function castVote(group: Group, key: Element, { randomness, held }: VoteSecret): VoteStatement {
  const a = group.multiplyBase(randomness)
  const b = group.add(group.multiply(key, randomness), group.multiplyBase(held))
  return { key, a, b }
}

function challenge(
  group: Group,
  { key, a, b }: VoteStatement,
  context: Uint8Array,
  aCommitment: Element,
  bCommitment: Element,
): Scalar {
  return group.hashToScalar(DOMAIN, framed(group.name, context, key, a, b, aCommitment, bCommitment))
}

/** Proves that a vote is well formed, and not what it says. */
export function proveRepresentation(
  group: Group,
  statement: VoteStatement,
  secret: VoteSecret,
  context: Uint8Array,
  random: RandomBytes,
): RepresentationProof {
  const masks: VoteSecret = { randomness: group.randomScalar(random), held: group.randomScalar(random) }
  const { a: aCommitment, b: bCommitment } = castVote(group, statement.key, masks)
  const asked = challenge(group, statement, context, aCommitment, bCommitment)
  const answer = (mask: Scalar, known: Scalar) => group.addScalars(mask, group.multiplyScalars(asked, known))
  return {
    aCommitment,
    bCommitment,
    randomnessResponse: answer(masks.randomness, secret.randomness),
    heldResponse: answer(masks.held, secret.held),
  }
}

/** Never throws: what is not in its one form is not a proof. */
export function checkRepresentation(
  group: Group,
  statement: VoteStatement,
  context: Uint8Array,
  proof: RepresentationProof,
): boolean {
  const { key, a, b } = statement
  const { aCommitment, bCommitment, randomnessResponse, heldResponse } = proof
  if ([key, a, b, aCommitment, bCommitment].some(element => group.decode(element) === undefined)) return false
  if ([randomnessResponse, heldResponse].some(scalar => group.decodeScalar(scalar) === undefined)) return false
  const asked = challenge(group, statement, context, aCommitment, bCommitment)
  const answered = castVote(group, key, { randomness: randomnessResponse, held: heldResponse })
  return (
    group.equal(answered.a, group.add(aCommitment, group.multiply(a, asked))) &&
    group.equal(answered.b, group.add(bCommitment, group.multiply(b, asked)))
  )
}

/** The proof on the wire. */
export function representationProofCodec(group: Group): Codec<RepresentationProof> {
  const element = elementCodec(group)
  const scalar = scalarCodec(group)
  return struct<RepresentationProof>({
    aCommitment: element,
    bCommitment: element,
    randomnessResponse: scalar,
    heldResponse: scalar,
  })
}
