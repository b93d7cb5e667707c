// Pairings on two engines, and searchable encryption on them (protocols/secret-events 7). The hash to the curve against RFC 9380,
// appendix J.9.1; generators and encodings against the standard form; everything else engine against engine.

import { bls12_381 } from '@noble/curves/bls12-381.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { bytesOf } from '../groups/integers.ts'
import { FIRST_BYTES, isPairingScalar, type PairingEngine, randomPairingScalar, SECOND_BYTES } from './engine.ts'
import { mclEngine, notInstalled } from './mcl.ts'
import { nobleEngine } from './noble.ts'
import { peksGuess, peksKeys, peksMark, peksTrapdoor, peksWriter } from './peks.ts'

let mcl: PairingEngine
let noble: PairingEngine
beforeAll(async () => {
  mcl = await mclEngine()
  noble = await nobleEngine()
})
const engines = () => [mcl, noble]
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

/** RFC 9380, J.9.1: the message, and x of its point. */
const PUBLISHED: readonly (readonly [string, string])[] = [
  ['', '052926add2207b76ca4fa57a8734416c8dc95e24501772c814278700eed6d1e4e8cf62d9c09db0fac349612b759e79a1'],
  ['abc', '03567bc5ef9c690c2ab2ecdf6a96ef1c139cc0b2f284dca0a9a7943388a49a3aee664ba5379a7655d3c68900be2f6903'],
  [
    'abcdef0123456789',
    '11e0b079dea29a68f0383ee94fed1b940995272407e3bb916bbf268c263ddd57a6a27200a784cbc248e84f357ce82d98',
  ],
]
const PUBLISHED_DOMAIN = 'QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_'

describe('pairing engines', () => {
  it('hash to the curve as RFC 9380 publishes it', () => {
    for (const engine of engines()) {
      for (const [message, x] of PUBLISHED) {
        const point = engine.encodeFirst(engine.hashToFirst(utf8(message), PUBLISHED_DOMAIN))
        point[0]! &= 0x1f
        expect(hex(point), `${engine.name} ${message}`).toBe(x)
      }
    }
  })

  it('give the same bytes: points, products, pairings, powers', () => {
    const random = seededBytes(1)
    for (let run = 0; run < 3; run++) {
      const [one, other] = [randomPairingScalar(random), randomPairingScalar(random)]
      const [ours, theirs] = engines().map(engine => {
        const first = engine.multiplyFirst(engine.hashToFirst(one, 'some domain'), one)
        const second = engine.multiplySecond(engine.secondGenerator, other)
        const sum = engine.addFirst(first, engine.firstGenerator)
        const paired = engine.pair(sum, second)
        const power = engine.power(paired, one)
        return [
          engine.encodeFirst(sum),
          engine.encodeSecond(second),
          engine.coefficients(power),
          engine.coefficients(engine.quotient(engine.product(paired, power), paired)),
        ].map(hex)
      })
      expect(ours).toEqual(theirs)
      expect(ours![3]).toBe(ours![2])
    }
  })

  it('pair in both arguments: e(aP, bQ) = e(bP, aQ)', () => {
    const random = seededBytes(2)
    const [a, b] = [randomPairingScalar(random), randomPairingScalar(random)]
    for (const { multiplyFirst, multiplySecond, pair, coefficients, ...engine } of engines()) {
      const { firstGenerator: p, secondGenerator: q } = engine
      const left = pair(multiplyFirst(p, a), multiplySecond(q, b))
      const right = pair(multiplyFirst(p, b), multiplySecond(q, a))
      expect(hex(coefficients(left))).toBe(hex(coefficients(right)))
      expect(hex(coefficients(left))).not.toBe(hex(coefficients(pair(p, q))))
    }
  })

  it('read back what they wrote', () => {
    for (const engine of engines()) {
      const { firstGenerator, secondGenerator } = engine
      const [first, second] = [engine.encodeFirst(firstGenerator), engine.encodeSecond(secondGenerator)]
      expect([first.length, second.length]).toEqual([FIRST_BYTES, SECOND_BYTES])
      for (const reader of engines()) {
        expect(hex(reader.encodeFirst(reader.decodeFirst(first)!))).toBe(hex(first))
        expect(hex(reader.encodeSecond(reader.decodeSecond(second)!))).toBe(hex(second))
      }
    }
  })
})

const COMPRESSED = 0x80
const IDENTITY = 0xc0

/** The compressed form of a point with this first coordinate, whatever it is. */
function firstWith(x: bigint): Uint8Array {
  const out = bytesOf(x, FIRST_BYTES, 'highFirst')
  out[0]! |= COMPRESSED
  return out
}

function secondWith(real: bigint, imaginary: bigint): Uint8Array {
  const out = new Uint8Array(SECOND_BYTES)
  out.set(bytesOf(imaginary, FIRST_BYTES, 'highFirst'))
  out.set(bytesOf(real, FIRST_BYTES, 'highFirst'), FIRST_BYTES)
  out[0]! |= COMPRESSED
  return out
}

