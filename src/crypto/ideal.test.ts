import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idealSignatures } from './ideal.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
/** What a signature is, with nothing remembered. */
const plainly = (name: string, message: Uint8Array): number[] => {
  const secret = sha256(utf8(`ideal secret of ${name}`))
  return [...hmac(sha256, secret, message), ...Array(32).fill(0)]
}

describe('ideal signatures', () => {
  it('are the keyed digest, however often and in whatever order they are asked for', () => {
    const name = fc.constantFrom('anna', 'bert')
    const message = fc.uint8Array({ maxLength: 40 })
    const property = fc.property(fc.array(fc.tuple(name, message), { maxLength: 20 }), list => {
      const signatures = idealSignatures()
      for (const [who, words] of [...list, ...list]) {
        const { publicKey, sign } = signatures.signer(who)
        expect([...sign(words)]).toEqual(plainly(who, words))
        expect(signatures.verify(publicKey, words, sign(words))).toBe(true)
      }
    })
    fc.assert(property)
  })

  it('of more messages than are remembered are right', () => {
    const signatures = idealSignatures()
    const { publicKey, sign } = signatures.signer('anna')
    const messages = Array.from({ length: 3_000 }, (_, place) => utf8(`message ${place}`))
    const signed = messages.map(sign)
    for (const [place, message] of messages.entries()) {
      expect(signatures.verify(publicKey, message, signed[place]!)).toBe(true)
      expect(signatures.verify(publicKey, message, signed[(place + 1) % signed.length]!)).toBe(false)
    }
  })

  it('do not follow what somebody does with the bytes afterwards', () => {
    const signatures = idealSignatures()
    const { publicKey, sign } = signatures.signer('anna')
    const message = utf8('pay 1')
    const signature = sign(message)
    sign(message).fill(0)
    expect(signatures.verify(publicKey, message, signature)).toBe(true)
    message[4] = '9'.charCodeAt(0)
    expect(signatures.verify(publicKey, message, signature)).toBe(false)
    expect([...sign(message)]).toEqual(plainly('anna', message))
  })

  it('of somebody else, of other words, changed or cut are refused', () => {
    const signatures = idealSignatures()
    const [anna, bert] = [signatures.signer('anna'), signatures.signer('bert')]
    const message = utf8('pay 1')
    const signature = anna.sign(message)
    expect(signatures.verify(bert.publicKey, message, signature)).toBe(false)
    expect(signatures.verify(anna.publicKey, utf8('pay 2'), signature)).toBe(false)
    expect(
      signatures.verify(
        anna.publicKey,
        message,
        signature.map(byte => byte ^ 1),
      ),
    ).toBe(false)
    expect(signatures.verify(anna.publicKey, message, signature.slice(0, 63))).toBe(false)
    expect(signatures.verify(new Uint8Array(32), message, signature)).toBe(false)
    expect(signatures.verify(new Uint8Array(0), message, signature)).toBe(false)
  })
})
