// Events through servers, beside NATS and JetStream, all on loopback in one run, one client that publishes and reads.
//
// Ours with mutual TLS, NATS without. Ours syncs every durable event at n - f of n servers before it is accepted; JetStream
// (one replica, file) answers before its file is synced. 256 bytes of payload each.

import { connect as natsConnect } from '@nats-io/transport-node'
import { missing } from '../../lab/debian.ts'
import { connect } from '../../src/client/connect.ts'
import { coterieService } from '../lock/coterie.ts'
import { median, type Print, printTable, show } from '../support/figures.ts'
import { freePorts, makeFolder, start, stop, stopAll, untilReady } from '../support/processes.ts'

/** A service as the measures see it. */
interface Service {
  publish(payload: Uint8Array): Promise<unknown>
  /** Hears of every event that is delivered, and of how many were missed. */
  subscribe(heard: (count: number) => void, missed: (count: number) => void): Promise<void>
  stop(): Promise<void>
}

interface Contender {
  readonly name: string
  readonly missing?: string | undefined
  open(): Promise<Service>
}

export interface ServersFigures {
  readonly name: string
  /** Events a second, published with 256 in flight until the last is accepted and delivered; the median of several flights. */
  readonly rate: number
  /** Milliseconds, one at a time: until accepted, and until delivered. */
  readonly acceptedMs: number
  readonly deliveredMs: number
  /** Of a live channel: events that its subscriber was too slow for, and was told of. */
  readonly missed: number
}

const PAYLOAD = new Uint8Array(256).fill(7)
const IN_FLIGHT = 256
/** Rates are medians over flights, after one that warms the compilers: the first thousands take three times as long. */
const FLIGHTS = 3
const FLIGHT_EVENTS = 15_000
const WARM_EVENTS = 10_000
const ALONE = 200
const CONNECT_MS = 30_000

const ours = (name: string, shape: { servers: number; liars: number }, durable: boolean): Contender => ({
  name,
  async open() {
    const cluster = await coterieService(name, { ...shape, crashes: 1, lying: 0 }).start()
    if (cluster.address.kind !== 'coterie') throw new Error('another service was started')
    const group = await connect({ config: cluster.address.config, timeout: CONNECT_MS })
    const channel = group.events<Uint8Array>('bench', { durable })
    return {
      publish: payload => channel.publish({ price: 3 }, payload),
      subscribe: async (heard, missed) =>
        channel.subscribe({ price: { lt: 10 } }, { onMissed: ({ count }) => missed(count) }, () => heard(1)).ready,
      async stop() {
        await group.close()
        await cluster.stop()
      },
    }
  },
})

const nats = (name: string, stream: boolean): Contender => ({
  name,
  missing: missing('nats-server', 'nats-server'),
  async open() {
    const port = await freePorts(1)
    const folder = await makeFolder('nats')
    const flags = stream ? ['-js', '-sd', folder] : []
    const server = start('nats-server', ['-a', '127.0.0.1', '-p', String(port), ...flags])
    await untilReady('nats-server', server, () => server.output().includes('Server is ready'))
    const client = await natsConnect({ servers: `127.0.0.1:${port}` })
    if (stream) await client.request('$JS.API.STREAM.CREATE.bench', JSON.stringify(STREAM))
    return {
      publish: async payload => (stream ? client.request('bench', payload) : client.publish('bench', payload)),
      async subscribe(heard) {
        client.subscribe('bench', { callback: () => heard(1) })
        await client.flush()
      },
      async stop() {
        await client.close()
        await stop(server)
      },
    }
  },
})

const STREAM = { name: 'bench', subjects: ['bench'], storage: 'file', num_replicas: 1, retention: 'limits' }

const CONTENDERS: readonly Contender[] = [
  ours('durable, 3 servers', { servers: 3, liars: 0 }, true),
  ours('live, 3 servers', { servers: 3, liars: 0 }, false),
  ours('durable, 4 servers, 1 may lie', { servers: 4, liars: 1 }, true),
  nats('JetStream, 1 server', true),
  nats('NATS, 1 server', false),
]

/** Hears events, and says when so many came or were missed: who waits for all of a live channel may wait for ever. */
class Counter {
  missed = 0
  private heard = 0
  private wanted = 0
  private reached = () => {}

