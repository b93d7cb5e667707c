// Carriers as connections to real brokers: what a user is told when a broker is slow, gone or does not let one in. Nothing that was
// called done is lost in silence.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CarriedNews, carried, mqttBroker, NotCarried, nats } from '../../src/index.ts'
import type { Carrier } from '../../src/runtime/carriers/carrier.ts'
import { shareRecord } from '../../src/runtime/carriers/share.ts'
import { newChannel, newestOf, nextEpoch } from '../../src/runtime/channels.ts'
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

interface Road extends Broker {
  /** The connection stays, and nothing that the broker says comes any more. */
  hush(): void
  /** From now on whoever publishes by MQTT has its connection broken, as some brokers do to who may not. */
  guard(): void
  /** How often somebody came along. */
  readonly dials: number
}

/** In front of a broker. */
async function road({ url, port }: Broker): Promise<Road> {
  const own = await freePort()
  let [isHushed, isGuarded, dials] = [false, false, 0]
  const server = createServer(near => {
    dials++
    const far = connect(port, '127.0.0.1')
    const pass = (data: Buffer) => (isGuarded && data[0]! >> 4 === 3 ? near.destroy() : far.write(data))
    near.on('data', pass).on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('data', data => isHushed || near.write(data)).on('error', () => {})
    far.on('close', () => near.destroy())
  })
  await new Promise<void>(resolve => server.listen(own, '127.0.0.1', resolve))
  return {
    url: url.replace(String(port), String(own)),
    port: own,
    hush() {
      isHushed = true
    },
    guard() {
      isGuarded = true
    },
    get dials() {
      return dials
    },
    [Symbol.asyncDispose]: () => new Promise(resolve => server.close(() => resolve())),
  }
}

