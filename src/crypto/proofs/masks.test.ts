// The masks of the proofs. A response is mask + challenge · secret: a mask that is used twice, or known, is the secret.
// So every mask is drawn, each for itself, anew for every proof. The attacks below say what happens otherwise: no check
// of a proof notices it.

import { describe, expect, it } from 'vitest'
import { everyGroup, provenLap, seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { keyPair, partialDecryption } from '../elgamal.ts'
import type { Element, Group, RandomBytes, Scalar } from '../group.ts'
import { checkEqualLogarithms, proveEqualLogarithms } from './equal-logarithms.ts'
import { checkPossession, provePossession } from './possession.ts'
import { castVote, checkRepresentation, drawVote, proveRepresentation } from './representation.ts'
import { lastChallenge, shuffleWeights } from './shuffle/challenges.ts'
import { checkShuffle } from './shuffle/check.ts'
import { proveShuffle } from './shuffle/make.ts'
import { shuffleGenerators } from './shuffle/statement.ts'

const groups = await everyGroup()
const ristretto = groups[0]!.group
const context = utf8('epoch 1, round 2, member 3')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** What a prover did with its scalars, seen through the group it worked in. */
interface Seen {
  /** Every scalar that was drawn. */
  readonly drawn: string[]
  /** What was added to challenge · secret. */
  readonly masks: string[]
}

function watched(group: Group): { group: Group; seen: Seen } {
  const seen: Seen = { drawn: [], masks: [] }
  let challenge: Scalar | undefined
  const answers = new Set<Scalar>()
  return {
    seen,
    group: {
      ...group,
      randomScalar(random) {
        const scalar = group.randomScalar(random)
        seen.drawn.push(hex(scalar))
        return scalar
      },
      hashToScalar(domain, message) {
        challenge = group.hashToScalar(domain, message)
        return challenge
      },
      multiplyScalars(left, right) {
        const product = group.multiplyScalars(left, right)
        if (left === challenge || right === challenge) answers.add(product)
        return product
      },
      addScalars(left, right) {
        if (answers.has(right)) seen.masks.push(hex(left))
        else if (answers.has(left)) seen.masks.push(hex(right))
        return group.addScalars(left, right)
      },
    },
  }
}

/** One statement, proved as often as one likes: its commitments, and how many masks and other draws a proof has. */
interface Provable {
  readonly masks: number
  readonly draws: number
  prove(group: Group, random: RandomBytes): readonly Element[]
}

const TICKETS = 4

const PROOFS: Record<string, (group: Group) => Provable> = {
  possession(group) {
    const keys = keyPair(group, seededBytes(1))
    const prove = (within: Group, random: RandomBytes) => [provePossession(within, keys, context, random).commitment]
    return { masks: 1, draws: 1, prove }
  },
  'equal logarithms'(group) {
    const { publicKey, secret } = keyPair(group, seededBytes(2))
    const base = group.hashToElement('base', utf8('c1'))
    const statement = { publicKey, base, share: partialDecryption(group, secret, base) }
    return {
      masks: 1,
      draws: 1,
      prove(within, random) {
        const proof = proveEqualLogarithms(within, statement, secret, context, random)
        return [proof.keyCommitment, proof.shareCommitment]
      },
    }
  },
  representation(group) {
    const secret = drawVote(group, true, seededBytes(3))
    const statement = castVote(group, keyPair(group, seededBytes(4)).publicKey, secret)
    return {
      masks: 2,
      draws: 2,
      prove(within, random) {
        const proof = proveRepresentation(within, statement, secret, context, random)
        return [proof.aCommitment, proof.bCommitment]
      },
    }
  },
  shuffle(group) {
    const { passes, secrets } = provenLap(group, 1, TICKETS, seededBytes(5))
    return {
      masks: 5 + TICKETS,
      // An opening for each commitment to the permutation, one for each link of the chain, and the masks.
      draws: 2 * TICKETS + 5 + TICKETS,
      prove(within, random) {
        const proof = proveShuffle(within, passes[0]!, secrets[0]!, random)
        const { permutationCommitments, chain, sumCommitment, productCommitment, weightsCommitment } = proof
        const { c1Commitment, c2Commitment, chainCommitment } = proof
        const announced = [sumCommitment, productCommitment, weightsCommitment, c1Commitment, c2Commitment]
        return [...permutationCommitments, ...chain, ...announced, chainCommitment]
      },
    }
  },
}

describe.each(Object.entries(PROOFS))('masks of the proof of %s', (_name, make) => {
  const provable = make(ristretto)
  const proofs = [11, 12].map(seed => {
    const { group, seen } = watched(ristretto)
    return { commitments: provable.prove(group, seededBytes(seed)).map(hex), ...seen }
  })

  it('are drawn, each for itself', () => {
    for (const { masks, drawn } of proofs) {
      expect(masks).toHaveLength(provable.masks)
      expect(new Set(masks).size).toBe(provable.masks)
      expect(drawn).toHaveLength(provable.draws)
      expect(new Set(drawn).size).toBe(provable.draws)
      expect(masks.filter(mask => !drawn.includes(mask))).toEqual([])
    }
  })
  it('are others in the next proof of the same, and so is every commitment', () => {
    const [one, other] = proofs
    expect(one!.masks.filter(mask => other!.masks.includes(mask))).toEqual([])
    expect(one!.commitments.filter(commitment => other!.commitments.includes(commitment))).toEqual([])
    expect(new Set(one!.commitments).size).toBe(one!.commitments.length)
  })
  it('come from the randomness that is given: the same gives the same proof', () => {
    expect(provable.prove(ristretto, seededBytes(11)).map(hex)).toEqual(proofs[0]!.commitments)
  })
})

/** A group whose every draw is the same: what a broken source of randomness, or a constant, is. */
const constant = (group: Group): Group => ({ ...group, randomScalar: () => group.scalar(7n) })

/** The challenges that a verifier computes; anybody can. */
function challengesOf(group: Group, act: (listening: Group) => void): Scalar[] {
  const heard: Scalar[] = []
  act({
    ...group,
    hashToScalar(domain, message) {
      const scalar = group.hashToScalar(domain, message)
      heard.push(scalar)
      return scalar
    },
  })
  return heard
}

/** (r1 - r2) / (c1 - c2): the secret behind two responses with one mask. */
function solved(group: Group, [r1, r2]: readonly Scalar[], [c1, c2]: readonly Scalar[]): Scalar {
  const difference = group.invertScalar(group.subtractScalars(c1!, c2!))
  return group.multiplyScalars(group.subtractScalars(r1!, r2!), difference)
}

describe('with a mask that is used twice', () => {
  const group = ristretto

  it('two proofs of possession hold, and give away the secret key', () => {
    const keys = keyPair(group, seededBytes(21))
    const contexts = [utf8('epoch 1'), utf8('epoch 2')]
    const proofs = contexts.map(one => provePossession(constant(group), keys, one, seededBytes(22)))
    const challenges = contexts.map((one, place) => {
      const heard = challengesOf(group, listening =>
        expect(checkPossession(listening, keys.publicKey, one, proofs[place]!)).toBe(true),
      )
      return heard[0]!
    })
    const responses = proofs.map(({ response }) => response)
    expect(hex(solved(group, responses, challenges))).toBe(hex(keys.secret))
  })
  it('two proofs of equal logarithms hold, and give away the secret key', () => {
    const { publicKey, secret } = keyPair(group, seededBytes(29))
    const shown = ['ticket 1', 'ticket 2'].map(name => {
      const base = group.hashToElement('base', utf8(name))
      const statement = { publicKey, base, share: partialDecryption(group, secret, base) }
      const proof = proveEqualLogarithms(constant(group), statement, secret, context, seededBytes(30))
      const [challenge] = challengesOf(group, listening =>
        expect(checkEqualLogarithms(listening, statement, context, proof)).toBe(true),
      )
      return { response: proof.response, challenge: challenge! }
    })
    const responses = shown.map(({ response }) => response)
    const challenges = shown.map(({ challenge }) => challenge)
    expect(hex(solved(group, responses, challenges))).toBe(hex(secret))
  })
  it('a proof of a vote holds, and tells whether it was "free"', () => {
    const key = keyPair(group, seededBytes(23)).publicKey
    const looksFree = (holds: boolean) => {
      const secret = drawVote(group, holds, seededBytes(24))
      const statement = castVote(group, key, secret)
      // Both masks are the same number: the difference of the responses is challenge · (randomness - held).
      const proof = proveRepresentation(constant(group), statement, secret, context, seededBytes(25))
      const [challenge] = challengesOf(group, listening =>
        expect(checkRepresentation(listening, statement, context, proof)).toBe(true),
      )
      const difference = group.subtractScalars(proof.randomnessResponse, proof.heldResponse)
      const guess = group.multiplyScalars(difference, group.invertScalar(challenge!))
      return group.equal(group.multiplyBase(guess), statement.a)
    }
    expect([looksFree(false), looksFree(true)]).toEqual([true, false])
  })
  it('a proof of a shuffle holds, and tells the permutation', () => {
    const { passes, secrets } = provenLap(group, 1, TICKETS, seededBytes(26))
    const [pass, secret] = [passes[0]!, secrets[0]!]
    const proof = proveShuffle(constant(group), pass, secret, seededBytes(27))
    expect(checkShuffle(group, { ...pass, proof }, seededBytes(28))).toBe(true)
    const generators = shuffleGenerators(group, TICKETS)
    const weights = shuffleWeights(group, pass, generators, proof.permutationCommitments)
    const challenge = lastChallenge(group, weights, proof.chain, proof)
    // Response i is mask + challenge · weight of its input: with one mask for all, differences are known for every guess.
    const answer = (input: number) => group.multiplyScalars(challenge, group.scalar(weights.values[input]!))
    const inputs = Array.from({ length: TICKETS }, (_, place) => place)
    const guesses = inputs.map(first => {
      const mask = group.subtractScalars(proof.weightResponses[0]!, answer(first))
      return proof.weightResponses.map(response =>
        inputs.findIndex(input => hex(group.addScalars(mask, answer(input))) === hex(response)),
      )
    })
    expect(guesses.filter(guess => !guess.includes(-1))).toEqual([secret.permutation])
  })
})
