// The machines alone, message by message: get, propose and commit at a server (BACKOFF figure 3, PROTOCOLS F), and a
// client with its servers in one room, where nothing is lost and messages wait until they are carried.

import { describe, expect, it } from 'vitest'
import { createHost, decode, encode, type Host, type NodeId, type Saved } from '../core/index.ts'
import { idealSignatures } from '../crypto/index.ts'
import { type OrderingClient, orderingClient } from './client.ts'
import type { ClientState } from './client-state.ts'
import { encodeChange } from './content.ts'
import { FIRST_DIGEST, nextDigest } from './digest.ts'
import { type OrderingMessage, orderingVocabulary, type Rank } from './messages.ts'
import type { ServerState } from './objects.ts'
import { orderingServer } from './server.ts'
import { type OrderingSettings, orderingDefaults } from './settings.ts'
import type { OrderingCommand, OrderingEvent } from './state.ts'

const utf8 = new TextEncoder()
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes))
const settings: OrderingSettings = {
  ...orderingDefaults,
  findApplier: () => ({
    apply(view, body, { seq }) {
      if (text(body) === 'throw') throw new Error('no')
      view.set('last', body)
      return utf8.encode(`${seq}:${text(body)}`)
    },
  }),
}

/** Servers and clients in one room. */
class Room {
  now = 0
  readonly hosts = new Map<NodeId, Host<unknown, OrderingMessage, OrderingCommand>>()
  readonly events: (OrderingEvent & { who: NodeId })[] = []
  readonly carried: { from: NodeId; to: NodeId; body: OrderingMessage }[] = []
  readonly disks = new Map<NodeId, Uint8Array[]>()
  readonly servers: readonly NodeId[]
  private readonly queue: { from: NodeId; to: NodeId; body: OrderingMessage }[] = []
  private readonly timers = new Map<string, { due: number; fire: () => void }>()

