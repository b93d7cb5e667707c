// Bundles: what travels together, and what must not.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../../test/support/crypto.ts'
import { epochKeys, tagOf } from '../keys.ts'
import { BUNDLE_BYTES_MAX, TAGS_KNOWN_MAX } from '../limits.ts'
import { secretRules } from '../rules.ts'
import { bundled } from './bundling.ts'
import type { Epoch, Waiting } from './state.ts'

const channel = { group: 'shop', name: 'prices', id: new Uint8Array(16).fill(7) }
const epoch = () =>
  ({
    keys: epochKeys(secretRules, channel, 1, 'tagged', new Uint8Array(32)),
    tags: new Map(),
  }) as unknown as Epoch
const event = (id: number, words: readonly string[], bytes = 8): Waiting => ({
  id,
  content: new Uint8Array(bytes),
  keywords: words.map(utf8),
})
const idsOf = (batch: readonly Waiting[]) => bundled(epoch(), batch).map(({ events }) => events.map(({ id }) => id))

describe('bundles (protocols/secret-events 2)', () => {
  it('events with the same keywords are one, in whatever order they name them', () => {
    expect(idsOf([event(1, ['a', 'b']), event(2, ['b', 'a']), event(3, ['a', 'b'])])).toEqual([[1, 2, 3]])
    expect(idsOf([event(1, ['a']), event(2, ['b']), event(3, ['a'])])).toEqual([[1, 3], [2]])
  })

  it('an event does not pass another one that has one of its keywords', () => {
    expect(idsOf([event(1, ['a', 'b']), event(2, ['a']), event(3, ['a', 'b'])])).toEqual([[1], [2], [3]])
    expect(idsOf([event(1, ['a']), event(2, ['a', 'b']), event(3, ['a'])])).toEqual([[1], [2], [3]])
  })

  it('of each keyword, events stay in their order, and all are there once', () => {
    const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 64 }), all => {
        const batch = all.map((keywords, id) => event(id, keywords))
        const flat = idsOf(batch).flat()
        expect([...flat].sort((one, other) => one - other)).toEqual(batch.map(({ id }) => id))
        for (const word of ['a', 'b', 'c'] as const) {
          const having = flat.filter(id => all[id]!.includes(word))
          expect(having).toEqual([...having].sort((one, other) => one - other))
        }
        for (const { tags, events } of bundled(epoch(), batch)) {
          const names = tags.map(({ bytes }) => bytes.join()).sort()
          for (const { keywords } of events) {
            expect(keywords.map(keyword => tagOf(epoch().keys!, keyword).join()).sort()).toEqual(names)
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('has a bound in bytes; one event may have more, alone', () => {
    const half = BUNDLE_BYTES_MAX / 2
    expect(idsOf([event(1, ['a'], half), event(2, ['a'], half), event(3, ['a'], 1)])).toEqual([[1, 2], [3]])
    expect(idsOf([event(1, ['a'], 1), event(2, ['a'], BUNDLE_BYTES_MAX), event(3, ['a'], 1)])).toEqual([[1], [2], [3]])
    expect(idsOf([event(1, ['a'], 9 * half)])).toEqual([[1]])
  })

  it('remembers a bounded number of tags', () => {
    const one = epoch()
    for (let word = 0; word < TAGS_KNOWN_MAX + 5; word++) bundled(one, [event(1, [`word ${word}`])])
    expect(one.tags.size).toBeLessThanOrEqual(TAGS_KNOWN_MAX)
  })
})
