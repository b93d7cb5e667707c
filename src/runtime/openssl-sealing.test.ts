// The seal by OpenSSL is the one by libsodium, byte for byte, and refuses the same.

import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { x25519Sealing } from '../crypto/index.ts'
import { opensslSealing } from './openssl-sealing.ts'

it('makes the same keys and the same bytes, and each opens what the other sealed', async () => {
  const [ours, theirs] = [await opensslSealing(), await x25519Sealing()]
  for (const length of [0, 1, 100, 3_000]) {
    const [secret, other, chance] = [0, 0, 0].map(() => new Uint8Array(randomBytes(32))) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const message = new Uint8Array(randomBytes(length))
    const to = theirs.of(other).publicKey
    expect(ours.of(other).publicKey).toEqual(to)
    const sealed = ours.of(secret).seal(to, message, () => chance.slice())
    expect(sealed).toEqual(theirs.of(secret).seal(to, message, () => chance.slice()))
    expect(ours.of(other).open(sealed)).toEqual(message)
    expect(theirs.of(other).open(sealed)).toEqual(message)
    expect(ours.of(secret).open(sealed)).toBe(undefined)
    expect(ours.of(other).open(sealed.map((byte, at) => (at === sealed.length - 1 ? byte ^ 1 : byte)))).toBe(undefined)
    expect(ours.of(other).open(sealed.slice(0, 40))).toBe(undefined)
    expect(ours.of(other).open(new Uint8Array(sealed.length))).toBe(undefined)
  }
})

it('seals to several with one chance as libsodium does, and takes no chance for another', async () => {
  const [ours, theirs] = [opensslSealing(), await x25519Sealing()]
  const [sealer, one, other] = [1, 2, 3].map(byte => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const message = new Uint8Array(100)
  // The caller may use its room again: what was drawn before is not what is drawn now.
  const room = new Uint8Array(32)
  for (const [chance, receiver] of [[7, one] as const, [7, other] as const, [8, one] as const, [7, one] as const]) {
    const to = ours.of(receiver).publicKey
    const random = () => room.fill(chance)
    expect(ours.of(sealer).seal(to, message, random)).toEqual(theirs.of(sealer).seal(to, message, random))
  }
})
