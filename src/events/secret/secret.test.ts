// The parts of secret channels that have no machine: keywords and covers, keys and tags, records, frames, padding.

import { createCipheriv } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededBytes, utf8 } from '../../../test/support/crypto.ts'
import { decode } from '../../core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../crypto/index.ts'
import { opensslCiphers } from '../../runtime/ciphers.ts'
import { matches, parseFilter } from '../filter.ts'
import { brokenSecretRules } from '../proof/secret/planted.ts'
import { bytesOfLetters, channelNames, countedTag, epochKeys, lettersOf, tagOf, trapdoorOf } from './keys.ts'
import { keywordsOf, listenedOf, type Searchable, whyNotSearchable } from './keywords.ts'
import { PADDED_MIN, SEALED_MAX } from './limits.ts'
import {
  decodeRecord,
  type EpochTerms,
  encodeRecord,
  isKeepers,
  issueRecord,
  keyFor,
  NO_RECORD,
  type Party,
} from './record.ts'
import { secretRules } from './rules.ts'
import { isAuthors, openEvent, sealEvent, signAll } from './sealed.ts'
import { type SecretSettings, secretBasics } from './settings.ts'
import { carrierVocabulary, decodeFrame, encodeFrame, padded, unpadded } from './wire.ts'

const searchable: readonly Searchable[] = [
  { attribute: 'symbol', search: { kind: 'equal' } },
  { attribute: 'name', search: { kind: 'prefix', lengths: [1, 3] } },
  { attribute: 'price', search: { kind: 'range', from: 0, to: 1000, bits: 8, base: 16 } },
]
const names = (all: readonly Uint8Array[]) => new Set(all.map(one => one.join()))

