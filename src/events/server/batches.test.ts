// Batches that are there as a whole have one tree and no paths, on the wire, on the disk and in memory; parts of them have
// paths (protocols/events 11). Everything is said here as bytes, as peers say it.

import { describe, expect, it } from 'vitest'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { decode, encode, type NodeId, type Saved } from '../../core/index.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { encodeContent } from '../content.ts'
import { eventsDefaults } from '../defaults.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import type { EventsSettings } from '../settings.ts'
import { apart, isSigned, signBatch, sizeOf } from '../signed.ts'
import { type EventsMessage, eventsRecord, eventsVocabulary, type Item, type Source } from '../wire.ts'
import { DEAD_BYTES_MIN } from './disk.ts'
import { eventsServer } from './machine.ts'

const signatures = idealSignatures()
const signer = signatures.signer('ann')
const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
const settings: EventsSettings = { ...eventsDefaults, group: 'shop', liars: 1, keys }
const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }
const NOBODY = new Uint8Array()
const KEEP = { age: 1_000_000, bytes: 1_000_000 }
const terms = { live: false, keep: KEEP, identity: NOBODY }
const KNOWN: Saved = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
const EVERYTHING = encodeFilter(parseFilter({ price: { gte: 0 } }))

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { readonly kind: Kind }

function server(saved = KNOWN, change: Partial<EventsSettings> = {}) {
  const self = new Puppet(eventsServer({ ...settings, ...change }), ['self', 'second', 'third', 'fourth'], saved)
  self.start()
  self.hear('third', { kind: 'compare', epoch: '', mark: 0 })
  return self
}
type Server = ReturnType<typeof server>

/** What a peer says, as bytes, and what the server answers, as bytes. */
function says(self: Server, from: NodeId, body: EventsMessage): EventsMessage[] {
  return sent(self.hear(from, wired(body))).map(({ body: answer }) => wired(answer))
}

function wired<Body extends EventsMessage>(body: Body): Body {
  const decoded = decode(eventsVocabulary, encode(eventsVocabulary, body))
  if (!decoded.ok) throw new Error(decoded.refusal)
  return decoded.value as Body
}

/** With a topic the fourth is kept as the newest of it. */
function batch(first: number, count: number, topic?: string): Item[] {
  const bare = Array.from({ length: count }, (_, place): Item => {
    const attributes = { price: first + place, topic: topic ?? '' }
    const retained = topic !== undefined && place === 3
    const content = encodeContent({ attributes, payload: NOBODY, time: 0, retained, expires: 0 })
    return { counter: first + place, content, proof: undefined }
  })
  return signBatch(settings, signer, source, bare)
}

const publish = (items: readonly Item[], keep = KEEP): EventsMessage => {
  return { kind: 'publish', source, terms: { ...terms, keep }, accepted: 0, items }
}
const range = (items: readonly Item[]): EventsMessage => ({ kind: 'range', source, terms, base: 0, items })
const streamOf = (self: Server) => [...self.state.streams.values()][0]
const heldBy = (self: Server) => streamOf(self)?.held ?? 0
const named = (self: Server, body: EventsMessage) => {
  return self.hear('second', wired(body)).some(effect => effect.kind === 'emit' && effect.event.kind === 'lied')
}

function given(self: Server, after: number): readonly Item[] {
  const [answer] = says(self, 'second', { kind: 'want', source, after })
  return answer === undefined ? [] : (answer as Message<'range'>).items
}

function answered(self: Server, filter: Uint8Array, after: number): Message<'found'> {
  const about = { sub: 1, version: 1 }
  says(self, 'eve', { kind: 'follow', ...about, channel: 'prices', filter, epoch: '', mark: 0 })
  const [answer] = says(self, 'eve', { kind: 'fetch', ...about, source, after, to: 0 })
  return answer as Message<'found'>
}

const found = (self: Server, filter: Uint8Array, after: number) => answered(self, filter, after).items

const hasPaths = (items: readonly Item[]) => items.map(({ proof }) => proof?.path !== undefined)
const believed = (items: readonly Item[]) => {
  const other = server()
  const before = items[0]!.counter - 1
  if (before > 0) says(other, 'ann', publish(batch(1, before)))
  expect(named(other, range(items))).toBe(false)
  return heldBy(other)
}

