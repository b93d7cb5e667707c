// What one put costs: processor time of servers and clients, messages and saved records, with 64 puts in flight over
// 8 processes. Counts say more than wall time where the machine is shared with others.
//
// npm run bench -- objects-cost [--only zookeeper,coterie-3] [--ms 3000] [--profiles FOLDER]

import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { loadNodeConfig } from '../src/runtime/config/config.ts'
import { coterieService } from './lock/coterie.ts'
import type { Address, Cluster, LockService } from './lock/service.ts'
import { zookeeperService } from './lock/zookeeper.ts'
import type { Done, Job } from './objects/jobs.ts'
import type { Print } from './support/figures.ts'
import { stopAll } from './support/processes.ts'
import { User } from './support/user.ts'

interface Cost {
  readonly service: string
  readonly puts: number
  readonly perSecond: number
  readonly serverMicros: number
  readonly clientMicros: number
  /** Of all servers together; not known of others than ours. */
  readonly received: number | undefined
  readonly sent: number | undefined
  readonly saves: number | undefined
}

const SERVICES: readonly LockService[] = [
  zookeeperService,
  coterieService('coterie-3', { servers: 3, liars: 0, crashes: 1, lying: 0 }),
  coterieService('coterie-7', { servers: 7, liars: 1, crashes: 1, lying: 0 }),
]
const USERS = 8
const IN_FLIGHT = 64
const WARM_UP_MS = 2_000
const MICROS_PER_TICK = 10_000
const METRICS_ABOVE = 100

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<readonly Cost[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, ms: { type: 'string', default: '3000' }, profiles: { type: 'string' } },
  })
  const costs: Cost[] = []
  try {
    for (const service of SERVICES) {
      if (values.only !== undefined && !values.only.split(',').includes(service.name)) continue
      const cost = await measure(service, Number(values.ms), values.profiles)
      costs.push(cost)
      print(JSON.stringify(cost, (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value)))
    }
  } finally {
    await stopAll()
  }
  return costs
}

async function measure(service: LockService, ms: number, profiles: string | undefined): Promise<Cost> {
  const cluster = await service.start(profiles === undefined ? {} : { profiles })
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const users = Array.from({ length: USERS }, () => new User<Job, Done>('put-client', flags))
  await Promise.all(
    users.map((user, place) => user.ask({ kind: 'open', address: cluster.address, key: `key-${place}` })),
  )
  const flight = (ms: number) =>
    Promise.all(users.map(user => user.ask({ kind: 'in flight', count: IN_FLIGHT / USERS, ms })))
  await flight(WARM_UP_MS)
  const before = await countsOf(cluster, users)
  const spans = (await flight(ms)).flatMap(done => done.spans)
  const after = await countsOf(cluster, users)
  const each = (count: keyof Counts) => (after[count] - before[count]) / spans.length
  const ours = (count: keyof Counts) => (service.ours ? each(count) : undefined)
  await Promise.all(users.map(user => user.end()))
  await cluster.stop()
  return {
    service: service.name,
    puts: spans.length,
    perSecond: (spans.length * 1000) / (after.at - before.at),
    serverMicros: each('servers') * MICROS_PER_TICK,
    clientMicros: each('clients') * MICROS_PER_TICK,
    received: ours('received'),
    sent: ours('sent'),
    saves: ours('saves'),
  }
}

interface Counts {
  readonly at: number
  readonly servers: number
  readonly clients: number
  readonly received: number
  readonly sent: number
  readonly saves: number
}

async function countsOf({ address, pids }: Cluster, users: readonly User<Job, Done>[]): Promise<Counts> {
  const metrics = await metricsOf(address)
  const sum = (name: string) => metrics.reduce((total, text) => total + figureIn(text, name), 0)
  return {
    at: performance.now(),
    servers: await ticksOf(pids()),
    clients: await ticksOf(users.map(user => user.process.pid)),
    received: sum('messages_received_total'),
    sent: sum('messages_sent_total'),
    saves: sum('saves_total'),
  }
}

async function metricsOf(address: Address): Promise<string[]> {
  if (address.kind !== 'coterie') return []
  const { group } = await loadNodeConfig(address.config)
  const ask = async ({ host, port }: { host: string; port: number }) =>
    (await fetch(`http://${host}:${port + METRICS_ABOVE}/metrics`)).text()
  return Promise.all(group.servers.map(ask))
}

function figureIn(metrics: string, name: string): number {
  return Number(new RegExp(`^\\w*${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)
}

/** Processor time of processes, user and system, in the kernel's ticks. */
async function ticksOf(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks
}
