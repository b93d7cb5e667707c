// What a proof of shuffle says: "this output is this input, re-randomised under this key and permuted, and I know how",
// and not how. The proof is Terelius and Wikström's (AFRICACRYPT 2010) in the form in which Haenni, Locher, Koenig and
// Dubuis wrote it down for implementers (FC 2017), with commitments and responses sent and the challenge computed, so
// that many proofs can be checked at once. In one place it is shorter than theirs: the links of the chain are proved
// together, each times a random factor, not one by one (docs/decisions/groups-and-proofs.md says why that is as good).
//
// The idea in five lines. The prover commits to its permutation, one commitment per ticket. The hash of everything so
// far gives each input ticket a random weight u_i; permuted, the weights are u'_i. A chain of commitments shows that the
// product of the u'_i is that of the u_i, another equation shows that the sum is: for random weights only a permutation
// does both. The last equation shows that the outputs weighted with u' are the inputs weighted with u, re-randomised.
// If one ticket had been changed, swapped for another or doubled, that would fail but for a chance of 2^-128.

import { type Codec, list, struct } from '../../../core/index.ts'
import { elementCodec, scalarCodec } from '../../codecs.ts'
import type { Ciphertext } from '../../elgamal.ts'
import { framed } from '../../framing.ts'
import type { Element, Group, Scalar } from '../../group.ts'

/** The longest list that is shuffled: one ticket per member, and a lap of as many passes is a minute's work. */
export const SHUFFLE_MAX = 256

/** That the output is a shuffle of the input. The context names where it belongs: epoch, round, pass. */
export interface Pass {
  readonly key: Element
  readonly input: readonly Ciphertext[]
  readonly output: readonly Ciphertext[]
  readonly context: Uint8Array
}

/** What only the prover knows. Never saved, sent, logged or shown. */
export interface ShuffleSecret {
  /** Output i is input `permutation[i]`, re-randomised. */
  readonly permutation: readonly number[]
  /** With this randomness, by place in the output. */
  readonly randomness: readonly Scalar[]
}

/** Proves that the output is the input, rerandomised and in another order. */
export interface ShuffleProof {
  /** To the permutation, by place in the input. */
  readonly permutationCommitments: readonly Element[]
  /** Each the one before, times the next permuted weight, masked. */
  readonly chain: readonly Element[]
  readonly sumCommitment: Element
  readonly productCommitment: Element
  readonly weightsCommitment: Element
  readonly c1Commitment: Element
  readonly c2Commitment: Element
  readonly chainCommitment: Element
  readonly sumResponse: Scalar
  readonly productResponse: Scalar
  readonly weightsResponse: Scalar
  readonly ciphertextResponse: Scalar
  readonly chainResponse: Scalar
  readonly weightResponses: readonly Scalar[]
}

/** Elements of the proof, in one order, for hashing and for checking that they belong. */
export function announced(proof: Announcement): Element[] {
  return [
    proof.sumCommitment,
    proof.productCommitment,
    proof.weightsCommitment,
    proof.c1Commitment,
    proof.c2Commitment,
    proof.chainCommitment,
  ]
}

/** The part of the proof that the last challenge answers to. */
export type Announcement = Pick<
  ShuffleProof,
  'sumCommitment' | 'productCommitment' | 'weightsCommitment' | 'c1Commitment' | 'c2Commitment' | 'chainCommitment'
>

/** Elements whose logarithms nobody knows: one for the head of the chain, one for each place. */
export interface ShuffleGenerators {
  readonly head: Element
  readonly places: readonly Element[]
}

const GENERATOR_DOMAIN = 'coterie shuffle generator'
/** They depend on the group alone, and each costs as much as a multiplication. */
const known = new WeakMap<Group, Element[]>()

export function shuffleGenerators(group: Group, count: number): ShuffleGenerators {
  const made = known.get(group) ?? []
  known.set(group, made)
  while (made.length <= count) made.push(group.hashToElement(GENERATOR_DOMAIN, framed(group.name, made.length)))
  return { head: made[0]!, places: made.slice(1, count + 1) }
}

/** The proof on the wire. */
export function shuffleProofCodec(group: Group, ticketsMax: number = SHUFFLE_MAX): Codec<ShuffleProof> {
  const element = elementCodec(group)
  const scalar = scalarCodec(group)
  return struct<ShuffleProof>({
    permutationCommitments: list(element, ticketsMax),
    chain: list(element, ticketsMax),
    sumCommitment: element,
    productCommitment: element,
    weightsCommitment: element,
    c1Commitment: element,
    c2Commitment: element,
    chainCommitment: element,
    sumResponse: scalar,
    productResponse: scalar,
    weightsResponse: scalar,
    ciphertextResponse: scalar,
    chainResponse: scalar,
    weightResponses: list(scalar, ticketsMax),
  })
}
