// What a server lacks and cannot take: it must not stand in the way of what it can. Two servers by hand: one holds what the other
// lacks, and tells of it in pages of 256 heads.

import { describe, expect, it } from 'vitest'
import {
  item,
  KNOWN,
  kinds,
  life,
  MIB,
  publish,
  SERVERS,
  type Server,
  SMALL,
  server,
  settings,
  source,
  terms,
} from '../../../test/support/events-bounds.ts'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { HEADS_MAX, type Source, sourceKey } from '../wire.ts'
import { FULL_BEATS, TRIES_MAX } from './lacking.ts'
import { eventsServer } from './machine.ts'

const BEAT_MS = 100
/** Each of three others is asked in turn. */
const ROUND_MS = 3 * BEAT_MS

/** One turn of the first server: what it asks the second is answered, and so on until nobody has more to say. */
function turn(first: Server, second: Server): { readonly wants: number; readonly bytes: number } {
  let [wants, bytes] = [0, 0]
  let said = sent(first.pass(ROUND_MS)).filter(({ to }) => to === 's2')
  while (said.length > 0) {
    wants += said.filter(({ body }) => body.kind === 'want').length
    const answers = said.flatMap(({ body }) => sent(second.hear('s1', body))).filter(({ to }) => to === 's1')
    for (const { body } of answers) if (body.kind === 'range') bytes += body.items[0]!.content.length
    said = answers.flatMap(({ body }) => sent(first.hear('s2', body))).filter(({ to }) => to === 's2')
  }
  return { wants, bytes }
}

const of = (author: string, number = 1): Source => ({ ...life(number), author })
const holds = (one: Server, what: Source) => one.state.streams.get(sourceKey(what))?.held ?? 0
const lackingAt = (one: Server) => one.state.heard.get('s2')!.lacking

/** Eve has no room at the first server, and so many lives at the second; then ann speaks there. */
function held(lives: number, authors = 1): { readonly first: Server; readonly second: Server; readonly ann: Source } {
  const first = server({ authorBytesMax: 2_000, shareBytesMax: MIB })
  const second = new Puppet(eventsServer(settings), SERVERS, KNOWN, 's2')
  second.start()
  for (let at = 0; at < authors; at++) publish(first, of(`eve-${at}`), item(of(`eve-${at}`), 1, 1_500))
  for (let at = 0; at < lives; at++) {
    const eve = of(`eve-${at % authors}`, 2 + at)
    publish(second, eve, item(eve, 1, 1_500))
  }
  const ann = of('ann')
  publish(second, ann, item(ann, 1))
  return { first, second, ann }
}

describe('what a server lacks and has no room for', () => {
  it.each([
    ['one author with as many lives as a page has heads', HEADS_MAX, 1],
    ['the same number of authors', HEADS_MAX, HEADS_MAX],
    ['four times as many', 4 * HEADS_MAX, HEADS_MAX],
  ])('does not hold up the repair of others: %s', (_, lives, authors) => {
    const { first, second, ann } = held(lives, authors)
    for (let at = 0; at < 8 && holds(first, ann) === 0; at++) turn(first, second)
    expect(holds(first, ann)).toBe(1)
  })

  it('is not fetched again and again: of an author without room one range is tried now and then', () => {
    const { first, second } = held(HEADS_MAX)
    turn(first, second)
    let bytes = 0
    const turns = (2 * FULL_BEATS * BEAT_MS) / ROUND_MS
    for (let at = 0; at < turns; at++) bytes += turn(first, second).bytes
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThanOrEqual(3 * 1_600)
  })

  it('is fetched once there is room', () => {
    const { first, second } = held(3)
    for (let at = 0; at < 5; at++) turn(first, second)
    expect(holds(first, of('eve-0', 2))).toBe(0)
    // As if its old events had been cut.
    first.state.authors.get('eve-0')!.bytes = 0
    first.state.bytes -= 1_000
    for (let at = 0; at < 2 * FULL_BEATS; at++) turn(first, second)
    expect(holds(first, of('eve-0', 2))).toBe(1)
  })
})

