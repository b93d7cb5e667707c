// ElGamal among several parties (OMA §4.1), in every group.

import { describe, expect, it } from 'vitest'
import { everyGroup, seededBytes, utf8 } from '../../test/support/crypto.ts'
import { decode, encode } from '../core/index.ts'
import {
  ciphertextCodec,
  combine,
  encrypt,
  groupKey,
  keyPair,
  openCiphertext,
  partialDecryption,
  removeLayer,
  rerandomise,
} from './elgamal.ts'

describe.each(await everyGroup())('$title', ({ group }) => {
  const random = seededBytes(21)
  const parties = [keyPair(group, random), keyPair(group, random), keyPair(group, random)]
  const key = groupKey(
    group,
    parties.map(party => party.publicKey),
  )
  const content = group.hashToElement('ticket', utf8('3'))
  const sealed = encrypt(group, key, content, group.randomScalar(random))
  const shares = (c1: Uint8Array) => parties.map(party => partialDecryption(group, party.secret, c1))

  it('all shares together open a ciphertext, and its re-randomisations', () => {
    const again = rerandomise(group, key, sealed, group.randomScalar(random))
    expect(combine(group, sealed, shares(sealed.c1))).toEqual(content)
    expect(combine(group, again, shares(again.c1))).toEqual(content)
    expect(again.c1).not.toEqual(sealed.c1)
    expect(again.c2).not.toEqual(sealed.c2)
  })
  it('with one share missing, or one for another ciphertext, nothing opens', () => {
    expect(combine(group, sealed, shares(sealed.c1).slice(1))).not.toEqual(content)
    const other = encrypt(group, key, content, group.randomScalar(random))
    expect(combine(group, sealed, shares(other.c1))).not.toEqual(content)
  })
  it('layers come off in any order, re-randomised with the key that remains in between', () => {
    let ciphertext = sealed
    for (const place of [2, 0, 1]) {
      ciphertext = removeLayer(group, parties[place]!.secret, ciphertext)
      const left = [2, 0, 1].slice([2, 0, 1].indexOf(place) + 1).map(other => parties[other]!.publicKey)
      if (left.length > 0) {
        ciphertext = rerandomise(group, groupKey(group, left), ciphertext, group.randomScalar(random))
      }
    }
    expect(ciphertext.c2).toEqual(content)
  })
  it('re-randomised with the full key after a layer is gone, the content is lost (readings OMA 2)', () => {
    const without = removeLayer(group, parties[0]!.secret, sealed)
    const wrong = rerandomise(group, key, without, group.randomScalar(random))
    const opened = [parties[1]!, parties[2]!].reduce((left, party) => removeLayer(group, party.secret, left), wrong)
    expect(opened.c2).not.toEqual(content)
  })
  it('a start ticket opens to itself, and is hidden by its first re-randomisation', () => {
    const open = openCiphertext(group, content)
    expect(combine(group, open, shares(open.c1))).toEqual(content)
    const hidden = rerandomise(group, key, open, group.randomScalar(random))
    expect(combine(group, hidden, shares(hidden.c1))).toEqual(content)
  })
  it('on the wire: comes back, and is refused with the identity for a half', () => {
    const codec = ciphertextCodec(group)
    expect(decode(codec, encode(codec, sealed))).toEqual({ ok: true, value: sealed })
    const open = decode(codec, encode(codec, openCiphertext(group, content)))
    expect(open.ok ? 'taken' : open.refusal).toMatch(/^not an element of/)
    expect(() => encode(codec, { c1: sealed.c1.subarray(1), c2: sealed.c2 })).toThrow(RangeError)
  })
})
