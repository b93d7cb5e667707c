// The short proofs: possession, equal logarithms, a vote. Each holds for what it says; for nothing else, and with no bit
// of statement, context or proof turned.

import { describe, expect, it } from 'vitest'
import { bitPlaces, withBitTurned } from '../../../test/support/bits.ts'
import { everyGroup, seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { type Codec, decode, encode, seededRandom } from '../../core/index.ts'
import { combine, groupKey, keyPair, partialDecryption } from '../elgamal.ts'
import type { Group } from '../group.ts'
import {
  checkEqualLogarithms,
  type EqualLogarithmsProof,
  equalLogarithmsProofCodec,
  proveEqualLogarithms,
  type ShareStatement,
} from './equal-logarithms.ts'
import { checkPossession, type PossessionProof, possessionProofCodec, provePossession } from './possession.ts'
import {
  castVote,
  checkRepresentation,
  drawVote,
  proveRepresentation,
  type RepresentationProof,
  representationProofCodec,
  type VoteStatement,
} from './representation.ts'

const context = utf8('epoch 1, round 2, member 3')
const groups = await everyGroup()

/** A statement with its proof, and how to check it. */
interface Claim<Value extends object = object> {
  readonly value: Value
  check(value: Value): boolean
}

function possession(group: Group, seed: number): Claim {
  const random = seededBytes(seed)
  const keys = keyPair(group, random)
  const value = { publicKey: keys.publicKey, context, proof: provePossession(group, keys, context, random) }
  return {
    value,
    check: changed => {
      const { publicKey, context: bound, proof } = changed as typeof value
      return checkPossession(group, publicKey, bound, proof)
    },
  }
}

function equalLogarithms(group: Group, seed: number): Claim {
  const random = seededBytes(seed)
  const keys = keyPair(group, random)
  const base = group.hashToElement('base', utf8('c1'))
  const statement: ShareStatement = {
    publicKey: keys.publicKey,
    base,
    share: partialDecryption(group, keys.secret, base),
  }
  const value = { statement, context, proof: proveEqualLogarithms(group, statement, keys.secret, context, random) }
  return {
    value,
    check: changed => {
      const { statement: said, context: bound, proof } = changed as typeof value
      return checkEqualLogarithms(group, said, bound, proof)
    },
  }
}

function vote(group: Group, seed: number, holds: boolean): Claim {
  const random = seededBytes(seed)
  const secret = drawVote(group, holds, random)
  const statement: VoteStatement = castVote(group, keyPair(group, random).publicKey, secret)
  const value = { statement, context, proof: proveRepresentation(group, statement, secret, context, random) }
  return {
    value,
    check: changed => {
      const { statement: said, context: bound, proof } = changed as typeof value
      return checkRepresentation(group, said, bound, proof)
    },
  }
}

const CLAIMS: readonly (readonly [name: string, make: (group: Group, seed: number) => Claim])[] = [
  ['possession', possession],
  ['equal logarithms', equalLogarithms],
  ['a vote "held"', (group, seed) => vote(group, seed, true)],
  ['a vote "free"', (group, seed) => vote(group, seed, false)],
]

describe.each(groups)('$title', ({ group, runs }) => {
  it.each(CLAIMS)('%s: holds, and with a bit turned does not', (_name, make) => {
    const { value, check } = make(group, 31)
    expect(check(value)).toBe(true)
    const places = bitPlaces(value)
    const chance = seededRandom(32)
    const taken = []
    for (let run = 0; run < runs * 3; run++) {
      const place = places[chance.below(places.length)]!
      if (check(withBitTurned(value, place))) taken.push(place)
    }
    expect(taken).toEqual([])
  })
})

const bare = groups.at(-1)!.group

describe('in a group where it is quick', () => {
  it.each(CLAIMS)('%s: every single bit matters', (_name, make) => {
    const { value, check } = make(bare, 33)
    expect(bitPlaces(value).filter(place => check(withBitTurned(value, place)))).toEqual([])
  })
  // A part left out of the hash could be chosen after the challenge, and with it a proof of what nobody knows.
  it.each(CLAIMS)('%s: the challenge hashes statement, context and commitments, all of them', (_name, make) => {
    const hashed: string[] = []
    const listening: Group = {
      ...bare,
      hashToScalar(domain, message) {
        hashed.push(Buffer.from(message).toString('hex'))
        return bare.hashToScalar(domain, message)
      },
    }
    const { value } = make(listening, 36)
    const paths = new Map(bitPlaces(value).map(({ path }) => [path.join('.'), path]))
    const said = [...paths.values()].filter(path => !/response$/i.test(path.join('.')))
    expect(said.length).toBeGreaterThanOrEqual(3)
    for (const path of said) {
      const bytes = path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], value) as Uint8Array
      expect(hashed.at(-1), path.join('.')).toContain(Buffer.from(bytes).toString('hex'))
    }
  })
  it.each(CLAIMS)('%s: a proof of one is no proof of another', (_name, make) => {
    const one = make(bare, 34)
    const other = make(bare, 35)
    const { proof } = other.value as { proof: object }
    expect(one.check({ ...one.value, proof })).toBe(false)
  })
})

