// Checking proofs of shuffle, one or a whole lap at once. Every equation of every proof says that a sum of elements is
// the identity. A random 128-bit multiple of each is added up: if all hold, so does the sum, and if one does not, the
// sum fails but for a chance of 2^-128 (in a group of that size). In the sum an element that stands in several equations
// is multiplied once. The output of a pass is the input of the next, and the generators of the places are in every
// proof: four multiplications a ticket instead of seven. If the sum fails, the passes are checked singly, so that the
// cheat has a name and the others are clear.

import type { Element, Group, RandomBytes } from '../../group.ts'
import { integerOf } from '../../groups/integers.ts'
import { lastChallenge, linkFactors, shuffleWeights } from './challenges.ts'
import { LinearSum } from './linear-sum.ts'
import {
  announced,
  type Pass,
  SHUFFLE_MAX,
  type ShuffleGenerators,
  type ShuffleProof,
  shuffleGenerators,
} from './statement.ts'

/** 128 bits: the chance that a false equation vanishes in the sum is 2^-128. */
const FACTOR_BYTES = 16

/** One shuffle with the proof that it was honest. */
export interface ProvenPass extends Pass {
  readonly proof: ShuffleProof
}

/** Never throws: what is not in its one form is not a proof. */
export function checkShuffle(group: Group, pass: ProvenPass, random: RandomBytes): boolean {
  return checkTogether(group, [pass], random)
}

/** The places, in the list, of the passes whose proofs do not hold: none if all is well. */
export function checkLap(group: Group, passes: readonly ProvenPass[], random: RandomBytes): readonly number[] {
  const misshapen = passes.map(pass => !isWellFormed(group, pass))
  const formed = passes.filter((_pass, place) => !misshapen[place])
  const allHold = sumVanishes(group, formed, random)
  return [...passes.keys()].filter(
    place => misshapen[place]! || (!allHold && !sumVanishes(group, [passes[place]!], random)),
  )
}

function checkTogether(group: Group, passes: readonly ProvenPass[], random: RandomBytes): boolean {
  return passes.every(pass => isWellFormed(group, pass)) && sumVanishes(group, passes, random)
}

function sumVanishes(group: Group, passes: readonly ProvenPass[], random: RandomBytes): boolean {
  const sum = new LinearSum(group)
  for (const pass of passes) addEquations(group, pass, sum, random)
  return sum.isIdentity()
}

/** Lists of one length, elements in the group and not the identity, scalars below the order. */
function isWellFormed(group: Group, { key, input, output, proof }: ProvenPass): boolean {
  const count = input.length
  const lists = [output, proof.permutationCommitments, proof.chain, proof.weightResponses]
  if (count < 1 || count > SHUFFLE_MAX || lists.some(list => list.length !== count)) return false
  const elements = [key, ...proof.permutationCommitments, ...proof.chain, ...announced(proof)]
  for (const ticket of output) elements.push(ticket.c1, ticket.c2)
  const scalars = [proof.sumResponse, proof.productResponse, proof.weightsResponse, proof.ciphertextResponse]
  scalars.push(proof.chainResponse, ...proof.weightResponses)
  // The start list is never sent, and its first halves are the identity.
  const belongs = (element: Element) => group.equal(element, group.identity) || group.decode(element) !== undefined
  return (
    elements.every(element => group.decode(element) !== undefined) &&
    scalars.every(scalar => group.decodeScalar(scalar) !== undefined) &&
    input.every(ticket => belongs(ticket.c1) && belongs(ticket.c2))
  )
}

/** What the equations of one proof are made of. */
interface Parts {
  readonly group: Group
  readonly pass: ProvenPass
  readonly generators: ShuffleGenerators
  /** u_i, by place in the input. */
  readonly weights: readonly bigint[]
  /** v_i, by place in the chain. */
  readonly factors: readonly bigint[]
  /** s'_i, by place in the output. */
  readonly answers: readonly bigint[]
  readonly challenge: bigint
  readonly sum: LinearSum
  /** A fresh random multiple for one equation. */
  factor(): bigint
}

