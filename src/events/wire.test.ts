// The words of events, and events as bytes: what comes back, and what is refused.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode, encode } from '../core/index.ts'
import { decodeContent, encodeContent } from './content.ts'
import { type EventsMessage, eventsVocabulary, isName, isSource } from './wire.ts'

const source = { channel: 'c', author: 'a', boot: '0' }
const terms = { live: false, keep: { age: 5, bytes: 6 }, identity: new Uint8Array([1]) }
const item = { counter: 1, content: new Uint8Array([1]), proof: undefined }
const words: EventsMessage[] = [
  { kind: 'publish', source, terms, accepted: 0, items: [item] },
  { kind: 'held', source, counter: 1, leaf: new Uint8Array(32) },
  { kind: 'heads', sub: 1, epoch: 'e', mark: 2, alone: true, entries: [{ ...source, counter: 3, base: 1 }] },
  { kind: 'found', sub: 1, version: 1, source, identity: new Uint8Array(), after: 0, through: 2, items: [] },
  { kind: 'loaded', sub: 1, cursor: undefined, entries: [{ author: 'a', boot: '0', counter: 9 }] },
  { kind: 'copied', after: '', next: 'k', whole: false, cursors: [] },
  { kind: 'range', source, terms, base: 4, items: [] },
  {
    kind: 'surveyed',
    id: 1,
    entries: [],
    cursors: [{ channel: 'c', name: 'n', owner: 'o', queue: true, entries: [] }],
  },
  { kind: 'remind', id: 1, channel: 'c', filter: new Uint8Array([1]), after: undefined },
  { kind: 'remind', id: 1, channel: 'c', filter: new Uint8Array([1]), after: '' },
  {
    kind: 'reminded',
    id: 1,
    after: undefined,
    through: 't/9',
    events: [{ source, identity: new Uint8Array(3), item }],
  },
  { kind: 'reminded', id: 1, after: 't/9', through: undefined, events: [] },
  { kind: 'task', sub: 1, source, identity: new Uint8Array(), item, attempt: 2, dead: true },
  { kind: 'done', channel: 'c', name: 'n', source, counter: 7, failed: false },
  { kind: 'queued', channel: 'c', name: 'n', owner: 'o', entries: [] },
  { kind: 'complain', server: 's', what: 'lied', channel: 'c' },
  { kind: 'recall', id: 4 },
  { kind: 'recalled', id: 4, complaints: [{ client: 'a#1', server: 's', what: 'lied', channel: 'c' }] },
  { kind: 'terms', sub: 1, version: 2, filter: new Uint8Array([1]) },
  { kind: 'skipped', sub: 1, source, from: 2, to: 9 },
]

describe('the words on the wire', () => {
  it('come back as they were', () => {
    for (const body of words) {
      expect(decode(eventsVocabulary, encode(eventsVocabulary, body))).toEqual({ ok: true, value: body })
    }
  })
  it('are refused where they are cut, and never throw on any bytes', () => {
    for (const body of words) {
      const whole = encode(eventsVocabulary, body)
      for (let end = 0; end < whole.length; end++)
        expect(decode(eventsVocabulary, whole.subarray(0, end)).ok).toBe(false)
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), bytes => void decode(eventsVocabulary, bytes)))
  })
  it('names have no control characters, and a life is hex: two sources never share a key', () => {
    expect(isName('eu/xetra')).toBe(true)
    for (const wrong of ['', 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(201)]) expect(isName(wrong)).toBe(false)
    expect(isSource(source)).toBe(true)
    expect(isSource({ ...source, boot: '' })).toBe(false)
    expect(isSource({ ...source, author: 'a\u0000' })).toBe(false)
  })
})

describe("an event's content", () => {
  const bare = { payload: new Uint8Array(3), time: 0, retained: false, expires: 0 }

  it('has one encoding, whatever the order of its attributes', () => {
    const rest = { payload: new Uint8Array([1, 2]), time: 5, retained: true, expires: 9 }
    const one = encodeContent({ attributes: { a: 1, b: ['x', null] }, ...rest })
    expect(encodeContent({ attributes: { b: ['x', null], a: 1 }, ...rest })).toEqual(one)
    expect(decodeContent(one)).toEqual({ ok: true, value: { attributes: { a: 1, b: ['x', null] }, ...rest } })
  })
  it('takes a name that every object inherits as a name', () => {
    const attributes = JSON.parse('{"__proto__": 1}')
    const decoded = decodeContent(encodeContent({ attributes, ...bare }))
    expect(decoded.ok && Object.getOwnPropertyNames(decoded.value.attributes)).toEqual(['__proto__'])
  })
  it('never throws, whatever the bytes, and is refused where it is cut', () => {
    const whole = encodeContent({ attributes: { a: 1 }, ...bare })
    for (let end = 0; end < whole.length; end++) expect(decodeContent(whole.subarray(0, end)).ok).toBe(false)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), bytes => void decodeContent(bytes)))
  })
})