describe('keywords (protocols/secret-events 3)', () => {
  const value = fc.oneof(
    fc.constantFrom('A', 'B', 'ACME', 'AC', ''),
    fc.double({ min: -200, max: 1200, noNaN: true }),
    fc.boolean(),
  )
  const event = fc.record({ symbol: value, name: value, price: value }, { requiredKeys: [] })
  const bound = fc.double({ min: -200, max: 1200, noNaN: true })
  const filter = fc.oneof(
    fc.record({ symbol: value }),
    fc.record({ name: fc.record({ prefix: fc.constantFrom('A', 'AC', 'ACM', 'ACME') }) }),
    fc.tuple(bound, bound).map(([one, other]) => ({ price: { gte: Math.min(one, other), lte: Math.max(one, other) } })),
    fc.record({
      price: fc.record({ lt: bound }),
      symbol: fc.record({ in: fc.array(value, { minLength: 1, maxLength: 4 }) }),
    }),
  )

  it('whoever is matched by a filter has one of the keywords that it listens on', () => {
    let matched = 0
    fc.assert(
      fc.property(filter, event, (input, attributes) => {
        const parsed = parseFilter(input)
        if (!matches(parsed, attributes)) return
        matched++
        const listened = names(listenedOf(searchable, parsed))
        expect(keywordsOf(searchable, attributes).some(keyword => listened.has(keyword.join()))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
    expect(matched).toBeGreaterThan(50)
  })

  it('a range needs at most the cells of the construction: 30 for base 2 and 16 bits, 44 for base 16 and 8 bits', () => {
    const of = (bits: number, base: number, from: number, to: number) => {
      const search = { kind: 'range', from: 0, to: 2 ** bits, bits, base } as const
      return listenedOf([{ attribute: 'x', search }], parseFilter({ x: { gte: from, lte: to } })).length
    }
    expect(of(16, 2, 1, 65_534)).toBe(30)
    expect(of(8, 16, 1, 254)).toBe(44)
    expect(of(8, 16, 0, 255)).toBe(16)
    expect(of(8, 16, 17, 17)).toBe(1)
    expect(
      keywordsOf([{ attribute: 'x', search: { kind: 'range', from: 0, to: 1, bits: 16, base: 2 } }], { x: 0.3 }).length,
    ).toBe(16)
  })

  it('refuses what cannot be searched, in a sentence', () => {
    expect(() => listenedOf(searchable, parseFilter({ other: 1 }))).toThrow(
      'symbol (equal), name (prefix), price (range)',
    )
    expect(() => listenedOf(searchable, parseFilter({ symbol: { not: 'A' } }))).toThrow(
      'nothing that this channel can be searched by',
    )
    expect(whyNotSearchable([])).toMatch('needs an attribute')
    expect(whyNotSearchable([searchable[0]!, searchable[0]!])).toMatch('twice')
    for (const bad of [
      { bits: 9, base: 16 },
      { bits: 0, base: 2 },
      { bits: 8, base: 3 },
      { bits: 8, base: 16, to: 0 },
    ]) {
      const search = { kind: 'range', from: 0, to: 1, ...bad } as const
      expect(whyNotSearchable([{ attribute: 'x', search }]), JSON.stringify(bad)).toMatch('range of x')
    }
    expect(whyNotSearchable([{ attribute: 'x', search: { kind: 'prefix', lengths: [3, 1] } }])).toMatch('prefixes of x')
  })
})

const channel = { group: 'shop', name: 'prices', id: new Uint8Array(16).fill(7) }

describe('keys and tags (protocols/secret-events 2, 4, 5)', () => {
  const secret = new Uint8Array(32).fill(9)
  const keys = epochKeys(secretRules, channel, 3, 'tagged', secret)
  const word = utf8('a keyword')

  it('another epoch, channel, mode, group or use has another key', () => {
    const all = [
      epochKeys(secretRules, channel, 4, 'tagged', secret),
      epochKeys(secretRules, { ...channel, id: new Uint8Array(16) }, 3, 'tagged', secret),
      epochKeys(secretRules, { ...channel, name: 'orders' }, 3, 'tagged', secret),
      epochKeys(secretRules, { ...channel, group: 'bank' }, 3, 'tagged', secret),
      epochKeys(secretRules, channel, 3, 'counted', secret),
      keys,
    ]
    expect(names(all.flatMap(({ tag, body }) => [tag, body])).size).toBe(2 * all.length)
    expect(names(all.map(one => tagOf(one, word))).size).toBe(all.length)
  })

  it('a trapdoor is of one author and lane, a counted tag of one lap and count: AES-128 as OpenSSL has it', () => {
    const trapdoors = [trapdoorOf(keys, 'a', 0, word), trapdoorOf(keys, 'a', 1, word), trapdoorOf(keys, 'b', 0, word)]
    expect(names(trapdoors).size).toBe(3)
    const [trapdoor] = trapdoors
    const tags = [
      [1, 0],
      [1, 1],
      [2, 0],
      [2 ** 40, 0],
    ].map(([lap, count]) => countedTag(opensslCiphers, secretRules, trapdoor!, lap!, count!))
    expect(names(tags).size).toBe(4)
    const aes = createCipheriv('aes-128-ecb', trapdoor!, null)
    aes.setAutoPadding(false)
    const block = Buffer.from('00000000000000010000000000000001', 'hex')
    expect(lettersOf(tags[1]!)).toBe(lettersOf(aes.update(block)))
  })

  it('names have 22 letters, and the letters give the bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), input => {
        const letters = lettersOf(input)
        expect(letters).toBe(Buffer.from(input).toString('base64url'))
        expect(bytesOfLetters(letters)).toEqual(input)
      }),
      { numRuns: 100 },
    )
    const { records, matcher } = channelNames(channel.id)
    expect(records).not.toBe(matcher)
    expect([records.length, matcher.length]).toEqual([22, 22])
  })

  it('both ciphers open what they sealed, and nothing else', () => {
    const random = seededBytes(1)
    for (const ciphers of [opensslCiphers, idealCiphers()]) {
      const [key, nonce, data, text] = [random(32), random(12), random(9), random(70)]
      const sealed = ciphers.seal(key, nonce, data, text)
      expect(sealed.length).toBe(text.length + 16)
      expect(ciphers.open(key, nonce, data, sealed)).toEqual(text)
      for (const bit of [0, 300, 8 * sealed.length - 1]) {
        const turned = sealed.slice()
        turned[bit >> 3]! ^= 1 << (bit & 7)
        expect(ciphers.open(key, nonce, data, turned)).toBeUndefined()
      }
      expect(ciphers.open(random(32), nonce, data, sealed)).toBeUndefined()
      expect(ciphers.open(key, random(12), data, sealed)).toBeUndefined()
      expect(ciphers.open(key, nonce, random(9), sealed)).toBeUndefined()
      expect(ciphers.open(key, nonce, data, sealed.subarray(0, 10))).toBeUndefined()
    }
  })
})

