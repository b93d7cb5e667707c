// Sealed messages: opened by their owner only, and not with a bit turned.

import { createDecipheriv, createHash, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { flipped, seededBytes, utf8 } from '../../test/support/crypto.ts'
import { framed } from './framing.ts'
import { SEAL_BYTES, x25519Sealing } from './sealing.ts'

const scheme = await x25519Sealing()
const random = seededBytes(1)
const secret = random(32)
const [owner, other] = [scheme.of(secret), scheme.of(random(32))]
const message = utf8('third, then first, then second')

describe('a sealed message', () => {
  const sealed = owner.seal(other.publicKey, message, random)

  it('is opened by whom it is for, also by a restart with the same secret, and by nobody else', () => {
    expect(other.open(sealed)).toEqual(message)
    expect(owner.open(sealed)).toBeUndefined()
    expect(scheme.of(secret).open(scheme.of(secret).seal(owner.publicKey, message, random))).toEqual(message)
  })
  it('is 48 bytes longer, and different each time', () => {
    expect(sealed.length).toBe(message.length + SEAL_BYTES)
    expect(owner.seal(other.publicKey, message, random)).not.toEqual(sealed)
  })
  it('may be empty', () => {
    expect(other.open(owner.seal(other.publicKey, new Uint8Array(0), random))).toEqual(new Uint8Array(0))
  })
  it('is refused with any bit turned', () => {
    const opened = Array.from({ length: sealed.length * 8 }, (_, bit) => other.open(flipped(sealed, bit)))
    expect(opened.filter(one => one !== undefined)).toEqual([])
  })
  it('is refused cut, lengthened, and where there is nothing', () => {
    for (let length = 0; length < sealed.length; length++) expect(other.open(sealed.slice(0, length))).toBeUndefined()
    expect(other.open(Uint8Array.of(...sealed, 0))).toBeUndefined()
  })
  it('is refused with a fresh key of small order, whose secret everybody knows', () => {
    for (const key of SMALL_ORDER) {
      const forged = sealed.slice()
      forged.set(key)
      expect(other.open(forged)).toBeUndefined()
    }
  })
  it('opens with other arithmetic too: OpenSSL, as the header says', () => {
    const prefix = { secret: '302e020100300506032b656e04220420', public: '302a300506032b656e032100' }
    const der = (hex: string, key: Uint8Array) => Buffer.concat([Buffer.from(hex, 'hex'), key])
    const mine = owner.seal(owner.publicKey, message, random)
    const fresh = mine.slice(0, 32)
    const shared = diffieHellman({
      privateKey: createPrivateKey({ key: der(prefix.secret, secret), format: 'der', type: 'pkcs8' }),
      publicKey: createPublicKey({ key: der(prefix.public, fresh), format: 'der', type: 'spki' }),
    })
    const input = framed('coterie sealed message', fresh, owner.publicKey, new Uint8Array(shared))
    const key = createHash('sha256').update(input).digest()
    const cipher = createDecipheriv('chacha20-poly1305', key, new Uint8Array(12), { authTagLength: 16 })
    cipher.setAuthTag(mine.subarray(-16))
    const opened = Buffer.concat([cipher.update(mine.subarray(32, -16)), cipher.final()])
    expect(new Uint8Array(opened)).toEqual(message)
  })
})

/** Zero, one, and the two points of order eight of Curve25519: their products are zero for every secret. */
const SMALL_ORDER = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
].map(hex => new Uint8Array(Buffer.from(hex, 'hex')))

describe('keys to seal to', () => {
  it('are admitted if they are somebody’s', () => expect(scheme.isKey(owner.publicKey)).toBe(true))
  it('are refused where everybody knows the shared secret, or of another length', () => {
    expect(SMALL_ORDER.filter(key => scheme.isKey(key))).toEqual([])
    expect(scheme.isKey(owner.publicKey.subarray(1))).toBe(false)
  })
})

describe('a secret that two agree on', () => {
  const third = scheme.of(random(32))
  it('is the same at both ends, and another with anybody else', () => {
    expect(owner.agree(other.publicKey)).toEqual(other.agree(owner.publicKey))
    expect(owner.agree(other.publicKey)).not.toEqual(owner.agree(third.publicKey))
    expect(third.agree(other.publicKey)).not.toEqual(owner.agree(other.publicKey))
    expect(owner.agree(owner.publicKey)?.length).toBe(32)
  })
  it('is nothing with a key whose secret everybody knows, or of another length', () => {
    for (const key of [...SMALL_ORDER, owner.publicKey.subarray(1)]) expect(owner.agree(key)).toBeUndefined()
  })
})
