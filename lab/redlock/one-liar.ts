// One server that lies, and a partition: the popular lock on several Redis servers, and ours.
//
// redlock asks five servers and believes a majority, three. Let one of them say yes to everybody and keep nothing, and
// let a partition leave each of two clients with two of the others: two honest votes and the lie make three, twice.
// Ours asks six and believes four grants, so two holders would share an honest server, and that server grants once.
// Here the real package talks to real Redis servers, and our client to our servers over mutual TLS, all on loopback;
// the partition shuts TCP connections off without closing them.

import { missing } from '../debian.ts'
import { type Experiment, type Result, type Row, type RunOptions, row } from '../experiment.ts'
import { type Seen, type Stage, watch } from './believers.ts'
import { coterieStage } from './coterie-stage.ts'
import { redisStage } from './redis-stage.ts'

interface Times {
  readonly ttl: number
  readonly calm: number
  readonly parted: number
}

const TIMES: Readonly<Record<RunOptions['scale'], Times>> = {
  // A lease outlasts the calm part by far: a client that a busy machine stops for a second is still the only holder.
  small: { ttl: 3_000, calm: 1_000, parted: 6_000 },
  full: { ttl: 10_000, calm: 5_000, parted: 30_000 },
}
/**
 * Before the second comes in, the first one's lease must run out on the servers that only the second now reaches, and
 * the second, in the middle of a pause between its tries, must come to try: one ttl, and this.
 */
const ENTRY_MAX_MS = 1_000

export const oneLiar: Experiment = {
  name: 'one-liar',
  alone: true,
  title: 'One lying server and a partition: two holders with redlock, one with ours.',
  source: 'BACKOFF §4 (servers that lie), beside redlock 4.2',
  async run(options: RunOptions): Promise<Result> {
    const why = await leftOut()
    if (why !== undefined) return { rows: [], pictures: [], notes: [`Not run: ${why}.`] }
    const times = TIMES[options.scale]
    options.progress(0, 'redlock')
    const theirs = await play(await redisStage(times.ttl), times)
    options.progress(0.5, 'ours')
    const ours = await play(await coterieStage(times.ttl), times)
    return { rows: [...redlockRows(theirs, times), ...coterieRows(ours, times)], pictures: [], notes: NOTES }
  },
}

async function leftOut(): Promise<string | undefined> {
  const redis = missing('redis-server', 'redis-server')
  if (redis !== undefined) return redis
  try {
    await Promise.all([import('redlock'), import('ioredis')])
    return undefined
  } catch {
    return 'the packages redlock and ioredis are not installed (npm install --no-save redlock@4 ioredis)'
  }
}

interface Played {
  readonly calm: Seen
  readonly parted: Seen
}

async function play(stage: Stage, times: Times): Promise<Played> {
  try {
    stage.want()
    const calm = await watch(stage.believers, times.calm)
    stage.part()
    const parted = await watch(stage.believers, times.parted)
    return { calm, parted }
  } finally {
    await stage.stop()
  }
}

function redlockRows({ calm, parted }: Played, times: Times): Row[] {
  const late = (times.ttl + ENTRY_MAX_MS) / 1000
  const seconds = times.parted / 1000
  return [
    row('redlock, 5 Redis, one lies: holders at once', calm.holdersMost, 1, 0),
    row('the same with a partition: holders at once', parted.holdersMost, 2, 0),
    row('redlock: time with two holders', parted.secondsWithTwo, seconds - late / 2, late / 2, 's'),
  ]
}

function coterieRows({ calm, parted }: Played, times: Times): Row[] {
  // While the lock changes hands nobody holds it: at most a lease, and a try.
  const pause = (times.ttl + ENTRY_MAX_MS) / 1000
  const seconds = times.parted / 1000
  return [
    row('coterie, 6 servers, one lies: holders at once', calm.holdersMost, 1, 0),
    row('the same with a partition: holders at once', parted.holdersMost, 1, 0),
    row('coterie: time with two holders', parted.secondsWithTwo, 0, 0, 's'),
    row('coterie: time with one holder', parted.secondsWithOne, seconds - pause / 2, pause / 2, 's'),
  ]
}

const NOTES = [
  'redlock: the second client begins when the first one holds. If both begin at once, the liar alone is sometimes enough: each gets two of the four honest servers, and the lie.',
  'Both redlock clients extend their lock without an error for as long as the partition lasts: neither can know.',
  'Ours: the client that reaches three honest servers and the liar has its four grants; the other has three at most, and waits.',
]
