// What is kept, page by page: the last page comes, and on the way to it every topic once, whatever the page was cut by.

import { describe, expect, it } from 'vitest'
import { type Server, sent, server, source, terms } from '../../../test/support/events-bounds.ts'
import { encodeContent } from '../content.ts'
import { encodeFilter, parseFilter } from '../filter.ts'
import { type EventsMessage, ITEMS_BYTES_MAX, type Item, REMINDED_MAX } from '../wire.ts'

const ANY = encodeFilter(parseFilter({ topic: { exists: true } }))

function kept(counter: number, topic: string, { bytes = 0, expires = 0, time = 0 } = {}): Item {
  const about = { payload: new Uint8Array(bytes), time, retained: true, expires }
  return { counter, content: encodeContent({ attributes: { topic }, ...about }), proof: undefined }
}

function publish(self: Server, ...items: Item[]): void {
  for (const one of items) {
    self.hear('ann', { kind: 'publish', source, terms, accepted: 0, items: [one] })
    self.command({ kind: 'flush' })
  }
}

/** A server where nobody lies: nothing is signed. */
const holder = () => server({ liars: 0, crashes: 0 })

type Page = EventsMessage & { kind: 'reminded' }

function asked(self: Server, after: string | undefined, filter = ANY): Page {
  return sent(self.hear('eve#1', { kind: 'remind', id: 1, channel: 'prices', filter, after }))[0] as Page
}

function pagesOf(self: Server, filter = ANY): Page[] {
  const pages = [asked(self, undefined, filter)]
  while (pages.at(-1)!.through !== undefined && pages.length < 10)
    pages.push(asked(self, pages.at(-1)!.through, filter))
  return pages
}

const countersOf = (pages: readonly Page[]) => pages.flatMap(({ events }) => events.map(({ item }) => item.counter))

describe('what is kept', () => {
  it('of 600 topics comes in pages, each topic once and in one order', () => {
    const self = holder()
    const topics = Array.from({ length: 600 }, (_, at) => `t/${(at * 7) % 600}`)
    publish(self, ...topics.map((topic, at) => kept(at + 1, topic)))
    const pages = pagesOf(self)
    expect(pages.map(({ events }) => events.length)).toEqual([REMINDED_MAX, REMINDED_MAX, 600 - 2 * REMINDED_MAX])
    const order = [...topics].sort()
    expect(countersOf(pages).map(counter => topics[counter - 1])).toEqual(order)
    expect(pages.map(({ through }) => through)).toEqual([
      order[REMINDED_MAX - 1],
      order[2 * REMINDED_MAX - 1],
      undefined,
    ])
    self.restart()
    expect(countersOf(pagesOf(self))).toEqual(countersOf(pages))
  })

  it('is not hidden by 300 topics that were taken away', () => {
    const self = holder()
    const away = Array.from({ length: 300 }, (_, at) => kept(at + 1, `a/${at}`, { expires: 1 }))
    publish(self, ...away, kept(301, 'z'))
    const pages = pagesOf(self)
    expect(pages).toHaveLength(2)
    // They are shown as well: who sees an older one of the same topic elsewhere must know.
    expect(countersOf(pages)).toHaveLength(301)
    expect(countersOf(pages)).toContain(301)
  })

  it('of large events comes in pages of a quarter of a mebibyte, and one that is larger comes alone', () => {
    const self = server({ liars: 0, crashes: 0 })
    const third = Math.floor(ITEMS_BYTES_MAX / 3)
    const sizes = [third, third, third, 2 * ITEMS_BYTES_MAX, 10]
    publish(self, ...sizes.map((bytes, at) => kept(at + 1, `${at}`, { bytes })))
    expect(pagesOf(self).map(page => countersOf([page]))).toEqual([[1, 2], [3], [4], [5]])
  })

  it('may get new topics between two pages: behind the page they come, before it they do not, and nothing comes twice', () => {
    const self = holder()
    publish(self, ...Array.from({ length: REMINDED_MAX + 2 }, (_, at) => kept(at + 1, `m/${1_000 + at}`)))
    const { through } = asked(self, undefined)
    publish(
      self,
      kept(REMINDED_MAX + 3, 'a'),
      kept(REMINDED_MAX + 4, 'z'),
      kept(REMINDED_MAX + 5, 'm/1257', { time: 1 }),
    )
    const rest = asked(self, through)
    expect(countersOf([rest])).toEqual([REMINDED_MAX + 1, REMINDED_MAX + 5, REMINDED_MAX + 4])
    expect(rest.through).toBeUndefined()
    expect(countersOf([asked(self, undefined)])[0]).toBe(REMINDED_MAX + 3)
  })

  it('of an empty topic is the first, of a channel with none there is one page', () => {
    const self = holder()
    publish(self, kept(1, 'a'), kept(2, ''))
    expect(countersOf([asked(self, undefined)])).toEqual([2, 1])
    expect(countersOf([asked(self, '')])).toEqual([1])
    expect(sent(self.hear('eve#1', { kind: 'remind', id: 2, channel: 'none', filter: ANY, after: undefined }))).toEqual(
      [{ kind: 'reminded', id: 2, after: undefined, through: undefined, events: [] }],
    )
  })
})
