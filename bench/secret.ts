// Secret channels beside the bare broker: NATS and mosquitto as they come from Debian, both ends in this process; the matcher
// of counted mode; searchable encryption beside a bare pairing.
//
// Rates are messages for a second of wall time through a broker, medians over rounds in which ours and the bare one take
// turns after three that are not counted; of matcher and pairing for a second of processor time.
//
// Through NATS twice: all events with one keyword, which travel in bundles, and with 64 keywords in turn. Then what has no target: a
// key for each pair; peks with a matcher in this process, 200 events a round, since each takes a pairing; and plain channels, in
// which nothing is hidden and every event is a message of its own.
//
// Options: --events N (9,000 a round), --rounds N (5), --trapdoors N (100,000), --only TEXT (rows whose name has it).

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { carried } from '../src/client/carried/index.ts'
import { createHost } from '../src/core/index.ts'
import { mclEngine, peksKeys, peksMark, peksTrapdoor, peksWriter } from '../src/crypto/peks/index.ts'
import { countedTag, encodeFrame, secretMatcher, secretRules } from '../src/events/secret/index.ts'
import type { Carrier } from '../src/runtime/carriers/carrier.ts'
import { mqttBroker } from '../src/runtime/carriers/mqtt.ts'
import { nats } from '../src/runtime/carriers/nats.ts'
import { runMatcher } from '../src/runtime/carriers/share.ts'
import { newChannel } from '../src/runtime/channels.ts'
import { opensslCiphers } from '../src/runtime/ciphers.ts'
import { randomBytes } from '../src/runtime/platform.ts'
import { initGroup } from '../src/runtime/setup/group.ts'
import { type Broker, mosquitto, natsServer, noMosquitto, noNats } from '../test/support/brokers.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

interface Measured {
  readonly what: string
  readonly ours: number
  readonly peer: number | undefined
  /** Without one there is no target. */
  readonly least?: number
}

/** How a channel hides, and what is sent. */
interface Way {
  readonly what: string
  readonly least?: number
  readonly keywords: number
  readonly channel: 'tagged' | 'paired' | 'peks' | 'plain'
  /** A round has no more: pairings take milliseconds. */
  readonly eventsMax?: number
}

const PAYLOAD = new Uint8Array(200)
const WARM_ROUNDS = 3

/** So many messages through the broker as it is, until all have come. */
async function bare(carrier: Carrier, events: number): Promise<number> {
  let came = 0
  let done = () => {}
  const all = new Promise<void>(resolve => {
    done = resolve
  })
  const reader = await carrier.open(() => ++came === events && done())
  const writer = await carrier.open(() => {})
  reader.listen('bench')
  await reader.flush()
  await new Promise(resolve => setTimeout(resolve, 100))
  const began = performance.now()
  for (let event = 0; event < events; event++) writer.send('bench', new Uint8Array(256))
  await all
  const rate = events / ((performance.now() - began) / 1000)
  await Promise.all([reader.close(), writer.close()])
  return rate
}

/** The same, sealed, signed in batches, opened and checked, or plain; with so many keywords in turn. */
async function sealed(folder: string, carrier: Carrier, events: number, { keywords, channel }: Way): Promise<number> {
  const symbols = Array.from({ length: keywords }, (_, at) => `S${at}`)
  const open = (name: string) => {
    if (channel === 'plain') return carried<Uint8Array>({ plain: true, carriers: [carrier], channel, author: name })
    const secret = channel === 'peks' ? { secret: { mode: 'peks', guessable: true } as const } : {}
    return carried<Uint8Array>({ identity: join(folder, 'clients', name), carriers: [carrier], channel, ...secret })
  }
  await using reader = await open('reader')
  await using writer = await open('writer')
  let came = 0
  let done = () => {}
  const all = new Promise<void>(resolve => {
    done = resolve
  })
  await using _feed = await reader.subscribe({ symbol: { in: symbols } }, () => ++came === events && done())
  await new Promise(resolve => setTimeout(resolve, 100))
  const began = performance.now()
  const publish = (_: unknown, at: number) => writer.publish({ symbol: symbols[at % keywords]! }, PAYLOAD)
  await Promise.all(Array.from({ length: events }, publish))
  await all
  return events / ((performance.now() - began) / 1000)
}

