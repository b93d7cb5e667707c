// How many events the handler of a subscription has at once: of each life of an author one, in order, and `parallel` in all.

import { expect, it } from 'vitest'
import { client, FILTER, heads, item, type Out, SERVERS } from '../../../test/support/events-bounds.ts'
import type { Source } from '../wire.ts'

const AUTHORS = ['ann', 'bob', 'carol', 'dave']
const PARALLEL = 2
const handed = (out: Out) =>
  out.flatMap(effect =>
    effect.kind === 'emit' && effect.event.kind === 'handed'
      ? [`${effect.event.source.author} ${effect.event.counter}`]
      : [],
  )

it('events of different authors are in hand at once, as many as asked for, and never two of one', () => {
  const eve = client({ liars: 0 })
  const options = { channel: 'prices', name: '', filter: FILTER, from: 'start', ackWait: 1_000_000 } as const
  eve.command({ kind: 'subscribe', id: 1, ...options, parallel: PARALLEL })
  for (const from of SERVERS) eve.hear(from, { kind: 'loaded', sub: 1, cursor: undefined, entries: [] })
  const [lead] = eve.state.subscriptions.get(1)!.members.map(({ server }) => server)
  const sources = AUTHORS.map((author): Source => ({ channel: 'prices', author, boot: '0a' }))
  const ack = (author: string, counter: number) => {
    const source = sources[AUTHORS.indexOf(author)]!
    return handed(eve.command({ kind: 'ack', id: 1, source, counter }))
  }
  heads(eve, lead!, sources)
  const first = sources.flatMap(source => {
    const about = { sub: 1, version: 1, source, identity: new Uint8Array(), after: 0, through: 2 }
    return handed(eve.hear(lead!, { kind: 'found', ...about, items: [item(source, 1), item(source, 2)] }))
  })
  expect(first).toEqual(['ann 1', 'bob 1'])
  const given = [...first]
  const inHand = new Map<string, number>(first.map(one => [one.split(' ')[0]!, 1]))
  while (inHand.size > 0) {
    // Whoever has waited longest is done.
    const [author, counter] = [...inHand][0]!
    inHand.delete(author)
    for (const one of ack(author, counter)) {
      const [next, number] = one.split(' ') as [string, string]
      expect(inHand.has(next), one).toBe(false)
      inHand.set(next, Number(number))
      given.push(one)
    }
    expect(inHand.size).toBeLessThanOrEqual(PARALLEL)
  }
  expect(given.toSorted()).toEqual(AUTHORS.flatMap(author => [`${author} 1`, `${author} 2`]))
  for (const author of AUTHORS) expect(given.indexOf(`${author} 1`)).toBeLessThan(given.indexOf(`${author} 2`))
})
