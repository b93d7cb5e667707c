// How long one question keeps a server: events are held against a filter for one answer as far as a bound, and the next question
// goes on from there. Else whoever has published half a million events, and asks for none of them, stops everybody's server.

import { describe, expect, it } from 'vitest'
import { follow, item, MIB, publish, type Server, sent, server, source } from '../../../test/support/events-bounds.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import { LOOKED_MAX } from '../limits.ts'
import type { EventsMessage } from '../wire.ts'

/** Nothing that is published here fits it. */
const NOTHING = encodeFilter(parseFilter({ price: { gt: 1_000_000 } }))
/** As long as a filter may be; an event of the topic `wanted` fits it. */
const LONG = encodeFilter(
  parseFilter({ topic: { in: ['wanted', ...Array.from({ length: 1_000 }, (_, at) => `${at}`.padEnd(60, '-'))] } }),
)

/** A server that holds so many events of one author, all alike; eve follows it. */
function holding(count: number, filter: Uint8Array): Server {
  const self = server({ clientBytesMax: 8 * MIB })
  const one = item(source, 1)
  publish(self, source, one)
  expect(follow(self, 'eve#1', 1, filter)).toBe('heads')
  const [stream] = [...self.state.streams.values()]
  for (let counter = 2; counter <= count; counter++) stream!.items.set(counter, { ...one, counter })
  stream!.held = count
  return self
}

function fetched(self: Server, after: number, to = 0): EventsMessage & { kind: 'found' } {
  const out = self.hear('eve#1', { kind: 'fetch', sub: 1, version: 1, source, after, to })
  return sent(out)[0] as EventsMessage & { kind: 'found' }
}

describe('a question for what follows', () => {
  it('is answered after so many events, with what fits, and how far that is', () => {
    expect(fetched(holding(LOOKED_MAX, NOTHING), 0)).toMatchObject({ items: [], through: LOOKED_MAX })
    const self = holding(LOOKED_MAX + 1, NOTHING)
    expect(fetched(self, 0)).toMatchObject({ items: [], through: LOOKED_MAX })
    expect(fetched(self, LOOKED_MAX)).toMatchObject({ items: [], through: LOOKED_MAX + 1 })
    // A witness in doubt is asked for an end.
    expect(fetched(self, 0, LOOKED_MAX + 1)).toMatchObject({ items: [], through: LOOKED_MAX })
    expect(fetched(self, 0, LOOKED_MAX - 1)).toMatchObject({ items: [], through: LOOKED_MAX - 1 })
  })
  it('with a long filter after fewer, as it has kibibytes', () => {
    const count = Math.floor(LOOKED_MAX / (LONG.length / 1_024))
    expect(count).toBeLessThan(LOOKED_MAX / 50)
    const self = holding(count + 1, LONG)
    expect(fetched(self, 0)).toMatchObject({ items: [], through: count })
    expect(fetched(self, count)).toMatchObject({ items: [], through: count + 1 })
  })
  it('comes to everything that fits, question by question', () => {
    const count = 3 * LOOKED_MAX
    const self = holding(count, encodeFilter(parseFilter({ topic: 'wanted' })))
    const [stream] = [...self.state.streams.values()]
    const other = item(source, 1, 0, 'wanted')
    const wanted = Array.from({ length: Math.floor(count / 1_000) }, (_, at) => at * 1_000 + 7)
    for (const counter of wanted) stream!.items.set(counter, { ...other, counter })
    const found: number[] = []
    let [after, questions] = [0, 0]
    while (after < count) {
      const { items, through } = fetched(self, after)
      expect(through).toBeGreaterThan(after)
      found.push(...items.map(({ counter }) => counter))
      after = through
      questions++
    }
    expect(found).toEqual(wanted)
    expect(questions).toBe(3)
  })
})

describe('a question for kept events', () => {
  const asked = (self: Server, filter: Uint8Array, after: string | undefined) => {
    const out = self.hear('eve#1', { kind: 'remind', id: 1, channel: 'prices', filter, after })
    return sent(out)[0] as EventsMessage & { kind: 'reminded' }
  }
  /** A server with so many topics, of which the last one alone fits the long filter. */
  const keeping = (count: number) => {
    const self = server({ clientBytesMax: 8 * MIB })
    const [kept, wanted] = [item(source, 1, 0, 'topic'), item(source, 1, 0, 'wanted')]
    const one = { source, identity: new Uint8Array(), time: 0, apart: false }
    const topics = Array.from({ length: count }, (_, at) => `${1_000_000 + at}`)
    self.state.retained.set('prices', new Map(topics.map(topic => [topic, { ...one, item: kept }])))
    self.state.retained.get('prices')!.set(topics.at(-1)!, { ...one, item: wanted })
    return { self, topics }
  }

  it('is answered after so many, with a long filter after fewer, and says how far that is', () => {
    for (const filter of [NOTHING, LONG]) {
      const looked = Math.floor(LOOKED_MAX / Math.max(1, filter.length / 1_024))
      const { self, topics } = keeping(looked + 1)
      const fits = filter === LONG ? 1 : 0
      expect(asked(self, filter, undefined)).toMatchObject({ events: [], through: topics.at(-2) })
      expect(asked(self, filter, topics.at(-2))).toMatchObject({ through: undefined })
      expect(asked(self, filter, topics.at(-2)).events).toHaveLength(fits)
      expect(asked(self, filter, topics[0])).toMatchObject({ through: undefined })
      expect(asked(self, filter, topics[0]).events).toHaveLength(fits)
      expect(asked(self, filter, topics.at(-1))).toMatchObject({ events: [], through: undefined })
    }
  })
})
