// The proof of shuffle: it holds for a shuffle and for nothing else. Every single bit of statement and proof is turned in
// a group where that is quick, a sample on ristretto255; `npm run fuzz:long` turns them all there too.

import { describe, expect, it } from 'vitest'
import { bitPlaces, withBitTurned } from '../../../../test/support/bits.ts'
import { everyGroup, provenLap, seededBytes, startList } from '../../../../test/support/crypto.ts'
import { decode, encode, seededRandom } from '../../../core/index.ts'
import { type Ciphertext, combine, keyPair, partialDecryption, rerandomise } from '../../elgamal.ts'
import type { Group } from '../../group.ts'
import { bytesOf } from '../../groups/integers.ts'
import { checkLap, checkShuffle, type ProvenPass } from './check.ts'
import { proveShuffle, randomPermutation, shuffle } from './make.ts'
import { SHUFFLE_MAX, type ShuffleSecret, shuffleGenerators, shuffleProofCodec } from './statement.ts'

const groups = await everyGroup()
const named = (title: string) => groups.find(one => one.title.includes(title))!.group
const ristretto = named('libsodium')
const bare = named('bare')

describe.each(groups.filter(({ runs }) => runs > 2))('$title', ({ group }) => {
  it('a lap of three passes over four tickets: all hold, singly and together', () => {
    const random = seededBytes(61)
    const { passes } = provenLap(group, 3, 4, random)
    expect(passes.map(pass => checkShuffle(group, pass, random))).toEqual([true, true, true])
    expect(checkLap(group, passes, random)).toEqual([])
  })
  it('one ticket alone is a shuffle too', () => {
    const random = seededBytes(62)
    const { passes } = provenLap(group, 1, 1, random)
    expect(checkLap(group, passes, random)).toEqual([])
  })
})

it('squares modulo 2048 bits: a pass over two tickets holds, and its proof for another context does not', () => {
  const random = seededBytes(63)
  const group = named('2048')
  const pass = provenLap(group, 1, 2, random).passes[0]!
  expect(checkShuffle(group, pass, random)).toBe(true)
  expect(checkShuffle(group, { ...pass, context: Uint8Array.of(99) }, random)).toBe(false)
})

describe('no bit can be turned', () => {
  it('none at all, in the bare group', () => {
    const random = seededBytes(64)
    const pass = provenLap(bare, 2, 3, random).passes[1]!
    const places = bitPlaces(pass)
    expect(places.length, 'key, lists, context, and all of the proof').toBe((1 + 12 + 12 + 8) * 64 + 8)
    expect(places.filter(place => checkShuffle(bare, withBitTurned(pass, place), random))).toEqual([])
  })
  it('of the start list either, whose first halves are the identity', () => {
    const random = seededBytes(65)
    const pass = provenLap(bare, 1, 2, random).passes[0]!
    const places = bitPlaces(pass).filter(({ path }) => path[0] === 'input')
    expect(places.length).toBe(4 * 64)
    expect(places.filter(place => checkShuffle(bare, withBitTurned(pass, place), random))).toEqual([])
  })
  it('a sample of 150, on ristretto255', () => {
    const random = seededBytes(66)
    const pass = provenLap(ristretto, 1, 2, random).passes[0]!
    const places = bitPlaces(pass)
    const chance = seededRandom(67)
    const sample = Array.from({ length: 150 }, () => places[chance.below(places.length)]!)
    expect(sample.filter(place => checkShuffle(ristretto, withBitTurned(pass, place), random))).toEqual([])
  })
})

/** A pass whose output is not what the secret says: the cheat proves as well as it can. */
function cheat(group: Group, change: (output: readonly Ciphertext[], key: Uint8Array) => readonly Ciphertext[]) {
  const random = seededBytes(71)
  const { publicKey: key } = keyPair(group, random)
  const input = startList(group, 4).map(ticket => rerandomise(group, key, ticket, group.randomScalar(random)))
  const honest = shuffle(group, key, input, random)
  const output = change(honest.output, key)
  const pass = { key, input, output, context: Uint8Array.of(1) }
  const proof = proveShuffle(group, pass, honest.secret, random)
  return { passes: [{ ...pass, proof }], random }
}

