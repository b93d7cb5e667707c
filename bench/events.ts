// Matching: which of 100,000 subscriptions want an event, on one core. Ours beside our own meaning asked filter by filter
// ("naive"), beside sift, and for topics beside qlobber.
//
// Rates are events for a second of processor time, medians over slices in which the contenders take turns, so that a busy
// machine slows all of them. Each workload has a process of its own. What each finds is counted and must be the same.
//
// And events through servers, beside NATS and JetStream (events/servers.ts).
//
// Options: --only W1 (may be given again; W1 … W6, topics, million, servers), --subscriptions N (100,000).

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { drawn, drawnTopics, workloads } from '../lab/events/workloads.ts'
import { seededRandom } from '../src/core/index.ts'
import { Matcher, parseFilter } from '../src/events/index.ts'
import { byQlobber, bySift, type Count, counted, listed, naive, ours } from './events/contenders.ts'
import { measureServers, type ServersFigures } from './events/servers.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

const ONE = '--one'
const SEED = 1
const EVENTS = 500
const SUBSCRIPTIONS = 100_000
const SLICES = 15
const SLICE_SECONDS = 0.1
const MILLION = 1_000_000
const LOADED_AT_ONCE = 10_000

interface Measured {
  readonly workload: string
  readonly subscriptions: number
  /** The share of subscriptions that an event matches. */
  readonly share: number
  /** Events a second, by contender. */
  readonly rates: Readonly<Record<string, number>>
  readonly loadSeconds: number
  readonly bytesEach?: number
}

interface Target {
  readonly least: number
  /** What it is divided by; without it, events a second. */
  readonly by?: string
}

/** To load a million, and what each takes. */
const LOAD_SECONDS_MAX = 30
const BYTES_EACH_MAX = 250

const TARGETS: Readonly<Record<string, readonly Target[]>> = {
  W1: [{ least: 10_000 }, { least: 40, by: 'naive' }, { least: 1000, by: 'sift' }],
  W2: [{ least: 5000 }],
  W5: [{ least: 100_000 }],
  W6: [{ least: 50_000 }],
  'W6, a million': [{ least: 5000 }],
  'W6 skewed, a million': [{ least: 5000 }],
  topics: [{ least: 0.8, by: 'qlobber' }],
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Contenders take turns, a slice each; a slice is at least one event. */
function takeTurns<T>(contenders: Readonly<Record<string, Count<T>>>, events: readonly T[]): Record<string, number> {
  const rates = Object.fromEntries(Object.keys(contenders).map(name => [name, [] as number[]]))
  const next = Object.fromEntries(Object.keys(contenders).map(name => [name, 0]))
  for (let slice = 0; slice < SLICES + 2; slice++) {
    for (const [name, count] of Object.entries(contenders)) {
      const start = processorSeconds()
      let done = 0
      let spent = 0
      while (spent < SLICE_SECONDS) {
        for (let i = 0; i < (name === 'ours' ? 10 : 1); i++, done++) count(events[next[name]!++ % events.length]!)
        spent = processorSeconds() - start
      }
      // The first two warm the compiler.
      if (slice >= 2) rates[name]!.push(done / spent)
    }
  }
  return Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, median(all)]))
}

/** All must find the same; returns the share of subscriptions found. */
function sameCounts<T>(contenders: Readonly<Record<string, Count<T>>>, events: readonly T[], among: number): number {
  for (const event of events.slice(0, 5)) {
    const counts = Object.entries(contenders).map(([name, count]) => `${name} ${count(event)}`)
    if (new Set(counts.map(text => text.split(' ')[1])).size > 1) throw new Error(`they differ: ${counts.join(', ')}`)
  }
  return events.reduce((sum, event) => sum + contenders.ours!(event), 0) / events.length / among
}

function measureWorkload(name: string, subscriptions: number): Measured {
  const workload = workloads.find(one => one.name === name)!
  const { sources, filters, events } = drawn(workload, SEED, subscriptions, EVENTS)
  const start = processorSeconds()
  const index = ours(filters)
  const loadSeconds = processorSeconds() - start
  const contenders = { ours: index, naive: naive(filters), sift: bySift(sources) }
  const share = sameCounts(contenders, events, subscriptions)
  return { workload: name, subscriptions, share, rates: takeTurns(contenders, events), loadSeconds }
}

function measureTopics(subscriptions: number): Measured {
  const { patterns, filters, topics } = drawnTopics(SEED, subscriptions, EVENTS)
  const start = processorSeconds()
  const index = listed(filters)
  const loadSeconds = processorSeconds() - start
  const contenders = { ours: (topic: string) => index({ topic }), qlobber: byQlobber(patterns) }
  const share = sameCounts(contenders, topics, subscriptions)
  return { workload: 'topics', subscriptions, share, rates: takeTurns(contenders, topics), loadSeconds }
}

