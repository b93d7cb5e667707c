// Each limit of events that a user can come to: what is just at it is taken, what is just beyond is refused.

import { describe, expect, it } from 'vitest'
import { client, follow, item, life, publish, server, source } from '../../test/support/events-bounds.ts'
import { Puppet, told } from '../../test/support/machine.ts'
import { recordOf, SECOND, SecretNode } from '../../test/support/secret-node.ts'
import { idealCiphers } from '../crypto/index.ts'
import { CLAUSES_MAX } from './canonical.ts'
import { SUBSCRIPTIONS_MAX } from './client/state.ts'
import { decodeContent, encodeContent } from './content.ts'
import { matches, parseFilter } from './filter.ts'
import { mqtt, nats } from './languages/index.ts'
import { PAYLOAD_BYTES_MAX } from './limits.ts'
import { channelNames } from './secret/keys.ts'
import { OUTBOX_MAX, READER_TRAPDOORS_MAX, TRAPDOORS_MAX } from './secret/limits.ts'
import { secretMatcher } from './secret/matcher/machine.ts'
import { secretRules } from './secret/rules.ts'
import { encodeFrame } from './secret/wire.ts'
import { CLIENT_FOLLOWERS_MAX, FOLLOWERS_MAX, SOURCES_MAX } from './server/state.ts'
import { TOPIC_BYTES_MAX, TOPIC_LEVELS_MAX } from './topics.ts'
import { ATTRIBUTE_BYTES_MAX, ATTRIBUTES_MAX, ITEMS_MAX, parseAttributes, TEXT_BYTES_MAX } from './values.ts'

const GIB = 2 ** 30
const large = { clientBytesMax: GIB, clientsBytesMax: GIB }

/** So many bytes of text, some of which are letters of two bytes. */
function textOf(bytes: number): string {
  return 'é'.repeat(8) + 'x'.repeat(bytes - 16)
}

describe('an event', () => {
  const count = (attributes: number) =>
    Object.fromEntries(Array.from({ length: attributes }, (_, at) => [`a${at}`, at]))

  it.each<[string, (size: number) => unknown, number]>([
    ['attributes', count, ATTRIBUTES_MAX],
    ['bytes of a name', bytes => ({ [textOf(bytes)]: 1 }), ATTRIBUTE_BYTES_MAX],
    ['bytes of a text', bytes => ({ a: textOf(bytes) }), TEXT_BYTES_MAX],
    ['items of a list', items => ({ a: Array(items).fill(1) }), ITEMS_MAX],
  ])('%s', (_what, attributes, most) => {
    expect(() => parseAttributes(attributes(most))).not.toThrow()
    expect(() => parseAttributes(attributes(most + 1))).toThrow(/\.$/)
  })

  it('bytes of its payload, where it is published and where it is read', () => {
    const refused = (bytes: number) => {
      const content = { attributes: {}, payload: new Uint8Array(bytes), time: 0, retained: false, expires: 0 }
      const terms = { live: false, keep: { age: 1_000, bytes: 1_000 } }
      return told(client().command({ kind: 'publish', id: 1, channel: 'prices', content, ...terms }))
    }
    expect(refused(PAYLOAD_BYTES_MAX)).toEqual([])
    expect(refused(PAYLOAD_BYTES_MAX + 1)).toMatchObject([{ kind: 'refused' }])
    const bytes = encodeContent({ attributes: {}, payload: new Uint8Array(PAYLOAD_BYTES_MAX), time: 0 })
    expect(decodeContent(bytes).ok).toBe(true)
    // One byte more of it, and the length in front says so.
    const [at] = [...bytes.keys()].filter(place => bytes.subarray(place, place + 3).join() === '128,128,64')
    const longer = Uint8Array.of(...bytes.subarray(0, at), 129, 128, 64, ...bytes.subarray(at! + 3, at! + 40))
    expect(decodeContent(longer)).toMatchObject({ ok: false, refusal: expect.stringContaining('more than 1048576') })
  })
})

describe('a filter', () => {
  it.each<[string, (size: number) => unknown, number]>([
    ['clauses', size => ({ $or: Array.from({ length: size }, (_, at) => ({ [`a${at}`]: { gt: at } })) }), CLAUSES_MAX],
    ['bytes of a name', bytes => ({ [textOf(bytes)]: 1 }), ATTRIBUTE_BYTES_MAX],
    ['bytes of a text', bytes => ({ a: { prefix: textOf(bytes) } }), TEXT_BYTES_MAX],
    ['bytes of a topic', bytes => mqtt(textOf(bytes)), TOPIC_BYTES_MAX],
    ['bytes of a subject', bytes => nats(textOf(bytes)), TOPIC_BYTES_MAX],
    ['levels of a topic', levels => mqtt(Array(levels).fill('+').join('/')), TOPIC_LEVELS_MAX],
    ['levels of a subject', levels => nats(Array(levels).fill('*').join('.')), TOPIC_LEVELS_MAX],
  ])('%s', (_what, filter, most) => {
    expect(() => parseFilter(filter(most))).not.toThrow()
    expect(() => parseFilter(filter(most + 1))).toThrow(/\.$/)
  })

  it('fits a topic that is as long and as deep as a topic may be, and no longer or deeper one', () => {
    const fits = (topic: string) => matches(mqtt('#'), { topic })
    expect([fits(textOf(TOPIC_BYTES_MAX)), fits(textOf(TOPIC_BYTES_MAX + 1))]).toEqual([true, false])
    const levels = (count: number) => Array(count).fill('a').join('/')
    expect([fits(levels(TOPIC_LEVELS_MAX)), fits(levels(TOPIC_LEVELS_MAX + 1))]).toEqual([true, false])
  })
})