describe('points from outside are refused', () => {
  const { Fp, Fp2 } = bls12_381.fields
  const isSquare = (work: () => unknown) => {
    try {
      work()
      return true
    } catch {
      return false
    }
  }

  it('off the curve, and on it outside the subgroup (both groups)', () => {
    const seen = { on: 0, off: 0 }
    for (let x = 1n; x <= 12n; x++) {
      const onFirst = isSquare(() => Fp.sqrt(Fp.create(x ** 3n + 4n)))
      const point = Fp2.fromBigTuple([x, 1n])
      const onSecond = isSquare(() => Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(point), point), Fp2.fromBigTuple([4n, 4n]))))
      for (const on of [onFirst, onSecond]) seen[on ? 'on' : 'off']++
      for (const engine of engines()) {
        expect(engine.decodeFirst(firstWith(x)), `${engine.name}: x = ${x}`).toBeUndefined()
        expect(engine.decodeSecond(secondWith(x, 1n)), `${engine.name}: x = ${x} + i`).toBeUndefined()
      }
    }
    // The smallest subgroup of the first curve: x = 0, y = 2, of order 3.
    for (const engine of engines()) expect(engine.decodeFirst(firstWith(0n))).toBeUndefined()
    expect(seen.on).toBeGreaterThan(3)
    expect(seen.off).toBeGreaterThan(3)
  })

  it('the identity, in its own form and in forms of nobody', () => {
    for (const engine of engines()) {
      for (const [length, decode] of [
        [FIRST_BYTES, engine.decodeFirst],
        [SECOND_BYTES, engine.decodeSecond],
      ] as const) {
        const identity = new Uint8Array(length)
        expect(decode(identity)).toBeUndefined()
        identity[0] = IDENTITY
        expect(decode(identity)).toBeUndefined()
        identity[0] = IDENTITY | 0x20
        expect(decode(identity)).toBeUndefined()
        identity[length - 1] = 1
        expect(decode(identity)).toBeUndefined()
      }
    }
  })

  it('not canonical: a coordinate beyond the field, the wrong length, no mark of compression', () => {
    const field = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
    for (const engine of engines()) {
      const good = engine.encodeFirst(engine.firstGenerator)
      const x = BigInt(`0x${hex(good)}`) & ((1n << 381n) - 1n)
      expect(engine.decodeFirst(good)).toBeDefined()
      if (x + field < 1n << 381n) expect(engine.decodeFirst(firstWith(x + field))).toBeUndefined()
      expect(engine.decodeFirst(firstWith(field + 1n))).toBeUndefined()
      expect(engine.decodeFirst(good.subarray(1))).toBeUndefined()
      expect(engine.decodeFirst(bytes(`${hex(good)}00`))).toBeUndefined()
      const bare = good.slice()
      bare[0]! &= 0x7f
      expect(engine.decodeFirst(bare)).toBeUndefined()
      expect(engine.decodeSecond(good)).toBeUndefined()
    }
  })

  it('both engines take exactly the same: every bit of a point turned', () => {
    const good = mcl.encodeFirst(mcl.hashToFirst(utf8('a keyword'), 'some domain'))
    for (let bit = 0; bit < 8 * FIRST_BYTES; bit += 5) {
      const turned = good.slice()
      turned[bit >> 3]! ^= 1 << (bit & 7)
      const [ours, theirs] = engines().map(engine => engine.decodeFirst(turned) !== undefined)
      expect(ours, `bit ${bit}`).toBe(theirs)
    }
  })
})

describe('searchable encryption', () => {
  const words = (...all: string[]) => all.map(utf8)

  it('finds the keyword and no other, on either engine, with marks of either', () => {
    const random = seededBytes(3)
    const { secret, publicKey } = peksKeys(mcl, random)
    for (const writer of engines()) {
      const { point, marks } = peksWriter(writer, publicKey, 'prices')!.mark(words('ACME', 'BETA'), random)
      for (const reader of engines()) {
        const find = (keyword: string, channel = 'prices') => {
          const trapdoor = reader.decodeFirst(peksTrapdoor(reader, secret, utf8(keyword)))!
          const mark = hex(peksMark(reader, channel, trapdoor, reader.decodeSecond(point)!))
          return marks.findIndex(one => hex(one) === mark)
        }
        expect([find('ACME'), find('BETA'), find('GAMMA'), find('ACME', 'other')]).toEqual([0, 1, -1, -1])
      }
    }
  })

  it('marks equal keywords of an event once, and two events of one keyword differently', () => {
    const random = seededBytes(4)
    const writer = peksWriter(mcl, peksKeys(mcl, random).publicKey, 'prices')!
    const first = writer.mark(words('ACME', 'ACME'), random)
    expect(first.marks.length).toBe(1)
    const second = writer.mark(words('ACME'), random)
    expect(hex(second.marks[0]!)).not.toBe(hex(first.marks[0]!))
    expect(hex(second.point)).not.toBe(hex(first.point))
  })

  it('takes no key that is no key, and no secret that is none', () => {
    const identity = new Uint8Array(SECOND_BYTES)
    identity[0] = IDENTITY
    expect(peksWriter(mcl, identity, 'prices')).toBeUndefined()
    expect(peksWriter(mcl, new Uint8Array(5), 'prices')).toBeUndefined()
    expect(isPairingScalar(new Uint8Array(32))).toBe(false)
    expect(isPairingScalar(new Uint8Array(32).fill(255))).toBe(false)
    expect(isPairingScalar(new Uint8Array(31).fill(1))).toBe(false)
    expect(() => peksTrapdoor(mcl, new Uint8Array(32), utf8('ACME'))).toThrow('is a scalar')
    expect(() => randomPairingScalar(length => new Uint8Array(length))).toThrow('nothing but zeros')
  })

  it('lets a trapdoor be guessed, by public values alone (why peks wants `guessable: true`)', () => {
    const { secret, publicKey } = peksKeys(mcl, seededBytes(5))
    const [key, trapdoor] = [mcl.decodeSecond(publicKey)!, mcl.decodeFirst(peksTrapdoor(mcl, secret, utf8('ACME')))!]
    expect(peksGuess(mcl, key, trapdoor, utf8('ACME'))).toBe(true)
    expect(peksGuess(mcl, key, trapdoor, utf8('BETA'))).toBe(false)
  })

  it('says what to install where the library is not there', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
    expect(() => notInstalled(missing)).toThrow('npm install mcl-wasm')
    expect(() => notInstalled(new Error('else'))).toThrow('else')
  })
})