describe('records (protocols/secret-events 1)', () => {
  const signatures = idealSignatures()
  const sealings = idealSealing()
  const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random: seededBytes(2) }
  const party = (name: string, writes: boolean): Party => ({
    name,
    reads: true,
    writes,
    signingKey: signatures.signer(name).publicKey,
    sealingKey: sealings(name).publicKey,
  })
  const terms: EpochTerms = {
    channel,
    number: 1,
    before: NO_RECORD,
    issued: 1_000,
    from: 1_000,
    until: 5_000,
    mode: 'tagged',
    searchable,
  }
  const record = issueRecord(keeper, terms, [party('a', true), party('b', false)])
  const check = (one: typeof record) => isKeepers(secretRules, signatures, keeper.signer.publicKey, one)

  it('gives the key to its parties, and to nobody else', () => {
    const key = keyFor(record, 'a', sealings('a'))!
    expect(key.length).toBe(32)
    expect(keyFor(record, 'b', sealings('b'))).toEqual(key)
    expect(keyFor(record, 'c', sealings('c'))).toBeUndefined()
    expect(keyFor(record, 'a', sealings('c'))).toBeUndefined()
    // Sealed for one name, epoch and channel: moved to another it is worth nothing.
    expect(keyFor({ ...record, number: 2 }, 'a', sealings('a'))).toBeUndefined()
    const swapped = { ...record, parties: [{ ...record.parties[0]!, name: 'b' }] }
    expect(keyFor(swapped, 'b', sealings('a'))).toBeUndefined()
  })

  it('is what the keeper signed, in every field', () => {
    const again = decodeRecord(encodeRecord(record))
    expect(again.ok && check(again.value)).toBe(true)
    const changes = [
      { number: 2 },
      { until: 6_000 },
      { mode: 'counted' as const },
      { searchable: searchable.slice(1) },
      { parties: record.parties.slice(1) },
      { parties: record.parties.map(one => ({ ...one, writes: true })) },
      { channel: { ...channel, name: 'orders' } },
      { before: new Uint8Array(32).fill(1) },
    ]
    for (const change of changes) expect(check({ ...record, ...change }), Object.keys(change)[0]).toBe(false)
  })

  it('is refused where it makes no sense', () => {
    const bad = (change: object) => decodeRecord(encodeRecord({ ...record, ...change }))
    expect(bad({ until: 900 }).ok).toBe(false)
    expect(bad({ from: 900 }).ok).toBe(false)
    expect(bad({ parties: [record.parties[0]!, record.parties[0]!] }).ok).toBe(false)
    expect(bad({ searchable: [] }).ok).toBe(false)
    const whole = encodeRecord(record)
    for (let length = 0; length < whole.length; length += 7) expect(decodeRecord(whole.slice(0, length)).ok).toBe(false)
  })
})

