// A server of events by hand: what it takes, keeps, refuses and tells.

import { describe, expect, it } from 'vitest'
import { Puppet } from '../../../test/support/machine.ts'
import { decode, encode } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { encodeContent } from '../content.ts'
import { eventsDefaults } from '../defaults.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import { signBatch, signCursor } from '../signed.ts'
import { type EventsMessage, eventsRecord, eventsVocabulary, type Item, type Source } from '../wire.ts'
import { eventsServer } from './machine.ts'

const servers = ['self', 'second', 'third']
const KNOWN = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }
const keep = { age: 1_000_000, bytes: 1_000_000 }
const terms = { live: false, keep, identity: new Uint8Array() }
const said = { terms, accepted: 0 }

function item(counter: number, price: number): Item {
  const content = encodeContent({
    attributes: { price },
    payload: new Uint8Array(),
    time: 0,
    retained: false,
    expires: 0,
  })
  return { counter, content, proof: undefined }
}

function started(change: Partial<EventsSettings> = {}, saved = KNOWN) {
  const server = new Puppet(eventsServer({ ...eventsDefaults, ...change }), servers, saved)
  server.start()
  // Its beat begins with the first that it hears.
  server.hear('second', { kind: 'compare', epoch: '', mark: 0 })
  return server
}

type Server = ReturnType<typeof started>
const sent = (out: ReturnType<Server['hear']>): EventsMessage[] =>
  out.flatMap(effect => (effect.kind === 'send' ? [effect.body] : []))
/** What it says when the disk was quick: that it was flushed is told to the machine itself. */
const flushed = (server: Server, out: ReturnType<Server['hear']>) => {
  if (!out.some(({ kind }) => kind === 'emit')) return out
  return [...out.filter(({ kind }) => kind !== 'emit'), ...server.command({ kind: 'flush' })]
}
const publish = (server: Server, from: string, ...items: Item[]) =>
  flushed(server, server.hear(from, { kind: 'publish', source, terms, accepted: 0, items }))

