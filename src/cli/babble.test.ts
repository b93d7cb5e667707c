// Every vocabulary, in every scenario that `coterie sim` runs: what is decoded can be encoded again, to the same bytes, and whatever a
// machine is told, it goes on, and says only what can be said.

import { describe, expect, it } from 'vitest'
import { runWithBabbler, type Said } from '../../test/support/babbler.ts'
import { sized } from '../../test/support/long.ts'
import { stirred } from '../../test/support/stirred.ts'
import { decode, encode, sameBytes, seededRandom } from '../core/index.ts'
import { protocols, scenarioFor } from './scenarios.ts'

/** In these a run takes a fraction of a second. */
const QUICK = ['lock', 'bandits', 'bandit-members', 'bandit-thesis', 'events', 'election']
/** More than nodes are added to any of them: in some runs nobody babbles, and honest words are looked at. */
const PLACES = 9
const STIRRED = 40

/** By the scenario: seeds in which a machine ended. */
const FOUND: Readonly<Record<string, readonly number[]>> = {
  // A ring's invitation to one who only compares, where nobody does.
  'bandit-members': [27],
  'bandit-thesis': [140],
}

function seedsOf(protocol: string): number[] {
  const count = QUICK.includes(protocol) ? sized(3, 200) : sized(1, 30)
  return [...Array.from({ length: count }, (_, place) => place + 1), ...(FOUND[protocol] ?? [])]
}

/** Words like this one: each is read again, and has one encoding. */
function staysItself({ word, vocabulary }: Said, seed: number): number {
  const random = seededRandom(seed)
  let found = 0
  for (let time = 0; time < STIRRED; time++) {
    const other = stirred(vocabulary, word, random)
    if (other === undefined) continue
    found++
    const bytes = encode(vocabulary, other)
    const again = decode(vocabulary, bytes)
    if (!again.ok) throw new Error(`${again.refusal}: ${JSON.stringify(other)}`)
    if (!sameBytes(encode(vocabulary, again.value), bytes)) throw new Error(`two encodings: ${JSON.stringify(other)}`)
  }
  return found
}

describe.each(protocols)('%s', protocol => {
  it('goes on whatever one node says, and says what can be said', () => {
    const words = new Map<string, Said>()
    for (const seed of seedsOf(protocol)) {
      const babble = runWithBabbler(scenarioFor({ protocol }), seed, seed % PLACES)
      expect(babble.thrown, `seed ${seed}, where ${babble.babbler} babbles`).toBeUndefined()
      for (const [kind, said] of babble.words) words.set(kind, said)
    }
    expect(words.size).toBeGreaterThan(1)
    const found = [...words.values()].map(said => staysItself(said, 1))
    expect(Math.min(...found), `${[...words.keys()]}`).toBeGreaterThan(0)
  })
})
