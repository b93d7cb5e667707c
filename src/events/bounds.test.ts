// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and beyond. After each step the machines check that nobody has more than its share.

import { describe, expect, it } from 'vitest'
import { listedUnder } from '../../test/support/limits.ts'
import { Puppet } from '../../test/support/machine.ts'
import { decode, encode } from '../core/index.ts'
import { idealSignatures } from '../crypto/index.ts'
import { eventsClient } from './client/machine.ts'
import { HAND_FACTOR } from './client/queueing.ts'
import { UNHANDED_BYTES_MAX } from './client/state.ts'
import { encodeContent } from './content.ts'
import { eventsDefaults } from './defaults.ts'
import { encodeFilter, parseFilter } from './filter.ts'
import { DEAD_BYTES_MIN } from './server/disk.ts'
import { eventsServer } from './server/machine.ts'
import {
  AUTHOR_SOURCES_MAX,
  CLIENT_PUBLISHED_MAX,
  PUBLISHED_BYTES_MAX,
  RETAINED_BYTES_MAX,
  RETAINED_MAX,
} from './server/state.ts'
import { signBatch, signCursor } from './signed.ts'
import { COMPLAINTS_MAX, type EventsMessage, eventsRecord, type Item, REFUSALS, type Source } from './wire.ts'

const MIB = 2 ** 20
/** Shares that are soon full. */
const SMALL = 2 ** 16
const SERVERS = ['s1', 's2', 's3', 's4']
const KNOWN = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
const FILTER = parseFilter({ price: { lt: 5 } })
const ENCODED = encodeFilter(FILTER)
const signatures = idealSignatures()
const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
const settings = { ...eventsDefaults, liars: 1, keys, shareBytesMax: SMALL, clientBytesMax: SMALL }
const terms = { live: false, keep: { age: 1_000_000_000, bytes: 1_000_000_000 }, identity: new Uint8Array() }
const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }
const life = (number: number): Source => ({ ...source, boot: number.toString(16) })

type Change = Partial<typeof settings>
function server(change: Change = {}) {
  const puppet = new Puppet(eventsServer({ ...settings, ...change }), SERVERS, KNOWN, 's1')
  puppet.start()
  return puppet
}

function client(change: Change = {}) {
  const signer = signatures.signer('eve')
  const puppet = new Puppet(eventsClient({ ...settings, ...change, signer }), SERVERS, undefined, 'eve#1')
  puppet.start()
  return puppet
}

type Server = ReturnType<typeof server>
type Client = ReturnType<typeof client>
type Out = ReturnType<Server['hear']> | ReturnType<Client['hear']>
const sent = (out: Out): EventsMessage[] => {
  const bodies: EventsMessage[] = []
  for (const effect of out) if (effect.kind === 'send') bodies.push(effect.body)
  return bodies
}
const kinds = (out: Out) => sent(out).map(({ kind }) => kind)

/** An event of so many bytes, signed; with a topic it is to be kept. */
function item(of: Source, counter: number, bytes = 0, topic?: string, time = 0): Item {
  const attributes = { price: 3, ...(topic !== undefined && { topic }) }
  const content = encodeContent({ attributes, payload: new Uint8Array(bytes), time, retained: topic !== undefined })
  return signBatch(settings, signatures.signer(of.author), of, [{ counter, content, proof: undefined }])[0]!
}

function publish(to: Server, of: Source, one: Item, more = terms): EventsMessage[] {
  const out = to.hear(of.author, { kind: 'publish', source: of, terms: more, accepted: 0, items: [one] })
  if (out.some(({ kind }) => kind === 'emit')) to.command({ kind: 'flush' })
  return sent(out)
}

/** A subscription of this client at a server, and whether it is kept. */
function follow(to: Server, from: string, sub: number, filter = ENCODED) {
  return kinds(to.hear(from, { kind: 'follow', sub, channel: 'prices', version: 1, filter, epoch: '', mark: 0 }))[0]
}

