// The three challenges of a proof of shuffle, by Fiat and Shamir: hashes of everything said before, the whole statement
// first. A challenge that left out a part of the statement would leave the prover free to choose that part last.

import { sha512 } from '@noble/hashes/sha2.js'
import { framed } from '../../framing.ts'
import type { Element, Group, Scalar } from '../../group.ts'
import { hashToBytes } from '../../groups/hashing.ts'
import { integerOf } from '../../groups/integers.ts'
import { type Announcement, announced, type Pass, type ShuffleGenerators } from './statement.ts'

const STATEMENT_DOMAIN = 'coterie shuffle statement'
const WEIGHT_DOMAIN = 'coterie shuffle weight'
const LINK_DOMAIN = 'coterie shuffle link'
const CHALLENGE_DOMAIN = 'coterie shuffle challenge'
/** A weight needs to be unpredictable, not to fill the group: 128 bits make a cheat's chance 2^-128. */
const WEIGHT_BYTES = 16

export interface Weights {
  /** Digest of the statement and the permutation commitments: stands for all of them in the last challenge. */
  readonly seed: Uint8Array
  /** By place in the input. */
  readonly values: readonly bigint[]
}

export function shuffleWeights(
  group: Group,
  pass: Pass,
  generators: ShuffleGenerators,
  permutationCommitments: readonly Element[],
): Weights {
  const lists = [...pass.input, ...pass.output].flatMap(ticket => [ticket.c1, ticket.c2])
  const statement = framed(
    STATEMENT_DOMAIN,
    group.name,
    pass.context,
    pass.input.length,
    pass.output.length,
    pass.key,
    group.generator,
    generators.head,
    ...generators.places,
    ...lists,
    ...permutationCommitments,
  )
  const seed = sha512(statement)
  return { seed, values: weightsFrom(group, WEIGHT_DOMAIN, seed, pass.input.length) }
}

/** By place in the chain: what each link is multiplied by before all are proved together. Fixed after the chain is. */
export function linkFactors(group: Group, weights: Weights, chain: readonly Element[]): readonly bigint[] {
  return weightsFrom(group, LINK_DOMAIN, framed(weights.seed, ...chain), chain.length)
}

function weightsFrom(group: Group, domain: string, seed: Uint8Array, count: number): bigint[] {
  const stream = hashToBytes(domain, seed, count * WEIGHT_BYTES)
  return Array.from({ length: count }, (_, place) => {
    const bytes = stream.subarray(place * WEIGHT_BYTES, (place + 1) * WEIGHT_BYTES)
    return integerOf(bytes, 'highFirst') % group.order
  })
}

export function lastChallenge(
  group: Group,
  weights: Weights,
  chain: readonly Element[],
  announcement: Announcement,
): Scalar {
  return group.hashToScalar(CHALLENGE_DOMAIN, framed(weights.seed, ...chain, ...announced(announcement)))
}
