// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and beyond. After each step the machine checks that nobody has more than its share.

import { describe, expect, it } from 'vitest'
import {
  client,
  enlisted,
  FILTER,
  heads,
  isFull,
  item,
  kinds,
  life,
  MIB,
  type Out,
  SERVERS,
  sent,
  settings,
  signatures,
  source,
  subscribed,
} from '../../../test/support/events-bounds.ts'
import { listedUnder } from '../../../test/support/limits.ts'
import { encodeContent } from '../content.ts'
import { signBatch } from '../signed.ts'
import { type EventsMessage, REFUSALS } from '../wire.ts'
import { HAND_FACTOR } from './queueing.ts'
import { UNHANDED_BYTES_MAX } from './state.ts'

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
}

describe('what a peer can fill', () => {
  const all = Object.entries(cases).flatMap(([name, of]) =>
    Object.entries(of).map(([what, go]) => ({ name, what, go })),
  )

  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: events, at a client')))
  it.each(all)('$name: $what', ({ go }) => go())
})

it('a client that is refused by more than f servers says why, and one server alone cannot end anything', () => {
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
})
