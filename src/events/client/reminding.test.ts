// What is kept, asked of four servers of which one may lie: everything comes, from however many pages, and nobody waits for a liar.

import { describe, expect, it } from 'vitest'
import {
  type Client,
  client,
  FILTER,
  item,
  MIB,
  publish,
  SERVERS,
  type Server,
  SMALL,
  sent,
  server,
  source,
} from '../../../test/support/events-bounds.ts'
import { told } from '../../../test/support/machine.ts'
import { RETAINED_MAX } from '../limits.ts'
import type { EventsMessage } from '../wire.ts'
import { type ClientEvent, type Collection, PATIENCE_BEATS } from './state.ts'

type Ask = EventsMessage & { kind: 'remind' }
type Page = EventsMessage & { kind: 'reminded' }
/** What a server makes of a question, given the honest answer. */
type Answering = (ask: Ask, honest: Page) => Page | undefined

const BEAT = 100
/** Pages that a server gives in a beat. */
const ROUNDS = 40
const ROOM = { shareBytesMax: 16 * MIB, clientBytesMax: 16 * MIB, clientsBytesMax: 16 * MIB }
const TOPICS = Array.from({ length: 600 }, (_, at) => `t/${1_000 + at}`)

function holding(topics: readonly string[], time = 0, bytes = 0): Server {
  const self = server(ROOM)
  topics.forEach((topic, at) => {
    expect(publish(self, source, item(source, at + 1, bytes, topic, time))).toMatchObject([{ kind: 'held' }])
  })
  return self
}

/** Asks, and lets the servers answer for so many beats: what the client was told, and how often each was asked. */
function asking(eve: Client, answer: (from: string, ask: Ask) => Page | undefined, beats: number) {
  const heard: ClientEvent[] = []
  const asked = new Map<string, number>()
  let out = eve.command({ kind: 'remind', id: 1, channel: 'prices', filter: FILTER })
  const next: { to: string; body: Ask }[] = []
  const note = () => {
    heard.push(...told(out))
    for (const one of out)
      if (one.kind === 'send' && one.body.kind === 'remind') next.push({ to: one.to, body: one.body as Ask })
  }
  note()
  for (let beat = 0; beat <= beats; beat++) {
    for (let round = 0; round < ROUNDS * SERVERS.length && next.length > 0; round++) {
      const { to, body } = next.shift()!
      asked.set(to, (asked.get(to) ?? 0) + 1)
      const page = answer(to, body)
      if (page === undefined) continue
      out = eve.hear(to, page)
      note()
    }
    out = eve.pass(BEAT)
    note()
  }
  const events = heard.flatMap(one =>
    one.kind === 'reminded' ? [one.events.map(({ content }) => String(content.attributes.topic))] : [],
  )
  const lies = heard.flatMap(one => (one.kind === 'lied' ? [one.what] : []))
  return { topics: events[0]?.sort(), answers: events.length, asked, lies }
}

const shared = holding(TOPICS)
const from = (self: Server, ask: Ask) => sent(self.hear('eve#1', ask))[0] as Page
const honest = (_: string, ask: Ask) => from(shared, ask)
/** The last server lies. */
const withLiar = (lie: Answering) => (to: string, ask: Ask) =>
  to === SERVERS.at(-1) ? lie(ask, from(shared, ask)) : from(shared, ask)

describe('what is kept', () => {
  it('of 600 topics comes whole, at once', () => {
    const eve = client(ROOM)
    expect(asking(eve, honest, 0)).toMatchObject({ topics: TOPICS, answers: 1, lies: [] })
    expect([eve.state.inquiries.size, eve.state.shares.size]).toEqual([0, 0])
  })

  it('comes whole where the share of a server has room for a part of a page: who is ahead waits for the others', () => {
    const eve = client({ ...ROOM, shareBytesMax: SMALL })
    expect(asking(eve, honest, 40)).toMatchObject({ topics: TOPICS, answers: 1, lies: [] })
    expect(eve.state.shares.size).toBe(0)
  })

  it('comes from three where one is gone, after the patience that all have', () => {
    const gone = withLiar(() => undefined)
    expect(asking(client(ROOM), gone, PATIENCE_BEATS - 2).answers).toBe(0)
    expect(asking(client(ROOM), gone, PATIENCE_BEATS)).toMatchObject({ topics: TOPICS, answers: 1 })
  })

  it('comes whole where answers are lost: a page is asked for again', () => {
    let answers = 0
    const losing = (to: string, ask: Ask) => (answers++ % 2 === 0 ? undefined : honest(to, ask))
    expect(asking(client(ROOM), losing, 20)).toMatchObject({ topics: TOPICS, answers: 1, lies: [] })
  })

  it('is kept as bytes of its own: not a whole page for one event of it', () => {
    const eve = client(ROOM)
    let newest: Collection['newest'] | undefined
    const viewed = (to: string, ask: Ask): Page | undefined => {
      if (to !== 's1') return undefined
      newest = [...eve.state.inquiries.values()][0]!.collection!.newest
      const view = (content: Uint8Array) => {
        const frame = new Uint8Array(MIB)
        frame.set(content, 7)
        return frame.subarray(7, 7 + content.length)
      }
      const page = from(shared, ask)
      return { ...page, events: page.events.map(e => ({ ...e, item: { ...e.item, content: view(e.item.content) } })) }
    }
    asking(eve, viewed, 1)
    expect(newest!.size).toBe(TOPICS.length)
    for (const { bytes, event } of newest!.values())
      for (const part of [bytes, event.content.payload]) expect(part.buffer.byteLength).toBeLessThan(1_000)
  })

  it('is the newest that anybody shows, and the old state of a liar or of one that lags is none', () => {
    const newer = holding(TOPICS.slice(0, 10), 5)
    const answer = (to: string, ask: Ask) => from(to === 's1' ? shared : newer, ask)
    const eve = client(ROOM)
    const out: ClientEvent[] = []
    for (const effect of eve.command({ kind: 'remind', id: 1, channel: 'prices', filter: FILTER }))
      if (effect.kind === 'send' && effect.body.kind === 'remind')
        for (let ask: Ask | undefined = effect.body; ask !== undefined; ) {
          const heard = eve.hear(effect.to, answer(effect.to, ask))
          out.push(...told(heard))
          ask = sent(heard)[0] as Ask | undefined
        }
    const events = out.flatMap(one => (one.kind === 'reminded' ? one.events : []))
    expect(events.map(({ content }) => content.time).sort()).toEqual([
      ...Array.from({ length: 590 }, () => 0),
      ...Array.from({ length: 10 }, () => 5),
    ])
  })
})

