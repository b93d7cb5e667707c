// The measures, each on a running service. Client processes do the work; this only tells them when.

import { setTimeout as sleep } from 'node:timers/promises'
import { clock, type Span } from '../lock/jobs.ts'
import type { Cluster, LockService } from '../lock/service.ts'
import { median, percentile } from '../support/figures.ts'
import { User } from '../support/user.ts'
import type { Done, Job } from './jobs.ts'

export interface Scale {
  readonly rounds: number
  readonly aloneMs: number
  readonly flightMs: number
  readonly coldPuts: number
  readonly watched: number
  readonly killRounds: number
}

export type Figures = Record<string, number>
type Putter = User<Job, Done>

export interface Contender {
  readonly service: LockService
  readonly cluster: Cluster
  readonly users: readonly Putter[]
}

/** "64 in flight over at least 8 client processes". */
const USERS = 8
const IN_FLIGHT = 64
const WARM_UP_MS = 700
/** Longer than a client keeps its turn after its last word. */
const COLD_PAUSE_MS = 200
const WATCH_PAUSE_MS = 5
const AFTER_WATCH_MS = 300
const BEFORE_KILL_MS = 1_500
const AFTER_KILL_MS = 3_000

const newUser = (): Putter => new User<Job, Done>('put-client')

export async function startContender(service: LockService): Promise<Contender> {
  const cluster = await service.start()
  const users = Array.from({ length: USERS }, newUser)
  await open(users, cluster)
  return { service, cluster, users }
}

const keyOf = (place: number) => `key-${place}`

async function open(users: readonly Putter[], cluster: Cluster): Promise<void> {
  await Promise.all(users.map((user, place) => user.ask({ kind: 'open', address: cluster.address, key: keyOf(place) })))
}

export async function stopContender({ users, cluster }: Contender): Promise<void> {
  await Promise.all(users.map(user => user.end()))
  await cluster.stop()
}

const times = (spans: readonly Span[]) => spans.map(({ from, to }) => to - from)

export async function measureSpeed(contender: Contender, scale: Scale, wanted: ReadonlySet<string>): Promise<Figures> {
  const figures: Figures = {}
  const user = contender.users[0]!
  if (wanted.has('alone')) {
    await user.ask({ kind: 'one by one', ms: WARM_UP_MS })
    const alone = times((await user.ask({ kind: 'one by one', ms: scale.aloneMs })).spans)
    figures.warmP50 = median(alone)
    figures.warmP95 = percentile(alone, 0.95)
  }
  if (wanted.has('cold')) figures.coldP50 = median(await cold(contender.users, scale.coldPuts))
  if (wanted.has('flight')) figures.inFlight = await inFlight(contender.users, scale.flightMs)
  if (wanted.has('watch')) figures.watchP50 = await watched(contender.users, scale.watched)
  return figures
}

/** Each put by another client than the one before, after a pause. */
async function cold(users: readonly Putter[], puts: number): Promise<number[]> {
  const found: number[] = []
  for (let put = 0; put < puts; put++) {
    await sleep(COLD_PAUSE_MS)
    found.push(...times((await users[put % 2]!.ask({ kind: 'once' })).spans))
  }
  return found
}

async function inFlight(users: readonly Putter[], ms: number): Promise<number> {
  const job = { kind: 'in flight', count: IN_FLIGHT / users.length, ms } as const
  const spans = (await Promise.all(users.map(user => user.ask(job)))).flatMap(done => done.spans)
  const from = Math.min(...spans.map(span => span.from))
  return (spans.length * 1000) / (Math.max(...spans.map(span => span.to)) - from)
}

/** From the call of put to the arrival at a watcher in another process. */
async function watched(users: readonly Putter[], count: number): Promise<number> {
  const [putter, watcher] = users as readonly [Putter, Putter]
  await watcher.ask({ kind: 'watch', key: keyOf(0) })
  await watcher.ask({ kind: 'heard' })
  const put = await putter.ask({ kind: 'put times', count, pauseMs: WATCH_PAUSE_MS })
  await sleep(AFTER_WATCH_MS)
  const heard = await watcher.ask({ kind: 'heard' })
  const paired = heard.spans.map(({ from, to }, place) => ({ from: from || (put.spans[place]?.from ?? 0), to }))
  if (heard.spans.some(({ from }) => from === 0) && heard.spans.length !== count) throw new Error('changes were missed')
  return median(times(paired))
}

/** One client alone on a service of its own, while one server of it is killed. */
export async function measureServerKilled(service: LockService): Promise<Figures> {
  const cluster = await service.start()
  const user = newUser()
  await open([user], cluster)
  await user.ask({ kind: 'one by one', ms: WARM_UP_MS })
  const asked = user.ask({ kind: 'one by one', ms: BEFORE_KILL_MS + AFTER_KILL_MS })
  await sleep(BEFORE_KILL_MS)
  const killed = clock()
  await cluster.killOne()
  const { spans } = await asked
  await user.end()
  await cluster.stop()
  const [before, after] = [spans.filter(span => span.to < killed), spans.filter(span => span.to >= killed)]
  return { quietGap: Math.max(...times(before)), serverKilledGap: Math.max(...times(after)) }
}

/** The client that puts all the time is killed; another, which puts too, must go on. */
export async function measureClientKilled(service: LockService): Promise<Figures> {
  const cluster = await service.start()
  const users = [newUser(), newUser()] as const
  await open(users, cluster)
  await Promise.all(users.map(user => user.ask({ kind: 'one by one', ms: WARM_UP_MS })))
  const dying = users[0].ask({ kind: 'one by one', ms: BEFORE_KILL_MS + AFTER_KILL_MS }).catch(() => undefined)
  await sleep(BEFORE_KILL_MS / 3)
  const asked = users[1].ask({ kind: 'one by one', ms: AFTER_KILL_MS })
  await sleep(BEFORE_KILL_MS)
  const killed = clock()
  await users[0].end('SIGKILL')
  const { spans } = await asked
  await dying
  await users[1].end()
  await cluster.stop()
  return { clientKilledGap: Math.max(...times(spans.filter(span => span.to >= killed))) }
}
