// The measures, each on a running service. Client processes do the work; this only tells them when.

import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from '../support/figures.ts'
import { residentMb } from '../support/processes.ts'
import { User } from '../support/user.ts'
import { clock, type Done, type Job, type Span } from './jobs.ts'
import type { Cluster, LockService, StartOptions } from './service.ts'

export interface Scale {
  readonly rounds: number
  readonly aloneMs: number
  readonly keysMs: number
  /** How often all contenders come at once in a round. */
  readonly meetings: number
  readonly againMs: number
  readonly killRounds: number
  readonly names: number
}

type LockUser = User<Job, Done>
const newUser = (flags: readonly string[] = []): LockUser => new User('lock-client', flags)

export interface Contender {
  readonly service: LockService
  readonly cluster: Cluster
  readonly users: readonly LockUser[]
}

export type Figures = Record<string, number>

export const LEASE_MS = 5_000
export const CONTENDERS = [2, 8, 32] as const
const USERS = 4
const CLIENTS_A_USER = 8
const KEYS = 16
const AGAIN = 8
const WARM_UP_MS = 700
const LONG_LEASE_MS = 60_000
/** Time for a message to reach every client process before all begin. */
const LEAD_MS = 20
const BEFORE_KILL_MS = 1_500
const AFTER_KILL_MS = 3_000

export async function startContender(service: LockService, profiles: string | undefined): Promise<Contender> {
  const options: StartOptions = profiles === undefined ? {} : { profiles }
  const cluster = await service.start(options)
  const flags = profiles === undefined || !service.ours ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const users = Array.from({ length: USERS }, (_, place) => newUser(place === 0 ? flags : []))
  return { service, cluster, users }
}

export async function stopContender({ users, cluster }: Contender): Promise<void> {
  await Promise.all(users.map(user => user.end()))
  await cluster.stop()
}

/** One client alone, sixteen names at once, and one name that many want. */
export async function measureSpeed(contender: Contender, scale: Scale, wanted: ReadonlySet<string>): Promise<Figures> {
  const { cluster, users } = contender
  const { address } = cluster
  const many = wanted.has('contended')
  await Promise.all(
    users.map(user => user.ask({ kind: 'open', address, leaseMs: LEASE_MS, count: many ? CLIENTS_A_USER : 1 })),
  )
  const user = users[0]!
  await user.ask({ kind: 'keys', count: KEYS, ms: WARM_UP_MS })
  const figures: Figures = {}
  if (wanted.has('alone')) {
    const times = (await user.ask({ kind: 'alone', ms: scale.aloneMs })).spans.map(({ from, to }) => to - from)
    figures.aloneP50 = median(times)
    figures.aloneP95 = percentile(times, 0.95)
  }
  if (wanted.has('keys')) {
    const { spans } = await user.ask({ kind: 'keys', count: KEYS, ms: scale.keysMs })
    figures.keys = (spans.length * 1000) / extent(spans)
  }
  if (many) Object.assign(figures, await measureContention(users, scale))
  await Promise.all(users.map(user => user.ask({ kind: 'close' })))
  return figures
}

async function measureContention(users: readonly LockUser[], scale: Scale): Promise<Figures> {
  const figures: Figures = {}
  for (const contenders of CONTENDERS) {
    const times = []
    for (let meeting = 0; meeting < scale.meetings; meeting++) {
      const at = clock() + LEAD_MS
      const asked = shares(users, contenders).map(({ user, count }) =>
        user.ask({ kind: 'once', count, name: `meeting-${contenders}`, at }),
      )
      times.push(extent((await Promise.all(asked)).flatMap(done => done.spans)) / contenders)
    }
    figures[`contended${contenders}`] = median(times)
  }
  const at = clock() + LEAD_MS
  const asked = shares(users, AGAIN).map(({ user, count }) =>
    user.ask({ kind: 'again', count, name: 'again', at, ms: scale.againMs }),
  )
  const spans = (await Promise.all(asked)).flatMap(done => done.spans)
  figures.again = extent(spans) / spans.length
  return figures
}

function shares(users: readonly LockUser[], contenders: number): { user: LockUser; count: number }[] {
  const count = Math.ceil(contenders / users.length)
  return users.slice(0, contenders / count).map(user => ({ user, count }))
}

function extent(spans: readonly Span[]): number {
  return Math.max(...spans.map(span => span.to)) - Math.min(...spans.map(span => span.from))
}

/** From the grant to a holder that is killed at once, to the grant to the next. */
export async function measureHolderKilled({ cluster, users }: Contender, round: number): Promise<Figures> {
  const open = { kind: 'open', address: cluster.address, leaseMs: LEASE_MS, count: 1 } as const
  const job = { kind: 'hold', name: `killed-${round}` } as const
  const victim = newUser()
  const next = users[0]!
  await Promise.all([victim.ask(open), next.ask(open)])
  const granted = (await victim.ask(job)).spans[0]!.to
  const waiting = next.ask(job)
  await sleep(100)
  await victim.end('SIGKILL')
  const killed = (await waiting).spans[0]!.to - granted
  await next.ask({ kind: 'close' })
  return { holderKilled: killed }
}

/** One client alone on a service of its own, while one server of it is killed. */
export async function measureServerKilled(service: LockService): Promise<Figures> {
  const cluster = await service.start()
  const user = newUser()
  await user.ask({ kind: 'open', address: cluster.address, leaseMs: LEASE_MS, count: 1 })
  await user.ask({ kind: 'keys', count: KEYS, ms: WARM_UP_MS })
  const asked = user.ask({ kind: 'alone', ms: BEFORE_KILL_MS + AFTER_KILL_MS })
  await sleep(BEFORE_KILL_MS)
  const killing = cluster.killOne()
  const killed = clock()
  await killing
  const { spans } = await asked
  await user.end()
  await cluster.stop()
  const before = spans.filter(span => span.to < killed)
  const after = spans.filter(span => span.to >= killed)
  const p95 = (some: readonly Span[]) =>
    percentile(
      some.map(({ from, to }) => to - from),
      0.95,
    )
  return {
    killP95Ratio: p95(after) / p95(before),
    killGap: Math.max(...after.map(({ from, to }) => to - from)),
    calmGap: Math.max(...before.map(({ from, to }) => to - from)),
  }
}

export async function measureMemory({ cluster, users }: Contender, names: number): Promise<Figures> {
  const largest = async () => Math.max(...(await Promise.all(cluster.pids().map(residentMb))))
  const restMb = await largest()
  const user = users[0]!
  await user.ask({ kind: 'open', address: cluster.address, leaseMs: LONG_LEASE_MS, count: 1 })
  await user.ask({ kind: 'holdMany', count: names })
  const heldMb = await largest()
  await user.ask({ kind: 'close' })
  return { restMb, heldMb }
}