function cursorOf(owner: string, name: string, entries: number, serial = 1) {
  const words = { channel: 'prices', name, owner, generation: 1, instance: 'aa', serial, filter: new Uint8Array(32) }
  const boot = (at: number) => at.toString(16).padStart(32, '0')
  const positions = Array.from({ length: entries }, (_, at) => ({ author: 'ann', boot: boot(at), counter: 1 }))
  return signCursor({ ...settings, signer: signatures.signer(owner) }, { ...words, entries: positions })
}

function saveCursor(to: Server, owner: string, name: string, entries: number, serial = 1) {
  return kinds(to.hear(owner, { kind: 'save', sub: 1, cursor: cursorOf(owner, name, entries, serial) }))[0]
}

const enlist = {
  kind: 'enlist',
  sub: 1,
  channel: 'prices',
  version: 1,
  filter: ENCODED,
  place: 0,
  ackWait: 1_000,
  attempts: 2,
  credit: 1_000,
  start: true,
} as const

/** An open subscription, and its two servers: the one that sends, and the witness. */
function subscribed(change: Change = {}) {
  const eve = client(change)
  const options = {
    channel: 'prices',
    name: '',
    filter: FILTER,
    from: 'start',
    parallel: 1,
    ackWait: 1_000_000,
  } as const
  eve.command({ kind: 'subscribe', id: 1, ...options })
  for (const from of SERVERS) eve.hear(from, { kind: 'loaded', sub: 1, cursor: undefined, entries: [] })
  const [lead, witness] = eve.state.subscriptions.get(1)!.members.map(one => one.server) as [string, string]
  return { eve, lead, witness }
}

function heads(eve: Client, from: string, sources: readonly Source[], mark = 1) {
  const entries = sources.map(one => ({ ...one, counter: 1, base: 0 }))
  return eve.hear(from, { kind: 'heads', sub: 1, epoch: 'e', mark, alone: false, entries })
}

function enlisted() {
  const eve = client()
  const options = { channel: 'prices', name: 'work', filter: FILTER, parallel: 1, ackWait: 1_000 }
  eve.command({ kind: 'enlist', id: 1, ...options, attempts: 2, start: true })
  const [first, second] = eve.state.queues.get(1)!.members.map(one => one.server) as [string, string]
  return { eve, first, second }
}

/** Nearly all of a small share, and no more than that. */
function isFull(bytes: number | undefined, slack = 2_000): void {
  expect(bytes).toBeGreaterThan(SMALL - slack)
  expect(bytes).toBeLessThanOrEqual(SMALL)
}

