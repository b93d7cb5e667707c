// Events on one page: each call that a user learns first, as one would write it, against a group, a NATS server and a mosquitto.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mqtt, sns } from '../../src/events/index.ts'
import { carried, embedded, mqttBroker, nats } from '../../src/index.ts'
import { newChannel } from '../../src/runtime/channels.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { mosquitto, natsServer, noMosquitto, noNats } from '../support/brokers.ts'
import { waitFor } from '../support/processes.ts'

const why = noNats ?? noMosquitto
if (why !== undefined) console.warn(`skipped: ${why}`)

interface Price {
  readonly volume: number
}

it('a group of servers: publish, filters of three languages, a queue, another filter, drain', {
  timeout: 60_000,
}, async () => {
  await using group = await embedded({ servers: 4, liars: 1, keepMax: 1e9 })
  const prices = group.events<Price>('prices', { durable: true, keep: { age: '7d', bytes: 1e9 } })
  const acme = (price: number) =>
    prices.publish({ topic: 'eu/xetra/ACME', symbol: 'ACME', price }, { volume: 300 }, { timeout: 10_000 })
  const { id } = await acme(9.5)
  const cheap: number[] = []
  await using feed = prices.subscribe({ price: { lt: 10 }, symbol: { prefix: 'AC' } }, async event => {
    // What throws comes again.
    if (event.attributes.price === 8 && !event.redelivered) throw new Error('once more')
    cheap.push(Number(event.attributes.price))
  })
  await feed.ready
  const ending = new AbortController()
  const audited: string[] = []
  const { signal } = ending
  const audit = (async () => {
    for await (const event of prices.subscribe(mqtt('eu/+/ACME'), { name: 'audit', from: 'start', signal })) {
      audited.push(event.id)
      await event.ack()
    }
  })()
  const done: Price[] = []
  const policy = sns({ price: [{ numeric: ['<', 10] }], $or: [{ a: ['x'] }, { b: [{ exists: false }] }] })
  const shared = { name: 'work', queue: true, ackWait: '30s', attempts: 5 } as const
  await using work = prices.subscribe(policy, shared, event => done.push(event.payload))
  await work.ready
  for (const price of [8, 15]) await acme(price)
  await prices.drain()
  expect(cheap).toEqual([8])
  await feed.change({ price: { lt: 20 } })
  await acme(16)
  await prices.drain()
  expect(cheap).toEqual([8, 16])
  expect(done).toEqual([{ volume: 300 }])
  expect([await feed.lag(), feed.missed]).toEqual([0, 0])
  await waitFor('the loop', () => audited.length === 4)
  expect(audited[0]).toBe(id)
  ending.abort()
  await audit
})

it.skipIf(why !== undefined)('a secret channel on two brokers', { timeout: 60_000 }, async () => {
  const root = mkdtempSync(join(tmpdir(), 'coterie-page-'))
  try {
    const dir = join(root, 'shop')
    await initGroup({ dir, servers: 1, liars: 0, crashes: 0, clients: ['a'] })
    const price = { kind: 'range', from: 0, to: 1000, bits: 8, base: 16 } as const
    const searchable = [
      { attribute: 'price', search: price },
      { attribute: 'symbol', search: { kind: 'equal' } },
    ] as const
    await newChannel(dir, 'prices', { readers: ['a'], writers: ['a'] }, { mode: 'tagged', searchable })
    await using one = await natsServer()
    await using other = await mosquitto()
    await using sealed = await carried<Price>({
      identity: join(dir, 'clients', 'a'),
      carriers: [nats(one.url), mqttBroker(other.url)],
      channel: 'prices',
      secret: {
        mode: 'tagged',
        searchable: { symbol: 'equal', price: { range: [0, 1000], bits: 8, base: 16 } },
      },
    })
    const got: unknown[] = []
    await using _feed = await sealed.subscribe({ price: { lt: 10 } }, ({ attributes, payload }) =>
      got.push([attributes.price, payload]),
    )
    await sealed.publish({ symbol: 'ACME', price: 95 }, { volume: 1 })
    await sealed.publish({ symbol: 'ACME', price: 9.5 }, { volume: 2 })
    await waitFor('the event', () => got.length > 0)
    expect(got).toEqual([[9.5, { volume: 2 }]])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
