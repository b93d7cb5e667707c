// Every vocabulary beside the servers' own: words come back, are refused where they are cut, and with any byte changed are refused or
// have the one encoding; machines that are given them do not throw.

import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededBytes } from '../../test/support/crypto.ts'
import { Puppet } from '../../test/support/machine.ts'
import { type Codec, decode, encode } from '../core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../crypto/index.ts'
import { idealPairing } from '../crypto/peks/index.ts'
import { parseFilter } from './filter.ts'
import { type InterestMessage, interestVocabulary } from './interest/wire.ts'
import { type RoutingMessage, routingVocabulary } from './routing/wire.ts'
import { channelNames, SECRET_MODES, type SecretMode } from './secret/keys.ts'
import { secretMatcher } from './secret/matcher/machine.ts'
import { secretMember } from './secret/member/machine.ts'
import { encodeRecord, issueRecord, NO_RECORD } from './secret/record.ts'
import { secretRules } from './secret/rules.ts'
import { matchTools, searchSecret, searchTools } from './secret/searching.ts'
import { secretBasics } from './secret/settings.ts'
import { type CarrierMessage, carrierVocabulary, decodeFrame, encodeFrame, type Frame } from './secret/wire.ts'

const bytes = (length: number) => new Uint8Array(length).fill(length)
const source = { channel: 'c', author: 'a', boot: '0a' }
const item = { counter: 3, content: bytes(4), proof: undefined }
const place = { overlay: 1, tree: 0 }
const claim = { member: 'm', number: 2, boxes: [[{ attribute: 'x', from: 0, to: 1 }]], signature: bytes(64) }

const routingWords: { [K in RoutingMessage['kind']]: RoutingMessage & { kind: K } } = {
  announce: {
    kind: 'announce',
    place,
    life: '0a',
    number: 1,
    whole: true,
    add: [{ id: 1, clause: parseFilter({ x: { lt: 3 }, y: 'z' }).$any[0]! }],
    remove: [4],
  },
  again: { kind: 'again', place },
  standing: { kind: 'standing', place, life: '0a', number: 3, ready: false },
  event: { kind: 'event', place, source, item },
  ask: { kind: 'ask', boot: '0a', counters: [1, 2] },
  answer: { kind: 'answer', boot: '0a', handed: [1], seen: [2], lacking: [3] },
  direct: { kind: 'direct', source, item },
}

const interestWords: { [K in InterestMessage['kind']]: InterestMessage & { kind: K } } = {
  exchange: { kind: 'exchange', own: claim, given: [{ claim, age: 3 }], asks: true },
  event: { kind: 'event', source, item, hops: 2 },
  got: { kind: 'got', author: 'a', boot: '0a', counter: 4 },
}

const carrierWords: { [K in CarrierMessage['kind']]: CarrierMessage & { kind: K } } = {
  listen: { kind: 'listen', name: 'n' },
  leave: { kind: 'leave', name: 'n' },
  send: { kind: 'send', name: 'n', body: bytes(3) },
  came: { kind: 'came', name: 'n', body: bytes(3) },
}

const sealed = { epoch: 1, nonce: bytes(12), sealed: bytes(80) }
const frames: { [K in Frame['kind']]: Frame & { kind: K } } = {
  event: { kind: 'event', lap: 0, tags: [bytes(16)], ...sealed },
  totals: { kind: 'totals', ...sealed },
  record: { kind: 'record', record: bytes(9) },
  receipt: { kind: 'receipt', number: 1, name: 'a', signature: bytes(64) },
  hello: { kind: 'hello', number: 1 },
  trapdoors: { kind: 'trapdoors', box: 'b', trapdoors: [bytes(16)], first: true },
  lap: { kind: 'lap', lap: 4, yours: 5 },
  ask: { kind: 'ask' },
  marked: { kind: 'marked', reader: bytes(16), point: bytes(96), marks: [bytes(32)], key: bytes(90), ...sealed },
  told: { kind: 'told', to: bytes(16), key: bytes(0), ...sealed },
  search: { kind: 'search', box: 'b', reader: bytes(16), trapdoors: [bytes(48)] },
}
const frameCodec = { encode: encodeFrame, decode: decodeFrame }