async function throughBroker(folder: string, carrier: Carrier, size: Sizes, way: Way): Promise<Measured> {
  const { what, least, eventsMax = size.events } = way
  const events = Math.min(size.events, eventsMax)
  const [ours, peer]: [number[], number[]] = [[], []]
  // Both warm: the first rounds of either are several times slower, and tell of compilers.
  for (let round = 0; round < WARM_ROUNDS; round++) {
    await bare(carrier, size.events)
    await sealed(folder, carrier, events, way)
  }
  for (let round = 0; round < size.rounds; round++) {
    peer.push(await bare(carrier, size.events))
    ours.push(await sealed(folder, carrier, events, way))
  }
  return { what, ours: median(ours), peer: median(peer), ...(least !== undefined && { least }) }
}

function seconds(work: () => void): number {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

/** Tags a second, of which one in a hundred is looked out for. */
function matching(trapdoors: number): Measured {
  const LAP = 7
  const id = randomBytes(16)
  const settings = {
    rules: secretRules,
    lap: 10_000,
    channels: [id],
    ciphers: opensslCiphers,
    wall: () => LAP * 10_000 + 1,
    forgetAfter: 1e9,
  }
  const ports = {
    now: () => 0,
    below: () => 0,
    bytes: randomBytes,
    send() {},
    timer() {},
    cancel() {},
    save() {},
    forget() {},
    emit() {},
  }
  const host = createHost(secretMatcher(settings), 'matcher', ['broker'], new Map(), ports)
  host.input({ kind: 'start' })
  const came = (body: Uint8Array) =>
    host.input({ kind: 'message', from: 'broker', body: { kind: 'came', name: 'x', body } })
  const keys: Uint8Array[] = []
  for (let box = 0; keys.length < trapdoors; box++) {
    const some = Array.from({ length: Math.min(4_096, trapdoors - keys.length) }, () => randomBytes(16))
    keys.push(...some)
    came(encodeFrame({ kind: 'trapdoors', box: `box${box}`, trapdoors: some, first: true }))
  }
  const TAGS = 8
  const frames = Array.from({ length: 5_000 }, (_, at) => {
    const tags = Array.from({ length: TAGS }, () => randomBytes(16))
    if (at % 12 === 0) tags[0] = countedTag(opensslCiphers, secretRules, keys[at % keys.length]!, LAP, 0)
    return encodeFrame({
      kind: 'event',
      epoch: 1,
      lap: LAP,
      tags,
      nonce: new Uint8Array(12),
      sealed: new Uint8Array(272),
    })
  })
  const rates = Array.from({ length: 5 }, () => (frames.length * TAGS) / seconds(() => frames.forEach(came)))
  return {
    what: `counted, tags at ${trapdoors.toLocaleString('en-US')} trapdoors`,
    ours: median(rates),
    peer: undefined,
    least: 100_000,
  }
}

async function testing(): Promise<Measured> {
  const engine = await mclEngine()
  const { secret, publicKey } = peksKeys(engine, randomBytes)
  const word = new TextEncoder().encode('a keyword')
  const point = engine.decodeSecond(peksWriter(engine, publicKey, 'bench')!.mark([word], randomBytes).point)!
  const trapdoor = engine.decodeFirst(peksTrapdoor(engine, secret, word))!
  const COUNT = 30
  const rate = (work: () => void) =>
    COUNT /
    seconds(() => {
      for (let i = 0; i < COUNT; i++) work()
    })
  const rounds = Array.from({ length: 7 }, () => [
    rate(() => peksMark(engine, 'bench', trapdoor, point)),
    rate(() => engine.pair(trapdoor, point)),
  ])
  return {
    what: 'peks test, beside a bare pairing',
    ours: median(rounds.map(([one]) => one!)),
    peer: median(rounds.map(([, two]) => two!)),
    least: 0.8,
  }
}

interface Sizes {
  readonly events: number
  readonly rounds: number
  readonly trapdoors: number
}

const NATS_WAYS: readonly Way[] = [
  { what: 'tagged over NATS, sealed, signed in batches', least: 0.12, keywords: 1, channel: 'tagged' },
  { what: 'the same, 64 keywords in turn', least: 0.1, keywords: 64, channel: 'tagged' },
  { what: 'paired over NATS, one reader', keywords: 1, channel: 'paired' },
  { what: 'peks over NATS, one reader and trapdoor', keywords: 1, channel: 'peks', eventsMax: 200 },
  { what: 'plain over NATS', keywords: 1, channel: 'plain' },
]
const MOSQUITTO_WAYS: readonly Way[] = [
  { what: 'tagged over mosquitto, QoS 0', least: 0.4, keywords: 1, channel: 'tagged' },
  { what: 'plain over mosquitto, QoS 0', keywords: 1, channel: 'plain' },
]

/** A group with a channel for each way of hiding; the id of the one that needs a matcher. */
async function prepare(shop: string): Promise<Uint8Array> {
  await initGroup({ dir: shop, servers: 1, liars: 0, crashes: 0, clients: ['writer', 'reader'] })
  const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
  const parties = { readers: ['reader'], writers: ['writer'] }
  for (const mode of ['tagged', 'paired'] as const) await newChannel(shop, mode, parties, { mode, searchable })
  return (await newChannel(shop, 'peks', parties, { mode: 'peks', searchable })).channel.id
}

/** One row, through a broker of its own. */
async function oneWay(shop: string, start: () => Promise<Broker>, size: Sizes, way: Way, id: Uint8Array) {
  await using broker = await start()
  const carrier = broker.url.startsWith('nats:') ? nats(broker.url) : mqttBroker(broker.url)
  if (way.channel !== 'peks') return await throughBroker(shop, carrier, size, way)
  const pairing = await mclEngine()
  const fails = (error: Error) => {
    throw error
  }
  const matcher = await runMatcher({ carriers: [carrier], channels: [id], pairing }, () => {}, fails)
  const measured = await throughBroker(shop, carrier, size, way)
  await matcher.close()
  return measured
}

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<Measured[]> {
  const option = (name: string, usual: number) => Number(args[args.indexOf(name) + 1] || Number.NaN) || usual
  const size = {
    events: option('--events', 9_000),
    rounds: option('--rounds', 5),
    trapdoors: option('--trapdoors', 100_000),
  }
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '') : ''
  const measured: Measured[] = []
  const folder = mkdtempSync(join(tmpdir(), 'coterie-bench-'))
  const shop = join(folder, 'shop')
  try {
    const id = await prepare(shop)
    const through = async (why: string | undefined, start: () => Promise<Broker>, ways: readonly Way[]) => {
      for (const way of ways) {
        if (!way.what.includes(only)) continue
        if (why === undefined) measured.push(await oneWay(shop, start, size, way, id))
        else print(`${way.what}: skipped. ${why}`)
      }
    }
    await through(noNats, natsServer, NATS_WAYS)
    await through(noMosquitto, mosquitto, MOSQUITTO_WAYS)
    if ('counted'.includes(only)) measured.push(matching(size.trapdoors))
    if ('peks test'.includes(only)) measured.push(await testing())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  printTable(
    print,
    ['', 'ours a second', 'bare', 'ratio', 'target'],
    measured.map(({ what, ours, peer, least }) => {
      const value = peer === undefined ? ours : ours / peer
      return [
        what,
        show(ours),
        show(peer),
        show(peer && ours / peer),
        least === undefined ? '' : `≥ ${least} ${value >= least ? 'met' : 'MISSED'}`,
      ]
    }),
  )
  return measured
}
