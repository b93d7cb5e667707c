// The words of level `verified`: one encoding each, limits on everything, and what is signed (protocols/slots).

import { describe, expect, it } from 'vitest'
import { decode, encode, seededRandom } from '../../core/index.ts'
import { MEMBERS_MAX } from '../settings.ts'
import { NEEDS_MAX, type SlotsMessage, signedBytes, slotsVocabulary, statementHash } from './wire.ts'

const said = { author: 'a', epoch: new Uint8Array(32), round: 3, signature: new Uint8Array(64).fill(9) }
const bytes = new Uint8Array([1, 2, 3])
const record = {
  name: 'channels',
  number: 4,
  previous: new Uint8Array(32),
  members: [{ name: 'a', identity: bytes }],
  absent: [{ name: 'b', identity: bytes }],
  slots: ['ch1'],
  lease: 60_000,
  drift: 10_000,
  liars: 1,
  rotating: false,
  concurrent: true,
  group: 'ristretto255',
}
const favoured = { ballot: 1, signatures: [{ author: 'a', signature: bytes }] }

const words: readonly SlotsMessage[] = [
  { kind: 'key', ...said, publicKey: bytes, proof: bytes },
  { kind: 'ready', ...said, keys: bytes },
  { kind: 'header', ...said, slots: [0, 2] },
  { kind: 'pass', ...said, place: 1, previous: bytes, list: [{ c1: bytes, c2: bytes }], proof: bytes, taken: 2 },
  { kind: 'seal', ...said, passes: [bytes, bytes] },
  { kind: 'share', ...said, owner: 2, lap: bytes, value: bytes, proof: bytes },
  { kind: 'complaint', ...said, accused: 2, point: bytes },
  { kind: 'vote', ...said, check: 1, ballots: [{ a: bytes, b: bytes, proof: bytes }] },
  { kind: 'opening', ...said, check: 1, votes: bytes, parts: [{ value: bytes, proof: bytes }] },
  { kind: 'ask', ...said, needs: [{ kind: 'share', author: 1, index: 2 }] },
  { kind: 'want', ...said },
  { kind: 'petition', ...said, number: 4, leaving: true },
  { kind: 'propose', ...said, ballot: 2, record, favoured },
  { kind: 'favour', ...said, ballot: 2, record: bytes },
  { kind: 'sign', ...said, ballot: 2, record: bytes },
  { kind: 'refuse', ...said, ballot: 2, record, favoured },
  { kind: 'succeeded', ...said, link: { record, ...favoured } },
  { kind: 'accuse', ...said, evidence: bytes },
]

describe('the words of slots', () => {
  it.each(words.map(word => [word.kind, word] as const))('%s comes back as it was said', (_kind, word) => {
    expect(decode(slotsVocabulary, encode(slotsVocabulary, word))).toEqual({ ok: true, value: word })
  })
  it('the signature is over everything but itself', () => {
    for (const word of words) {
      expect(signedBytes({ ...word, signature: bytes })).toEqual(signedBytes(word))
      expect(statementHash({ ...word, round: 4 })).not.toEqual(statementHash(word))
      expect(statementHash({ ...word, author: 'b' })).not.toEqual(statementHash(word))
      expect(statementHash({ ...word, epoch: new Uint8Array(32).fill(1) })).not.toEqual(statementHash(word))
    }
  })
  it.each([
    ['a pass beyond the ring', { ...words[3], place: MEMBERS_MAX }],
    ['a signature that is too long', { ...words[10], signature: new Uint8Array(65) }],
    [
      'more needs than are answered',
      { ...words[9], needs: new Array(NEEDS_MAX + 1).fill({ kind: 'seal', author: 0, index: 0 }) },
    ],
    ['a name without end', { ...words[10], author: 'x'.repeat(101) }],
  ])('%s cannot be said', (_what, word) =>
    expect(() => encode(slotsVocabulary, word as SlotsMessage)).toThrow(RangeError),
  )
  it('random bytes are refused or mean what they say', () => {
    const random = seededRandom(5)
    for (let i = 0; i < 5_000; i++) {
      const frame = random.bytes(random.below(60))
      if (frame.length > 0) frame[0] = random.below(words.length + 1)
      const decoded = decode(slotsVocabulary, frame)
      if (decoded.ok) expect(encode(slotsVocabulary, decoded.value)).toEqual(frame)
    }
  })
})
