// Plain channels on real brokers: what is published can be read with the broker's own tools, and what these send is an event.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CarriedEvent, carried, mqttBroker, nats } from '../../src/index.ts'
import { type Broker, mosquitto, natsServer, noMosquitto, noMosquittoTools, noNats } from '../support/brokers.ts'
import { waitFor } from '../support/processes.ts'

const run = promisify(execFile)
const why = noNats ?? noMosquitto ?? noMosquittoTools
if (why !== undefined) console.warn(`skipped: ${why}`)

describe.skipIf(why !== undefined)('a plain channel', () => {
  let first: Broker
  let second: Broker
  beforeAll(async () => {
    first = await natsServer()
    second = await mosquitto()
  }, 60_000)
  afterAll(async () => {
    await first?.[Symbol.asyncDispose]()
    await second?.[Symbol.asyncDispose]()
  })
  const tool = (...words: string[]) => ['-h', '127.0.0.1', '-p', String(second.port), '-V', '5', ...words]
  const settle = () => new Promise(resolve => setTimeout(resolve, 150))

  it('gives what another program sends its first fields where it has too many, and no time that is none', async () => {
    await using open = await carried<unknown>({ plain: true, carriers: [mqttBroker(second.url)], channel: 'wide' })
    const got: CarriedEvent<unknown>[] = []
    await using _feed = await open.subscribe({ f0: 0 }, event => got.push(event))
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}`, i]))
    await run('mosquitto_pub', tool('-t', 'wide/a', '-m', JSON.stringify(many)))
    const late = { id: 'x', author: 'y', time: 1e300, attributes: { f0: 0 }, f0: 0 }
    await run('mosquitto_pub', tool('-t', 'wide/a', '-m', JSON.stringify(late)))
    await waitFor('both events', () => got.length === 2)
    expect(Object.keys(got[0]!.attributes).length).toBe(32)
    expect(got.map(({ time }) => Number.isNaN(time.getTime()))).toEqual([false, false])
  })

  it('is read by mosquitto_sub, and hears mosquitto_pub', { timeout: 30_000 }, async () => {
    const shown = spawn('mosquitto_sub', tool('-t', 'prices/#', '-v', '-C', '2'))
    let text = ''
    shown.stdout.on('data', data => {
      text += data
    })
    await using prices = await carried<unknown>({
      plain: true,
      carriers: [mqttBroker(second.url)],
      channel: 'prices',
      author: 'till',
    })
    const got: CarriedEvent<unknown>[] = []
    await using _feed = await prices.subscribe({ price: { lt: 10 } }, event => got.push(event))
    await settle()
    const { id } = await prices.publish({ topic: 'eu/ACME', price: 9.5 }, { note: 'cheap' })
    await prices.publish({ topic: 'eu/ACME', price: 12 }, { note: 'dear' })
    await once(shown, 'close')
    const [line] = text.split('\n')
    expect(line?.startsWith('prices/eu/ACME {')).toBe(true)
    expect(JSON.parse(line!.slice(line!.indexOf('{')))).toMatchObject({
      id,
      author: 'till',
      attributes: { topic: 'eu/ACME', price: 9.5 },
      payload: { note: 'cheap' },
    })
    await run('mosquitto_pub', tool('-t', 'prices/us/EMCA', '-m', '{"price": 3, "deep": {"not": "an attribute"}}'))
    await run('mosquitto_pub', tool('-t', 'prices/us/EMCA', '-m', 'no JSON'))
    await waitFor('both events', () => got.length === 2)
    expect(got[0]).toMatchObject({ id, author: 'till', attributes: { topic: 'eu/ACME', price: 9.5 } })
    const [, other] = got
    expect(other).toMatchObject({ id: '', author: '', attributes: { topic: 'us/EMCA', price: 3 } })
    expect(other!.payload).toEqual({ price: 3, deep: { not: 'an attribute' } })
  })

  it('is read by any client of NATS, and hears it; what two carriers bring is handed over once', {
    timeout: 30_000,
  }, async () => {
    const plain = await connect({ servers: first.url })
    const subjects: string[] = []
    plain.subscribe('prices.>', { callback: (_error, message) => void subjects.push(message.subject) })
    await plain.flush()
    const carriers = [nats(first.url), mqttBroker(second.url)]
    await using reader = await carried<Uint8Array>({ plain: true, carriers, channel: 'prices' })
    await using writer = await carried<Uint8Array>({ plain: true, carriers, channel: 'prices' })
    const got: CarriedEvent<Uint8Array>[] = []
    await using _feed = await reader.subscribe({}, event => got.push(event))
    await settle()
    await writer.publish({ topic: 'eu/ACME' }, Uint8Array.of(1, 2, 3))
    await writer.publish({ symbol: 'without a topic' }, Uint8Array.of(4))
    plain.publish('prices.eu.EMCA', Uint8Array.of(0xff))
    await waitFor('all events', () => got.length >= 3)
    await settle()
    expect(got.map(({ attributes, payload }) => [attributes, [...payload]])).toEqual(
      expect.arrayContaining([
        [{ topic: 'eu/ACME' }, [1, 2, 3]],
        [{ symbol: 'without a topic' }, [4]],
        [{ topic: 'eu/EMCA' }, [0xff]],
      ]),
    )
    expect(got.length).toBe(3)
    // Two connections: the broker hears them in any order.
    await waitFor('both subjects', () => subjects.length >= 2)
    expect(subjects.sort()).toEqual(['prices.eu.ACME', 'prices.eu.EMCA'])
    await plain.close()
  })

  it('refuses topics that mean something else to a broker', async () => {
    await using prices = await carried({ plain: true, carriers: [mqttBroker(second.url)], channel: 'prices' })
    for (const topic of ['a b', 'a.b', 'a/*', 'a/+', 'a/#', 'a>', 'a//b', 'a/\u0000', '/a'])
      await expect(prices.publish({ topic }, 1), JSON.stringify(topic)).rejects.toThrow(/cannot be|topic/)
    await prices.close()
    await expect(prices.publish({ topic: 'a' }, 1)).rejects.toThrow('is closed')
  })
})