const group = groups[0]!.group

describe('what the proofs are for', () => {
  const random = seededBytes(41)

  it('a rogue key, chosen to make the group key one’s own, has no proof', () => {
    const [first, second, wanted] = [keyPair(group, random), keyPair(group, random), keyPair(group, random)]
    const others = groupKey(group, [first.publicKey, second.publicKey])
    const rogue = group.subtract(wanted.publicKey, others)
    expect(groupKey(group, [first.publicKey, second.publicKey, rogue])).toEqual(wanted.publicKey)
    const proof = provePossession(group, { secret: wanted.secret, publicKey: rogue }, context, random)
    expect(checkPossession(group, rogue, context, proof)).toBe(false)
  })
  it('a share made with another secret has no proof', () => {
    const keys = keyPair(group, random)
    const base = group.multiplyBase(group.randomScalar(random))
    const wrong = group.randomScalar(random)
    const statement = { publicKey: keys.publicKey, base, share: group.multiply(base, wrong) }
    for (const secret of [keys.secret, wrong]) {
      const proof = proveEqualLogarithms(group, statement, secret, context, random)
      expect(checkEqualLogarithms(group, statement, context, proof)).toBe(false)
    }
  })
  it('a vote that cancels another’s has no proof (readings OMA 14)', () => {
    const { publicKey: key } = keyPair(group, random)
    const secret = drawVote(group, true, random)
    const honest = castVote(group, key, secret)
    const cancelling = { key, a: group.negate(honest.a), b: group.negate(honest.b) }
    const copied = proveRepresentation(group, honest, secret, context, random)
    expect(checkRepresentation(group, cancelling, context, copied)).toBe(false)
    const made = proveRepresentation(group, cancelling, drawVote(group, true, random), context, random)
    expect(checkRepresentation(group, cancelling, context, made)).toBe(false)
  })
  it('votes add up to the identity exactly if all are free', () => {
    const members = [keyPair(group, random), keyPair(group, random), keyPair(group, random)]
    const key = groupKey(
      group,
      members.map(member => member.publicKey),
    )
    const opened = (holding: readonly boolean[]) => {
      const votes = holding.map(holds => castVote(group, key, drawVote(group, holds, random)))
      const sum = {
        c1: groupKey(
          group,
          votes.map(one => one.a),
        ),
        c2: groupKey(
          group,
          votes.map(one => one.b),
        ),
      }
      const shares = members.map(member => partialDecryption(group, member.secret, sum.c1))
      return combine(group, sum, shares)
    }
    expect(opened([false, false, false])).toEqual(group.identity)
    expect(opened([false, true, false])).not.toEqual(group.identity)
    expect(opened([true, true, true])).not.toEqual(group.identity)
  })
  it('a free vote is drawn with the same randomness as a held one', () => {
    const [free, held] = [false, true].map(holds => drawVote(group, holds, seededBytes(44)))
    expect(free!.randomness).toEqual(held!.randomness)
    expect(free!.held).toEqual(group.scalar(0n))
    expect(held!.held).not.toEqual(free!.held)
  })
})

describe('on the wire', () => {
  const refused = <T>(codec: Codec<T>, proof: T, change: Partial<Record<keyof T, Uint8Array>>) =>
    expect(decode(codec, encode(codec, { ...proof, ...change })).ok).toBe(false)
  const order = group.scalar(1n).with(0, 0).fill(0xff)

  it('proofs come back, and identities and scalars not below the order are refused', () => {
    const identity = group.identity
    const possessed = (possession(group, 51).value as { proof: PossessionProof }).proof
    const possessionCodec = possessionProofCodec(group)
    expect(decode(possessionCodec, encode(possessionCodec, possessed))).toEqual({ ok: true, value: possessed })
    refused(possessionCodec, possessed, { commitment: identity })
    refused(possessionCodec, possessed, { response: order })
    const equal = (equalLogarithms(group, 52).value as { proof: EqualLogarithmsProof }).proof
    const equalCodec = equalLogarithmsProofCodec(group)
    expect(decode(equalCodec, encode(equalCodec, equal))).toEqual({ ok: true, value: equal })
    refused(equalCodec, equal, { shareCommitment: identity })
    refused(equalCodec, equal, { response: order })
    const voted = (vote(group, 53, true).value as { proof: RepresentationProof }).proof
    const voteCodec = representationProofCodec(group)
    expect(decode(voteCodec, encode(voteCodec, voted))).toEqual({ ok: true, value: voted })
    refused(voteCodec, voted, { aCommitment: identity })
    refused(voteCodec, voted, { heldResponse: order })
  })
})