describe('signatures of events (protocols/secret-events 2)', () => {
  const signatures = idealSignatures()
  const settingsOf = (rules: typeof secretRules, id: number): SecretSettings => ({
    ...secretBasics,
    rules,
    channel: { ...channel, id: new Uint8Array(16).fill(id) },
    name: 'a',
    keeper: signatures.signer('keeper').publicKey,
    signer: signatures.signer('a'),
    signatures,
    sealing: idealSealing()('a'),
    ciphers: idealCiphers(),
    hash: sha256,
    wall: now => now,
  })
  const life = { author: 'a', started: 1, boot: new Uint8Array(8) }
  const said = [1, 3, 5].map(counter => ({
    epoch: 1,
    tags: [new Uint8Array(16)],
    numbers: [counter],
    events: [counter, counter + 1].map(one => ({ counter: one, content: utf8(`event ${one}`) })),
  }))
  const key = signatures.signer('a').publicKey

  it('hold for the event, channel, epoch, tag and number that were signed, and nothing else', () => {
    const settings = settingsOf(secretRules, 1)
    for (const inside of signAll(settings, settings.signer, life, said)) {
      expect(isAuthors(settings, key, 1, inside)).toBe(true)
      expect(isAuthors(settingsOf(secretRules, 2), key, 1, inside)).toBe(false)
      expect(isAuthors(settings, key, 2, inside)).toBe(false)
      expect(isAuthors(settings, signatures.signer('b').publicKey, 1, inside)).toBe(false)
      const [one, two] = inside.events
      const changes = [
        { events: [one!] },
        { events: [two!, one!] },
        { events: [one!, { ...two!, counter: 9 }] },
        { events: [one!, { ...two!, content: utf8('else') }] },
        // The border between two contents, moved.
        { events: [{ ...one!, content: utf8('event') }, two!] },
        { numbers: [9] },
        { tags: [] },
        { author: 'b' },
        { boot: new Uint8Array(8).fill(1) },
        { place: (inside.place + 1) % 3 },
        { place: 3 },
        { count: 2 },
      ]
      for (const change of changes) {
        expect(isAuthors(settings, key, 1, { ...inside, ...change }), Object.keys(change)[0]).toBe(false)
      }
    }
  })

  it('a bundle is opened only with a number for each tag, and with rising counters', () => {
    const settings = settingsOf(secretRules, 1)
    const { body } = epochKeys(secretRules, settings.channel, 1, 'tagged', new Uint8Array(32))
    const [inside] = signAll(settings, settings.signer, life, said)
    const outside = { kind: 'event', epoch: 1, lap: 0, tags: inside!.tags, nonce: new Uint8Array(12) } as const
    const again = (change: object) =>
      openEvent(settings, 'tagged', body, sealEvent(settings, 'tagged', body, outside, { ...inside!, ...change }))
    expect(again({})).toEqual(inside)
    const [one, two] = inside!.events
    for (const change of [
      { numbers: [] },
      { numbers: [1, 2] },
      { events: [] },
      { events: [one, one] },
      { events: [two, one] },
    ]) {
      expect(again(change), JSON.stringify(Object.keys(change))).toBeUndefined()
    }
  })

  it('sealed-not-bound-to-channel: with that bug an event of one channel holds in another', () => {
    const broken = brokenSecretRules('sealed-not-bound-to-channel')
    const [inside] = signAll(settingsOf(broken, 1), signatures.signer('a'), life, said)
    expect(isAuthors(settingsOf(broken, 2), key, 1, inside!)).toBe(true)
  })
})

describe('frames and padding', () => {
  it('are padded to powers of two, and read back only so', () => {
    for (const length of [0, 1, PADDED_MIN - 1, PADDED_MIN, 1_000, 70_000]) {
      const value = seededBytes(3)(length)
      const out = padded(value)!
      expect(Math.log2(out.length) % 1).toBe(0)
      expect(out.length).toBeGreaterThanOrEqual(PADDED_MIN)
      expect(new Uint8Array(unpadded(out)!)).toEqual(value)
      if (length === PADDED_MIN - 1) continue
      out[out.length - 1] = 1
      expect(unpadded(out)).toBeUndefined()
    }
    expect(padded(new Uint8Array(SEALED_MAX))).toBeUndefined()
    expect(unpadded(new Uint8Array(0))).toBeUndefined()
    expect(unpadded(new Uint8Array(128))).toBeUndefined()
  })

  it('cut anywhere, or made of chance, they are refused and never throw', () => {
    const tag = new Uint8Array(16)
    const whole = encodeFrame({ kind: 'event', epoch: 1, lap: 0, tags: [tag], nonce: new Uint8Array(12), sealed: tag })
    for (let length = 0; length < whole.length; length++) expect(decodeFrame(whole.slice(0, length)).ok).toBe(false)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), input => {
        decodeFrame(input)
        decode(carrierVocabulary, input)
        decodeRecord(input)
      }),
      { numRuns: 500 },
    )
  })
})
