// When a subscription asks for what follows: as soon as its handler has room, and no sooner.

import { expect, it } from 'vitest'
import {
  type Client,
  heads,
  item,
  type Out,
  sent,
  settings,
  source,
  subscribed,
} from '../../../test/support/events-bounds.ts'
import { digestOf } from '../signed.ts'
import type { EventsMessage, Item } from '../wire.ts'
import { UNHANDED_MAX } from './state.ts'

const fetches = (out: Out) => sent(out).flatMap(body => (body.kind === 'fetch' ? [body.after] : []))
const run = (after: number, through: number): Item[] =>
  Array.from({ length: through - after }, (_, place) => item(source, after + 1 + place))
const found = (after: number, through: number): EventsMessage => {
  const about = { kind: 'found', sub: 1, version: 1, source, identity: new Uint8Array() } as const
  return { ...about, after, through, items: run(after, through) }
}
/** Whatever the witness is asked about it has, too. */
function agree(eve: Client, witness: string, out: Out): Out {
  const ask = sent(out).find(body => body.kind === 'check')
  if (ask?.kind !== 'check') return []
  const { after, to } = ask
  const hash = digestOf(settings.hash, source, run(after, to))
  return eve.hear(witness, { kind: 'digest', sub: 1, version: 1, source, after, to, count: to - after, hash })
}

it('asks no more while the handler has enough to do, and again with the first event that it has done, on no beat', () => {
  const { eve, lead, witness } = subscribed()
  heads(eve, lead, [source])
  heads(eve, witness, [source])
  const half = UNHANDED_MAX / 2
  const first = eve.hear(lead, found(0, half))
  expect(fetches(first)).toEqual([half])
  expect(fetches(eve.hear(lead, found(half, UNHANDED_MAX)))).toEqual([])
  expect(fetches(agree(eve, witness, first))).toEqual([])
  const ack = (counter: number) => eve.command({ kind: 'ack', id: 1, source, counter })
  expect(fetches(ack(1))).toEqual([UNHANDED_MAX])
  // It is asked for once.
  expect(fetches(ack(2))).toEqual([])
})
