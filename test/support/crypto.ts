// What tests of src/crypto share: every group, chance from a seed, and a lap of proven shuffles.

import { seededRandom } from '../../src/core/index.ts'
import {
  type Ciphertext,
  type Group,
  insecureBareGroup,
  insecureSmallGroup,
  keyPair,
  openCiphertext,
  type ProvenPass,
  proveShuffle,
  type RandomBytes,
  residues2048,
  residues3072,
  ristretto,
  ristrettoNoble,
  type ShuffleSecret,
  shuffle,
} from '../../src/crypto/index.ts'
import { opensslPower } from './modular-power.ts'

export interface NamedGroup {
  readonly title: string
  readonly group: Group
  /** How often a property is tried: the modular groups take milliseconds for what a curve does in a tenth. */
  readonly runs: number
}

export async function everyGroup(): Promise<readonly NamedGroup[]> {
  return [
    { title: 'ristretto255 on libsodium', group: await ristretto(), runs: 20 },
    { title: 'ristretto255 on noble', group: ristrettoNoble(), runs: 10 },
    { title: 'squares modulo 2048 bits', group: residues2048(opensslPower), runs: 2 },
    { title: 'squares modulo 3072 bits', group: residues3072(opensslPower), runs: 1 },
    { title: 'the small insecure group', group: insecureSmallGroup(), runs: 40 },
    { title: 'the bare insecure group', group: insecureBareGroup(), runs: 40 },
  ]
}

export function seededBytes(seed: number): RandomBytes {
  const random = seededRandom(seed)
  return length => random.bytes(length)
}

export const utf8 = (text: string) => new TextEncoder().encode(text)

/** A copy with one bit turned. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice()
  copy[bit >> 3]! ^= 1 << (bit & 7)
  return copy
}

/** Tickets that everybody can compute, as at the start of a round. */
export function startList(group: Group, count: number): Ciphertext[] {
  return Array.from({ length: count }, (_, place) =>
    openCiphertext(group, group.hashToElement('test ticket', Uint8Array.of(place))),
  )
}

export interface Lap {
  readonly passes: readonly ProvenPass[]
  readonly secrets: readonly ShuffleSecret[]
}

/** Passes over tickets, each with its proof. */
export function provenLap(group: Group, passCount: number, tickets: number, random: RandomBytes): Lap {
  const key = keyPair(group, random).publicKey
  const passes: ProvenPass[] = []
  const secrets: ShuffleSecret[] = []
  let input: readonly Ciphertext[] = startList(group, tickets)
  for (let number = 0; number < passCount; number++) {
    const { output, secret } = shuffle(group, key, input, random)
    const pass = { key, input, output, context: Uint8Array.of(number) }
    passes.push({ ...pass, proof: proveShuffle(group, pass, secret, random) })
    secrets.push(secret)
    input = output
  }
  return { passes, secrets }
}
