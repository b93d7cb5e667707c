// A server of events by hand: what it takes, keeps, refuses and tells.

import { describe, expect, it } from 'vitest'
import { Puppet } from '../../../test/support/machine.ts'
import { encode } from '../../core/index.ts'
import { encodeContent } from '../content.ts'
import { eventsDefaults } from '../defaults.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import { signCursor } from '../signed.ts'
import { type EventsMessage, eventsRecord, type Item, type Source } from '../wire.ts'
import { eventsServer } from './machine.ts'

const servers = ['self', 'second', 'third']
const KNOWN = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }

function item(counter: number, price: number): Item {
  const content = encodeContent({ attributes: { price }, payload: new Uint8Array(), time: 0 })
  return { counter, content, proof: undefined }
}

function started(change: Partial<EventsSettings> = {}, saved = KNOWN) {
  const server = new Puppet(eventsServer({ ...eventsDefaults, ...change }), servers, saved)
  server.start()
  return server
}

type Server = ReturnType<typeof started>
const sent = (out: ReturnType<Server['hear']>): EventsMessage[] =>
  out.flatMap(effect => (effect.kind === 'send' ? [effect.body] : []))
const publish = (server: Server, from: string, ...items: Item[]) =>
  server.hear(from, { kind: 'publish', source, items })

describe('what is published', () => {
  it('is saved, and then said to be held', () => {
    const out = publish(started(), 'ann#1', item(1, 3), item(2, 4))
    expect(out.map(({ kind }) => kind)).toEqual(['save', 'send'])
    expect(sent(out)).toMatchObject([{ kind: 'held', counter: 2 }])
  })

  it('is a prefix: what does not follow is not taken, and the author is told where to go on', () => {
    const server = started()
    expect(sent(publish(server, 'ann', item(2, 3)))).toMatchObject([{ kind: 'held', counter: 0 }])
    expect(sent(publish(server, 'ann', item(1, 3), item(3, 3)))).toMatchObject([{ kind: 'held', counter: 1 }])
    expect(sent(publish(server, 'ann', item(1, 9), item(2, 3)))).toMatchObject([{ kind: 'held', counter: 2 }])
    // The first that came under an id stays.
    expect([...server.state.streams.values()][0]!.items.get(1)).toEqual(item(1, 3))
  })

  it('is refused in another name, under no name, and where it cannot be read', () => {
    const server = started()
    expect(publish(server, 'bob', item(1, 3))).toEqual([])
    expect(server.hear('ann', { kind: 'publish', source: { ...source, channel: '' }, items: [item(1, 3)] })).toEqual([])
    expect(server.hear('ann', { kind: 'publish', source: { ...source, boot: 'x' }, items: [item(1, 3)] })).toEqual([])
    const broken = { ...item(1, 3), content: new Uint8Array([255]) }
    expect(sent(publish(server, 'ann', broken))).toMatchObject([{ kind: 'held', counter: 0 }])
    expect(server.state.streams.size).toBe(0)
  })

  it('is refused beyond the room of one author; another still has room', () => {
    const server = started({ authorBytesMax: 150 })
    publish(server, 'ann', item(1, 3))
    expect(sent(publish(server, 'ann', item(2, 3)))).toEqual([{ kind: 'full', source, counter: 1 }])
    const other = { ...source, author: 'bob' }
    const out = server.hear('bob', { kind: 'publish', source: other, items: [item(1, 3)] })
    expect(sent(out)).toMatchObject([{ kind: 'held', counter: 1 }])
  })

  it('is there after a restart, with the same hash chain', () => {
    const server = started()
    const before = sent(publish(server, 'ann', item(1, 3), item(2, 4)))
    server.restart()
    expect(sent(publish(server, 'ann', item(1, 3)))).toEqual(before)
  })
})