describe('what is published', () => {
  it('is saved, and then said to be held', () => {
    const out = publish(started(), 'ann#1', item(1, 3), item(2, 4))
    expect(out.map(({ kind }) => kind)).toEqual(['save', 'save', 'send'])
    expect(sent(out)).toMatchObject([{ kind: 'held', counter: 2 }])
  })

  it('waits while the disk is busy; then all of it, of all authors, is one flush, and nothing is said before', () => {
    const server = started()
    const bob = { ...source, author: 'bob' }
    server.hear('ann', { kind: 'publish', source, ...said, items: [item(1, 3)] })
    expect(server.hear('ann', { kind: 'publish', source, ...said, items: [item(2, 3)] })).toEqual([])
    expect(server.hear('bob', { kind: 'publish', source: bob, ...said, items: [item(1, 3)] })).toEqual([])
    expect(server.hear('ann', { kind: 'publish', source, ...said, items: [item(3, 3)] })).toEqual([])
    const out = server.command({ kind: 'flush' })
    const [last, ...before] = out.filter(({ kind }) => kind === 'save').reverse()
    expect(before.length).toBeGreaterThanOrEqual(3)
    expect(before.every(effect => 'lazy' in effect && effect.lazy)).toBe(true)
    expect(last).not.toHaveProperty('lazy')
    const kinds = out.map(({ kind }) => kind)
    expect(kinds.lastIndexOf('save')).toBeLessThan(kinds.indexOf('send'))
    expect(sent(out).map(body => 'counter' in body && body.counter)).toEqual([2, 1, 3])
    expect(server.command({ kind: 'flush' })).toEqual([])
    expect(sent(publish(server, 'ann', item(4, 3)))).toMatchObject([{ kind: 'held', counter: 4 }])
  })

  it('keeps only so much of one client while the disk is busy: the rest its author says again', () => {
    const server = started({ bytesMax: 1 << 30, authorBytesMax: 1 << 30 })
    const large = (counter: number): Item => {
      const payload = new Uint8Array(1 << 20)
      return { counter, content: encodeContent({ attributes: {}, payload, time: 0 }), proof: undefined }
    }
    for (let counter = 1; counter <= 20; counter++)
      server.hear('ann', { kind: 'publish', source, ...said, items: [large(counter)] })
    expect(server.state.published.queue.length).toBe(7)
    server.hear('bob', { kind: 'publish', source: { ...source, author: 'bob' }, ...said, items: [item(1, 3)] })
    expect(server.state.published.queue.length).toBe(8)
  })

  it('is a prefix: what does not follow is not taken, and the author is told where to go on', () => {
    const server = started()
    expect(sent(publish(server, 'ann', item(2, 3)))).toMatchObject([{ kind: 'held', counter: 0 }])
    expect(sent(publish(server, 'ann', item(1, 3), item(3, 3)))).toMatchObject([{ kind: 'held', counter: 1 }])
    expect(sent(publish(server, 'ann', item(1, 9), item(2, 3)))).toMatchObject([{ kind: 'held', counter: 2 }])
    // The first that came under an id stays.
    expect([...server.state.streams.values()][0]!.items.get(1)).toEqual(item(1, 3))
  })

  it('is kept without its neighbours in the message where these are not taken', () => {
    const said = { kind: 'publish', source, terms, accepted: 0, items: [item(1, 3), item(2, 4), item(4, 5)] } as const
    const came = decode(eventsVocabulary, encode(eventsVocabulary, said))
    if (!came.ok || came.value.kind !== 'publish') throw new Error('it is read back')
    // They are copied together: to keep one of them would keep the bytes of all.
    expect(came.value.items[0]!.content.buffer).toBe(came.value.items[2]!.content.buffer)
    const server = started()
    server.hear('ann', came.value)
    const kept = [...server.state.streams.values()].flatMap(({ items }) => [...items.values()])
    expect(kept.map(({ counter }) => counter)).toEqual([1, 2])
    for (const { content } of kept) expect(content.buffer.byteLength).toBe(content.length)
  })

  it('is refused in another name, under no name, and where it cannot be read', () => {
    const server = started()
    expect(publish(server, 'bob', item(1, 3))).toEqual([])
    expect(
      server.hear('ann', { kind: 'publish', source: { ...source, channel: '' }, ...said, items: [item(1, 3)] }),
    ).toEqual([])
    expect(
      server.hear('ann', { kind: 'publish', source: { ...source, boot: 'x' }, ...said, items: [item(1, 3)] }),
    ).toEqual([])
    const broken = { ...item(1, 3), content: new Uint8Array([255]) }
    expect(sent(publish(server, 'ann', broken))).toMatchObject([{ kind: 'held', counter: 0 }])
    expect(server.state.streams.size).toBe(0)
  })

  it('is refused beyond the room of one author; another still has room', () => {
    const server = started({ authorBytesMax: 150 })
    publish(server, 'ann', item(1, 3))
    expect(sent(publish(server, 'ann', item(2, 3)))).toEqual([{ kind: 'full', source, counter: 1 }])
    const other = { ...source, author: 'bob' }
    const out = server.hear('bob', { kind: 'publish', source: other, ...said, items: [item(1, 3)] })
    expect(sent(out)).toMatchObject([{ kind: 'held', counter: 1 }])
  })

  it('is there after a restart, with the same hash', () => {
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
    expect(heads!.entries).toEqual([{ ...source, counter: 1, base: 0 }])
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
    expect([server.state.shares.size, server.state.shared]).toEqual([0, 0])
  })
})

describe('a cursor', () => {
  const words = { channel: 'prices', name: 'audit', owner: 'eve', instance: 'aa', filter: new Uint8Array(32) }
  const cursor = (generation: number, serial: number) =>
    signCursor(eventsDefaults, { ...words, generation, serial, entries: [] })
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
      entries: [{ ...source, counter: 2, base: 0 }],
    } as const
    expect(server.hear('eve', heads)).toEqual([])
    expect(sent(server.hear('second', heads))).toEqual([{ kind: 'want', source, after: 0 }])
    const range = { kind: 'range', source, terms, base: 0, items: [item(1, 3), item(2, 3)] } as const
    server.hear('eve', range)
    expect(server.state.streams.size).toBe(0)
    expect(server.hear('second', range).map(({ kind }) => kind)).toEqual(['save', 'save'])
    expect(sent(server.hear('third', { kind: 'want', source, after: 1 }))).toEqual([{ ...range, items: [item(2, 3)] }])
    expect(server.hear('eve', { kind: 'want', source, after: 0 })).toEqual([])
  })
})