describe('a whole batch', () => {
  it.each([2, 3, 5, 63, 64])('of %i has no path on the wire, on the disk or in memory, also after a restart', count => {
    const self = server()
    const items = batch(1, count)
    const before = self.records.length
    expect(says(self, 'ann', publish(items))).toMatchObject([{ kind: 'held', counter: count }])
    const written = self.records.slice(before).flatMap(record => {
      const decoded = decode(eventsRecord, record)
      return decoded.ok && decoded.value.kind === 'events' ? [...decoded.value.items] : []
    })
    expect(hasPaths(written)).toEqual(items.map(() => false))
    const bytes = self.state.bytes
    for (let time = 0; time < 2; time++) {
      const kept = [...streamOf(self)!.items.values()]
      expect(new Set(kept.map(({ proof }) => proof)).size).toBe(1)
      expect(kept[0]!.proof!.tree).toEqual(items[0]!.proof!.tree)
      expect(hasPaths(given(self, 0))).toEqual(items.map(() => false))
      expect(hasPaths(found(self, EVERYTHING, 0))).toEqual(items.map(() => false))
      expect(believed(given(self, 0))).toBe(count)
      expect(self.state.bytes).toBe(bytes)
      self.restart()
    }
  })

  it('is shown in parts with paths: by a filter, behind what is held, and one event alone', () => {
    const self = server()
    says(self, 'ann', publish(batch(1, 8)))
    for (let time = 0; time < 2; time++) {
      const some = found(self, encodeFilter(parseFilter({ price: { gte: 3, lt: 6 } })), 0)
      expect(some.map(({ counter }) => counter)).toEqual([3, 4, 5])
      for (const item of some) expect(isSigned(settings, source, NOBODY, item)).toBe(true)
      expect(hasPaths(given(self, 5))).toEqual([true, true, true])
      for (const item of given(self, 5)) expect(isSigned(settings, source, NOBODY, item)).toBe(true)
      self.restart()
    }
  })

  it('follows as a whole where a list ends before it', () => {
    const self = server()
    for (const first of [1, 41, 81]) says(self, 'ann', publish(batch(first, 40)))
    self.command({ kind: 'flush' })
    expect(given(self, 0).length).toBe(40)
    expect(given(self, 40).length).toBe(40)
    expect(given(self, 60).length).toBe(60)
    expect(given(self, 50).length).toBe(30)
    expect(heldBy(self)).toBe(120)
  })

  it('is shown as a whole, or not yet: a subscription is told of nothing beyond what it has', () => {
    const self = server()
    for (const first of [1, 101, 201]) for (const more of [0, 50]) says(self, 'ann', publish(batch(first + more, 50)))
    self.command({ kind: 'flush' })
    expect(heldBy(self)).toBe(300)
    const shown: number[] = []
    for (let after = 0; after < 300; after = shown.at(-1)!) {
      const { items, through } = answered(self, EVERYTHING, after)
      expect([through, hasPaths(items).includes(true)]).toEqual([items.at(-1)!.counter, false])
      shown.push(...items.map(({ counter }) => counter))
    }
    expect(shown).toEqual(Array.from({ length: 300 }, (_, place) => place + 1))
  })

  it('stays one, and nothing is lost, when all that a disk needs is written anew', () => {
    const self = server()
    for (const first of [1, 41, 81]) says(self, 'ann', publish(batch(first, 40)))
    self.command({ kind: 'flush' })
    self.state.dead = DEAD_BYTES_MIN
    expect(self.pass(1_000).filter(({ kind }) => kind === 'forget').length).toBe(1)
    const lists = self.records.flatMap(record => {
      const decoded = decode(eventsRecord, record)
      return decoded.ok && decoded.value.kind === 'events' ? [decoded.value.items] : []
    })
    expect(lists.map(({ length }) => length)).toEqual([40, 40, 40])
    expect(hasPaths(lists.flat())).not.toContain(true)
    self.restart()
    expect(heldBy(self)).toBe(120)
    expect(believed(given(self, 0))).toBe(40)
  })

  it('is taken behind what is held of it, and what is held of it is no lie', () => {
    const self = server()
    const items = batch(1, 8)
    expect(named(self, range(items.slice(0, 3)))).toBe(false)
    expect(heldBy(self)).toBe(3)
    expect(named(self, range(items))).toBe(false)
    expect(heldBy(self)).toBe(8)
    self.restart()
    expect(believed(given(self, 0))).toBe(8)
  })

  it('was written with paths before: such a disk is read, and what it has is believed', () => {
    const records = [
      ...KNOWN.get('')!,
      encode(eventsRecord, { kind: 'stream', source, terms, base: 0 }),
      encode(eventsRecord, { kind: 'events', source, at: 1, items: batch(1, 16).map(apart) }),
      encode(eventsRecord, { kind: 'events', source, at: 2, items: batch(17, 4) }),
    ]
    const self = server(new Map([['', records]]))
    expect(heldBy(self)).toBe(20)
    expect(hasPaths(given(self, 0))).toEqual([...batch(1, 16).map(() => true), false, false, false, false])
    expect(believed(given(self, 0))).toBe(20)
  })

  it('that was cut but for a few is kept without its tree, and the few are believed', () => {
    const self = server()
    const items = batch(1, 64)
    says(self, 'ann', publish(items))
    self.command({ kind: 'flush' })
    const bytes = 5 * sizeOf(items[60]!)
    says(self, 'ann', publish(batch(65, 2), { age: 1_000_000, bytes }))
    for (let time = 0; time < 2; time++) {
      const kept = [...streamOf(self)!.items.values()]
      expect(kept.map(({ proof }) => proof!.tree === undefined)).toEqual([true, true, true, false, false])
      for (const item of given(self, 62)) expect(isSigned(settings, source, NOBODY, item)).toBe(item.counter < 65)
      self.restart()
    }
  })

  it('is outlived by the newest event of its topic, which keeps what proves it', () => {
    const self = server()
    says(self, 'ann', publish(batch(1, 64, 'eu')))
    self.command({ kind: 'flush' })
    says(self, 'ann', publish(batch(65, 2), { age: 1_000_000, bytes: 1 }))
    const filter = encodeFilter(parseFilter({ topic: 'eu' }))
    const { bytes } = self.state
    for (let time = 0; time < 2; time++) {
      expect(streamOf(self)!.base).toBe(65)
      const [kept] = [...self.state.retained.get('prices')!.values()]
      expect([kept!.item.counter, kept!.item.proof!.tree, kept!.apart]).toEqual([4, undefined, true])
      expect(kept!.item.content.buffer.byteLength).toBeLessThan(1_000)
      // Nodes of its own, and not views of the whole tree.
      expect(kept!.item.proof!.path!.map(node => node.buffer.byteLength)).toEqual(Array(6).fill(32))
      const [answer] = says(self, 'eve', { kind: 'remind', id: 1, channel: 'prices', filter, after: undefined })
      const [event] = (answer as Message<'reminded'>).events
      expect(isSigned(settings, source, NOBODY, event!.item)).toBe(true)
      expect(self.state.bytes).toBe(bytes)
      self.restart()
    }
  })

  it('that is not what was signed is refused from its author, and names the server that gives it', () => {
    const items = batch(1, 4)
    const { signature } = items[0]!.proof!
    const [one, two, three, four] = items as [Item, Item, Item, Item]
    const changed = { ...two, content: batch(9, 2)[1]!.content }
    const asWhole = (part: readonly Item[], count = part.length): Item[] =>
      part.map(({ content }, place) => ({ counter: 1 + place, content, proof: { first: 1, count, signature } }))
    const lies = [
      [one, changed, three, four],
      [two, one, three, four],
      [one, two, three],
      [one, two],
      [...items, one],
    ]
    for (const lie of lies) {
      expect(named(server(), range(asWhole(lie)))).toBe(true)
      const self = server()
      says(self, 'ann', publish(asWhole(lie)))
      expect(heldBy(self)).toBe(0)
    }
    expect(named(server(), range(asWhole(items)))).toBe(false)
  })

  it('of one event has an empty path, and is believed alone', () => {
    const self = server()
    says(self, 'ann', publish(batch(1, 1)))
    expect(given(self, 0)[0]!.proof!.path).toEqual([])
    expect(believed(given(self, 0))).toBe(1)
  })

  it('is not hashed where nothing of it continues what is held: to say it again and again must cost little', () => {
    let hashed = 0
    const hash = (input: Uint8Array) => {
      hashed++
      return settings.hash(input)
    }
    const self = server(KNOWN, { hash })
    says(self, 'ann', publish(batch(1, 3)))
    self.command({ kind: 'flush' })
    const before = hashed
    expect(before).toBeGreaterThan(0)
    // Behind a gap; and what is held, in front of one.
    for (const lie of [batch(5, 64), [...batch(1, 3), ...batch(5, 60)]]) {
      for (let time = 0; time < 3; time++) {
        expect(named(self, range(lie))).toBe(false)
        says(self, 'ann', publish(lie))
      }
    }
    expect([hashed, heldBy(self)]).toEqual([before, 3])
  })

  it('that comes where nobody lies is kept without what stands there as a proof: it would be shown as one later', () => {
    const self = server(KNOWN, { liars: 0 })
    const signature = new Uint8Array(64)
    const forged = (items: readonly Item[]) => {
      return items.map(item => ({ ...item, proof: { ...item.proof!, signature } }))
    }
    says(self, 'ann', publish(forged(batch(1, 8))))
    // While the disk is busy, too.
    says(self, 'ann', publish(forged(batch(9, 2).map(apart))))
    self.command({ kind: 'flush' })
    expect(given(self, 6).map(({ counter, proof }) => [counter, proof])).toEqual(
      [7, 8, 9, 10].map(at => [at, undefined]),
    )
    expect(self.state.bytes).toBe(10 * sizeOf({ ...batch(1, 1)[0]!, proof: undefined }))
    // Now that one may lie, nobody is shown what nobody signed.
    const later = server(self.saved())
    expect([streamOf(later)!.base, heldBy(later), given(later, 0)]).toEqual([10, 10, []])
  })

  it('that another server gives where nobody lies keeps its proof: it was signed while somebody could', () => {
    const self = server(KNOWN, { liars: 0 })
    says(self, 'second', range(batch(1, 8)))
    const later = server(self.saved())
    expect(hasPaths(given(later, 6))).toEqual([true, true])
    expect(believed(given(later, 0))).toBe(8)
  })
})
