// The numbers of servers, clients and members: under the names that the page of metrics lists, of the right kind, and
// true of what was done.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../../../test/support/processes.ts'
import { connect } from '../../client/connect.ts'
import { ClientMeter } from '../../client/metrics.ts'
import { SettingsError } from '../../core/index.ts'
import type { ServerState } from '../../lock/index.ts'
import { loadNodeConfig, type ServerConfig } from '../config/config.ts'
import { type RunningServer, type ServerOptions, startServer } from '../server.ts'
import { initGroup } from '../setup/group.ts'
import type { Log } from '../transport/index.ts'
import { Book } from './book.ts'
import { isLoopback } from './metrics.ts'
import { clientMetrics, type Definitions, memberMetrics, serverMetrics } from './names.ts'
import { measureServer } from './server-metrics.ts'
import { Stopwatches, Tally } from './tally.ts'

const folder = await mkdtemp(join(tmpdir(), 'coterie-metrics-'))
const basePort = await freePorts(3)
const settings = { dir: join(folder, 'shop'), liars: 0, basePort, ttlMax: 1_500, attemptMax: 1_000 }
const made = await initGroup(settings)
const servers: (RunningServer | undefined)[] = []
const lines: { at: string; message: string; fields: Readonly<Record<string, unknown>> }[] = []
const log: Log = (at, message, fields) => lines.push({ at, message, fields })

async function start(place: number, more: Partial<ServerOptions> = {}): Promise<void> {
  const config = (await loadNodeConfig(made.serverFolders[place]!)) as ServerConfig
  const failed = (error: Error) => {
    throw error
  }
  servers[place] = await startServer({ config, log, failed, ...more })
}

async function stop(place: number): Promise<void> {
  await servers[place]?.stop()
  servers[place] = undefined
}

async function fetched(place: number, path = '/metrics'): Promise<Response> {
  const { address } = (await loadNodeConfig(made.serverFolders[place]!)) as ServerConfig
  return fetch(`http://127.0.0.1:${address.metricsPort}${path}`)
}

interface Shown {
  readonly types: ReadonlyMap<string, string>
  readonly values: ReadonlyMap<string, number>
}

function read(text: string): Shown {
  const types = new Map<string, string>()
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line)
    if (type !== null) types.set(type[1]!, type[2]!)
    const value = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)$/.exec(line)
    if (value !== null && !(value[2] ?? '').includes('le=')) values.set(value[1]!, Number(value[3]))
  }
  return { types, values }
}

const shown = async (place: number) => read(await (await fetched(place)).text())
const named = (definitions: Definitions) =>
  Object.entries(definitions).map(([name, { type }]) => `coterie_${name} ${type}`)
const ours = ({ types }: Shown) =>
  [...types].filter(([name]) => name.startsWith('coterie_')).map(([name, type]) => `${name} ${type}`)

const client = made.clientFolders[0]!
const registry = new Registry()

beforeAll(async () => {
  await Promise.all([0, 1, 2].map(place => start(place)))
})
afterAll(async () => {
  await Promise.all([0, 1, 2].map(stop))
  await rm(folder, { recursive: true, force: true })
})