describe('what is kept', () => {
  const small = { ...terms, keep: { age: 1_000, bytes: 250 } }
  const sends = (server: Server, ...items: Item[]) =>
    flushed(server, server.hear('ann', { kind: 'publish', source, terms: small, accepted: 0, items }))
  const stream = (server: Server) => [...server.state.streams.values()][0]!

  it('has the bytes that its author asked for: the oldest go, and the heads say so', () => {
    const server = started()
    for (let counter = 1; counter <= 5; counter++) sends(server, item(counter, 3))
    const { base, held, bytes, items } = stream(server)
    expect([base, held, items.size]).toEqual([3, 5, 2])
    expect(bytes).toBeLessThanOrEqual(250)
    server.restart()
    expect([stream(server).base, stream(server).held]).toEqual([3, 5])
  })

  it('has the age that its author asked for, counted from when it came here', () => {
    const server = started()
    server.command({ kind: 'clock', micros: 5_000_000_000 })
    sends(server, item(1, 3))
    server.pass(900)
    expect(stream(server).items.size).toBe(1)
    server.pass(300)
    expect([stream(server).items.size, stream(server).base]).toEqual([0, 1])
    expect(server.state.bytes).toBe(0)
    server.restart()
    const heads = sent(server.hear('second', { kind: 'compare', epoch: '', mark: 0 }))
    expect(heads).toMatchObject([{ entries: [{ ...source, counter: 1, base: 1 }] }])
  })

  it('begins behind a cut where b + 1 others say that they have cut, and not at one word where one may lie', () => {
    const cut = { kind: 'range', source, terms, base: 7, items: [item(8, 3)] } as const
    const trusting = started()
    trusting.hear('second', cut)
    expect([stream(trusting).base, stream(trusting).held]).toEqual([7, 8])
    const signatures = idealSignatures()
    const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
    const settings = { ...eventsDefaults, liars: 1, keys }
    const signed = signBatch(settings, signatures.signer('ann'), source, [item(8, 3)])
    const careful = started({ liars: 1, keys })
    careful.hear('second', { ...cut, items: signed })
    expect(careful.state.streams.size).toBe(0)
    careful.hear('third', { ...cut, items: signed })
    expect([stream(careful).base, stream(careful).held]).toEqual([7, 8])
  })

  it('of a live source is nothing on the disk, and it goes on where everything before is accepted', () => {
    const server = started()
    const live = { ...terms, live: true }
    const publishLive = (accepted: number, ...items: Item[]) =>
      server.hear('ann', { kind: 'publish', source, terms: live, accepted, items })
    expect(publishLive(0, item(1, 3)).map(({ kind }) => kind)).toEqual(['send'])
    expect(sent(publishLive(3, item(5, 3)))).toMatchObject([{ kind: 'held', counter: 1 }])
    expect(sent(publishLive(4, item(5, 3)))).toMatchObject([{ kind: 'held', counter: 5 }])
    expect(stream(server).base).toBe(4)
    server.restart()
    expect(server.state.streams.size).toBe(0)
    expect(sent(publishLive(6, item(7, 3)))).toMatchObject([{ kind: 'held', counter: 7 }])
  })

  it('of each topic is the newest that its author wants kept, also when it was cut', () => {
    const server = started()
    const kept = (counter: number, topic: string, time: number): Item => {
      const bare = { payload: new Uint8Array([counter]), time, retained: true, expires: 0 }
      return { counter, content: encodeContent({ attributes: { topic }, ...bare }), proof: undefined }
    }
    for (const one of [kept(1, 'a', 5), kept(2, 'b', 5), kept(3, 'a', 4), kept(4, 'b', 6), item(5, 3), item(6, 3)])
      sends(server, one)
    const filter = encodeFilter(parseFilter({ topic: { exists: true } }))
    const remind = () => {
      const [answer] = sent(server.hear('eve', { kind: 'remind', id: 1, channel: 'prices', filter, after: undefined }))
      return (answer as EventsMessage & { kind: 'reminded' }).events.map(({ item: { counter } }) => counter).sort()
    }
    expect(remind()).toEqual([1, 4])
    server.restart()
    expect(remind()).toEqual([1, 4])
    // One whose author's clock is far ahead would stay for ever: it is no newest, also after a restart.
    server.command({ kind: 'clock', micros: 1_000_000 })
    sends(server, kept(7, 'a', 1_000 + 300_001), kept(8, 'b', 1_000 + 299_000))
    expect(remind()).toEqual([1, 8])
    server.restart()
    expect(remind()).toEqual([1, 8])
  })
})

