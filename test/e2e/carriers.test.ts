// Carriers as connections to real brokers: what a user is told when a broker is slow, gone or does not let one in. Nothing that was
// called done is lost in silence.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CarriedNews, carried, mqttBroker, NotCarried, nats } from '../../src/index.ts'
import { newChannel } from '../../src/runtime/channels.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { type Broker, freePort, mosquitto, natsServer, noMosquitto, noNats } from '../support/brokers.ts'
import { waitFor } from '../support/processes.ts'

const why = noNats ?? noMosquitto
if (why !== undefined) console.warn(`skipped: ${why}`)

/** In front of a broker: what a client says comes there this much later. */
async function slowRoad(port: number, ms: number): Promise<Broker> {
  const own = await freePort()
  const server = createServer(near => {
    const far = connect(port, '127.0.0.1')
    near.on('data', data => setTimeout(() => far.write(data), ms)).on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('data', data => near.write(data)).on('error', () => {})
    far.on('close', () => near.destroy())
  })
  await new Promise<void>(resolve => server.listen(own, '127.0.0.1', resolve))
  return {
    url: `mqtt://127.0.0.1:${own}`,
    port: own,
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  }
}

describe.skipIf(why !== undefined)('a carrier', () => {
  let root = ''
  const client = (name: string) => join(root, 'shop', 'clients', name)
  const carrier = ({ url }: { url: string }) => (url.startsWith('nats:') ? nats(url) : mqttBroker(url))
  const kinds = [
    ['NATS', natsServer],
    ['mosquitto', mosquitto],
  ] as const

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'coterie-carriers-'))
    const dir = join(root, 'shop')
    await initGroup({ dir, servers: 1, liars: 0, crashes: 0, clients: ['writer', 'reader'] })
    const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
    const roles = { readers: ['reader'], writers: ['writer'] }
    await newChannel(dir, 'prices', roles, { mode: 'tagged', searchable })
  }, 60_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const secret = (name: string, broker: { url: string }, told?: (news: CarriedNews) => void) =>
    carried<unknown>({
      identity: client(name),
      carriers: [carrier(broker)],
      channel: 'prices',
      ...(told && { told }),
    })

  it.each([
    ['secret', secret],
    ['plain', (_: string, broker: Broker) => carried({ plain: true, carriers: [carrier(broker)], channel: 'prices' })],
  ] as const)('of MQTT has the broker listen before subscribe resolves: %s', { timeout: 20_000 }, async (_, open) => {
    await using broker = await mosquitto()
    await using road = await slowRoad(broker.port, 150)
    await using writer = await open('writer', broker)
    await using reader = await open('reader', road)
    const got: unknown[] = []
    await using _feed = await reader.subscribe({ symbol: 'ACME' }, event => got.push(event.payload))
    await writer.publish({ symbol: 'ACME' }, 1)
    await waitFor('the event', () => got.length === 1)
  })

  it.each(kinds)(
    'whose broker dies refuses what would be lost, tells it, and goes on when it is back: %s',
    { timeout: 40_000 },
    async (_, start) => {
      const first = await start()
      const news: CarriedNews[] = []
      const turns = () => news.flatMap(one => (one.kind === 'carrier' ? [one.is] : []))
      const writer = await secret('writer', first, one => news.push(one))
      const reader = await secret('reader', first)
      const open = await carried({ plain: true, carriers: [carrier(first)], channel: 'open' })
      const got: unknown[] = []
      await reader.subscribe({ symbol: 'ACME' }, event => got.push(event.payload))
      await writer.publish({ symbol: 'ACME' }, 1)
      await waitFor('the first event', () => got.length === 1)
      await first[Symbol.asyncDispose]()
      await waitFor('word of the loss', () => turns().includes('lost'))
      for (const channel of [writer, open])
        await expect(channel.publish({ symbol: 'ACME' }, 2)).rejects.toThrow(NotCarried)
      for (const channel of [reader, open])
        await expect(channel.subscribe({ symbol: 'EMCA' }, () => {})).rejects.toThrow('is not connected')
      await using _second = await start(first.port)
      await waitFor('word of the return', () => turns().includes('back'))
      // The reader dials by itself: until it is there, what is published is told as missed, not handed over.
      await waitFor('another event', async () => {
        await writer.publish({ symbol: 'ACME' }, 3)
        return got.length > 1
      })
      expect(got).not.toContain(2)
      await Promise.all([writer.close(), reader.close(), open.close()])
    },
  )

  it.each(kinds)('whose broker is gone can be closed: %s', { timeout: 20_000 }, async (_, start) => {
    const broker = await start()
    const writer = await secret('writer', broker)
    await broker[Symbol.asyncDispose]()
    await writer.close()
  })

  it('of NATS tells that the server does not let one listen or send', { timeout: 20_000 }, async () => {
    const config = join(root, 'nats.conf')
    const may = (publish: string, subscribe: string) =>
      `{ user: u${publish.length}, password: p, permissions: { publish: "${publish}", subscribe: "${subscribe}" } }`
    writeFileSync(config, `authorization { users = [ ${may('>', 'none')}, ${may('none', '>')} ] }`)
    await using broker = await natsServer(undefined, config)
    const news: CarriedNews[] = []
    const as = (user: string) =>
      carried({
        plain: true,
        carriers: [nats(broker.url, { user, password: 'p' })],
        channel: 'prices',
        told: one => news.push(one),
      })
    await using deaf = await as('u1')
    await expect(deaf.subscribe({}, () => {})).rejects.toThrow('does not let this client listen')
    await using mute = await as('u4')
    const refused = mute.publish({ topic: 'eu' }, 1)
    await expect(refused).rejects.toThrow(NotCarried)
    await expect(refused).rejects.toThrow(
      /does not let this client send: .*prices\.eu.*Check what its user may publish/,
    )
    const refusals = () => news.flatMap(one => (one.kind === 'carrier' && one.is === 'refusing' ? [one.why] : []))
    await waitFor('the refusal', () => refusals().some(one => one.includes('Publish')))
  })

  /** A mosquitto with users and their rights; it may be told of others while it runs. */
  async function guarded(name: string) {
    const [users, rights] = [join(root, `${name}.users`), join(root, `${name}.acl`)]
    writeFileSync(users, '')
    for (const user of ['writer', 'reader'])
      execFileSync('mosquitto_passwd', ['-b', users, user, 'p'], { stdio: 'ignore' })
    for (const file of [users, rights]) writeFileSync(file, '', { flag: 'a' })
    const grant = (text: string) => {
      writeFileSync(rights, text)
      // Else it lays down its rights, and cannot read these files.
      for (const file of [users, rights]) chmodSync(file, 0o644)
    }
    grant('')
    const lines = [
      'allow_anonymous false',
      `password_file ${users}`,
      `acl_file ${rights}`,
      `user ${userInfo().username}`,
    ]
    return { broker: await mosquitto(undefined, lines), grant }
  }

  it('of MQTT tells that the broker does not let one send, and goes on when it does', { timeout: 30_000 }, async () => {
    const { broker, grant } = await guarded('mute')
    const carriers = (user: string) => [mqttBroker(broker.url, { user, password: 'p' })]
    const news: CarriedNews[] = []
    const told = (one: CarriedNews) => void news.push(one)
    const why = /does not let this client send: .*Not authorized\. Check what its user may publish/
    await using open = await carried({ plain: true, carriers: carriers('writer'), channel: 'prices', told })
    for (const topic of ['eu', 'eu', 'us']) {
      const refused = open.publish({ topic }, 1)
      await expect(refused).rejects.toThrow(why)
      await expect(refused).rejects.toThrow(NotCarried)
    }
    const together = await Promise.allSettled([1, 2, 3].map(n => open.publish({ topic: 'eu' }, n)))
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(news).toEqual([expect.objectContaining({ kind: 'carrier', is: 'refusing' })])
    await using writer = await carried({
      identity: client('writer'),
      carriers: carriers('writer'),
      channel: 'prices',
      told,
    })
    await expect(writer.publish({ symbol: 'ACME' }, 1)).rejects.toThrow(why)
    // A second carrier that lets it: nothing is refused.
    await using second = await mosquitto()
    const both = [...carriers('writer'), mqttBroker(second.url)]
    await using masked = await carried({ identity: client('writer'), carriers: both, channel: 'prices' })
    await masked.publish({ symbol: 'ACME' }, 1)
    const restart = broker.port
    await broker[Symbol.asyncDispose]()
    grant('user writer\ntopic write prices/eu\ntopic write c/#\nuser reader\ntopic read prices/#\n')
    const lines = [
      'allow_anonymous false',
      `password_file ${join(root, 'mute.users')}`,
      `acl_file ${join(root, 'mute.acl')}`,
    ]
    await using _again = await mosquitto(restart, [...lines, `user ${userInfo().username}`])
    await waitFor('the right to publish', () =>
      open.publish({ topic: 'eu' }, 1).then(
        () => true,
        () => false,
      ),
    )
    await expect(open.publish({ topic: 'us' }, 1)).rejects.toThrow(why)
    await waitFor('the right to write', () =>
      writer.publish({ symbol: 'ACME' }, 1).then(
        () => true,
        () => false,
      ),
    )
  })

  it('takes the next event after one that is too large', { timeout: 20_000 }, async () => {
    await using broker = await natsServer()
    await using writer = await secret('writer', broker)
    for (const size of [600_000, 1 << 20, 2_000_000])
      await expect(writer.publish({ symbol: 'ACME' }, new Uint8Array(size))).rejects.toThrow(NotCarried)
    await writer.publish({ symbol: 'ACME' }, 1)
  })

  it('takes what a NATS server with a smaller bound refuses as not carried', { timeout: 20_000 }, async () => {
    const config = join(root, 'small.conf')
    writeFileSync(config, 'max_payload: 4096\n')
    await using broker = await natsServer(undefined, config)
    await using open = await carried({ plain: true, carriers: [nats(broker.url)], channel: 'open' })
    await expect(open.publish({}, 'x'.repeat(10_000))).rejects.toThrow('does not take')
    const news: CarriedNews[] = []
    await using writer = await secret('writer', broker, one => news.push(one))
    await writer.publish({ symbol: 'ACME' }, 'x'.repeat(10_000))
    expect(news).toContainEqual(expect.objectContaining({ kind: 'carrier', is: 'refusing' }))
    await writer.publish({ symbol: 'ACME' }, 1)
  })
})
