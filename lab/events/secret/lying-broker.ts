// A broker that drops every tenth event. A reader that trusts it hears nothing of that: a plain channel, which has what any client
// of a broker has. A reader of a secret channel is told how many of whose events it did not get, also of the last ones.

import { sha256 } from '@noble/hashes/sha2.js'
import { openPlain } from '../../../src/client/carried/plain.ts'
import { createHost, type Host, type Ports, seededRandom } from '../../../src/core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../../src/crypto/index.ts'
import { parseFilter } from '../../../src/events/index.ts'
import {
  type CarrierMessage,
  decodeFrame,
  encodeRecords,
  issueRecord,
  type MemberCommand,
  type MemberEvent,
  NO_RECORD,
  secretBasics,
  secretMember,
} from '../../../src/events/secret/index.ts'
import type { Carrier, Hear } from '../../../src/runtime/carriers/carrier.ts'
import { type Experiment, type RunOptions, row } from '../../experiment.ts'
import { seededBytes } from './words.ts'

const EVENTS = { small: 500, full: 20_000 }
const DROPS_EVERY = 10
const START_MS = 1_000_000
const ENDS_MS = 20_000
/** Longer than a batch: each event has a message of its own, and the broker drops events, not bundles. */
const APART_MS = 5

type Party = Host<unknown, CarrierMessage, MemberCommand>

/** Two parties, one broker, and a clock that is moved by hand. */
class Table {
  now = 0
  dropped = 0
  readonly told: MemberEvent[] = []
  private readonly parties = new Map<string, Party>()
  private readonly timers: { at: number; name: string; party: string }[] = []
  private readonly listeners = new Map<string, Set<string>>()
  private readonly waiting: (() => void)[] = []
  private events = 0

  add(
    name: string,
    make: (ports: Ports<CarrierMessage, MemberEvent>) => Party,
    random: (length: number) => Uint8Array,
  ): void {
    const drop = (timer: string) => {
      const at = this.timers.findIndex(one => one.name === timer && one.party === name)
      if (at >= 0) this.timers.splice(at, 1)
    }
    const chance = seededRandom(1, 2)
    const party = make({
      now: () => this.now,
      below: bound => chance.below(bound),
      bytes: random,
      send: (_to, body) => this.hear(name, body),
      timer: (timer, after) => {
        drop(timer)
        this.timers.push({ at: this.now + after, name: timer, party: name })
      },
      cancel: drop,
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget() {},
      emit: event => name === 'reader' && this.told.push(event),
    })
    this.parties.set(name, party)
    this.give(name, { kind: 'start' })
  }

  give(name: string, input: Parameters<Party['input']>[0]): void {
    this.parties.get(name)!.input(input)
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) next()
  }

  /** The broker: it drops every tenth event. */
  private hear(from: string, body: CarrierMessage): void {
    if (body.kind === 'listen') this.listeners.set(body.name, (this.listeners.get(body.name) ?? new Set()).add(from))
    if (body.kind !== 'send') return
    const frame = decodeFrame(body.body)
    if (frame.ok && frame.value.kind === 'event' && ++this.events % DROPS_EVERY === 0) {
      this.dropped++
      return
    }
    for (const to of this.listeners.get(body.name) ?? []) {
      this.waiting.push(() =>
        this.parties.get(to)!.input({ kind: 'message', from: 'broker', body: { ...body, kind: 'came' } }),
      )
    }
  }

  /** Time passes, timer by timer. */
  until(end: number): void {
    for (;;) {
      this.timers.sort((one, other) => one.at - other.at)
      const next = this.timers[0]
      if (next === undefined || next.at > end) break
      this.timers.shift()
      this.now = Math.max(this.now, next.at)
      this.give(next.party, { kind: 'timer', name: next.name })
    }
    this.now = end
  }
}

/** A broker for plain channels that drops as many. */
class PlainBroker implements Carrier {
  readonly url = 'plain://lab'
  dropped = 0
  private events = 0
  private readonly listeners = new Set<Hear>()