describe('a queue', () => {
  const filter = encodeFilter(parseFilter({ price: { lt: 5 } }))
  const about = { channel: 'prices', name: 'work', version: 1, filter, ackWait: 1_000, attempts: 2, start: true }
  const enlist = { kind: 'enlist', ...about, place: 0, credit: 2 } as const
  const tasks = (out: ReturnType<Server['hear']>) =>
    out.flatMap(one => (one.kind === 'send' && one.body.kind === 'task' ? [{ to: one.to, ...one.body }] : []))
  const done = (counter: number, failed = false) =>
    ({ kind: 'done', channel: 'prices', name: 'work', source, counter, failed }) as const

  it('gives each event to one member, no more than it has room for, and goes on when it is done', () => {
    const server = started()
    publish(server, 'ann', item(1, 3), item(2, 9), item(3, 3), item(4, 3))
    const first = tasks(server.hear('eve#1', { ...enlist, sub: 1 }))
    expect(first.map(task => task.item.counter)).toEqual([1, 3])
    expect(tasks(server.hear('eve#2', { ...enlist, sub: 1 })).map(({ to }) => to)).toEqual(['eve#2'])
    server.hear('eve#1', done(3))
    server.hear('eve#2', done(4))
    expect([...[...server.state.queues.values()][0]!.sources.values()][0]).toMatchObject({ done: 0 })
    server.hear('eve#1', done(1))
    expect([...[...server.state.queues.values()][0]!.sources.values()][0]).toMatchObject({ done: 4 })
    expect(server.hear('mallory', done(5))).toEqual([])
  })

  it('gives it again when it failed or nobody answered, and as dead when that was tried too often', () => {
    const server = started()
    publish(server, 'ann', item(1, 3))
    expect(tasks(server.hear('eve#1', { ...enlist, sub: 1 }))).toMatchObject([{ attempt: 1, dead: false }])
    expect(tasks(server.hear('eve#1', done(1, true)))).toMatchObject([{ attempt: 2, dead: false }])
    expect(tasks(server.pass(1_200))).toMatchObject([{ attempt: 3, dead: true }])
    server.hear('eve#1', done(1))
    expect(tasks(server.pass(2_000))).toEqual([])
  })

  it('gives what a member had to another when it leaves', () => {
    const server = started()
    publish(server, 'ann', item(1, 3))
    server.hear('eve#1', { ...enlist, sub: 1 })
    server.hear('eve#2', { ...enlist, sub: 1 })
    server.hear('eve#1', { kind: 'resign', sub: 1 })
    expect(tasks(server.pass(200))).toMatchObject([{ to: 'eve#2', attempt: 1 }])
  })

  it('is handed out by the second server only what nobody acknowledged for a while', () => {
    const server = started()
    publish(server, 'ann', item(1, 3), item(2, 3))
    expect(tasks(server.hear('eve#1', { ...enlist, sub: 1, place: 1 }))).toEqual([])
    server.hear('eve#1', done(1))
    // What the first has seen to the end is passed here, too.
    expect([...[...server.state.queues.values()][0]!.sources.values()][0]).toMatchObject({ done: 1 })
    expect(tasks(server.pass(1_100)).map(task => task.item.counter)).toEqual([2])
  })

  it('has one filter, the latest of its members; who came with an older one is told', () => {
    const server = started()
    const other = encodeFilter(parseFilter({ price: { gte: 5 } }))
    const termsOf = (out: ReturnType<Server['hear']>) => sent(out).filter(({ kind }) => kind === 'terms')
    const none = new Uint8Array()
    expect(termsOf(server.hear('eve#1', { ...enlist, sub: 1 }))).toEqual([
      { kind: 'terms', sub: 1, version: 1, filter: none },
    ])
    // Everybody is told before anything is handed out by it.
    expect(termsOf(server.hear('eve#2', { ...enlist, sub: 1, version: 2, filter: other }))).toEqual([
      { kind: 'terms', sub: 1, version: 2, filter: other },
      { kind: 'terms', sub: 1, version: 2, filter: none },
    ])
    expect(termsOf(server.hear('eve#1', { ...enlist, sub: 1 }))).toEqual([
      { kind: 'terms', sub: 1, version: 2, filter: other },
    ])
    const given = tasks(publish(server, 'ann', item(1, 3), item(2, 9)))
    expect(given.map(task => task.item.counter)).toEqual([2])
  })

  it('tells its members what was cut before anybody had it', () => {
    const server = started()
    server.hear('eve#1', { ...enlist, sub: 1, credit: 1 })
    const small = { ...terms, keep: { ...keep, bytes: 250 } }
    const out = [1, 2, 3, 4, 5, 6].flatMap(counter => {
      const items = [item(counter, 3)]
      return flushed(server, server.hear('ann', { kind: 'publish', source, terms: small, accepted: 0, items }))
    })
    expect([...server.state.streams.values()][0]!.base).toBe(4)
    const skipped = sent([...out, ...server.hear('eve#1', done(1))]).flatMap(body =>
      body.kind === 'skipped' ? [[body.from, body.to]] : [],
    )
    expect(skipped.at(0)?.[0]).toBe(2)
    expect(skipped.at(-1)?.[1]).toBe(4)
    for (const [place, [from]] of skipped.entries()) if (place > 0) expect(from).toBe(skipped[place - 1]![1]! + 1)
  })

  it('is as far as b + 1 other servers say', () => {
    const queued = (counter: number) =>
      ({ kind: 'queued', channel: 'prices', name: 'work', owner: 'eve', entries: [{ ...source, counter }] }) as const
    const doneOf = (server: Server) => [...[...server.state.queues.values()][0]!.sources.values()][0]!.done
    const trusting = started()
    trusting.hear('second', queued(5))
    expect(doneOf(trusting)).toBe(5)
    const careful = started({ liars: 1 })
    careful.hear('second', queued(1_000_000))
    expect(careful.state.queues.size).toBe(0)
    careful.hear('third', queued(4))
    expect(doneOf(careful)).toBe(4)
    expect(careful.hear('eve', queued(9))).toEqual([])
  })
})

