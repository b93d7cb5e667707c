// Envelopes: taken once, from whom they say, for what they were meant.

import { describe, expect, it } from 'vitest'
import { utf8 } from '../../test/support/crypto.ts'
import { decode, encode } from '../core/index.ts'
import { envelopeCodec, receiveEnvelope, signEnvelope } from './envelope.ts'
import { idealSignatures } from './ideal.ts'

const ideal = idealSignatures()

describe('envelopes', () => {
  const signer = ideal.signer('anna')
  const purpose = utf8('slots of group 7')
  const content = { author: 'anna', boot: 3, counter: 12, body: utf8('hello') }
  const envelope = signEnvelope(signer, purpose, content)
  const known = { publicKey: signer.publicKey, window: undefined }

  it('come back from the wire, are taken once, and then called replayed', () => {
    const decoded = decode(envelopeCodec, encode(envelopeCodec, envelope))
    expect(decoded).toEqual({ ok: true, value: envelope })
    const first = receiveEnvelope(ideal, purpose, envelope, known)
    if (!first.ok) throw new Error(first.refusal)
    const again = receiveEnvelope(ideal, purpose, envelope, { ...known, window: first.window })
    expect(again).toEqual({ ok: false, refusal: 'replayed' })
    const next = signEnvelope(signer, purpose, { ...content, counter: 13 })
    expect(receiveEnvelope(ideal, purpose, next, { ...known, window: first.window }).ok).toBe(true)
  })
  it('of an unknown author, for another purpose, or with any field changed: refused', () => {
    const unknown = receiveEnvelope(ideal, purpose, envelope, { publicKey: undefined, window: undefined })
    expect(unknown).toEqual({ ok: false, refusal: 'an unknown author' })
    const bad = { ok: false, refusal: 'a signature that does not hold' }
    expect(receiveEnvelope(ideal, utf8('slots of group 8'), envelope, known)).toEqual(bad)
    for (const change of [{ author: 'anne' }, { boot: 4 }, { counter: 13 }, { body: utf8('hellp') }]) {
      expect(receiveEnvelope(ideal, purpose, { ...envelope, ...change }, known)).toEqual(bad)
    }
  })
  // Were the window moved first, anybody could make the author's own messages too old.
  it('with a wrong signature do not move the window', () => {
    const forged = { ...envelope, counter: 1_000_000 }
    expect(receiveEnvelope(ideal, purpose, forged, known)).not.toHaveProperty('window')
  })
})
