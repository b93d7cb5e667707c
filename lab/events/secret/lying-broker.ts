// A broker that drops every tenth event. A reader that trusts it hears nothing of that; a reader of a secret channel is told how
// many of whose events it did not get, also of the last ones.

import { sha256 } from '@noble/hashes/sha2.js'
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

function run({ scale, seed }: RunOptions) {
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
  for (let id = 1; id <= EVENTS[scale]; id++) {
    const content = { attributes: { symbol: 'A' }, payload: new Uint8Array(8), time: id }
    table.give('writer', { kind: 'command', body: { kind: 'publish', id, content } })
    table.until(id * APART_MS)
  }
  table.until(EVENTS[scale] * APART_MS + ENDS_MS)
  const handed = table.told.filter(({ kind }) => kind === 'handed').length
  const missed = table.told.reduce((sum, event) => sum + (event.kind === 'missed' ? event.to - event.from + 1 : 0), 0)
  return {
    rows: [
      row('events that the broker dropped', table.dropped, EVENTS[scale] / DROPS_EVERY, 0),
      row('events handed over', handed, EVENTS[scale] - table.dropped, 0),
      row('events told to be missing', missed, table.dropped, 0),
      row('events of which nothing is known', EVENTS[scale] - handed - missed, 0, 0),
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