describe('a client', () => {
  it('subscriptions', () => {
    const eve = client()
    const subscribe = (id: number) => {
      const about = { channel: 'prices', name: '', filter: parseFilter({}), from: 'now' } as const
      return told(eve.command({ kind: 'subscribe', id, ...about, parallel: 1, ackWait: 1_000 }))
    }
    for (let id = 1; id < SUBSCRIPTIONS_MAX; id++) subscribe(id)
    expect(subscribe(SUBSCRIPTIONS_MAX)).toEqual([])
    expect(subscribe(SUBSCRIPTIONS_MAX + 1)).toMatchObject([{ kind: 'refused', id: SUBSCRIPTIONS_MAX + 1 }])
    eve.command({ kind: 'unsubscribe', id: 1 })
    expect(subscribe(SUBSCRIPTIONS_MAX + 1)).toEqual([])
  })
})

describe('a server', () => {
  it('subscriptions of one client, of all its processes; another has its own', () => {
    const self = server(large)
    for (let sub = 1; sub < CLIENT_FOLLOWERS_MAX; sub++) follow(self, `eve#${sub % 3}`, sub)
    expect(follow(self, 'eve#1', CLIENT_FOLLOWERS_MAX)).toBe('heads')
    expect(follow(self, 'eve#1', CLIENT_FOLLOWERS_MAX + 1)).toBe('refused')
    expect(follow(self, 'bob#1', 1)).toBe('heads')
    self.hear('eve#1', { kind: 'unfollow', sub: CLIENT_FOLLOWERS_MAX })
    expect(follow(self, 'eve#1', CLIENT_FOLLOWERS_MAX + 1)).toBe('heads')
  })

  it('subscriptions of all clients', () => {
    const self = server(large)
    follow(self, 'eve#1', 1)
    const [one] = self.state.followers.values()
    // As if there were more of them.
    for (let at = 2; at < FOLLOWERS_MAX; at++) self.state.followers.set(String(at), one!)
    expect(follow(self, 'ann#1', 1)).toBe('heads')
    expect(self.state.followers.size).toBe(FOLLOWERS_MAX)
    expect(follow(self, 'bob#1', 1)).toBe('refused')
  })

  it('lives of authors', () => {
    const self = server()
    publish(self, source, item(source, 1))
    const [one] = self.state.streams.values()
    for (let at = 2; at < SOURCES_MAX; at++) self.state.streams.set(String(at), one!)
    expect(publish(self, life(1), item(life(1), 1))).toMatchObject([{ kind: 'held' }])
    expect(publish(self, life(2), item(life(2), 1))).toMatchObject([{ kind: 'full' }])
    // Who is there already goes on.
    expect(publish(self, source, item(source, 2))).toMatchObject([{ kind: 'held' }])
  })
})

describe('a secret channel', () => {
  it('events that wait to be sent', () => {
    const writer = new SecretNode('writer')
    writer.take(recordOf(1, 0, 60 * SECOND))
    const publish = (id: number) => {
      const content = { attributes: { symbol: 'ACME' }, payload: new Uint8Array(), time: 0 }
      return told(writer.command({ kind: 'publish', id, content }))
    }
    const { waiting } = writer.state
    writer.state.batching = true
    publish(1)
    const [one] = waiting
    const waits = (events: number) => waiting.splice(0, waiting.length, ...Array(events).fill(one))
    waits(OUTBOX_MAX - 1)
    expect(publish(2)).not.toMatchObject([{ kind: 'refused' }])
    waits(OUTBOX_MAX)
    expect(publish(3)).toMatchObject([{ kind: 'refused', id: 3 }])
  })
})

describe('a matcher', () => {
  const channel = new Uint8Array(16).fill(7)
  const matcher = () => {
    const settings = { rules: secretRules, channels: [channel], ciphers: idealCiphers(), lap: 10_000, wall: () => 1 }
    const self = new Puppet(secretMatcher({ ...settings, match: undefined, forgetAfter: 1_000 }), ['broker'])
    self.start()
    let drawn = 0
    const one = () => {
      const key = new Uint8Array(16)
      new DataView(key.buffer).setUint32(0, ++drawn)
      return key
    }
    const seek = (box: string, trapdoors: readonly Uint8Array[], first = false) => {
      const body = encodeFrame({ kind: 'trapdoors', box, trapdoors, first })
      return told(self.hear('broker', { kind: 'came', name: channelNames(channel).matcher, body }))
    }
    return { self, one, seek }
  }

  it('trapdoors of one box: another has its own', () => {
    const { self, one, seek } = matcher()
    seek('eve', [one()])
    const { trapdoors } = self.state.boxes.get('eve')!
    // As if there were more of them.
    for (let at = 2; at < READER_TRAPDOORS_MAX; at++) trapdoors.add(String(at))
    expect(seek('eve', [one()])).toEqual([])
    expect(seek('eve', [one()])).toMatchObject([{ kind: 'full' }])
    expect(trapdoors.size).toBe(READER_TRAPDOORS_MAX)
    expect(seek('bob', [one()])).toEqual([])
  })

  it('trapdoors of all boxes', () => {
    const { self, one, seek } = matcher()
    seek('eve', [one()])
    const { trapdoors } = self.state
    const [known] = trapdoors.values()
    for (let at = 2; at < TRAPDOORS_MAX; at++) trapdoors.set(String(at), known!)
    expect(seek('bob', [one()])).toEqual([])
    expect(seek('ann', [one()])).toEqual([{ kind: 'full', trapdoors: TRAPDOORS_MAX }])
    expect(trapdoors.size).toBe(TRAPDOORS_MAX)
  })
})
