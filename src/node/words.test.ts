// Two vocabularies for one wire: what every client says, and what those say that use ledgers and events, too.

import { describe, expect, it } from 'vitest'
import { decode, encode } from '../core/index.ts'
import { commonVocabulary } from './common-words.ts'
import { nodeVocabulary } from './words.ts'

describe('the words of a client without ledgers and events', () => {
  const words = [
    { part: 'lock', body: { kind: 'inspect', query: 7 } },
    { part: 'ordering', body: { kind: 'fetch', object: 'o', query: 7, from: 1 } },
    { part: 'lives', body: { kind: 'welcome', mark: 7 } },
  ] as never[]

  it.each(words)('%j is the same bytes for both', word => {
    const bytes = encode(nodeVocabulary, word)
    expect(encode(commonVocabulary, word)).toEqual(bytes)
    expect(decode(commonVocabulary, bytes)).toEqual({ ok: true, value: word })
  })
  it.each(['ledger', 'events'])('what others say of %s is refused, and nothing is said of it', part => {
    const place = { ledger: 2, events: 4 }[part]!
    expect(decode(commonVocabulary, Uint8Array.of(place, 0))).toMatchObject({ ok: false })
    expect(() => encode(commonVocabulary, { part, body: {} } as never)).toThrow('says nothing')
  })
})