  hear = (count: number): void => {
    this.heard += count
    if (this.heard >= this.wanted) this.reached()
  }

  miss = (count: number): void => {
    this.missed += count
    this.hear(count)
  }

  more(count: number): Promise<void> {
    this.wanted = this.heard + count
    return new Promise(resolve => {
      this.reached = resolve
    })
  }
}

async function measure({ name, open }: Contender): Promise<ServersFigures> {
  const service = await open()
  try {
    const counter = new Counter()
    await service.subscribe(counter.hear, counter.miss)
    await flight(service, counter, WARM_EVENTS)
    const [accepted, delivered]: [number[], number[]] = [[], []]
    for (let i = 0; i < ALONE; i++) {
      const arrived = counter.more(1)
      const begin = performance.now()
      await Promise.all([
        service.publish(PAYLOAD).then(() => accepted.push(performance.now() - begin)),
        arrived.then(() => delivered.push(performance.now() - begin)),
      ])
    }
    const rates: number[] = []
    for (let i = 0; i < FLIGHTS; i++) rates.push(await flight(service, counter, FLIGHT_EVENTS))
    const { missed } = counter
    return { name, rate: median(rates), acceptedMs: median(accepted), deliveredMs: median(delivered), missed }
  } finally {
    await service.stop()
  }
}

async function flight(service: Service, counter: Counter, events: number): Promise<number> {
  const arrived = counter.more(events)
  const begin = performance.now()
  let left = events
  const lane = async () => {
    while (left-- > 0) await service.publish(PAYLOAD)
  }
  await Promise.all([arrived, ...Array.from({ length: IN_FLIGHT }, lane)])
  return (events / (performance.now() - begin)) * 1_000
}

/** The rows of events through servers. */
export async function measureServers(print: Print): Promise<ServersFigures[]> {
  const found: ServersFigures[] = []
  try {
    for (const contender of CONTENDERS) {
      if (contender.missing !== undefined) print(`${contender.name}: left out, ${contender.missing}`)
      else {
        const figures = await measure(contender)
        const { name, rate, acceptedMs, deliveredMs } = figures
        print(`${name}: ${show(rate)} events/s, ${show(acceptedMs)} and ${show(deliveredMs)} ms`)
        found.push(figures)
      }
    }
  } finally {
    await stopAll()
  }
  printServers(print, found)
  return found
}

interface Goal {
  readonly what: string
  readonly value: number | undefined
  readonly goal: number
  /** The value is to be at most the goal, and not at least. */
  readonly most?: boolean
}

function goals(found: readonly ServersFigures[]): Goal[] {
  const of = (name: string) => found.find(one => one.name.startsWith(name))
  const ratio = (one: string, other: string) => of(one) && of(other) && of(one)!.rate / of(other)!.rate
  return [
    { what: 'durable, events/s', value: of('durable, 3')?.rate, goal: 20_000 },
    { what: 'durable × JetStream', value: ratio('durable, 3', 'JetStream'), goal: 1 },
    { what: 'live × NATS', value: ratio('live', 'NATS'), goal: 0.25 },
    { what: 'signed × unsigned', value: ratio('durable, 4', 'durable, 3'), goal: 0.4 },
    { what: 'durable, accepted ms', value: of('durable, 3')?.acceptedMs, goal: 1.2, most: true },
    { what: 'live, delivered ms', value: of('live')?.deliveredMs, goal: 0.5, most: true },
    { what: 'signed and checked, delivered ms', value: of('durable, 4')?.deliveredMs, goal: 1.5, most: true },
  ]
}

function printServers(print: Print, found: readonly ServersFigures[]): void {
  print('events through servers: published with 256 in flight, accepted and delivered; wall clock')
  printTable(
    print,
    ['', 'events/s', 'accepted ms', 'delivered ms', 'missed'],
    found.map(({ name, rate, acceptedMs, deliveredMs, missed }) => {
      return [name, show(rate), show(acceptedMs), show(deliveredMs), show(missed)]
    }),
  )
  for (const { what, value, goal, most = false } of goals(found)) {
    if (value === undefined) continue
    const met = most ? value <= goal : value >= goal
    print(`${what}: ${show(value)} (${most ? 'at most' : 'at least'} ${goal}: ${met ? 'met' : 'MISSED'})`)
  }
}