describe('a subscription', () => {
  const filter = encodeFilter(parseFilter({ price: { lt: 5 } }))
  const follow = { kind: 'follow', sub: 1, channel: 'prices', version: 1, filter, epoch: '', mark: 0 } as const
  const fetch = { kind: 'fetch', sub: 1, version: 1, source, after: 0, to: 0 } as const

  it('hears heads, and only those that changed since', () => {
    const server = started()
    publish(server, 'ann', item(1, 3))
    const [heads] = sent(server.hear('eve', follow)) as (EventsMessage & { kind: 'heads' })[]
    expect(heads!.entries).toEqual([{ ...source, counter: 1 }])
    const { epoch, mark } = heads!
    expect(sent(server.hear('eve', { ...follow, epoch, mark }))).toMatchObject([{ entries: [] }])
  })

  it('gets what matches; where nothing does it waits, and gets the next one at once', () => {
    const server = started()
    publish(server, 'ann', item(1, 9), item(2, 3))
    server.hear('eve', follow)
    expect(sent(server.hear('eve', fetch))).toMatchObject([{ kind: 'found', through: 2, items: [{ counter: 2 }] }])
    expect(server.hear('eve', { ...fetch, after: 2 })).toEqual([])
    expect(sent(publish(server, 'ann', item(3, 9)))).toHaveLength(1)
    const out = sent(publish(server, 'ann', item(4, 1)))
    expect(out[1]).toMatchObject({ kind: 'found', after: 2, through: 4, items: [{ counter: 4 }] })
  })

  it('is told the count and hash of what matches only by one that holds it all', () => {
    const server = started()
    publish(server, 'ann', item(1, 9), item(2, 3))
    server.hear('eve', follow)
    const check = { kind: 'check', sub: 1, version: 1, source, after: 0, to: 2 } as const
    expect(sent(server.hear('eve', check))).toMatchObject([{ kind: 'digest', count: 1 }])
    expect(server.hear('eve', { ...check, to: 3 })).toEqual([])
    expect(server.hear('eve', { ...check, version: 2 })).toEqual([])
    expect(server.hear('bob', check)).toEqual([])
  })

  it('is forgotten when nothing is heard of it', () => {
    const server = started()
    server.hear('eve', follow)
    server.pass(4_900)
    expect(server.state.followers.size).toBe(1)
    server.pass(300)
    expect(server.state.followers.size).toBe(0)
    expect(server.state.following.size).toBe(0)
  })
})

describe('a cursor', () => {
  const words = { channel: 'prices', name: 'audit', owner: 'eve', instance: 'aa', filter: new Uint8Array(32) }
  const cursor = (generation: number, serial: number) =>
    signCursor(eventsDefaults, undefined, { ...words, generation, serial, entries: [] })
  const load = { kind: 'load', sub: 1, channel: 'prices', name: 'audit' } as const

  it('is saved for its owner, and the newest generation stays', () => {
    const server = started()
    const save = (from: string, generation: number, serial: number) =>
      sent(server.hear(from, { kind: 'save', sub: 1, cursor: cursor(generation, serial) }))
    expect(save('bob', 1, 1)).toEqual([])
    expect(save('eve#1', 2, 1)).toEqual([{ kind: 'saved', sub: 1, generation: 2, serial: 1 }])
    expect(save('eve#2', 1, 9)).toMatchObject([{ kind: 'passed', cursor: { generation: 2 } }])
    expect(sent(server.hear('eve', load))).toMatchObject([{ kind: 'loaded', cursor: { generation: 2, serial: 1 } }])
    expect(sent(server.hear('bob', load))).toMatchObject([{ kind: 'loaded', cursor: undefined }])
    server.restart()
    expect(sent(server.hear('eve', load))).toMatchObject([{ kind: 'loaded', cursor: { generation: 2, serial: 1 } }])
  })

  it('is not told by a server whose disk is new, before n - f others have shown theirs', () => {
    const server = started({}, new Map())
    expect(server.hear('eve', load)).toEqual([])
    const copied = { kind: 'copied', after: '', next: '', whole: true, cursors: [cursor(4, 1)] } as const
    server.hear('second', copied)
    expect(server.hear('eve', load)).toEqual([])
    server.hear('eve', copied)
    expect(server.hear('eve', load)).toEqual([])
    server.hear('third', { ...copied, cursors: [] })
    expect(sent(server.hear('eve', load))).toMatchObject([{ kind: 'loaded', cursor: { generation: 4 } }])
    server.restart()
    expect(sent(server.hear('eve', load))).toMatchObject([{ kind: 'loaded', cursor: { generation: 4 } }])
  })
})

describe('repair', () => {
  it('fetches from another server what is lacking, and from nobody else', () => {
    const server = started()
    const heads = {
      kind: 'heads',
      sub: 0,
      epoch: 'e',
      mark: 1,
      alone: false,
      entries: [{ ...source, counter: 2 }],
    } as const
    expect(server.hear('eve', heads)).toEqual([])
    expect(sent(server.hear('second', heads))).toEqual([{ kind: 'want', source, after: 0 }])
    const range = { kind: 'range', source, items: [item(1, 3), item(2, 3)] } as const
    server.hear('eve', range)
    expect(server.state.streams.size).toBe(0)
    expect(server.hear('second', range).map(({ kind }) => kind)).toEqual(['save'])
    expect(sent(server.hear('third', { kind: 'want', source, after: 1 }))).toEqual([{ ...range, items: [item(2, 3)] }])
    expect(server.hear('eve', { kind: 'want', source, after: 0 })).toEqual([])
  })
})
