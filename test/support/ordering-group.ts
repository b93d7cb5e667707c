// Servers and clients in one group, where nothing is lost and messages wait until they are carried: for tests that tell
// a story message by message.

import { createHost, decode, encode, type Host, type NodeId, type Random, type Saved } from '../../src/core/index.ts'
import type { OrderingCommand, OrderingEvent } from '../../src/ordering/client/commands.ts'
import { type OrderingClient, orderingClient } from '../../src/ordering/client/machine.ts'
import type { ClientState } from '../../src/ordering/client/state.ts'
import { orderingDefaults } from '../../src/ordering/defaults.ts'
import { orderingServer } from '../../src/ordering/server/machine.ts'
import type { ServerState } from '../../src/ordering/server/state.ts'
import type { OrderingSettings } from '../../src/ordering/settings.ts'
import { encodeChange } from '../../src/ordering/versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../../src/ordering/versions/digest.ts'
import { type OrderingMessage, orderingVocabulary, type Rank } from '../../src/ordering/wire.ts'

export const utf8 = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
export const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : decoder.decode(bytes))
export const settings: OrderingSettings = {
  ...orderingDefaults,
  findApplier: () => ({
    apply(view, body, { seq }) {
      if (text(body) === 'throw') throw new Error('no')
      view.set('last', body)
      return utf8.encode(`${seq}:${text(body)}`)
    },
  }),
}

type Message = { readonly from: NodeId; readonly to: NodeId; readonly body: OrderingMessage }

/** Where two lives of a server must not draw the same: else numbers are 0, and bytes of its name. */
type Chance = Pick<Random, 'below' | 'bytes'>

export class TestGroup {
  now = 0
  /** What the way swallows, until a story says otherwise. */
  lost: (message: Message) => boolean = () => false
  readonly hosts = new Map<NodeId, Host<unknown, OrderingMessage, OrderingCommand>>()
  readonly events: (OrderingEvent & { who: NodeId })[] = []
  readonly carried: Message[] = []
  readonly disks = new Map<NodeId, Uint8Array[]>()
  readonly servers: readonly NodeId[]
  private readonly chance: Chance | undefined
  private readonly queue: Message[] = []
  private readonly timers = new Map<string, { due: number; fire: () => void }>()

  constructor(servers: readonly NodeId[], change: Partial<OrderingSettings> = {}, chance?: Chance) {
    this.servers = servers
    this.chance = chance
    for (const server of servers) this.serve(server, change)
  }

  serve(id: NodeId, change: Partial<OrderingSettings> = {}): void {
    const peers = this.servers.filter(server => server !== id)
    const saved: Saved = new Map([['', this.disks.get(id) ?? []]])
    this.host(id, orderingServer({ ...settings, ...change }), peers, saved)
  }

  join(id: NodeId, change: Partial<OrderingSettings> = {}): void {
    this.host(id, orderingClient({ ...settings, ...change }), this.servers, new Map())
  }

  private host(
    id: NodeId,
    protocol: ReturnType<typeof orderingServer> | OrderingClient,
    peers: readonly NodeId[],
    saved: Saved,
  ) {
    const disk = this.disks.get(id) ?? []
    this.disks.set(id, disk)
    const host = createHost(protocol as OrderingClient, id, peers, saved, {
      now: () => this.now,
      below: bound => this.chance?.below(bound) ?? 0,
      bytes: length => this.chance?.bytes(length) ?? new Uint8Array(length).fill(id.charCodeAt(0)),
      send: (to, body) => this.queue.push({ from: id, to, body }),
      timer: (name, after) =>
        this.timers.set(`${id} ${name}`, { due: this.now + after, fire: () => host.input({ kind: 'timer', name }) }),
      cancel: name => this.timers.delete(`${id} ${name}`),
      save: (_lane, record, _options, durable) => {
        disk.push(record)
        ;(durable as (() => void) | undefined)?.()
      },
      forget: () => {},
      emit: event => this.events.push({ ...event, who: id }),
    })
    this.hosts.set(id, host as Host<unknown, OrderingMessage, OrderingCommand>)
    host.input({ kind: 'start' })
  }

  /** Carries everything, except what `lost` says; each message goes over the wire. */
  carry(lost = this.lost): void {
    for (let message = this.queue.shift(); message !== undefined; message = this.queue.shift()) {
      this.carried.push(message)
      const decoded = decode(orderingVocabulary, encode(orderingVocabulary, message.body))
      if (!decoded.ok) throw new Error(decoded.refusal)
      if (!lost(message))
        this.hosts.get(message.to)?.input({ kind: 'message', from: message.from, body: decoded.value })
    }
  }

  /** The process is gone. */
  leave(id: NodeId): void {
    this.hosts.get(id)!.end()
    this.hosts.delete(id)
  }

  /** One message that comes from nowhere: late, twice, or from a liar. */
  hear(from: NodeId, to: NodeId, body: OrderingMessage): void {
    this.hosts.get(to)!.input({ kind: 'message', from, body })
  }

  /** A message, and the answers to it. */
  tell(from: NodeId, to: NodeId, body: OrderingMessage): OrderingMessage[] {
    const start = this.carried.length
    this.hear(from, to, body)
    this.carry()
    return this.carried
      .slice(start)
      .filter(message => message.from === to && message.to === from)
      .map(({ body }) => body)
  }

  /** Lets time pass, timer by timer. */
  pass(millis: number): void {
    const until = this.now + millis
    for (;;) {
      const next = [...this.timers].sort((a, b) => a[1].due - b[1].due)[0]
      if (next === undefined || next[1].due > until) break
      this.now = Math.max(this.now, next[1].due)
      this.timers.delete(next[0])
      next[1].fire()
      this.carry()
    }
    this.now = until
  }

  /** The timers that a process has set. */
  pendingTimers(id: NodeId): string[] {
    return [...this.timers.keys()].filter(name => name.startsWith(`${id} `))
  }

  command(id: NodeId, body: OrderingCommand): void {
    this.hosts.get(id)!.input({ kind: 'command', body })
  }

  do(id: NodeId, body: OrderingCommand): void {
    this.command(id, body)
    this.carry()
  }

  heard(kind: OrderingEvent['kind']): (OrderingEvent & { who: NodeId })[] {
    return this.events.filter(event => event.kind === kind)
  }

  state(id: NodeId): ServerState {
    return this.hosts.get(id)!.state as ServerState
  }

  server(id: NodeId) {
    return this.state(id).objects.get('o')!
  }

  clientObject(id: NodeId) {
    return (this.hosts.get(id)!.state as ClientState).objects.get('o')!
  }
}

export const SERVERS = ['s1', 's2', 's3']
export const rank = (counter: number, client = 'c'): Rank => ({ counter, client })
export const get = (counter: number, client = 'c'): OrderingMessage => {
  const none = { have: 0, content: true, operations: [], proof: new Uint8Array(0) }
  return { kind: 'get', object: 'o', rank: rank(counter, client), ...none }
}
const changeTo = (value: string) => encodeChange([{ key: 'x', value: utf8.encode(value) }])
export function propose(counter: number, version: number, value: string, parent = FIRST_DIGEST, client = 'c') {
  const change = changeTo(value)
  const digest = nextDigest(settings.hash, parent, version, change)
  return { kind: 'propose' as const, object: 'o', rank: rank(counter, client), version, parent, digest, change }
}

export function opened(change: Partial<OrderingSettings> = {}): TestGroup {
  const group = new TestGroup(SERVERS, change)
  group.join('c', change)
  group.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
  return group
}
