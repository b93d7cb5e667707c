// Signatures of every kind, one suite: OpenSSL's and noble's agree on everything, the vectors of RFC 8032 hold, and
// signatures that some libraries take and others refuse are refused by both.

import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { flipped, seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { ed25519Signatures, ed25519Signer, idealSignatures, isSigningKey } from '../../crypto/index.ts'
import { opensslSignatures, opensslSigner } from './signatures.ts'

const hexBytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const ideal = idealSignatures()

const kinds = [
  { title: 'noble', signer: ed25519Signer, signatures: ed25519Signatures() },
  { title: 'OpenSSL', signer: opensslSigner, signatures: opensslSignatures() },
  { title: 'ideal', signer: (seed: Uint8Array) => ideal.signer(seed.join()), signatures: ideal },
]

describe.each(kinds)('signatures: $title', ({ signer, signatures }) => {
  const own = signer(seededBytes(1)(32))
  const message = utf8('a message')
  const signature = own.sign(message)

  it('holds for its key and message, again and again', () => {
    for (let i = 0; i < 3; i++) expect(signatures.verify(own.publicKey, message, signature)).toBe(true)
  })
  it('for no other key or message', () => {
    const other = signer(seededBytes(2)(32))
    expect(signatures.verify(other.publicKey, message, signature)).toBe(false)
    expect(signatures.verify(own.publicKey, utf8('another'), signature)).toBe(false)
  })
  it('and not with any bit turned, in a sample', () => {
    for (let bit = 0; bit < 512; bit += 17) {
      expect(signatures.verify(own.publicKey, message, flipped(signature, bit))).toBe(false)
      expect(signatures.verify(flipped(own.publicKey, bit % 256), message, signature)).toBe(false)
    }
  })
  it('never throws for keys and signatures of no form', () => {
    const odd = [new Uint8Array(0), new Uint8Array(31), new Uint8Array(65), new Uint8Array(32).fill(0xff)]
    for (const bad of odd) {
      expect(signatures.verify(bad, message, signature)).toBe(false)
      expect(signatures.verify(own.publicKey, message, bad)).toBe(false)
    }
  })
})

const real = kinds.slice(0, 2)

describe('RFC 8032 §7.1', () => {
  it.each([
    [
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
  ])('the signer of %s', (seed, publicKey, message, signature) => {
    for (const { signer, signatures } of real) {
      const own = signer(hexBytes(seed))
      expect(own.publicKey).toEqual(hexBytes(publicKey))
      expect(own.sign(hexBytes(message))).toEqual(hexBytes(signature))
      expect(signatures.verify(own.publicKey, hexBytes(message), hexBytes(signature))).toBe(true)
    }
  })
})

describe('what libraries disagree on is refused by all', () => {
  const { Point } = ed25519
  const order = Point.Fn.ORDER
  const scalarBytes = (value: bigint) => hexBytes(value.toString(16).padStart(64, '0')).reverse()
  /** A point of order eight. */
  const small = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05')
  const secret = 123_456_789n
  const nonce = 987_654_321n
  const message = utf8('evidence')

  /** A signature by the equation, with the given points for key and nonce. */
  function made(key: Uint8Array, noncePoint: Uint8Array): Uint8Array {
    const hashed = createHash('sha512').update(noncePoint).update(key).update(message).digest()
    const challenge = BigInt(`0x${hashed.reverse().toString('hex')}`) % order
    return Uint8Array.of(...noncePoint, ...scalarBytes((nonce + challenge * secret) % order))
  }
  const key = Point.BASE.multiply(secret)
  const noncePoint = Point.BASE.multiply(nonce)
  const verdicts = (publicKey: Uint8Array, signature: Uint8Array) =>
    real.map(({ signatures }) => signatures.verify(publicKey, message, signature))

  it('made the same way without a small part, it holds for both', () => {
    expect(verdicts(key.toBytes(), made(key.toBytes(), noncePoint.toBytes()))).toEqual([true, true])
  })
  it('a nonce with a small part: noble’s own check takes it', () => {
    const signature = made(key.toBytes(), noncePoint.add(small).toBytes())
    expect(ed25519.verify(signature, message, key.toBytes(), { zip215: false })).toBe(true)
    expect(verdicts(key.toBytes(), signature)).toEqual([false, false])
  })
  it('a key with a small part', () => {
    const mixed = key.add(small).toBytes()
    expect(isSigningKey(mixed)).toBe(false)
    expect(verdicts(mixed, made(mixed, noncePoint.toBytes()))).toEqual([false, false])
  })
  it('the identity, and a point of small order, for a key', () => {
    for (const bad of [Point.ZERO.toBytes(), small.toBytes()]) {
      expect(isSigningKey(bad)).toBe(false)
      expect(verdicts(bad, made(bad, noncePoint.toBytes()))).toEqual([false, false])
    }
  })
  it('a response not below the order', () => {
    const signature = made(key.toBytes(), noncePoint.toBytes())
    const response = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`)
    const again = Uint8Array.of(...signature.subarray(0, 32), ...scalarBytes(response + order))
    expect(verdicts(key.toBytes(), again)).toEqual([false, false])
  })
})