describe('the page of metrics', () => {
  it('lists every name with its kind, and no other', async () => {
    const page = await readFile(new URL('../../../docs/operating/metrics.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `(coterie_\w+)` +\| (\w+) /gm)].map(([, name, type]) => `${name} ${type}`)
    expect(listed).toEqual([serverMetrics, clientMetrics, memberMetrics].flatMap(named))
    expect(ours(await shown(0))).toEqual(named(serverMetrics))
  })
  it.each([serverMetrics, clientMetrics, memberMetrics])(
    'has counters that end in _total, and times in seconds',
    definitions => {
      for (const [name, { type }] of Object.entries(definitions)) {
        expect(name.endsWith('_total')).toBe(type === 'counter')
        if (type === 'histogram') expect(name).toMatch(/_seconds$/)
      }
    },
  )
})

describe('what was done', () => {
  it('shows in the numbers of servers and of a client', async () => {
    const group = await connect({ config: client, metrics: { registry } })
    const lease = await group.lock('invoices', { ttl: 1_500 })
    expect(await group.tryLock('invoices')).toBeUndefined()
    expect((await shown(0)).values.get('coterie_lock_leases_out')).toBe(1)
    const renewals = async () => (await shown(0)).values.get('coterie_lock_renewals_total')
    const heardOf = async () => read(await registry.metrics()).values.get('coterie_client_lock_renewals_total')
    for (const count of [renewals, heardOf]) await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0)
    const held = read(await registry.metrics())
    expect(held.values.get('coterie_client_locks_held')).toBe(1)
    await lease.release()
    const tree = group.tree()
    const other = await connect({ config: client })
    const stopped = new AbortController()
    const heard = new Promise<void>(resolve => {
      void (async () => {
        const started = () => void other.tree().create('/a', 'one')
        for await (const _ of tree.watch('/a', { signal: stopped.signal, started })) resolve()
      })()
    })
    await heard
    stopped.abort()
    await other.close()
    await tree.set('/a', 'two')
    await tree.get('/a')
    const server = await shown(0)
    for (const name of [
      'lock_grants_total',
      'lock_grant_seconds_count',
      'store_sync_seconds_count',
      'object_versions_total',
    ]) {
      expect(server.values.get(`coterie_${name}`), name).toBeGreaterThan(0)
    }
    await expect.poll(async () => (await shown(0)).values.get('coterie_object_commit_seconds_count')).toBeGreaterThan(0)
    const own = read(await registry.metrics())
    expect(ours(own)).toEqual(named(clientMetrics))
    const counted = {
      client_lock_grants_total: 1,
      client_lock_refusals_total: 1,
      client_lock_grant_seconds_count: 1,
      client_locks_held: 0,
      client_connections: 3,
      client_object_commit_seconds_count: 1,
      client_locks_lost_total: 0,
    }
    for (const [name, value] of Object.entries(counted)) expect(own.values.get(`coterie_${name}`), name).toBe(value)
    for (const name of [
      'client_object_read_seconds_count',
      'client_lock_renewals_total',
      'client_watch_delay_seconds_count',
    ]) {
      expect(own.values.get(`coterie_${name}`), name).toBeGreaterThan(0)
    }
    await group.close()
    const after = read(await registry.metrics())
    expect(after.values.get('coterie_client_lock_grants_total')).toBe(1)
    expect(after.values.get('coterie_client_connections')).toBeUndefined()
  })
  it('is added up where two connections of one name share a registry', async () => {
    const shared = new Registry()
    const groups = await Promise.all([1, 2].map(() => connect({ config: client, metrics: { registry: shared } })))
    for (const group of groups) await (await group.lock('shared')).release()
    await Promise.all(groups.map(group => group.close()))
    expect(read(await shared.metrics()).values.get('coterie_client_lock_grants_total')).toBe(2)
  })
  it('says what is wrong with a registry that is none', async () => {
    await expect(connect({ config: client, metrics: { registry: {} as Registry } })).rejects.toThrow(SettingsError)
    const taken = new Registry()
    taken.registerMetric({ name: 'coterie_client_connections' } as never)
    expect(() => new Book(taken, clientMetrics)).toThrow('another metric that is called coterie_client_connections')
  })
})

describe('who was caught', () => {
  it('is named by a label, and of names that others choose only so many are kept', async () => {
    const registry = new Registry()
    const book = new Book(registry, { member_caught_total: memberMetrics.member_caught_total }, { node: 'me' })
    book.addOf('member_caught_total', { member: 'eve', how: 'two-faced' })
    book.addOf('member_caught_total', { member: 'eve', how: 'two-faced' })
    for (let count = 0; count < 1_200; count++)
      book.addOf('member_caught_total', { member: `m-${count}`, how: 'forging' })
    const text = await registry.metrics()
    expect(text).toContain('coterie_member_caught_total{node="me",member="eve",how="two-faced"} 2')
    expect(text.match(/^coterie_member_caught_total\{/gm)).toHaveLength(1_001)
    expect(text).toContain('coterie_member_caught_total{node="me"} 201')
  })
  it('is not who is slow or silent: of each server a client shows how long it takes, or owes an answer', async () => {
    const registry = new Registry()
    let now = 0
    const meter = new ClientMeter({ registry }, 'me', () => now)
    const wait = { part: 'lock', body: { kind: 'wait', attempt: 1 } } as const
    const answer = { part: 'lock', body: { kind: 'queued', attempt: 1 } } as const
    for (const server of ['quick', 'slow', 'silent']) meter.sent(server, wait)
    // A release is answered by nobody.
    meter.sent('told', { part: 'lock', body: { kind: 'release' } })
    now = 2
    meter.received('quick', answer)
    now = 2_000
    meter.received('slow', answer)
    for (let i = 0; i < 50; i++) {
      meter.sent('quick', wait)
      meter.sent('silent', wait)
      meter.received('quick', answer)
    }
    now = 3_000
    const of = async (server: string) =>
      Number(
        / (\S+)$/m.exec(
          (await registry.metrics()).split('\n').find(line => line.includes(`server="${server}"`)) ?? '',
        )?.[1],
      )
    expect([await of('quick'), await of('slow'), await of('silent'), await of('told')]).toEqual([
      expect.closeTo(0, 3),
      2,
      3,
      Number.NaN,
    ])
  })
  it('is shown by a server: how many clients complain about which', async () => {
    const lines = new Map([
      ['1', { client: 'ann#1', server: 'server-2' }],
      ['2', { client: 'bob#1', server: 'server-2' }],
    ])
    const lock = { locks: new Map(), highest: 0, complaints: { lines, count: 2 } } as unknown as ServerState
    const registry = new Registry()
    measureServer(new Book(registry, serverMetrics), { lock }, () => 0)
    expect(await registry.metrics()).toContain('coterie_servers_accused{server="server-2"} 2')
  })
  it('is shown by a server: whom it caught itself at a ledger, by name', async () => {
    const lock = { locks: new Map(), highest: 0, complaints: { lines: new Map(), count: 0 } } as unknown as ServerState
    const registry = new Registry()
    const ledger = { blamed: new Map([['server-3', ['one', 'another']]]) }
    measureServer(new Book(registry, serverMetrics), { lock, ledger }, () => 0)
    expect(await registry.metrics()).toContain('coterie_ledger_servers_caught{server="server-3"} 2')
  })
})

describe('an ordinary restart', () => {
  it('rings no bell: frames for a peer that is away are no dropped ones', async () => {
    const group = await connect({ config: client })
    const counter = group.recipes.counter('steps')
    await counter.add(1n)
    await stop(2)
    for (let step = 0; step < 5; step++) await counter.add(1n)
    await start(2)
    for (let step = 0; step < 5; step++) await counter.add(1n)
    await group.close()
    for (const place of [0, 1, 2]) expect((await shown(place)).values.get('coterie_frames_dropped_total')).toBe(0)
  })
  it('is told when it is over, and comings and goings of clients only to those who ask for them', async () => {
    const up = lines.filter(({ message }) => message === 'peer up')
    expect(up.filter(({ fields }) => String(fields.peer).includes('#')).every(({ at }) => at === 'debug')).toBe(true)
    expect(up.some(({ fields }) => String(fields.peer).includes('#'))).toBe(true)
    lines.length = 0
    await stop(2)
    await start(2)
    expect(lines.some(({ message }) => message.startsWith('ready again'))).toBe(false)
    await stop(2)
    // As after a crash and a lost store.
    await rm(join(made.serverFolders[2]!, 'data'), { recursive: true, force: true })
    const config = (await loadNodeConfig(made.serverFolders[2]!)) as ServerConfig
    await rm(config.storeFolder, { recursive: true, force: true })
    lines.length = 0
    await start(2, { rejoins: true })
    expect((await fetched(2, '/health')).status).toBe(503)
    const said = () => lines.filter(({ at, message }) => at === 'info' && message.startsWith('ready again'))
    await expect.poll(() => said().length, { timeout: 20_000 }).toBe(2)
    expect((await fetched(2, '/health')).status).toBe(200)
  }, 30_000)
})

describe('metrics for others', () => {
  it('warn, and show numbers only', async () => {
    await stop(1)
    lines.length = 0
    await start(1, { metricsHost: '0.0.0.0' })
    expect(lines.filter(({ at }) => at === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('metrics are shown to everybody'),
    ])
    const text = await (await fetched(1)).text()
    expect(text).toContain('coterie_lock_names')
    expect(text).not.toContain('server-')
    const health = await (await fetched(1, '/health')).json()
    expect(Object.keys(health as object)).toEqual(['ready', 'recoveringMs'])
    expect(await (await fetched(0)).text()).toContain('node="server-1"')
  })
  it('answer to GET alone', async () => {
    const { address } = (await loadNodeConfig(made.serverFolders[0]!)) as ServerConfig
    const answer = await fetch(`http://127.0.0.1:${address.metricsPort}/metrics`, { method: 'POST', body: 'x' })
    expect(answer.status).toBe(405)
    expect((await fetched(0, '/other')).status).toBe(404)
  })
  it.each([
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['127.0.0.1.example.org', false],
  ])('%s is of this machine: %s', (host, here) => expect(isLoopback(host)).toBe(here))
  it('have names of processes and of Node as everybody has them', async () => {
    const { types } = await shown(0)
    expect(types.get('process_cpu_seconds_total')).toBe('counter')
    expect(types.has('nodejs_eventloop_lag_seconds')).toBe(true)
    expect([...types.keys()].some(name => name.startsWith('coterie_process_'))).toBe(false)
  })
})

describe('a histogram', () => {
  it('counts what took at most so long, and what took longer', () => {
    const tally = new Tally()
    for (const seconds of [0, 0.001, 0.002, 59, 61]) tally.observe(seconds)
    const samples = tally.samples('t')
    const below = (le: number | string) => samples.find(({ labels }) => labels.le === le)?.value
    expect([below(0.0005), below(0.001), below(0.0025), below(30), below(60), below('+Inf')]).toEqual([
      1, 2, 3, 3, 4, 5,
    ])
    expect(samples.at(-2)?.value).toBeCloseTo(120.003)
    expect(samples.at(-1)).toEqual({ metricName: 't_count', labels: {}, value: 5 })
  })
  it('measures from the first start, and forgets the oldest of too many', () => {
    let now = 0
    const watches = new Stopwatches(() => now)
    watches.start('a')
    now = 1_500
    watches.start('a')
    expect(watches.stop('a')).toBe(1.5)
    expect(watches.stop('a')).toBeUndefined()
    for (let at = 0; at < 10_001; at++) watches.start(`${at}`)
    expect(watches.size).toBe(10_000)
    expect(watches.stop('0')).toBeUndefined()
    expect(watches.stop('1')).toBe(0)
  })
})