describe('complaints', () => {
  const complain = {
    kind: 'complain',
    server: 'second',
    what: 'showed an event nobody signed',
    channel: 'prices',
  } as const
  const complaint = { client: 'eve#1', server: 'second', what: complain.what, channel: 'prices' }

  it('are told to those who run the server, once for each accuser, and shown to who asks', () => {
    const server = started()
    expect(server.hear('eve#1', complain)).toEqual([{ kind: 'emit', event: { kind: 'complaint', complaint } }])
    expect(server.hear('eve#2', complain)).toEqual([])
    expect(sent(server.hear('bob', { kind: 'recall', id: 7 }))).toEqual([
      { kind: 'recalled', id: 7, complaints: [{ ...complaint, client: 'eve#2' }] },
    ])
  })

  it('of another server are kept like those of clients', () => {
    const server = started()
    const event = { kind: 'complaint', complaint: { ...complaint, client: 'third' } }
    expect(server.hear('third', complain)).toEqual([{ kind: 'emit', event }])
  })

  it('about strangers are not kept', () => {
    const server = started()
    expect(server.hear('eve', { ...complain, server: 'stranger' })).toEqual([])
    expect(server.hear('eve', { ...complain, channel: '' })).toEqual([])
    expect(server.state.complaints.count).toBe(0)
  })
})
