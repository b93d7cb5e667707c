// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and beyond. After each step the machine checks that nobody has more than its share.

import { describe, expect, it } from 'vitest'
import {
  cursorOf,
  enlist,
  follow,
  isFull,
  item,
  kinds,
  life,
  MIB,
  publish,
  SERVERS,
  SMALL,
  saveCursor,
  server,
  settings,
  signatures,
  source,
  terms,
} from '../../../test/support/events-bounds.ts'
import { listedUnder } from '../../../test/support/limits.ts'
import { Puppet } from '../../../test/support/machine.ts'
import { decode } from '../../core/index.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import { RETAINED_MAX } from '../limits.ts'
import { BATCH_MAX, COMPLAINTS_MAX, eventsRecord, type Item, type Source } from '../wire.ts'
import { DEAD_BYTES_MIN } from './disk.ts'
import { eventsServer } from './machine.ts'
import {
  AUTHOR_SOURCES_MAX,
  CLIENT_PUBLISHED_MAX,
  PUBLISHED_BYTES_MAX,
  PUBLISHED_PROOFS_MAX,
  RETAINED_BYTES_MAX,
} from './state.ts'

/** By the constant: what fills it, and one beyond. */
const cases: Record<string, Record<string, () => void>> = {
  shareBytesMax: {
    'queues that another server invents: no owner has one'() {
      const self = server()
      const queued = (from: string, name: string, owner: string) =>
        self.hear(from, {
          kind: 'queued',
          channel: 'prices',
          name,
          owner,
          entries: [{ author: 'ann', boot: '0a', counter: 5 }],
        })
      queued('s3', 'work', 'eve')
      for (let at = 0; at < 1_000; at++) queued('s2', `q${at}`, `nobody-${at}`)
      isFull(self.state.hearsay.get('s2')!.bytes)
      expect([self.state.queues.size, self.state.shares.size]).toEqual([0, 0])
      queued('s4', 'work', 'eve')
      expect([...self.state.queues.values()].map(({ owner }) => owner)).toEqual(['eve'])
    },
    'sources that another server says it has cut: no author has one'() {
      const self = server()
      const range = (from: string, of: Source) =>
        self.hear(from, { kind: 'range', source: of, terms, base: 7, items: [item(of, 8)] })
      expect(kinds(range('s3', source))).toEqual(['want', 'want'])
      for (let at = 0; at < 1_000; at++) range('s2', { ...life(at), author: 'bob' })
      isFull(self.state.hearsay.get('s2')!.bytes)
      expect([self.state.streams.size, self.state.authors.size]).toEqual([0, 0])
      range('s4', source)
      expect([...self.state.authors.keys()]).toEqual(['ann'])
      expect(self.state.hearsay.get('s3')!.bytes).toBe(0)
    },
  },
  clientBytesMax: {
    'filters: one too many is refused, and another client has its own'() {
      const self = server()
      const large = encodeFilter(parseFilter({ price: { in: Array.from({ length: 200 }, (_, at) => at * 1_000) } }))
      const said = Array.from({ length: 20 }, (_, sub) => follow(self, `eve#${sub}`, sub + 1, large))
      expect(said.filter(kind => kind === 'heads').length).toBeGreaterThan(1)
      expect(said.at(-1)).toBe('refused')
      expect(follow(self, 'bob#1', 1, large)).toBe('heads')
      // A larger filter in the place of a smaller one is looked at too.
      expect(follow(self, 'ann#1', 1)).toBe('heads')
      const change = { kind: 'follow', sub: 1, channel: 'prices', version: 2, epoch: '', mark: 0 } as const
      const huge = encodeFilter(parseFilter({ price: { in: Array.from({ length: 1_000 }, (_, at) => at * 1_000) } }))
      expect(kinds(self.hear('ann#1', { ...change, filter: huge }))).toEqual(['refused'])
      for (let sub = 0; sub < 20; sub++) self.hear(`eve#${sub}`, { kind: 'unfollow', sub: sub + 1 })
      expect(self.state.shares.has('eve')).toBe(false)
    },
    'what waits for events that are not there: questions go with their subscription'() {
      const self = server()
      publish(self, source, item(source, 1))
      for (let sub = 1; sub <= 40; sub++) follow(self, 'eve#1', sub)
      for (let sub = 1; sub <= 40; sub++)
        self.hear('eve#1', { kind: 'check', sub, version: 1, source, after: 1_000, to: 1_001 })
      expect([...self.state.streams.values()][0]!.checks.size).toBeGreaterThan(10)
      for (let at = 0; at < 1_000; at++)
        self.hear('eve#1', { kind: 'fetch', sub: 1, version: 1, source: life(at), after: 0, to: 0 })
      isFull(self.state.shares.get('eve')!.bytes)
      for (let sub = 1; sub <= 40; sub++) self.hear('eve#1', { kind: 'unfollow', sub })
      expect([self.state.shares.size, self.state.shared]).toEqual([0, 0])
      expect([...self.state.streams.values()][0]!.checks.size).toBe(0)
    },
    'cursors: a larger one in the place of a smaller, and one more'() {
      const self = server()
      expect(saveCursor(self, 'eve', 'audit', 400)).toBe('saved')
      expect(saveCursor(self, 'eve', 'audit', 600, 2)).toBe('refused')
      expect(saveCursor(self, 'eve', 'second', 400)).toBe('refused')
      expect(saveCursor(self, 'bob', 'audit', 400)).toBe('saved')
      // A smaller one makes room again; what is counted is there after a restart, too.
      const before = self.state.shares.get('eve')!.bytes
      self.restart()
      expect(self.state.shares.get('eve')).toEqual({ bytes: before, followers: 0, cursors: 1, queues: 0 })
      expect(saveCursor(self, 'eve', 'audit', 100, 3)).toBe('saved')
      expect(saveCursor(self, 'eve', 'second', 300)).toBe('saved')
    },
    'cursors that another server shows to one whose disk is new'() {
      const self = new Puppet(eventsServer(settings), SERVERS, undefined, 's1')
      self.start()
      const cursors = Array.from({ length: 8 }, (_, at) => cursorOf('eve', `n${at}`, 100))
      self.hear('s2', { kind: 'copied', after: '', next: 'x', whole: false, cursors })
      isFull(self.state.shares.get('eve')!.bytes, 14_000)
    },
    'queues: their sources, what is acknowledged ahead, and their members'() {
      const self = server()
      for (let at = 0; at < 30; at++) self.hear('eve#1', { ...enlist, sub: at + 1, name: `q${at}` })
      const done = (of: Source, counter: number) =>
        self.hear('eve#1', { kind: 'done', channel: 'prices', name: 'q0', source: of, counter, failed: false })
      for (let at = 0; at < 50; at++) done(life(at), 9)
      for (let counter = 2; counter < 500; counter++) done(life(1), counter)
      isFull(self.state.shares.get('eve')!.bytes)
      expect(kinds(self.hear('eve#2', { ...enlist, name: 'q0' }))).toEqual(['refused'])
      // Events of a source that has no room are handed out to nobody, and that is said.
      publish(self, source, item(source, 1))
      expect(
        self.pass(100).flatMap(one => (one.kind === 'send' && one.body.kind === 'refused' ? [one.to] : [])),
      ).toContain('eve#1')
      expect(kinds(self.hear('bob#1', { ...enlist, name: 'q0' }))).toContain('terms')
    },
    'events that members of a queue have'() {
      const self = server({ clientBytesMax: 12_000 })
      for (let counter = 1; counter <= 100; counter++) publish(self, source, item(source, counter))
      const given = kinds(self.hear('eve#1', { ...enlist, name: 'q' })).filter(kind => kind === 'task').length
      expect(given).toBeGreaterThan(10)
      expect(given).toBeLessThan(60)
      const done = (counter: number) =>
        self.hear('eve#1', { kind: 'done', channel: 'prices', name: 'q', source, counter, failed: false })
      for (let counter = 1; counter <= 100; counter++) done(counter)
      self.pass(200)
      expect([...self.state.queues.values()][0]!.sources.get('prices\u0000ann\u00000a')!.done).toBe(100)
    },
  },
  clientsBytesMax: {
    'all clients together'() {
      const self = server({ clientsBytesMax: SMALL })
      const said = Array.from({ length: 8 }, (_, at) => saveCursor(self, `c${at}`, 'audit', 100))
      expect(said.filter(kind => kind === 'saved')).toHaveLength(4)
      expect(self.state.shared).toBeLessThanOrEqual(SMALL)
    },
  },
  authorBytesMax: {
    'events, held and kept: what was cut and is the newest of its topic counts on, also after a restart'() {
      const self = server({ authorBytesMax: 100_000 })
      const small = { ...terms, keep: { age: 1_000_000, bytes: 1_000 } }
      for (let counter = 1; counter <= 9; counter++)
        publish(self, source, item(source, counter, 10_000, `t${counter}`), small)
      const counted = () => [self.state.bytes, self.state.authors.get('ann')!.bytes]
      const before = counted()
      expect(before[0]).toBeGreaterThan(90_000)
      expect(before[1]).toBe(before[0])
      expect([...self.state.streams.values()][0]!.items.size).toBe(1)
      expect(publish(self, source, item(source, 10, 10_000), small)).toMatchObject([{ kind: 'full' }])
      self.restart()
      expect(counted()).toEqual(before)
      expect(publish(self, source, item(source, 10, 10_000), small)).toMatchObject([{ kind: 'full' }])
      // A small one in the place of a large one gives the room back.
      expect(publish(self, source, item(source, 10, 0, 't1', 5), small)).toMatchObject([{ kind: 'held', counter: 10 }])
      expect(counted()[1]).toBeLessThan(before[1]! - 9_000)
    },
    'the power fails between the record of what is kept and that of the cut: it counts once'() {
      const self = server()
      const small = { ...terms, keep: { age: 1_000_000, bytes: 1_000 } }
      for (const counter of [1, 2]) publish(self, source, item(source, counter, 10_000, `t${counter}`), small)
      const isCut = (record: Uint8Array) => {
        const read = decode(eventsRecord, record)
        return read.ok && read.value.kind === 'stream' && read.value.base > 0
      }
      const saved = new Map([['', self.records.filter(record => !isCut(record))]])
      const again = new Puppet(eventsServer(settings), SERVERS, saved, 's1')
      expect([...again.state.streams.values()][0]!.items.size).toBe(2)
      expect(again.state.bytes).toBe([...again.state.streams.values()][0]!.bytes)
      expect(again.state.authors.get('ann')!.bytes).toBe(again.state.bytes)
    },
    'another author of the same topic takes its place, and its bytes'() {
      const self = server()
      publish(self, source, item(source, 1, 10_000, 't'))
      const bob = { ...source, author: 'bob' }
      publish(self, bob, item(bob, 1, 20_000, 't', 9))
      const retained = (author: string) => self.state.authors.get(author)!.retained
      expect([retained('ann'), retained('bob') > 20_000]).toEqual([0, true])
    },
  },
  RETAINED_BYTES_MAX: {
    'the newest of topics: one more topic is refused, the same one again is not, nor what is not to be kept'() {
      const self = server()
      const count = 2
      for (let counter = 1; counter <= count; counter++)
        expect(publish(self, source, item(source, counter, MIB - 300, `t${counter}`))).toMatchObject([{ kind: 'held' }])
      // As if there were more of them.
      self.state.authors.get('ann')!.retained += RETAINED_BYTES_MAX - (count + 1) * MIB
      const more = publish(self, source, item(source, count + 1, MIB - 300, 'new'))
      expect(more).toMatchObject([{ kind: 'full' }])
      expect(publish(self, source, item(source, count + 1, MIB - 300, 't1', 5))).toMatchObject([{ kind: 'held' }])
      expect(publish(self, source, item(source, count + 2, MIB - 300))).toMatchObject([{ kind: 'held' }])
      const bob = { ...source, author: 'bob' }
      expect(publish(self, bob, item(bob, 1, MIB - 300, 'new'))).toMatchObject([{ kind: 'held' }])
    },
  },
  RETAINED_MAX: {
    'topics of a channel'() {
      const self = server()
      publish(self, source, item(source, 1, 0, 'first'))
      const topics = self.state.retained.get('prices')!
      const first = topics.get('first')!
      for (let at = 1; at < RETAINED_MAX; at++) topics.set(String(at), first)
      expect(publish(self, source, item(source, 2, 0, 'beyond'))).toMatchObject([{ kind: 'full' }])
      expect(publish(self, source, item(source, 2, 0, 'first', 1))).toMatchObject([{ kind: 'held' }])
    },
  },
  AUTHOR_SOURCES_MAX: {
    'lives of one author'() {
      const self = server()
      publish(self, source, item(source, 1))
      self.state.authors.get('ann')!.sources = AUTHOR_SOURCES_MAX
      expect(publish(self, life(1), item(life(1), 1))).toMatchObject([{ kind: 'full' }])
      const bob = { ...source, author: 'bob' }
      expect(publish(self, bob, item(bob, 1))).toMatchObject([{ kind: 'held' }])
    },
    'a channel of which nothing is left is forgotten with its author'() {
      const self = server()
      const brief = { ...terms, keep: { age: 1_000, bytes: 1_000 } }
      publish(self, source, item(source, 1), brief)
      self.pass(5_000_000)
      const { streams, channels, authors } = self.state
      expect([streams.size, channels.size, authors.size]).toEqual([0, 0, 0])
    },
  },
  CLIENT_PUBLISHED_MAX: {
    'messages while the disk is busy, of all processes of one client'() {
      const self = server()
      const say = (of: Source, process: string, counter: number) =>
        self.hear(process, { kind: 'publish', source: of, terms, accepted: 0, items: [item(of, counter)] })
      say(source, 'ann#1', 1)
      for (let at = 0; at < CLIENT_PUBLISHED_MAX + 5; at++) say(source, `ann#${at}`, 2)
      expect(self.state.published.queue).toHaveLength(CLIENT_PUBLISHED_MAX)
      const bob = { ...source, author: 'bob' }
      say(bob, 'bob#1', 1)
      expect(self.state.published.queue).toHaveLength(CLIENT_PUBLISHED_MAX + 1)
    },
  },
  PUBLISHED_BYTES_MAX: {
    'bytes of these'() {
      const self = server()
      const large = item(source, 2, MIB)
      const say = (one: Item, process: string) =>
        self.hear(process, { kind: 'publish', source, terms, accepted: 0, items: [one] })
      say(item(source, 1), 'ann#1')
      for (let at = 0; at < 20; at++) say(large, `ann#${at}`)
      expect(self.state.published.queue).toHaveLength(PUBLISHED_BYTES_MAX / MIB - 1)
    },
  },
  PUBLISHED_PROOFS_MAX: {
    'signatures that are looked at in one step'() {
      let looked = 0
      const verify: typeof signatures.verify = (...given) => {
        looked++
        return signatures.verify(...given)
      }
      const self = server({ keys: { ...settings.keys, signatures: { ...signatures, verify } } })
      const say = (of: Source, items: readonly Item[]) =>
        self.hear(of.author, { kind: 'publish', source: of, terms, accepted: 0, items })
      const { content } = item(source, 2)
      // Each of these events has a signature of its own.
      const lies = Array.from({ length: BATCH_MAX }, (_, place): Item => {
        const counter = 2 + place
        return { counter, content, proof: { first: counter, count: 1, path: [], signature: new Uint8Array(64) } }
      })
      say(source, [item(source, 1)])
      for (let at = 0; at < CLIENT_PUBLISHED_MAX; at++) say(source, lies)
      const bob = { ...source, author: 'bob' }
      say(bob, [item(bob, 1)])
      looked = 0
      self.command({ kind: 'flush' })
      expect(looked).toBe(PUBLISHED_PROOFS_MAX + 1)
      expect(self.state.streams.size).toBe(2)
    },
  },
  COMPLAINTS_MAX: {
    complaints() {
      const self = server()
      for (let at = 0; at <= COMPLAINTS_MAX; at++)
        self.hear(`c${at}#1`, { kind: 'complain', server: 's2', what: 'x', channel: 'prices' })
      expect(self.state.complaints.lines.size).toBe(COMPLAINTS_MAX)
    },
  },
  DEAD_BYTES_MIN: {
    'the disk: what has a newer record is dropped, although nothing is cut'() {
      const self = server({ clientBytesMax: 32 * MIB, liars: 0 })
      const cursor = cursorOf('eve', 'audit', 4_000)
      const onDisk = () => self.records.reduce((sum, { length }) => sum + length, 0)
      publish(self, source, item(source, 1, 50_000, 'a'))
      let accounts = 0
      for (let serial = 1; serial <= 120; serial++) {
        expect(kinds(self.hear('eve', { kind: 'save', sub: 1, cursor: { ...cursor, serial } }))).toEqual(['saved'])
        accounts += self.pass(200).filter(({ kind }) => kind === 'forget').length
        expect(onDisk()).toBeLessThan(DEAD_BYTES_MIN + 2 * MIB)
        expect(self.state.disk.bytes).toBe(onDisk())
      }
      expect(accounts).toBe(2)
      self.restart()
      expect([...self.state.cursors.values()]).toEqual([{ ...cursor, serial: 120 }])
      expect(self.state.retained.get('prices')!.get('a')!.item.counter).toBe(1)
      expect(self.state.disk.bytes).toBe(onDisk())
    },
    'the disk: an account that does not shrink it is not begun again at once'() {
      const self = server()
      for (let counter = 1; counter <= 12; counter++) publish(self, source, item(source, counter, MIB))
      const accounts = self.pass(5_000).filter(one => one.kind === 'forget').length
      expect(accounts).toBe(1)
      expect([...self.state.streams.values()][0]!.items.size).toBe(12)
    },
  },
}

describe('what a peer can fill', () => {
  const all = Object.entries(cases).flatMap(([name, of]) =>
    Object.entries(of).map(([what, go]) => ({ name, what, go })),
  )

  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: events, at a server')))
  it.each(all)('$name: $what', ({ go }) => go())
})