/** What keeps this process alive that has a time. */
const timers = () => process.getActiveResourcesInfo().filter(what => what === 'Timeout').length

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

  it.each(kinds)('that never answers holds nobody up: %s', { timeout: 60_000 }, async (_, start) => {
    await using broker = await start()
    await using way = await road(broker)
    const open = await carried({ plain: true, carriers: [carrier(way)], channel: 'prices' })
    way.hush()
    const published = open.publish({ topic: 'eu' }, 1)
    await expect(open.subscribe({}, () => {})).rejects.toThrow(/is connected, and has not answered in 10000 ms/)
    // It was sent, and nobody says that it may not be: what becomes of it, a broker of a plain channel is trusted with.
    await published
    const last = open.publish({ topic: 'us' }, 2)
    const began = Date.now()
    await open.close()
    await last
    expect(Date.now() - began).toBeLessThan(8_000)
  })

  it('that breaks while a keeper waits for receipts lets it end', { timeout: 30_000 }, async () => {
    const broker = await mosquitto()
    await using way = await road(broker)
    const card = await nextEpoch(join(root, 'shop'), 'prices', {})
    const told: string[] = []
    const shared = shareRecord(card, [carrier(way)], 2_500, (_, { is }) => told.push(is))
    setTimeout(() => void broker[Symbol.asyncDispose](), 1_000)
    expect(await shared).toEqual(['writer'])
    expect(told).toContain('lost')
    // A connection that nobody closed is dialled again each second, and keeps the process.
    const { dials } = way
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(way.dials).toBe(dials)
  })

  it('of MQTT that takes no questions is not asked', { timeout: 20_000 }, async () => {
    await using broker = await mosquitto(undefined, ['allow_anonymous true', 'max_qos 0'])
    await using open = await carried({ plain: true, carriers: [carrier(broker)], channel: 'prices' })
    const got: unknown[] = []
    await using _feed = await open.subscribe({}, event => got.push(event.payload))
    for (const n of [1, 2]) await open.publish({ topic: 'eu' }, n)
    await waitFor('the events', () => got.length === 2)
  })

  it('of MQTT that breaks the connection of who may not send does so twice, not for ever', {
    timeout: 20_000,
  }, async () => {
    await using broker = await mosquitto()
    await using way = await road(broker)
    await using other = await carried({ plain: true, carriers: [carrier(broker)], channel: 'prices' })
    const turns: string[] = []
    const told = (one: CarriedNews) => void (one.kind === 'carrier' && turns.push(one.is))
    await using open = await carried({ plain: true, carriers: [carrier(way)], channel: 'prices', told })
    const got: unknown[] = []
    await using _feed = await open.subscribe({}, event => got.push(event.payload))
    way.guard()
    await expect(open.publish({ topic: 'eu' }, 1)).rejects.toThrow('it breaks the connection instead of an answer')
    await waitFor('word of the return', () => turns.includes('back'))
    expect([way.dials, turns]).toEqual([3, ['lost', 'refusing', 'back']])
    // It still hears.
    await waitFor('an event', async () => {
      await other.publish({ topic: 'eu' }, 2)
      return got.length > 0
    })
    expect(way.dials).toBe(3)
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

  const plainOn = (one: Carrier, told?: (news: CarriedNews) => void) =>
    carried({ plain: true, carriers: [one], channel: 'prices', ...(told && { told }) })

  it('takes a login in its address, and shows it to nobody', { timeout: 40_000 }, async () => {
    const config = join(root, 'login.conf')
    writeFileSync(config, 'authorization { user: till, password: "p@ss/1" }\n')
    await using server = await natsServer(undefined, config)
    const { broker } = await guarded('login')
    await using _broker = broker
    const cases = [
      ['nats', server.port, 'till:p%40ss%2F1', nats],
      ['mqtt', broker.port, 'writer:p', mqttBroker],
    ] as const
    for (const [scheme, port, login, make] of cases) {
      const right = make(`${scheme}://${login}@127.0.0.1:${port}`)
      expect(right.url).toBe(`${scheme}://127.0.0.1:${port}`)
      await (await plainOn(right)).close()
      const wrong = plainOn(make(`${scheme}://till:s3cret@127.0.0.1:${port}`))
      await expect(wrong).rejects.toThrow(/refuses: .*It does not take the user "till" and its password/)
      await expect(wrong.catch((error: Error) => error.message)).resolves.not.toContain('s3cret')
      await expect(plainOn(make(`${scheme}://127.0.0.1:${port}`))).rejects.toThrow('lets nobody in without a login')
      await expect(plainOn(make(`${scheme}://no-such-host.invalid:${port}`))).rejects.toThrow(
        /no host no-such-host\.invalid/,
      )
    }
  })

  it('speaks TLS where the address says so, or says why not', { timeout: 40_000 }, async () => {
    const [key, cert] = [join(root, 'tls.key'), join(root, 'tls.pem')]
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]
    execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
    for (const file of [key, cert]) chmodSync(file, 0o644)
    const config = join(root, 'tls.conf')
    writeFileSync(config, `tls { cert_file: "${cert}", key_file: "${key}" }\n`)
    await using server = await natsServer(undefined, config)
    await using broker = await mosquitto(undefined, [
      'allow_anonymous true',
      `certfile ${cert}`,
      `keyfile ${key}`,
      `user ${userInfo().username}`,
    ])
    await using open = await natsServer()
    await expect(plainOn(nats(`tls://127.0.0.1:${server.port}`))).rejects.toThrow('NODE_EXTRA_CA_CERTS')
    await expect(plainOn(mqttBroker(`mqtts://127.0.0.1:${broker.port}`))).rejects.toThrow('NODE_EXTRA_CA_CERTS')
    await expect(plainOn(mqttBroker(`mqtt://127.0.0.1:${broker.port}`))).rejects.toThrow(/use mqtts:/)
    // A server that says it has none gets no password.
    await expect(plainOn(nats(`tls://till:p@127.0.0.1:${open.port}`))).rejects.toThrow('No TLS is spoken there')
    await expect(plainOn(mqttBroker(`mqtts://127.0.0.1:${open.port}`))).rejects.toThrow(/No TLS is spoken there/)
  })

  it.each(['nats', 'mqtt'])(
    'whose password was changed is told, and goes on with the old one: %s',
    { timeout: 40_000 },
    async kind => {
      const config = join(root, 'changing.conf')
      const users = join(root, 'changing.users')
      const start = (password: string, port?: number) => {
        writeFileSync(config, `authorization { user: till, password: ${password} }\n`)
        writeFileSync(users, '')
        execFileSync('mosquitto_passwd', ['-b', users, 'till', password], { stdio: 'ignore' })
        chmodSync(users, 0o644)
        const lines = ['allow_anonymous false', `password_file ${users}`, `user ${userInfo().username}`]
        return kind === 'nats' ? natsServer(port, config) : mosquitto(port, lines)
      }
      const first = await start('old')
      const news: CarriedNews[] = []
      const turns = () => news.flatMap(one => (one.kind === 'carrier' ? [one.is] : []))
      const login = { user: 'till', password: 'old' }
      const one = kind === 'nats' ? nats(first.url, login) : mqttBroker(first.url, login)
      await using _open = await plainOn(one, news.push.bind(news))
      await first[Symbol.asyncDispose]()
      const other = await start('new', first.port)
      await waitFor('word of the refusal', () => turns().includes('refusing'))
      await other[Symbol.asyncDispose]()
      await using _again = await start('old', first.port)
      await waitFor('word of the return', () => turns().includes('back'))
    },
  )

  it('that is away holds up no keeper where another carries the record', { timeout: 30_000 }, async () => {
    await using broker = await natsServer()
    const dir = join(root, 'shop')
    const gone = nats(`nats://127.0.0.1:${await freePort()}`)
    await using writer = await secret('writer', broker)
    const card = await nextEpoch(dir, 'prices', {})
    const told: string[] = []
    const missing = await shareRecord(card, [gone, carrier(broker)], 5_000, (url, { is }) => told.push(`${is} ${url}`))
    expect(missing).toEqual([])
    expect(told).toEqual([`refusing ${gone.url}`])
    expect(writer.epoch).toBe(newestOf(card).number)
  })

  it.each(['nats', 'mqtt'])('that is refused lets the process end: %s', { timeout: 40_000 }, async kind => {
    const config = join(root, 'refusing.conf')
    writeFileSync(config, 'authorization { user: till, password: p }\n')
    await using broker =
      kind === 'nats' ? await natsServer(undefined, config) : await mosquitto(undefined, ['allow_anonymous false'])
    const before = timers()
    await expect(plainOn(carrier(broker))).rejects.toThrow(/refuses/)
    expect(timers()).toBeLessThanOrEqual(before)
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