describe.each([
  ['ristretto255', ristretto],
  ['bare', bare],
])('cheating on the %s group', (_name, group) => {
  const holds = (change: Parameters<typeof cheat>[1]) => {
    const { passes, random } = cheat(group, change)
    return checkLap(group, passes, random).length === 0
  }
  const forged = (key: Uint8Array) => {
    const random = seededBytes(72)
    return rerandomise(group, key, startList(group, 9)[8]!, group.randomScalar(random))
  }

  it('unchanged it holds', () => expect(holds(output => output)).toBe(true))
  it('two tickets swapped', () => expect(holds(([a, b, c, d]) => [b!, a!, c!, d!])).toBe(false))
  it('one dropped', () => expect(holds(output => output.slice(0, 3))).toBe(false))
  it('one added', () => {
    const { passes, random } = cheat(group, output => output)
    const added = passes.map(pass => ({ ...pass, output: [...pass.output, forged(pass.key)] }))
    expect(checkLap(group, added, random)).toEqual([0])
  })
  it('one doubled in place of another', () => expect(holds(([a, b, c]) => [a!, b!, c!, a!])).toBe(false))
  it('one doubled and re-randomised', () => {
    const random = seededBytes(73)
    const changed = (output: readonly Ciphertext[], key: Uint8Array) =>
      output.with(3, rerandomise(group, key, output[0]!, group.randomScalar(random)))
    expect(holds(changed)).toBe(false)
  })
  it('one forged', () => expect(holds((output, key) => output.with(2, forged(key)))).toBe(false))
  it('halves of two tickets exchanged', () => {
    expect(holds(([a, b, c, d]) => [{ c1: a!.c1, c2: b!.c2 }, { c1: b!.c1, c2: a!.c2 }, c!, d!])).toBe(false)
  })
  it('the first half of one changed', () => {
    const moved = (ticket: Ciphertext) => ({ c1: group.add(ticket.c1, group.generator), c2: ticket.c2 })
    expect(holds(output => output.with(1, moved(output[1]!)))).toBe(false)
  })
  it('one tagged: its content multiplied by a known number', () => {
    const tag = (ticket: Ciphertext) => ({ c1: ticket.c1, c2: group.add(ticket.c2, group.generator) })
    expect(holds(output => output.with(1, tag(output[1]!)))).toBe(false)
  })
})

// The strongest cheat: its commitments, sums and tickets are all true of what it did. Only the product of the weights is
// not, and that is what the chain is for.
describe('a secret that is no permutation', () => {
  it.each([
    ['an input taken twice', [0, 1, 1, 3]],
    ['all the same', [2, 2, 2, 2]],
  ])('%s', (_name, permutation) => {
    const random = seededBytes(74)
    const { publicKey: key } = keyPair(ristretto, random)
    const input = startList(ristretto, 4)
    const randomness = input.map(() => ristretto.randomScalar(random))
    const output = permutation.map((from, place) => rerandomise(ristretto, key, input[from]!, randomness[place]!))
    const pass = { key, input, output, context: Uint8Array.of(1) }
    const secret: ShuffleSecret = { permutation, randomness }
    const proven = { ...pass, proof: proveShuffle(ristretto, pass, secret, random) }
    expect(checkShuffle(ristretto, proven, random)).toBe(false)
  })
})

describe('a lap with cheats in it', () => {
  const random = seededBytes(81)
  const { passes } = provenLap(bare, 6, 3, random)
  const broken = (pass: ProvenPass): ProvenPass => {
    const sumResponse = bare.addScalars(pass.proof.sumResponse, bare.scalar(1n))
    return { ...pass, proof: { ...pass.proof, sumResponse } }
  }
  const misshapen = (pass: ProvenPass): ProvenPass => ({
    ...pass,
    proof: { ...pass.proof, chain: pass.proof.chain.slice(1) },
  })

  it('names each of them, and nobody else', () => {
    const lap = passes.with(1, broken(passes[1]!)).with(4, broken(passes[4]!))
    expect(checkLap(bare, lap, random)).toEqual([1, 4])
  })
  it('names the one whose proof has no shape, and still checks the others', () => {
    expect(checkLap(bare, passes.with(2, misshapen(passes[2]!)), random)).toEqual([2])
    expect(checkLap(bare, passes.with(2, misshapen(passes[2]!)).with(5, broken(passes[5]!)), random)).toEqual([2, 5])
  })
  it('two proofs exchanged are two cheats', () => {
    const [a, b] = [passes[2]!, passes[3]!]
    const lap = passes.with(2, { ...a, proof: b.proof }).with(3, { ...b, proof: a.proof })
    expect(checkLap(bare, lap, random)).toEqual([2, 3])
  })
  // Without random multiples, errors of two proofs that cancel in the sum would pass.
  it('errors that cancel each other do not pass', () => {
    const other = (pass: ProvenPass): ProvenPass => {
      const sumResponse = bare.subtractScalars(pass.proof.sumResponse, bare.scalar(1n))
      return { ...pass, proof: { ...pass.proof, sumResponse } }
    }
    expect(checkLap(bare, passes.with(0, broken(passes[0]!)).with(1, other(passes[1]!)), random)).toEqual([0, 1])
  })
  it('no pass at all is no cheat', () => expect(checkLap(bare, [], random)).toEqual([]))
})

