// Fiat and Shamir's rule, taken at its word: no part of what was said may be changed without changing every challenge
// that comes after it. A part left out of a hash would pass all other tests and be a forger's way in.

import { describe, expect, it } from 'vitest'
import { bitPlaces, withBitTurned } from '../../../../test/support/bits.ts'
import { provenLap, seededBytes } from '../../../../test/support/crypto.ts'
import { insecureBareGroup } from '../../groups/insecure.ts'
import { lastChallenge, linkFactors, shuffleWeights, type Weights } from './challenges.ts'
import { announced, shuffleGenerators } from './statement.ts'

const group = insecureBareGroup()
const { proof, ...pass } = provenLap(group, 2, 3, seededBytes(1)).passes[1]!
const generators = shuffleGenerators(group, 3)

/** Those changes of one bit after which the challenge is still what it was. */
function unnoticed<T extends object>(said: T, challenge: (said: T) => unknown): string[] {
  const before = String(challenge(said))
  return bitPlaces(said)
    .filter(place => String(challenge(withBitTurned(said, place))) === before)
    .map(({ path, bit }) => `${path.join('.')} bit ${bit}`)
}

describe('every bit that was said before moves', () => {
  it('each weight: the context, the key, both lists, the generators, the commitments', () => {
    const said = { pass, generators, commitments: proof.permutationCommitments }
    expect(bitPlaces(said).length).toBe(8 + (1 + 12 + 4 + 3) * 64)
    for (let place = 0; place < 3; place++) {
      const weight = ({ pass: one, generators: bases, commitments }: typeof said) =>
        shuffleWeights(group, one, bases, commitments).values[place]
      expect(unnoticed(said, weight)).toEqual([])
    }
  })
  const weights = shuffleWeights(group, pass, generators, proof.permutationCommitments)
  const seeded = (seed: Uint8Array): Weights => ({ ...weights, seed })

  it('each factor of a link: the weights, and the whole chain', () => {
    const said = { seed: weights.seed, chain: proof.chain }
    for (let place = 0; place < 3; place++) {
      const factor = ({ seed, chain }: typeof said) => linkFactors(group, seeded(seed), chain)[place]
      expect(unnoticed(said, factor)).toEqual([])
    }
  })
  it('the last challenge: the weights, the chain, and everything announced', () => {
    const { permutationCommitments: _before, chain, weightResponses: _after, ...rest } = proof
    const said = { seed: weights.seed, chain, announcement: rest }
    const challenge = ({ seed, chain: links, announcement }: typeof said) =>
      lastChallenge(group, seeded(seed), links, announcement)
    const responses = /^announcement\.\w+Response /
    expect(unnoticed(said, challenge).filter(place => !responses.test(place))).toEqual([])
    expect(announced(proof)).toHaveLength(6)
  })
})

it('another group, or the border between the lists moved, is another statement', () => {
  const { seed } = shuffleWeights(group, pass, generators, proof.permutationCommitments)
  const named = shuffleWeights({ ...group, name: 'another' }, pass, generators, proof.permutationCommitments)
  expect(named.seed).not.toEqual(seed)
  const [first, ...others] = pass.output
  const moved = { ...pass, input: [...pass.input, first!], output: others }
  const again = shuffleWeights(group, moved, generators, proof.permutationCommitments)
  expect(again.seed).not.toEqual(seed)
})
