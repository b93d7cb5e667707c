// The lock beside etcd, ZooKeeper and redlock, all of them on loopback in one run, in rounds that take turns.
//
// npm run bench -- lock [--quick] [--only etcd,redlock,coterie-6] [--measure alone,keys,contended,holder,server,memory]
//                       [--rounds 5] [--profiles FOLDER]
//
// The peers run with the defaults of Debian's packages and without TLS; ours runs with mutual TLS. Everything that is
// started here is stopped, also after Ctrl-C or a failure. docs/decisions/lock-benchmarks.md says how it is measured.

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { coterieServices } from './lock/coterie.ts'
import { etcdService } from './lock/etcd.ts'
import {
  type Contender,
  type Figures,
  measureHolderKilled,
  measureMemory,
  measureServerKilled,
  measureSpeed,
  type Scale,
  startContender,
  stopContender,
} from './lock/measures.ts'
import { redlockService } from './lock/redlock.ts'
import { MEASURES as NAMES, TARGETS } from './lock/report.ts'
import type { LockService } from './lock/service.ts'
import { zookeeperService } from './lock/zookeeper.ts'
import { median, type Print } from './support/figures.ts'
import { stopAll } from './support/processes.ts'
import { type Judged, report, type ServiceFigures } from './support/report.ts'

interface LockResult {
  readonly rounds: number
  readonly load: readonly [number, number]
  readonly services: readonly ServiceFigures[]
  readonly judged: readonly Judged[]
  readonly leftOut: Readonly<Record<string, string>>
}

const FULL: Scale = {
  rounds: 5,
  aloneMs: 1_000,
  keysMs: 1_500,
  meetings: 7,
  againMs: 1_000,
  killRounds: 5,
  names: 10_000,
}
const QUICK: Scale = { rounds: 2, aloneMs: 400, keysMs: 500, meetings: 3, againMs: 500, killRounds: 1, names: 2_000 }
const SERVICES: readonly LockService[] = [etcdService, zookeeperService, redlockService, ...coterieServices]
const MEASURES = ['alone', 'keys', 'contended', 'holder', 'server', 'memory']

interface Plan {
  readonly scale: Scale
  readonly services: readonly LockService[]
  readonly wanted: ReadonlySet<string>
  readonly profiles: string | undefined
}

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<LockResult> {
  const plan = readPlan(args)
  const before = loadavg()[0]!
  const leftOut: Record<string, string> = {}
  const services = plan.services.filter(service => {
    const why = service.missing()
    if (why === undefined) return true
    leftOut[service.name] = why
    print(`${service.name} is left out: ${why}`)
    return false
  })
  try {
    const rows = await measureAll({ ...plan, services }, print)
    const load = [before, loadavg()[0]!] as const
    print(`${plan.scale.rounds} rounds; load of the machine ${load.map(value => value.toFixed(1)).join(' to ')}\n`)
    return { rounds: plan.scale.rounds, load, services: rows, judged: report(print, rows, NAMES, TARGETS), leftOut }
  } finally {
    await stopAll()
  }
}

function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      measure: { type: 'string' },
      rounds: { type: 'string' },
      profiles: { type: 'string' },
    },
  })
  const scale = values.quick ? QUICK : FULL
  const only = values.only?.split(',')
  const wanted = values.measure?.split(',') ?? MEASURES
  const known = (given: readonly string[] | undefined, all: readonly string[], what: string) => {
    const unknown = given?.find(name => !all.some(candidate => candidate.startsWith(name)))
    if (unknown !== undefined) throw new Error(`there is no ${what} '${unknown}'; there are ${all.join(', ')}`)
  }
  known(
    only,
    SERVICES.map(service => service.name),
    'service',
  )
  known(wanted, MEASURES, 'measure')
  // `coterie` is all of ours; `coterie-6` is exactly that one.
  const exact = (name: string) => SERVICES.some(service => service.name === name)
  const chosen = (service: LockService) =>
    only === undefined || only.some(name => (exact(name) ? service.name === name : service.name.startsWith(name)))
  return {
    scale: values.rounds === undefined ? scale : { ...scale, rounds: Math.max(1, Math.floor(Number(values.rounds))) },
    services: SERVICES.filter(chosen),
    wanted: new Set(wanted),
    profiles: values.profiles,
  }
}

/** Every figure of every round, by service. */
class Collected {
  private readonly rounds = new Map<LockService, Figures[]>()

  add(service: LockService, figures: Figures): void {
    const rounds = this.rounds.get(service) ?? []
    this.rounds.set(service, rounds)
    rounds.push(figures)
  }

  medians(): ServiceFigures[] {
    return [...this.rounds].map(([service, rounds]) => {
      const figures: Figures = {}
      for (const measure of new Set(rounds.flatMap(Object.keys))) {
        figures[measure] = median(rounds.flatMap(round => round[measure] ?? []))
      }
      return { service: service.name, ours: service.ours, figures }
    })
  }
}

async function measureAll(plan: Plan, print: Print): Promise<ServiceFigures[]> {
  const { scale, services, wanted, profiles } = plan
  const collected = new Collected()
  for (const service of services) collected.add(service, {})
  const contenders: Contender[] = []
  for (const service of services) contenders.push(await startContender(service, profiles))
  print(`started: ${services.map(service => service.name).join(', ')}`)
  await measureRounds(contenders, plan, collected, print)
  if (wanted.has('memory')) {
    for (const contender of contenders) {
      await attempt(contender.service, print, async () => {
        collected.add(contender.service, await measureMemory(contender, scale.names))
      })
    }
    print(`${scale.names} names held`)
  }
  await Promise.all(contenders.map(stopContender))
  if (wanted.has('server')) await measureKills(services, scale, collected, print)
  return collected.medians()
}

async function measureRounds(
  contenders: readonly Contender[],
  plan: Plan,
  collected: Collected,
  print: Print,
): Promise<void> {
  const { scale, wanted } = plan
  const speed = ['alone', 'keys', 'contended'].some(measure => wanted.has(measure))
  for (let round = 0; round < scale.rounds; round++) {
    for (let turn = 0; speed && turn < contenders.length; turn++) {
      // The order changes, so that nobody always comes after the same neighbour.
      const contender = contenders[(turn + round) % contenders.length]!
      await attempt(contender.service, print, async () =>
        collected.add(contender.service, await measureSpeed(contender, scale, wanted)),
      )
    }
    // Mostly waiting: all services at once.
    if (wanted.has('holder')) {
      const measure = async (contender: Contender) =>
        collected.add(contender.service, await measureHolderKilled(contender, round))
      await Promise.all(contenders.map(contender => attempt(contender.service, print, () => measure(contender))))
    }
    print(`round ${round + 1} of ${scale.rounds}`)
  }
}

async function measureKills(services: readonly LockService[], scale: Scale, collected: Collected, print: Print) {
  for (let round = 0; round < scale.killRounds; round++) {
    for (const service of services) {
      if (!service.mayLoseOne) continue
      await attempt(service, print, async () => collected.add(service, await measureServerKilled(service)))
    }
    print(`servers killed, round ${round + 1} of ${scale.killRounds}`)
  }
}

/** A peer that fails one measure is told, and measured on. */
async function attempt(service: LockService, print: Print, measure: () => Promise<void>): Promise<void> {
  try {
    await measure()
  } catch (error) {
    print(`${service.name} failed a measure: ${(error as Error).message.split('\n')[0]}`)
  }
}