function through<T>(codec: Codec<T>) {
  return { encode: (value: T) => encode(codec, value), decode: (input: Uint8Array) => decode(codec, input) }
}

const all = {
  routing: { ...through(routingVocabulary), words: Object.values(routingWords) },
  interest: { ...through(interestVocabulary), words: Object.values(interestWords) },
  carrier: { ...through(carrierVocabulary), words: Object.values(carrierWords) },
  frames: { ...frameCodec, words: Object.values(frames) },
} as unknown as Record<
  string,
  { encode(word: object): Uint8Array; decode(input: Uint8Array): { ok: boolean; value: object }; words: object[] }
>

describe.each(Object.entries(all))('the words of %s', (_name, { encode: write, decode: read, words }) => {
  it('come back as they were, and are refused where they are cut or longer', () => {
    for (const word of words) {
      const whole = write(word)
      expect(read(whole)).toEqual({ ok: true, value: word })
      for (let end = 0; end < whole.length; end++) expect(read(whole.slice(0, end)).ok).toBe(false)
      expect(read(Uint8Array.of(...whole, 0)).ok).toBe(false)
    }
  })
  it('with any byte changed they are refused, or read as what has those bytes', () => {
    let taken = 0
    for (const word of words) {
      const whole = write(word)
      for (let at = 0; at < whole.length; at++) {
        for (const change of [1, 128, 255]) {
          const changed = whole.slice()
          changed[at]! ^= change
          const decoded = read(changed)
          if (!decoded.ok) continue
          taken++
          expect(write(decoded.value)).toEqual(changed)
        }
      }
    }
    expect(taken).toBeGreaterThan(10)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), input => void read(input)))
  })
})

describe.each(SECRET_MODES)('parties and a matcher of a %s channel', mode => {
  const channel = { group: 'shop', name: 'prices', id: bytes(16) }
  const signatures = idealSignatures()
  const sealings = idealSealing()
  const pairing = idealPairing()
  const search = searchTools(pairing, searchSecret(bytes(32)))
  const record = (mode: SecretMode) => {
    const { publicKey: signingKey } = signatures.signer('a')
    const party = { name: 'a', reads: true, writes: true, signingKey, sealingKey: sealings('a').publicKey }
    const terms = { channel, number: 1, before: NO_RECORD, issued: 0, from: 0, until: 1e6, mode }
    const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random: seededBytes(1) }
    const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
    return issueRecord(keeper, { ...terms, searchable }, [{ ...party, searchKey: search.publicKey }])
  }
  const member = () => {
    const node = new Puppet(
      secretMember({
        ...secretBasics,
        channel,
        name: 'a',
        keeper: signatures.signer('keeper').publicKey,
        signer: signatures.signer('a'),
        signatures,
        sealing: sealings('a'),
        search,
        ciphers: idealCiphers(),
        hash: sha256,
        wall: now => now,
      }),
      ['broker'],
    )
    node.start()
    node.command({ kind: 'record', record: encodeRecord(record(mode)), share: false })
    node.command({ kind: 'subscribe', id: 1, filter: parseFilter({ symbol: 'A' }) })
    return node
  }
  const matcher = () => {
    const match = matchTools(pairing)
    const settings = { rules: secretRules, channels: [channel.id], ciphers: idealCiphers(), match, lap: 10_000 }
    const node = new Puppet(secretMatcher({ ...settings, wall: now => now, forgetAfter: 120_000 }), ['broker'])
    node.start()
    return node
  }

  it('take any frame, whole or with a byte changed, and go on', () => {
    const { matcher: name } = channelNames(channel.id)
    for (const node of [member(), matcher()]) {
      for (const frame of Object.values(frames)) {
        const whole = encodeFrame(frame)
        for (let at = 0; at < whole.length; at++) {
          const body = whole.slice()
          body[at]! ^= at % 2 === 0 ? 1 : 128
          node.hear('broker', { kind: 'came', name, body: at === 0 ? whole : body })
        }
        node.pass(50)
      }
      node.pass(3_000)
    }
  })
})