describe('identities and wrong lengths are refused', () => {
  const random = seededBytes(82)
  const pass = provenLap(ristretto, 1, 2, random).passes[0]!
  const { identity } = ristretto
  const { proof } = pass
  it.each<[string, Partial<ProvenPass>]>([
    ['an identity in the output', { output: pass.output.with(0, { ...pass.output[0]!, c1: identity }) }],
    ['the identity for a key', { key: identity }],
    ['an identity in the proof', { proof: { ...proof, chain: proof.chain.with(1, identity) } }],
    ['an identity announced', { proof: { ...proof, sumCommitment: identity } }],
    ['no tickets', { input: [], output: [] }],
    ['a response too few', { proof: { ...proof, weightResponses: proof.weightResponses.slice(1) } }],
    ['an input that is no element', { input: pass.input.with(0, { c1: identity, c2: new Uint8Array(3) }) }],
    ['a scalar not below the order', { proof: { ...proof, sumResponse: new Uint8Array(32).fill(0xff) } }],
  ])('%s', (_name, change) => expect(checkShuffle(ristretto, { ...pass, ...change }, random)).toBe(false))

  it('an identity that is otherwise right: randomness chosen to undo what was there', () => {
    const { publicKey: key } = keyPair(bare, random)
    const undone = bare.randomScalar(random)
    const input = [rerandomise(bare, key, startList(bare, 1)[0]!, undone)]
    const proven = (randomness: Uint8Array) => {
      const output = [rerandomise(bare, key, input[0]!, randomness)]
      const made = { key, input, output, context: Uint8Array.of(0) }
      return { ...made, proof: proveShuffle(bare, made, { permutation: [0], randomness: [randomness] }, random) }
    }
    const bad = proven(bare.subtractScalars(bare.scalar(0n), undone))
    expect(bad.output[0]!.c1).toEqual(bare.identity)
    expect(checkShuffle(bare, bad, random)).toBe(false)
    expect(checkShuffle(bare, proven(bare.randomScalar(random)), random)).toBe(true)
  })
  it('a response with the order added: the same number, another encoding', () => {
    const honest = provenLap(bare, 1, 2, random).passes[0]!
    const more = (scalar: Uint8Array) => bytesOf(bare.integer(scalar) + bare.order, bare.scalarBytes, 'highFirst')
    const { sumResponse, weightResponses } = honest.proof
    const changes = [{ sumResponse: more(sumResponse) }, { weightResponses: weightResponses.map(more) }]
    for (const change of changes) {
      expect(checkShuffle(bare, { ...honest, proof: { ...honest.proof, ...change } }, random)).toBe(false)
    }
  })
  it('more tickets than anybody may ask others to check', () => {
    const many = startList(bare, SHUFFLE_MAX + 1)
    const { publicKey: key } = keyPair(bare, random)
    const { output, secret } = shuffle(bare, key, many, random)
    const large = { key, input: many, output, context: Uint8Array.of(0) }
    expect(checkShuffle(bare, { ...large, proof: proveShuffle(bare, large, secret, random) }, random)).toBe(false)
  })
})

describe('shuffling itself', () => {
  it('keeps the contents, in the order that the secret says', () => {
    const random = seededBytes(91)
    const keys = keyPair(ristretto, random)
    const input = startList(ristretto, 5)
    const { output, secret } = shuffle(ristretto, keys.publicKey, input, random)
    const opened = output.map(ticket =>
      combine(ristretto, ticket, [partialDecryption(ristretto, keys.secret, ticket.c1)]),
    )
    expect(opened).toEqual(secret.permutation.map(from => input[from]!.c2))
  })
  it('all orders of four come equally often, within five standard deviations', () => {
    const random = seededBytes(92)
    const counts = new Map<string, number>()
    const draws = 24_000
    for (let draw = 0; draw < draws; draw++) {
      const order = randomPermutation(4, random).join()
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    expect(counts.size).toBe(24)
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000))
  })
  it('generators differ from each other, and are the same for every length', () => {
    const { head, places } = shuffleGenerators(ristretto, 8)
    expect(new Set([head, ...places, ristretto.generator].map(String)).size).toBe(10)
    expect(shuffleGenerators(ristretto, 3).places).toEqual(places.slice(0, 3))
  })
  it('a proof comes back from the wire, and one for more tickets than allowed does not', () => {
    const random = seededBytes(93)
    const { proof } = provenLap(ristretto, 1, 3, random).passes[0]!
    const codec = shuffleProofCodec(ristretto)
    const bytes = encode(codec, proof)
    expect(decode(codec, bytes)).toEqual({ ok: true, value: proof })
    expect(bytes.length, '96 bytes a ticket, 352 for the whole, three lengths').toBe(3 * 96 + 11 * 32 + 3)
    expect(decode(shuffleProofCodec(ristretto, 2), bytes).ok).toBe(false)
  })
})