  async open(hear: Hear) {
    return {
      isConnected: true,
      listen: () => void this.listeners.add(hear),
      leave: () => void this.listeners.delete(hear),
      send: (name: string, body: Uint8Array) => {
        if (++this.events % DROPS_EVERY === 0) this.dropped++
        else for (const listener of this.listeners) listener(name, body)
      },
      flush: async () => {},
      close: async () => {},
    }
  }
}

/** What a reader that trusts the broker is handed, and of how many events it is told that they are missing. */
async function trusting(events: number) {
  const broker = new PlainBroker()
  let told = 0
  const options = { plain: true, carriers: [broker], channel: 'prices', told: () => told++ } as const
  await using reader = await openPlain<number>(options)
  await using writer = await openPlain<number>({ ...options, author: 'writer' })
  let handed = 0
  await using feed = await reader.subscribe({ symbol: 'A' }, () => handed++)
  for (let number = 1; number <= events; number++) await writer.publish({ symbol: 'A' }, number)
  while ((await feed.lag()) > 0) await new Promise(resolve => setTimeout(resolve, 1))
  return { handed, told: told + feed.missed, dropped: broker.dropped }
}

/** What a reader of a secret channel is handed, and told to be missing. */
function secretly(events: number, seed: number) {
  const random = seededBytes(seed)
  const [signatures, sealings] = [idealSignatures(), idealSealing()]
  const channel = { group: 'lab', name: 'channel', id: random(16) }
  const parties = ['reader', 'writer'].map(name => ({
    name,
    reads: name === 'reader',
    writes: name === 'writer',
    signingKey: signatures.signer(name).publicKey,
    sealingKey: sealings(name).publicKey,
  }))
  const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random }
  const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
  const times = { issued: START_MS, from: START_MS, until: START_MS + 3_600_000 }
  const record = issueRecord(
    keeper,
    { channel, number: 1, before: NO_RECORD, ...times, mode: 'tagged', searchable },
    parties,
  )
  const table = new Table()
  for (const name of ['reader', 'writer']) {
    const settings = {
      ...secretBasics,
      channel,
      name,
      keeper: keeper.signer.publicKey,
      signer: signatures.signer(name),
      signatures,
      sealing: sealings(name),
      ciphers: idealCiphers(),
      hash: sha256,
      wall: (now: number) => START_MS + now,
    }
    const saved = new Map([['', [encodeRecords([record])]]])
    table.add(name, ports => createHost(secretMember(settings), name, ['broker'], saved, ports) as Party, random)
    if (name === 'reader')
      table.give(name, { kind: 'command', body: { kind: 'subscribe', id: 0, filter: parseFilter({ symbol: 'A' }) } })
  }
  for (let id = 1; id <= events; id++) {
    const content = { attributes: { symbol: 'A' }, payload: new Uint8Array(8), time: id }
    table.give('writer', { kind: 'command', body: { kind: 'publish', id, content } })
    table.until(id * APART_MS)
  }
  table.until(events * APART_MS + ENDS_MS)
  const handed = table.told.filter(({ kind }) => kind === 'handed').length
  const missed = table.told.reduce((sum, event) => sum + (event.kind === 'missed' ? event.to - event.from + 1 : 0), 0)
  return { handed, missed, dropped: table.dropped }
}

async function run({ scale, seed }: RunOptions) {
  const events = EVENTS[scale]
  const plain = await trusting(events)
  const { handed, missed, dropped } = secretly(events, seed)
  return {
    rows: [
      row('a reader that trusts the broker is handed', plain.handed, events - plain.dropped, 0),
      row('and is told to be missing', plain.told, 0, 0),
      row('a secret channel: events that the broker dropped', dropped, events / DROPS_EVERY, 0),
      row('events handed over', handed, events - dropped, 0),
      row('events told to be missing', missed, dropped, 0),
      row('events of which nothing is known', events - handed - missed, 0, 0),
    ],
    pictures: [],
    notes: [
      'The last event is among those dropped: the author’s totals show it.',
      'test/e2e/carried.test.ts has the same with real brokers.',
    ],
  }
}

export const lyingBroker: Experiment = {
  name: 'lying-broker',
  title: 'A broker that drops every tenth event, and who notices',
  source: 'LECTURE, PEKS; protocols/secret-events 6',
  run,
}
