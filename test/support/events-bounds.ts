// Servers and clients of events by hand, with shares that are soon full: what fills them, and what is kept.

import { expect } from 'vitest'
import { encode } from '../../src/core/index.ts'
import { idealSignatures } from '../../src/crypto/index.ts'
import { eventsClient } from '../../src/events/client/machine.ts'
import { encodeContent } from '../../src/events/content.ts'
import { eventsDefaults } from '../../src/events/defaults.ts'
import { encodeFilter, parseFilter } from '../../src/events/filter.ts'
import { eventsServer } from '../../src/events/server/machine.ts'
import { signBatch, signCursor } from '../../src/events/signed.ts'
import { type EventsMessage, eventsRecord, type Item, type Source } from '../../src/events/wire.ts'
import { Puppet } from './machine.ts'

export const MIB = 2 ** 20
/** Shares that are soon full. */
export const SMALL = 2 ** 16
export const SERVERS = ['s1', 's2', 's3', 's4']
export const KNOWN = new Map([['', [encode(eventsRecord, { kind: 'known' })]]])
export const FILTER = parseFilter({ price: { lt: 5 } })
export const ENCODED = encodeFilter(FILTER)
export const signatures = idealSignatures()
const keys = { signatures, keyOf: (name: string) => signatures.signer(name).publicKey }
export const settings = { ...eventsDefaults, liars: 1, keys, shareBytesMax: SMALL, clientBytesMax: SMALL }
export const terms = { live: false, keep: { age: 1_000_000_000, bytes: 1_000_000_000 }, identity: new Uint8Array() }
export const source: Source = { channel: 'prices', author: 'ann', boot: '0a' }
export const life = (number: number): Source => ({ ...source, boot: number.toString(16) })

export type Change = Partial<typeof settings>
export function server(change: Change = {}) {
  const puppet = new Puppet(eventsServer({ ...settings, ...change }), SERVERS, KNOWN, 's1')
  puppet.start()
  return puppet
}

export function client(change: Change = {}) {
  const signer = signatures.signer('eve')
  const puppet = new Puppet(eventsClient({ ...settings, ...change, signer }), SERVERS, undefined, 'eve#1')
  puppet.start()
  return puppet
}

export type Server = ReturnType<typeof server>
export type Client = ReturnType<typeof client>
export type Out = ReturnType<Server['hear']> | ReturnType<Client['hear']>
export const sent = (out: Out): EventsMessage[] => {
  const bodies: EventsMessage[] = []
  for (const effect of out) if (effect.kind === 'send') bodies.push(effect.body)
  return bodies
}
export const kinds = (out: Out) => sent(out).map(({ kind }) => kind)

/** An event of so many bytes, signed; with a topic it is to be kept. */
export function item(of: Source, counter: number, bytes = 0, topic?: string, time = 0): Item {
  const attributes = { price: 3, ...(topic !== undefined && { topic }) }
  const content = encodeContent({ attributes, payload: new Uint8Array(bytes), time, retained: topic !== undefined })
  return signBatch(settings, signatures.signer(of.author), of, [{ counter, content, proof: undefined }])[0]!
}

export function publish(to: Server, of: Source, one: Item, more = terms): EventsMessage[] {
  const out = to.hear(of.author, { kind: 'publish', source: of, terms: more, accepted: 0, items: [one] })
  if (out.some(({ kind }) => kind === 'emit')) to.command({ kind: 'flush' })
  return sent(out)
}

/** A subscription of this client at a server, and whether it is kept. */
export function follow(to: Server, from: string, sub: number, filter = ENCODED) {
  return kinds(to.hear(from, { kind: 'follow', sub, channel: 'prices', version: 1, filter, epoch: '', mark: 0 }))[0]
}

export function cursorOf(owner: string, name: string, entries: number, serial = 1) {
  const words = { channel: 'prices', name, owner, generation: 1, instance: 'aa', serial, filter: new Uint8Array(32) }
  const boot = (at: number) => at.toString(16).padStart(32, '0')
  const positions = Array.from({ length: entries }, (_, at) => ({ author: 'ann', boot: boot(at), counter: 1 }))
  return signCursor({ ...settings, signer: signatures.signer(owner) }, { ...words, entries: positions })
}

export function saveCursor(to: Server, owner: string, name: string, entries: number, serial = 1) {
  return kinds(to.hear(owner, { kind: 'save', sub: 1, cursor: cursorOf(owner, name, entries, serial) }))[0]
}

export const enlist = {
  kind: 'enlist',
  sub: 1,
  channel: 'prices',
  version: 1,
  filter: ENCODED,
  place: 0,
  ackWait: 1_000,
  attempts: 2,
  credit: 1_000,
  start: true,
} as const

/** An open subscription, and its two servers: the one that sends, and the witness. */
export function subscribed(change: Change = {}) {
  const eve = client(change)
  const options = {
    channel: 'prices',
    name: '',
    filter: FILTER,
    from: 'start',
    parallel: 1,
    ackWait: 1_000_000,
  } as const
  eve.command({ kind: 'subscribe', id: 1, ...options })
  for (const from of SERVERS) eve.hear(from, { kind: 'loaded', sub: 1, cursor: undefined, entries: [] })
  const [lead, witness] = eve.state.subscriptions.get(1)!.members.map(one => one.server) as [string, string]
  return { eve, lead, witness }
}

export function heads(eve: Client, from: string, sources: readonly Source[], mark = 1) {
  const entries = sources.map(one => ({ ...one, counter: 1, base: 0 }))
  return eve.hear(from, { kind: 'heads', sub: 1, epoch: 'e', mark, alone: false, entries })
}

export function enlisted(change: Change = {}) {
  const eve = client(change)
  const options = { channel: 'prices', name: 'work', filter: FILTER, parallel: 1, ackWait: 1_000 }
  eve.command({ kind: 'enlist', id: 1, ...options, attempts: 2, start: true })
  const [first, second] = eve.state.queues.get(1)!.members.map(one => one.server) as [string, string]
  return { eve, first, second }
}

/** Nearly all of a small share, and no more than that. */
export function isFull(bytes: number | undefined, slack = 2_000): void {
  expect(bytes).toBeGreaterThan(SMALL - slack)
  expect(bytes).toBeLessThanOrEqual(SMALL)
}