  constructor(servers: readonly NodeId[]) {
    this.servers = servers
    for (const server of servers) this.serve(server)
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
      below: () => 0,
      bytes: length => new Uint8Array(length).fill(id.charCodeAt(0)),
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
  carry(lost: (message: { from: NodeId; to: NodeId; body: OrderingMessage }) => boolean = () => false): void {
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

  tell(from: NodeId, to: NodeId, body: OrderingMessage): OrderingMessage[] {
    const start = this.carried.length
    this.hosts.get(to)!.input({ kind: 'message', from, body })
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

  server(id: NodeId) {
    return (this.hosts.get(id)!.state as ServerState).objects.get('o')!
  }
}

const SERVERS = ['s1', 's2', 's3']
const rank = (counter: number, client = 'c'): Rank => ({ counter, client })
const get = (counter: number, client = 'c'): OrderingMessage => {
  const none = { have: 0, content: true, operations: [], proof: new Uint8Array(0) }
  return { kind: 'get', object: 'o', rank: rank(counter, client), ...none }
}
const changeTo = (value: string) => encodeChange([{ key: 'x', value: utf8.encode(value) }])
function propose(counter: number, version: number, value: string, parent = FIRST_DIGEST, client = 'c') {
  const change = changeTo(value)
  const digest = nextDigest(settings.hash, parent, version, change)
  return { kind: 'propose' as const, object: 'o', rank: rank(counter, client), version, parent, digest, change }
}

describe('a server (figure 3)', () => {
  it('lines 5-10: serves a higher rank and refuses a lower one, naming what it promised', () => {
    const room = new Room(SERVERS)
    expect(room.tell('c', 's1', get(5))).toMatchObject([{ kind: 'got', committed: { version: 0 } }])
    expect(room.tell('c', 's1', get(5))).toMatchObject([{ kind: 'refused', promised: rank(5) }])
    expect(room.tell('c', 's1', get(4))).toMatchObject([{ kind: 'refused', promised: rank(5) }])
  })
  it('tells another that it is busy, without raising its rank, until the turn has run out', () => {
    const room = new Room(SERVERS)
    room.tell('c', 's1', get(5))
    expect(room.tell('d', 's1', get(6, 'd'))).toMatchObject([{ kind: 'busy', promised: rank(5) }])
    expect(room.server('s1').promised).toEqual(rank(5))
    room.pass(settings.turnMs)
    expect(room.tell('d', 's1', get(6, 'd'))).toMatchObject([{ kind: 'got' }])
  })
  it('lines 11-18: takes a proposal of its rank or a higher one; F 2: its parent is committed', () => {
    const room = new Room(SERVERS)
    room.tell('c', 's1', get(5))
    const first = propose(5, 1, 'one')
    expect(room.tell('c', 's1', first)).toMatchObject([{ kind: 'accepted', version: 1 }])
    expect(room.server('s1').committed.version).toBe(0)
    room.tell('c', 's1', propose(5, 2, 'two', first.digest))
    expect(room.server('s1').committed).toEqual({ version: 1, digest: first.digest })
    expect(text(room.server('s1').content.table.get('x'))).toBe('one')
    expect(room.tell('c', 's1', propose(4, 3, 'late'))).toMatchObject([{ kind: 'refused' }])
  })
  it('F 1: within a rank it goes forward only, and says yes again to what it took', () => {
    const room = new Room(SERVERS)
    const first = propose(5, 1, 'one')
    const second = propose(5, 2, 'two', first.digest)
    room.tell('c', 's1', first)
    room.tell('c', 's1', second)
    expect(room.tell('c', 's1', first)).toEqual([])
    expect(room.tell('c', 's1', second)).toMatchObject([{ kind: 'accepted', version: 2 }])
    expect(room.server('s1').proposed?.version).toBe(2)
    room.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    room.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 2, digest: second.digest })
    room.tell('c', 's1', { kind: 'commit', object: 'o', rank: rank(5), version: 1, digest: first.digest })
    expect(room.server('s1').committed.version).toBe(2)
  })
  it('does not listen to who speaks under another’s rank, nor to a server that speaks as a client', () => {
    const room = new Room(SERVERS)
    expect(room.tell('d', 's1', get(5, 'c'))).toEqual([])
    expect(room.tell('s2', 's1', get(5, 's2'))).toEqual([])
    expect(room.tell('s2', 's1', propose(5, 1, 'lie', FIRST_DIGEST, 's2'))).toEqual([])
    expect(room.hosts.get('s1')!.state).toMatchObject({ complained: 0 })
  })
  it('has after a crash what it promised and took', () => {
    const room = new Room(SERVERS)
    const first = propose(5, 1, 'one')
    room.tell('c', 's1', first)
    room.tell('c', 's1', propose(5, 2, 'two', first.digest))
    room.pass(settings.turnMs)
    room.tell('d', 's1', get(9, 'd'))
    room.serve('s1')
    expect(room.server('s1')).toMatchObject({
      promised: rank(9, 'd'),
      committed: { version: 1 },
      proposed: { version: 2 },
    })
    expect(text(room.server('s1').content.table.get('x'))).toBe('one')
  })
})

function opened(change: Partial<OrderingSettings> = {}): Room {
  const room = new Room(SERVERS)
  room.join('c', change)
  room.do('c', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
  return room
}

describe('a client with its servers (figure 2)', () => {
  it('cold: get and propose; warm: one round trip, a propose and its answers', () => {
    const room = opened()
    expect(room.heard('opened')).toMatchObject([{ id: 1, session: '1.0' }])
    const start = room.carried.length
    room.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('a') })
    const kinds = room.carried.slice(start).map(({ body }) => body.kind)
    expect(kinds).toEqual([...Array(3).fill('propose'), ...Array(3).fill('accepted'), ...Array(3).fill('commit')])
    expect(room.heard('answered').map(event => 'body' in event && text(event.body))).toEqual(['1:a'])
  })
  it('many at once become one version, in their order; what throws is an error and changes nothing', () => {
    const room = opened()
    for (const [place, word] of ['a', 'throw', 'b'].entries()) {
      room.command('c', { kind: 'submit', id: 10 + place, object: 'o', body: utf8.encode(word) })
    }
    room.carry()
    expect(room.heard('answered')).toMatchObject([
      { id: 10, ok: true, version: 2 },
      { id: 11, ok: false, version: 3 },
      { id: 12, ok: true, version: 3 },
    ])
    room.do('c', { kind: 'read', id: 20, object: 'o', keys: ['last', 'none'], stale: false })
    const [value] = room.heard('value')
    expect(value).toMatchObject({ id: 20, version: 3 })
    expect(value?.kind === 'value' && value.entries.map(entry => text(entry.value))).toEqual(['b', undefined])
  })
  it('an operation of one who has not the turn goes by way of who has it', () => {
    const room = opened()
    room.join('d')
    room.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    room.do('d', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('from d') })
    expect(room.heard('answered')).toMatchObject([{ who: 'd', id: 2 }])
    expect(room.carried.filter(({ from, body }) => from === 'd' && body.kind === 'propose')).toEqual([])
  })
  it('a version that a dead client left half done is completed by the next', () => {
    const room = opened()
    room.command('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('half') })
    room.carry(({ to, body }) => to === 'c' || to === 's3' || body.kind === 'commit')
    room.leave('c')
    room.pass(settings.turnMs)
    room.join('d')
    room.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    room.do('d', { kind: 'copy', id: 3, object: 'o' })
    room.pass(1_000)
    const [copied] = room.heard('copied')
    expect(copied?.kind === 'copied' && text(copied.table.get('last'))).toBe('half')
  })
  it('a watcher is told of every change, in order, and of none before', () => {
    const room = opened()
    room.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('before') })
    room.join('w')
    room.do('w', { kind: 'watch', id: 7, object: 'o' })
    expect(room.heard('watching')).toMatchObject([{ id: 7, version: 2 }])
    for (const word of ['x', 'y', 'z']) {
      room.do('c', { kind: 'submit', id: word.charCodeAt(0), object: 'o', body: utf8.encode(word) })
    }
    const told = room
      .heard('changed')
      .flatMap(event => (event.kind === 'changed' ? [[event.version, text(event.writes[0]?.value)]] : []))
    expect(told).toEqual([
      [3, 'x'],
      [4, 'y'],
      [5, 'z'],
    ])
  })
  it('an ended session takes nothing more; a session that falls silent is ended by the others', () => {
    const room = opened()
    room.do('c', { kind: 'end', id: 5, object: 'o' })
    expect(room.heard('ended')).toMatchObject([{ id: 5 }])
    room.do('c', { kind: 'submit', id: 6, object: 'o', body: utf8.encode('late') })
    expect(room.heard('failed')).toMatchObject([{ id: 6, reason: 'no session', outcome: 'did not happen' }])
    room.do('c', { kind: 'open', id: 7, object: 'o', ttl: 1_000 })
    room.join('d')
    room.do('d', { kind: 'open', id: 1, object: 'o', ttl: 10_000 })
    room.leave('c')
    room.pass(20_000)
    expect([...room.server('s1').content.sessions.values()].map(({ client }) => client)).toEqual(['d'])
  })
  it('§6.2: with signed ranks one refusal that shows a signature is enough, and none without', () => {
    const signatures = idealSignatures()
    const proofsOf = (name: string) => ({
      sign: (message: Uint8Array) => signatures.signer(name).sign(message),
      verify: (client: NodeId, message: Uint8Array, signature: Uint8Array) =>
        signatures.verify(signatures.signer(client).publicKey, message, signature),
    })
    const room = new Room(SERVERS)
    for (const server of SERVERS) room.serve(server, { proofs: proofsOf(server), liars: 1, crashes: 1 })
    room.join('c', { proofs: proofsOf('c'), liars: 1, crashes: 0 })
    room.command('c', { kind: 'open', id: 1, object: 'o', ttl: 1_000 })
    const counter = () => (room.hosts.get('c')!.state as ClientState).uses.get('o')!.rank.counter
    const before = counter()
    const promised = rank(before + 10, 'd')
    const refusal = { kind: 'refused' as const, object: 'o', rank: rank(before), promised }
    room.hosts.get('c')!.input({ kind: 'message', from: 's1', body: { ...refusal, proof: new Uint8Array(64) } })
    expect(counter()).toBe(before)
    expect(room.tell('d', 's2', get(99, 'd'))).toEqual([])
  })
})

describe('a server that lost its store', () => {
  it('does not vote until the longest attempt has passed, then has rank and state from the others', () => {
    const room = opened()
    room.do('c', { kind: 'submit', id: 2, object: 'o', body: utf8.encode('kept') })
    const { promised, committed } = room.server('s1')
    room.disks.delete('s1')
    room.serve('s1', { rejoins: true })
    expect(room.tell('d', 's1', get(99, 'd'))).toEqual([])
    expect(room.tell('d', 's1', { kind: 'read', object: 'o', query: 1, keys: [], content: false })).toEqual([])
    room.pass(settings.attemptMax * 1.1)
    expect(room.server('s1').promised).toEqual(promised)
    expect(room.server('s1').committed.version).toBeGreaterThanOrEqual(committed.version)
    expect(text(room.server('s1').content.table.get('last'))).toBe('kept')
    // It is a server like the others now, also after a restart that is told to rejoin again.
    room.serve('s1', { rejoins: true })
    expect(room.tell('d', 's1', { kind: 'read', object: 'o', query: 1, keys: [], content: false })).toMatchObject([
      { kind: 'readings' },
    ])
  })
})