describe('what another server says that it holds', () => {
  it('takes turns by author: many lives of one do not delay another', () => {
    const first = server({ shareBytesMax: MIB })
    const entries = Array.from({ length: HEADS_MAX }, (_, at) => ({ ...of('eve', at + 1), counter: 1, base: 0 }))
    const page = (more: typeof entries, mark: number) =>
      sent(first.hear('s2', { kind: 'heads', sub: 0, epoch: 'e', mark, alone: false, entries: more }))
    page(entries, 256)
    page(
      entries.map(head => ({ ...head, channel: 'orders' })),
      512,
    )
    const out = page([{ ...of('ann'), counter: 1, base: 0 }], 513)
    expect(out.filter(({ body }) => body.kind === 'want')).toHaveLength(HEADS_MAX)
    expect(out.some(({ body }) => body.kind === 'want' && body.source.author === 'ann')).toBe(true)
  })

  it('takes turns among more authors than are asked for at once', () => {
    const first = server({ shareBytesMax: MIB })
    const page = (authors: readonly string[], mark: number) => {
      const entries = authors.map(author => ({ ...of(author), counter: 1, base: 0 }))
      return sent(first.hear('s2', { kind: 'heads', sub: 0, epoch: 'e', mark, alone: false, entries }))
    }
    page(
      Array.from({ length: HEADS_MAX }, (_, at) => `nobody-${at}`),
      256,
    )
    const isForAnn = ({ body }: ReturnType<typeof page>[number]) => body.kind === 'want' && body.source.author === 'ann'
    expect([page(['ann'], 257), page([], 257)].flat().filter(isForAnn)).toHaveLength(1)
  })

  it('has its share: beyond it the author with most gives way, and all heads are read again', () => {
    const first = server()
    // One that holds nothing does not beat for long.
    publish(first, source, item(source, 1))
    const page = (entries: readonly Source[], mark: number) =>
      first.hear('s2', {
        kind: 'heads',
        sub: 0,
        epoch: 'e',
        mark,
        alone: false,
        entries: entries.map(one => ({ ...one, counter: 1, base: 0 })),
      })
    page([of('bob')], 1)
    for (let at = 1; at <= 4; at++)
      page(
        Array.from({ length: HEADS_MAX }, (_, one) => of('eve', at * HEADS_MAX + one)),
        1 + at * HEADS_MAX,
      )
    expect(lackingAt(first).bytes).toBeLessThanOrEqual(SMALL)
    expect(lackingAt(first).bytes).toBeGreaterThan(SMALL - 1_000)
    expect([...lackingAt(first).authors.keys()]).toContain('bob')
    // Nothing that had to go is forgotten for good.
    const marks = new Set<number>()
    for (let at = 0; at < 1_000; at++)
      for (const { to, body } of sent(first.pass(BEAT_MS)))
        if (to === 's2' && body.kind === 'compare') marks.add(body.mark)
    expect([...marks]).toContain(0)
  })

  it('and never shows is given up after a while', () => {
    const first = server({ shareBytesMax: MIB })
    const heads = (entries: readonly Source[]) =>
      first.hear('s2', {
        kind: 'heads',
        sub: 0,
        epoch: 'e',
        mark: 1,
        alone: false,
        entries: entries.map(one => ({ ...one, counter: 1, base: 0 })),
      })
    heads([of('nobody')])
    for (let at = 1; at < TRIES_MAX; at++) expect(kinds(heads([]))).toEqual(['want'])
    expect(kinds(heads([]))).toEqual([])
    expect(lackingAt(first)).toMatchObject({ bytes: 0 })
  })

  it('is forgotten when that server begins anew', () => {
    const first = server({ shareBytesMax: MIB })
    const heads = (epoch: string, entries: readonly Source[]) =>
      first.hear('s2', {
        kind: 'heads',
        sub: 0,
        epoch,
        mark: 1,
        alone: false,
        entries: entries.map(one => ({ ...one, counter: 1, base: 0 })),
      })
    heads('e', [of('ann')])
    heads('f', [of('bob')])
    expect([...lackingAt(first).authors.keys()]).toEqual(['bob'])
    const range = { kind: 'range', source: of('bob'), terms, base: 0, items: [item(of('bob'), 1)] } as const
    first.hear('s2', range)
    heads('f', [])
    expect([...lackingAt(first).authors.keys()]).toEqual([])
    expect(holds(first, of('bob'))).toBe(1)
  })
})
