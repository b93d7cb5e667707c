// The words on the wire: what is written is read again, what is beyond a limit is refused, and no bytes make it throw.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode, encode } from '../core/index.ts'
import { decodeChange, encodeChange } from './versions/content.ts'
import { COUNTER_MAX, KEY_BYTES_MAX, OBJECT_BYTES_MAX, type OrderingMessage, orderingVocabulary } from './wire.ts'

const digest = new Uint8Array(32).fill(7)
const rank = { counter: 3, client: 'c#1' }
const head = { version: 2, digest }

const samples: OrderingMessage[] = [
  { kind: 'get', object: 'o', rank, have: 1, content: true, operations: [], proof: new Uint8Array(64) },
  { kind: 'propose', object: 'o', rank, version: 2, parent: digest, digest, change: new Uint8Array(9) },
  { kind: 'busy', object: 'o', rank, promised: rank, remaining: 10 },
  {
    kind: 'readings',
    object: 'o',
    query: 1,
    committed: head,
    proposed: { ...head, rank, parent: digest },
    change: undefined,
    applied: 2,
    entries: [{ key: 'k', value: undefined }],
    silent: ['1.0'],
  },
  {
    kind: 'recalled',
    query: 1,
    objects: [{ object: 'o', promised: rank, committed: head, proposed: undefined }],
    more: false,
  },
  {
    kind: 'submit',
    object: 'o',
    operations: [
      { kind: 'open', client: 'c', nonce: new Uint8Array(16), ttl: 1_000 },
      { kind: 'apply', client: 'c', session: '1.0', seq: 1, ack: 1, body: new Uint8Array(3) },
      { kind: 'end', client: 'c', session: '1.0', seq: 2, ack: 1 },
    ],
  },
]

describe('the vocabulary', () => {
  it.each(samples.map(sample => [sample.kind, sample] as const))('%s is read as it was written', (_kind, sample) => {
    expect(decode(orderingVocabulary, encode(orderingVocabulary, sample))).toEqual({ ok: true, value: sample })
  })
  it('names, keys and counters have limits', () => {
    const long = (object: string) => () => encode(orderingVocabulary, { kind: 'unwatch', object })
    expect(long('n'.repeat(OBJECT_BYTES_MAX))).not.toThrow()
    expect(long('n'.repeat(OBJECT_BYTES_MAX + 1))).toThrow(RangeError)
    const keyed = (key: string) => () => encode(orderingVocabulary, { kind: 'page', object: 'o', query: 1, after: key })
    expect(keyed('k'.repeat(KEY_BYTES_MAX + 1))).toThrow(RangeError)
    const from = (version: number) => () =>
      encode(orderingVocabulary, { kind: 'fetch', object: 'o', query: 1, from: version })
    expect(from(COUNTER_MAX)).not.toThrow()
    expect(from(COUNTER_MAX + 1)).toThrow(RangeError)
  })
  it('no bytes make it throw, nor a change', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect([true, false]).toContain(decode(orderingVocabulary, bytes).ok)
        expect(Array.isArray(decodeChange(bytes))).toBe(true)
      }),
    )
  })
  it('a change keeps the order of its writes, and tells removed from empty', () => {
    const writes = [
      { key: 'b', value: new Uint8Array(0) },
      { key: 'a', value: undefined },
    ]
    expect(decodeChange(encodeChange(writes))).toEqual(writes)
  })
})
