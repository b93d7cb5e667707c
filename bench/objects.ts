// Objects beside etcd and ZooKeeper, all of them on loopback in one run, in rounds that take turns.
//
// npm run bench -- objects [--quick] [--only zookeeper,coterie-3] [--measure alone,cold,flight,watch,server,client]
//                          [--rounds 3]
//
// The peers run with the defaults of Debian's packages and without TLS; ours with mutual TLS; all sync every write.
// Ours with a liar has one server that proposes, refuses and invents as it likes.

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { coterieService } from './lock/coterie.ts'
import { etcdService } from './lock/etcd.ts'
import type { LockService } from './lock/service.ts'
import { zookeeperService } from './lock/zookeeper.ts'
import {
  type Contender,
  type Figures,
  measureClientKilled,
  measureServerKilled,
  measureSpeed,
  type Scale,
  startContender,
  stopContender,
} from './objects/measures.ts'
import { MEASURES as NAMES, TARGETS } from './objects/report.ts'
import { median, type Print } from './support/figures.ts'
import { stopAll } from './support/processes.ts'
import { type Judged, report, type ServiceFigures } from './support/report.ts'

interface ObjectsResult {
  readonly rounds: number
  readonly load: readonly [number, number]
  readonly services: readonly ServiceFigures[]
  readonly judged: readonly Judged[]
}

const FULL: Scale = { rounds: 3, aloneMs: 1_500, flightMs: 2_000, coldPuts: 20, watched: 200, killRounds: 3 }
const QUICK: Scale = { rounds: 1, aloneMs: 500, flightMs: 800, coldPuts: 6, watched: 50, killRounds: 1 }
const SERVICES: readonly LockService[] = [
  etcdService,
  zookeeperService,
  coterieService('coterie-3', { servers: 3, liars: 0, crashes: 1, lying: 0 }),
  coterieService('coterie-7', { servers: 7, liars: 1, crashes: 1, lying: 0 }),
  coterieService('coterie-7-liar', { servers: 7, liars: 1, crashes: 1, lying: 1, liarProgram: 'lying-objects' }),
]
const MEASURES = ['alone', 'cold', 'flight', 'watch', 'server', 'client']

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<ObjectsResult> {
  const { scale, services, wanted } = readPlan(args)
  const before = loadavg()[0]!
  try {
    const rows = await measureAll(
      services.filter(service => present(service, print)),
      scale,
      wanted,
      print,
    )
    const load = [before, loadavg()[0]!] as const
    print(`${scale.rounds} rounds; load of the machine ${load.map(value => value.toFixed(1)).join(' to ')}\n`)
    return { rounds: scale.rounds, load, services: rows, judged: report(print, rows, NAMES, TARGETS) }
  } finally {
    await stopAll()
  }
}

function present(service: LockService, print: Print): boolean {
  const why = service.missing()
  if (why !== undefined) print(`${service.name} is left out: ${why}`)
  return why === undefined
}

function readPlan(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      measure: { type: 'string' },
      rounds: { type: 'string' },
    },
  })
  const scale = values.quick ? QUICK : FULL
  const only = values.only?.split(',')
  return {
    scale: values.rounds === undefined ? scale : { ...scale, rounds: Math.max(1, Math.floor(Number(values.rounds))) },
    services: SERVICES.filter(service => only === undefined || only.includes(service.name)),
    wanted: new Set(values.measure?.split(',') ?? MEASURES),
  }
}

async function measureAll(
  services: readonly LockService[],
  scale: Scale,
  wanted: ReadonlySet<string>,
  print: Print,
): Promise<ServiceFigures[]> {
  const rounds = new Map<LockService, Figures[]>(services.map(service => [service, []]))
  const attempt = async (service: LockService, measure: () => Promise<Figures>) => {
    try {
      rounds.get(service)!.push(await measure())
    } catch (error) {
      print(`${service.name} failed a measure: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  await measureSpeeds(services, scale, wanted, attempt, print)
  for (let round = 0; round < scale.killRounds; round++) {
    for (const service of services) {
      if (wanted.has('server') && service.mayLoseOne) await attempt(service, () => measureServerKilled(service))
      if (wanted.has('client')) await attempt(service, () => measureClientKilled(service))
    }
    print(`killed, round ${round + 1} of ${scale.killRounds}`)
  }
  return services.map(service => ({
    service: service.name,
    ours: service.ours,
    figures: medians(rounds.get(service)!),
  }))
}

async function measureSpeeds(
  services: readonly LockService[],
  scale: Scale,
  wanted: ReadonlySet<string>,
  attempt: (service: LockService, measure: () => Promise<Figures>) => Promise<void>,
  print: Print,
): Promise<void> {
  const contenders: Contender[] = []
  for (const service of services) contenders.push(await startContender(service))
  print(`started: ${services.map(service => service.name).join(', ')}`)
  for (let round = 0; round < scale.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      // The order changes, so that nobody always comes after the same neighbour.
      const contender = contenders[(turn + round) % contenders.length]!
      await attempt(contender.service, () => measureSpeed(contender, scale, wanted))
    }
    print(`round ${round + 1} of ${scale.rounds}`)
  }
  await Promise.all(contenders.map(stopContender))
}

function medians(rounds: readonly Figures[]): Figures {
  const figures: Figures = {}
  for (const measure of new Set(rounds.flatMap(Object.keys))) {
    figures[measure] = median(rounds.flatMap(round => round[measure] ?? []))
  }
  return figures
}