const empty = (ask: Ask, through: string | undefined): Page => ({
  kind: 'reminded',
  id: ask.id,
  after: ask.after,
  through,
  events: [],
})
const named = (count: number) => `a/${String(count).padStart(9, '0')}`
let count = 0

const NO_ORDER = 'showed kept events in no order'
const lies: Record<string, { readonly lie: Answering; readonly says: string | undefined }> = {
  'that does not move': { lie: ask => empty(ask, ask.after ?? 'a'), says: NO_ORDER },
  'that goes back': { lie: ask => empty(ask, ask.after === undefined ? 'b' : 'a'), says: NO_ORDER },
  'of topics without an end': { lie: ask => empty(ask, named(count++)), says: undefined },
  'of one topic at a time': {
    lie: (_, page) => ({
      ...page,
      events: page.events.slice(0, 1),
      through: TOPICS[TOPICS.indexOf(page.after ?? '') + 1],
    }),
    says: undefined,
  },
  'to other questions': { lie: (_, page) => ({ ...page, after: 'x' }), says: undefined },
  'with a topic twice': { lie: (_, page) => ({ ...page, events: [page.events[0]!, page.events[0]!] }), says: NO_ORDER },
  'with topics that it passes': {
    lie: (_, page) => ({ ...page, through: TOPICS[TOPICS.indexOf(page.after ?? '') + 1] }),
    says: NO_ORDER,
  },
  'with topics that were before': {
    lie: ask => ({ ...from(shared, { ...ask, after: undefined }), after: ask.after }),
    says: NO_ORDER,
  },
  'of events that nobody signed': {
    lie: (_, page) => ({
      ...page,
      events: page.events.map(event => ({ ...event, source: { ...event.source, author: 'bob' } })),
    }),
    says: 'showed a kept event that is none',
  },
  'with nothing': { lie: ask => empty(ask, undefined), says: undefined },
}

describe('a liar with pages', () => {
  it.each(Object.entries(lies))('%s holds nobody up', (_, { lie, says }) => {
    const eve = client(ROOM)
    const { topics, answers, asked, lies: said } = asking(eve, withLiar(lie), PATIENCE_BEATS + 1)
    expect([topics, answers]).toEqual([TOPICS, 1])
    expect([...new Set(said)]).toEqual(says === undefined ? [] : [says])
    // Who was named for its order is not asked again.
    if (says === NO_ORDER) expect(asked.get(SERVERS.at(-1)!)).toBeLessThanOrEqual(3)
    expect([eve.state.inquiries.size, eve.state.shares.size]).toEqual([0, 0])
  })

  it('without an end is left after as many as there may be topics, although nobody else answers', () => {
    const eve = client(ROOM)
    const start = RETAINED_MAX - 10
    const answer = (to: string, ask: Ask) => {
      const place = [...eve.state.inquiries.values()][0]!.collection!.showing.get(to)!
      place.pages = Math.max(place.pages, start)
      return to === SERVERS.at(-1) ? empty(ask, named(count++)) : undefined
    }
    expect(asking(eve, answer, 10).asked.get(SERVERS.at(-1)!)).toBe(10)
  })

  it('of true events that nobody else shows has its share of memory, and the others have theirs', () => {
    const eve = client({ ...ROOM, shareBytesMax: SMALL })
    const own = holding(Array.from({ length: 200 }, (_, at) => named(at)))
    const most: number[] = []
    const answer = (to: string, ask: Ask) => {
      most.push(eve.state.shares.get(SERVERS.at(-1)!) ?? 0)
      return from(to === SERVERS.at(-1) ? own : shared, ask)
    }
    const { topics, answers } = asking(eve, answer, 60)
    expect(answers).toBe(1)
    expect(topics).toEqual(expect.arrayContaining(TOPICS))
    expect(Math.max(...most)).toBeGreaterThan(SMALL - 3_000)
    expect(topics!.length).toBeLessThan(TOPICS.length + 100)
    expect(eve.state.shares.size).toBe(0)
  })
})
