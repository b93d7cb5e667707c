// Shuffling a list of tickets, and proving it. The names in the comments are those of Haenni et al., algorithm 4.4 and
// following; G is the generator, H the head of the chain, h_i the generators of the places.

import type { Ciphertext } from '../../elgamal.ts'
import { rerandomise } from '../../elgamal.ts'
import type { Element, Group, RandomBytes, Scalar } from '../../group.ts'
import { lastChallenge, linkFactors, shuffleWeights, type Weights } from './challenges.ts'
import {
  type Announcement,
  type Pass,
  type ShuffleGenerators,
  type ShuffleProof,
  type ShuffleSecret,
  shuffleGenerators,
} from './statement.ts'

/** Uniform over all orders of 0 … count - 1 (Fisher and Yates). */
export function randomPermutation(count: number, random: RandomBytes): number[] {
  const order = Array.from({ length: count }, (_, place) => place)
  for (let last = count - 1; last > 0; last--) {
    const chosen = uniformBelow(last + 1, random)
    const moved = order[last]!
    order[last] = order[chosen]!
    order[chosen] = moved
  }
  return order
}

const TWO_32 = 0x1_0000_0000

function uniformBelow(bound: number, random: RandomBytes): number {
  // The last, incomplete block of the range is thrown away, or low numbers would come more often.
  const limit = TWO_32 - (TWO_32 % bound)
  for (;;) {
    const value = random(4).reduce((sum, byte) => sum * 0x100 + byte, 0)
    if (value < limit) return value % bound
  }
}

/** Re-randomises every ticket under the key and puts them into a random order. */
export function shuffle(
  group: Group,
  key: Element,
  input: readonly Ciphertext[],
  random: RandomBytes,
): { readonly output: readonly Ciphertext[]; readonly secret: ShuffleSecret } {
  const permutation = randomPermutation(input.length, random)
  const randomness = input.map(() => group.randomScalar(random))
  const output = permutation.map((from, place) => rerandomise(group, key, input[from]!, randomness[place]!))
  return { output, secret: { permutation, randomness } }
}

/** A commitment to the permutation: c_j = r_j·G + h_i, where input j went to place i. */
interface Committed {
  readonly commitments: readonly Element[]
  readonly openings: readonly Scalar[]
}

function commitToPermutation(
  group: Group,
  permutation: readonly number[],
  generators: ShuffleGenerators,
  random: RandomBytes,
): Committed {
  const openings = permutation.map(() => group.randomScalar(random))
  const commitments = openings.map(opening => group.multiplyBase(opening))
  for (const [place, from] of permutation.entries()) {
    commitments[from] = group.add(commitments[from]!, generators.places[place]!)
  }
  return { commitments, openings }
}

/** The chain, and what it is made of: link i is `mask`·G + `product`·H. */
interface Chain {
  readonly links: readonly Element[]
  readonly openings: readonly Scalar[]
  readonly masks: readonly Scalar[]
  readonly products: readonly Scalar[]
  readonly factors: readonly Scalar[]
}

/**
 * Link i is opening_i·G + u'_i·(link i-1). The prover knows every link as a sum of G and H, and multiplies these two
 * rather than the link before: one of them is quick.
 */
function chainOf(
  group: Group,
  head: Element,
  weights: Weights,
  permuted: readonly Scalar[],
  random: RandomBytes,
): Chain {
  const openings = permuted.map(() => group.randomScalar(random))
  const masks = [group.scalar(0n)]
  const products = [group.scalar(1n)]
  const links: Element[] = []
  for (const [place, weight] of permuted.entries()) {
    const mask = group.addScalars(openings[place]!, group.multiplyScalars(weight, masks[place]!))
    const product = group.multiplyScalars(weight, products[place]!)
    masks.push(mask)
    products.push(product)
    links.push(group.add(group.multiplyBase(mask), group.multiply(head, product)))
  }
  const factors = linkFactors(group, weights, links).map(factor => group.scalar(factor))
  return { links, openings, masks, products, factors }
}