function addEquations(group: Group, pass: ProvenPass, sum: LinearSum, random: RandomBytes): void {
  const { proof } = pass
  const generators = shuffleGenerators(group, pass.input.length)
  const weights = shuffleWeights(group, pass, generators, proof.permutationCommitments)
  const parts: Parts = {
    group,
    pass,
    generators,
    weights: weights.values,
    factors: linkFactors(group, weights, proof.chain),
    answers: proof.weightResponses.map(response => group.integer(response)),
    challenge: group.integer(lastChallenge(group, weights, proof.chain, proof)),
    sum,
    factor: () => integerOf(random(FACTOR_BYTES), 'highFirst'),
  }
  addPermutationEquations(parts)
  addProductEquation(parts)
  addCiphertextEquations(parts)
  addChainEquation(parts)
}

/** c·(Σ c_j - Σ h_i) + t_1 = s_1·G, and c·(Σ u_j·c_j) + t_3 = s_3·G + Σ s'_i·h_i. */
function addPermutationEquations({ group, pass, generators, weights, answers, challenge, sum, factor }: Parts): void {
  const { proof } = pass
  const ones = factor()
  const weighted = factor()
  for (const [place, commitment] of proof.permutationCommitments.entries()) {
    sum.add(commitment, challenge * (ones + weighted * weights[place]!))
    sum.add(generators.places[place]!, -challenge * ones - weighted * answers[place]!)
  }
  sum.add(proof.sumCommitment, ones)
  sum.add(proof.weightsCommitment, weighted)
  sum.add(group.generator, -ones * group.integer(proof.sumResponse) - weighted * group.integer(proof.weightsResponse))
}

/** c·(last link - (Π u_j)·H) + t_2 = s_2·G. */
function addProductEquation({ group, pass, generators, weights, challenge, sum, factor }: Parts): void {
  const { proof } = pass
  const times = factor()
  const product = weights.reduce((all, weight) => (all * weight) % group.order, 1n)
  sum.add(proof.chain.at(-1)!, times * challenge)
  sum.add(generators.head, -times * challenge * product)
  sum.add(proof.productCommitment, times)
  sum.add(group.generator, -times * group.integer(proof.productResponse))
}

/** c·(Σ u_j·e_j) + t_4 = Σ s'_i·e'_i - s_4·(G, Y), for both halves of the tickets e and e'. */
function addCiphertextEquations({ group, pass, weights, answers, challenge, sum, factor }: Parts): void {
  const { input, output, proof, key } = pass
  const rerandomised = group.integer(proof.ciphertextResponse)
  const halves = [
    ['c1', proof.c1Commitment, group.generator],
    ['c2', proof.c2Commitment, key],
  ] as const
  for (const [half, commitment, base] of halves) {
    const times = factor()
    for (const [place, ticket] of input.entries()) sum.add(ticket[half], times * challenge * weights[place]!)
    for (const [place, ticket] of output.entries()) sum.add(ticket[half], -times * answers[place]!)
    sum.add(commitment, times)
    sum.add(base, times * rerandomised)
  }
}

/** c·Σ v_i·(link i) + t = s·G + Σ v_i·s'_i·(link i-1), where link -1 is H. */
function addChainEquation({ group, pass, generators, factors, answers, challenge, sum, factor }: Parts): void {
  const { proof } = pass
  const times = factor()
  let before = generators.head
  for (const [place, link] of proof.chain.entries()) {
    sum.add(link, times * challenge * factors[place]!)
    sum.add(before, -times * factors[place]! * answers[place]!)
    before = link
  }
  sum.add(proof.chainCommitment, times)
  sum.add(group.generator, -times * group.integer(proof.chainResponse))
}