/** A million of a workload: how long they take to load, and what they take in memory. */
function measureMillion(name: string): Measured {
  const workload = workloads.find(one => one.name === name)!
  const random = seededRandom(SEED)
  const used = memoryUser()
  const before = used()
  const matcher = new Matcher<number>()
  let loadSeconds = 0
  // In parts, so that what it takes to read the filters is not counted, and not kept.
  for (let first = 0; first < MILLION; first += LOADED_AT_ONCE) {
    const filters = Array.from({ length: LOADED_AT_ONCE }, () => parseFilter(workload.source(random)))
    const start = processorSeconds()
    for (const [at, filter] of filters.entries()) matcher.add(first + at, filter)
    loadSeconds += processorSeconds() - start
  }
  const bytesEach = (used() - before) / MILLION
  const events = Array.from({ length: EVENTS }, () => workload.event(random))
  const contenders = { ours: counted(matcher) }
  const share = sameCounts(contenders, events, MILLION)
  const rates = takeTurns(contenders, events)
  return { workload: `${name}, a million`, subscriptions: MILLION, share, rates, loadSeconds, bytesEach }
}

function memoryUser(): () => number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  return () => {
    // Twice: what the first lets go of is taken off the account only when the second begins.
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
}

function measureHere(name: string, subscriptions: number): Measured {
  if (name === 'topics') return measureTopics(subscriptions)
  return name.startsWith('million')
    ? measureMillion(name.slice('million '.length))
    : measureWorkload(name, subscriptions)
}

function measureApart(name: string, subscriptions: number): Measured {
  const file = fileURLToPath(import.meta.url)
  const args = ['--max-old-space-size=4096', file, ONE, name, String(subscriptions)]
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 24 })
  if (child.status !== 0) throw new Error(`${name}: ${child.stderr}`)
  return JSON.parse(child.stdout) as Measured
}

function verdicts({ workload, rates, loadSeconds, bytesEach }: Measured): string {
  const said = (isMet: boolean) => (isMet ? 'met' : 'MISSED')
  const found = (TARGETS[workload] ?? []).map(({ least, by }) => {
    const value = by === undefined ? rates.ours! : rates.ours! / rates[by]!
    return `${by === undefined ? '' : '× '}${by ?? 'rate'} ≥ ${least} ${said(value >= least)}`
  })
  if (bytesEach === undefined) return found.join(', ')
  const loaded = `load ≤ ${LOAD_SECONDS_MAX} s ${said(loadSeconds <= LOAD_SECONDS_MAX)}`
  const small = `bytes ≤ ${BYTES_EACH_MAX} ${said(bytesEach <= BYTES_EACH_MAX)}`
  return [...found, loaded, small].join(', ')
}

export async function run(
  print: Print = console.log,
  args: readonly string[] = [],
): Promise<(Measured | ServersFigures)[]> {
  const only = args.flatMap((word, at) => (word === '--only' ? [args[at + 1]!] : []))
  const subscriptions = Number(args[args.indexOf('--subscriptions') + 1]) || SUBSCRIPTIONS
  const all = [...workloads.map(({ name }) => name), 'topics', 'million W1', 'million W6', 'million W6 skewed']
  const measured: Measured[] = []
  for (const name of all) {
    if (only.length > 0 && !only.includes(name.split(' ')[0]!)) continue
    const one = measureApart(name, subscriptions)
    print(`${one.workload}: ${show(one.rates.ours)} events/s`)
    measured.push(one)
  }
  const servers = only.length === 0 || only.includes('servers') ? await measureServers(print) : []
  if (measured.length === 0) return servers
  printMatching(print, measured, subscriptions)
  return [...measured, ...servers]
}

function printMatching(print: Print, measured: readonly Measured[], subscriptions: number): void {
  const ratio = ({ rates }: Measured, peer: string) => show(rates[peer] && rates.ours! / rates[peer])
  print(`events a second of processor time, ${subscriptions.toLocaleString('en-US')} subscriptions`)
  printTable(
    print,
    ['', 'match %', 'ours', 'naive', '× naive', '× sift', '× qlobber', 'load s', 'bytes each', 'targets'],
    measured.map(one => [
      one.workload,
      show(100 * one.share),
      show(one.rates.ours),
      show(one.rates.naive),
      ratio(one, 'naive'),
      ratio(one, 'sift'),
      ratio(one, 'qlobber'),
      show(one.loadSeconds),
      show(one.bytesEach),
      verdicts(one),
    ]),
  )
  for (const { name, title } of workloads) print(`${name}: ${title}`)
}

if (process.argv[2] === ONE) {
  console.log(JSON.stringify(measureHere(process.argv[3]!, Number(process.argv[4]))))
  process.exit()
}