/** The random numbers that hide the secrets in the responses. */
interface Masks {
  readonly sum: Scalar
  readonly product: Scalar
  readonly weights: Scalar
  readonly ciphertext: Scalar
  readonly chain: Scalar
  readonly weight: readonly Scalar[]
}

function drawMasks(group: Group, count: number, random: RandomBytes): Masks {
  const draw = () => group.randomScalar(random)
  const weight = Array.from({ length: count }, draw)
  return { sum: draw(), product: draw(), weights: draw(), ciphertext: draw(), chain: draw(), weight }
}

/** Σ scalar·element for secret scalars: no short cuts. */
function secretSum(group: Group, start: Element, elements: readonly Element[], scalars: readonly Scalar[]): Element {
  return elements.reduce((sum, element, place) => group.add(sum, group.multiply(element, scalars[place]!)), start)
}

function announce(group: Group, pass: Pass, generators: ShuffleGenerators, chain: Chain, masks: Masks): Announcement {
  const halves = (half: 'c1' | 'c2') => pass.output.map(ticket => ticket[half])
  const withoutMask = group.subtractScalars(group.scalar(0n), masks.ciphertext)
  return {
    sumCommitment: group.multiplyBase(masks.sum),
    productCommitment: group.multiplyBase(masks.product),
    weightsCommitment: secretSum(group, group.multiplyBase(masks.weights), generators.places, masks.weight),
    c1Commitment: secretSum(group, group.multiplyBase(withoutMask), halves('c1'), masks.weight),
    c2Commitment: secretSum(group, group.multiply(pass.key, withoutMask), halves('c2'), masks.weight),
    chainCommitment: announceChain(group, generators.head, chain, masks),
  }
}

/** mask·G + Σ factor_i·mask'_i·(link i-1): again the prover adds up what stands before G and before H, and multiplies twice. */
function announceChain(
  group: Group,
  head: Element,
  { factors, masks: onBase, products }: Chain,
  masks: Masks,
): Element {
  const scaled = masks.weight.map((mask, place) => group.multiplyScalars(factors[place]!, mask))
  const base = group.addScalars(masks.chain, innerProduct(group, scaled, onBase))
  return group.add(group.multiplyBase(base), group.multiply(head, innerProduct(group, scaled, products)))
}

/** The input and output of the pass must be the shuffle whose secret this is. */
export function proveShuffle(group: Group, pass: Pass, secret: ShuffleSecret, random: RandomBytes): ShuffleProof {
  const { permutation } = secret
  const generators = shuffleGenerators(group, permutation.length)
  const committed = commitToPermutation(group, permutation, generators, random)
  const weights = shuffleWeights(group, pass, generators, committed.commitments)
  const byInput = weights.values.map(value => group.scalar(value))
  const permuted = permutation.map(from => byInput[from]!)
  const chain = chainOf(group, generators.head, weights, permuted, random)
  const masks = drawMasks(group, permutation.length, random)
  const announcement = announce(group, pass, generators, chain, masks)
  const asked = lastChallenge(group, weights, chain.links, announcement)
  const answer = (mask: Scalar, known: Scalar) => group.addScalars(mask, group.multiplyScalars(asked, known))
  const total = committed.openings.reduce((sum, opening) => group.addScalars(sum, opening))
  return {
    permutationCommitments: committed.commitments,
    chain: chain.links,
    ...announcement,
    sumResponse: answer(masks.sum, total),
    productResponse: answer(masks.product, chain.masks.at(-1)!),
    weightsResponse: answer(masks.weights, innerProduct(group, committed.openings, byInput)),
    ciphertextResponse: answer(masks.ciphertext, innerProduct(group, secret.randomness, permuted)),
    chainResponse: answer(masks.chain, innerProduct(group, chain.factors, chain.openings)),
    weightResponses: masks.weight.map((mask, place) => answer(mask, permuted[place]!)),
  }
}

function innerProduct(group: Group, left: readonly Scalar[], right: readonly Scalar[]): Scalar {
  return left.reduce(
    (sum, value, place) => group.addScalars(sum, group.multiplyScalars(value, right[place]!)),
    group.scalar(0n),
  )
}