/** By the constant: what fills it, and one beyond. */
const cases: Record<string, Record<string, () => void>> = {
  shareBytesMax: {
    'sources that one server invents for a subscription; one that another knows too finds room, and is asked for'() {
      const { eve, lead, witness } = subscribed()
      for (let at = 0; at < 4; at++)
        heads(
          eve,
          witness,
          Array.from({ length: 64 }, (_, i) => life(64 * at + i)),
        )
      isFull(eve.state.shares.get(witness))
      // It is told again what there was no room for.
      expect(eve.state.subscriptions.get(1)!.members[1]!.mark).toBe(0)
      const true1 = { ...source, author: 'bob' }
      expect(kinds(heads(eve, lead, [true1]))).toEqual(['fetch'])
      expect(eve.state.shares.get(lead)).toBeLessThan(2_000)
      // A source that both know counts for nobody.
      heads(eve, lead, [life(0)])
      isFull(eve.state.shares.get(witness), 4_000)
      expect(eve.state.subscriptions.get(1)!.tracked.get('prices\u0000ann\u00000')!.toldBy).toBeUndefined()
    },
    'invented sources are asked for a few at a time, and forgotten'() {
      const { eve, lead, witness } = subscribed()
      const answered = (out: Out) => {
        for (const { server } of eve.state.subscriptions.get(1)!.members) heads(eve, server, [], 1)
        return sent(out).filter(({ kind }) => kind === 'ask').length / SERVERS.length
      }
      heads(
        eve,
        witness,
        Array.from({ length: 64 }, (_, at) => life(at)),
      )
      const asked = Array.from({ length: 20 }, () => answered(eve.pass(100)))
      expect(Math.max(...asked)).toBe(32)
      for (let beat = 0; beat < 330; beat++) answered(eve.pass(100))
      expect([eve.state.subscriptions.get(1)!.tracked.size, eve.state.shares.size]).toEqual([0, 0])
      expect(lead).not.toBe(witness)
    },
    'a source that b + 1 say they hold when they are asked is known'() {
      const { eve, lead, witness } = subscribed()
      heads(eve, witness, [source])
      for (let beat = 0; beat < 4; beat++) {
        eve.pass(100)
        for (const from of [lead, witness]) heads(eve, from, [], 1)
      }
      const [third] = SERVERS.filter(one => one !== lead && one !== witness)
      eve.hear(third!, { kind: 'told', source, counter: 1 })
      expect(eve.state.shares.size).toBe(0)
    },
    'answers about names, of which the first counts'() {
      const eve = client()
      const options = { channel: 'prices', filter: FILTER, from: 'start', parallel: 1, ackWait: 1_000 } as const
      const entries = Array.from({ length: 100 }, (_, at) => ({ author: 'ann', boot: at.toString(16), counter: 1 }))
      for (let id = 1; id <= 8; id++) {
        eve.command({ kind: 'subscribe', id, name: `n${id}`, ...options })
        for (let twice = 0; twice < 2; twice++) eve.hear('s1', { kind: 'loaded', sub: id, cursor: undefined, entries })
      }
      isFull(eve.state.shares.get('s1'), 25_000)
      for (let id = 1; id <= 8; id++) eve.command({ kind: 'unsubscribe', id })
      expect(eve.state.shares.size).toBe(0)
    },
    'answers to questions'() {
      const eve = client()
      for (let id = 1; id <= 3; id++) {
        eve.command({ kind: 'survey', id, channel: 'prices' })
        const entries = Array.from({ length: 100 }, (_, at) => ({ ...life(at), counter: 1, base: 0 }))
        for (let twice = 0; twice < 2; twice++) eve.hear('s1', { kind: 'surveyed', id, entries, cursors: [] })
      }
      expect([...eve.state.inquiries.values()].map(({ answers }) => answers.size)).toEqual([1, 0, 0])
      for (let id = 1; id <= 3; id++) eve.command({ kind: 'cancel', id })
      expect(eve.state.shares.size).toBe(0)
    },
    'events beside the filter of a queue, words of other filters, and what is said to be cut'() {
      const { eve, first, second } = enlisted()
      const dear = encodeContent({ attributes: { price: 9 }, payload: new Uint8Array(10_000), time: 0 })
      const task = (from: string, counter: number) => {
        const [one] = signBatch(settings, signatures.signer('ann'), source, [
          { counter, content: dear, proof: undefined },
        ])
        return eve.hear(from, {
          kind: 'task',
          sub: 1,
          source,
          identity: new Uint8Array(),
          item: one!,
          attempt: 1,
          dead: false,
        })
      }
      for (let counter = 1; counter <= 10; counter++) task(first, counter)
      isFull(eve.state.shares.get(first), 12_000)
      task(second, 20)
      expect(eve.state.queues.get(1)!.aside.size).toBe(7)
      eve.hear(first, { kind: 'terms', sub: 1, version: 1, filter: new Uint8Array(20_000) })
      expect(eve.state.queues.get(1)!.said.size).toBe(0)
      eve.hear(second, { kind: 'skipped', sub: 1, source, from: 1, to: 2 })
      for (let at = 0; at < 2_000; at++) eve.hear(first, { kind: 'skipped', sub: 1, source: life(at), from: 1, to: 2 })
      expect(eve.state.queues.get(1)!.skipped.get(second)!.size).toBe(1)
      isFull(eve.state.shares.get(first))
      eve.command({ kind: 'unsubscribe', id: 1 })
      expect(eve.state.shares.size).toBe(0)
    },
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
    'a client that is refused by more than f servers says why, and one server alone cannot end anything'() {
      const { eve, lead, witness } = subscribed()
      const refused: EventsMessage = { kind: 'refused', sub: 1, why: 0 }
      for (let twice = 0; twice < 2; twice++) eve.hear(lead, refused)
      expect(eve.state.subscriptions.get(1)!.members.some(({ server: id }) => id === lead)).toBe(false)
      eve.hear('stranger', refused)
      const told = eve.hear(witness, refused).flatMap(one => (one.kind === 'emit' ? [one.event] : []))
      expect(told).toEqual([{ kind: 'refused', id: 1, why: REFUSALS[0] }])
      expect(eve.state.subscriptions.size).toBe(0)
      const queue = enlisted()
      expect(queue.eve.hear(queue.first, refused).some(({ kind }) => kind === 'emit')).toBe(false)
      const over = queue.eve.hear(queue.second, refused).flatMap(one => (one.kind === 'emit' ? [one.event] : []))
      expect(over).toEqual([{ kind: 'refused', id: 1, why: REFUSALS[0] }])
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
  UNHANDED_BYTES_MAX: {
    'events that wait for the handler, whoever shows them unasked'() {
      const { eve, lead, witness } = subscribed()
      const lives = Array.from({ length: 8 }, (_, at) => life(at))
      for (const one of lives) for (const from of [lead, witness]) heads(eve, from, [one])
      const unhanded = () => eve.state.subscriptions.get(1)!.unhanded
      // As if there were more of them.
      eve.state.subscriptions.get(1)!.unhanded = UNHANDED_BYTES_MAX - 4 * MIB
      for (const one of lives) {
        const items = [item(one, 1, MIB)]
        const about = { sub: 1, version: 1, source: one, identity: new Uint8Array(), after: 0, through: 1 }
        eve.hear(lead, { kind: 'found', ...about, items })
      }
      expect(unhanded()).toBeGreaterThan(UNHANDED_BYTES_MAX - 2 * MIB)
      expect(unhanded()).toBeLessThanOrEqual(UNHANDED_BYTES_MAX)
      // What is not fetched again counts no more.
      eve.command({ kind: 'change', id: 1, filter: FILTER })
      expect(unhanded()).toBe(0)
    },
  },
  HAND_FACTOR: {
    'events of one server that the handler of a queue has'() {
      const { eve, first, second } = enlisted()
      const credit = 2
      const task = (from: string, counter: number) => {
        const about = { sub: 1, source, identity: new Uint8Array(), attempt: 1, dead: false }
        return eve.hear(from, { kind: 'task', ...about, item: item(source, counter) })
      }
      for (let counter = 1; counter <= 20; counter++) task(first, counter)
      expect(eve.state.queues.get(1)!.hand.size).toBe(HAND_FACTOR * credit)
      expect(task(second, 30)).toMatchObject([{ kind: 'emit', event: { kind: 'handed', counter: 30 } }])
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
      const self = server({ clientBytesMax: 32 * MIB })
      const onDisk = () => self.records.reduce((sum, { length }) => sum + length, 0)
      publish(self, source, item(source, 1, 50_000, 'a'))
      let accounts = 0
      for (let serial = 1; serial <= 120; serial++) {
        expect(saveCursor(self, 'eve', 'audit', 4_000, serial)).toBe('saved')
        accounts += self.pass(200).filter(({ kind }) => kind === 'forget').length
        expect(onDisk()).toBeLessThan(DEAD_BYTES_MIN + 2 * MIB)
        expect(self.state.disk.bytes).toBe(onDisk())
      }
      expect(accounts).toBe(2)
      const [cursor] = self.state.cursors.values()
      self.restart()
      expect([...self.state.cursors.values()]).toEqual([cursor])
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
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: events')))
  it.each(all)('$name: $what', ({ go }) => go())
})
