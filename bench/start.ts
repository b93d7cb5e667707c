// A group's first start, as `coterie up` does it: certificates and config for seven servers, seven processes, until all
// of them are ready for locks; and what a server takes at rest. Targets: 15 s, 90 MB.
//
// And what a command takes: the processor time of `coterie --version` and of `coterie get` on that group, as multiples
// of what Node takes to do nothing (`node -e 1`). Targets: 2 and 4. The three are measured in turn, so that whatever else
// the machine does weighs on all of them.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../src/client/connect.ts'
import { initGroup } from '../src/runtime/setup/group.ts'
import { median, type Print, printTable, show } from './support/figures.ts'
import { coterieProgram, freePorts, makeFolder, residentMb, start, stop, stopAll, until } from './support/processes.ts'

interface StartResult {
  readonly initMs: number
  readonly readyMs: number
  readonly secondReadyMs: number
  readonly residentMbMax: number
  /** Processor time of `node -e 1`. */
  readonly bareMs: number
  /** Multiples of it. */
  readonly versionRatio: number
  readonly getRatio: number
  readonly rounds: number
}

const SERVERS = 7
const ROUNDS = 3
/** Ports for metrics lie this far above. */
const METRICS_ABOVE = 100
const REST_MS = 3_000
/** How often each command runs in a round. */
const TURNS = 11

export async function run(print: Print = console.log): Promise<StartResult> {
  const rounds: Omit<StartResult, 'rounds'>[] = []
  try {
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure())
  } finally {
    await stopAll()
  }
  const of = (value: (round: Omit<StartResult, 'rounds'>) => number) => median(rounds.map(value))
  const result = {
    initMs: of(round => round.initMs),
    readyMs: of(round => round.readyMs),
    secondReadyMs: of(round => round.secondReadyMs),
    residentMbMax: of(round => round.residentMbMax),
    bareMs: of(round => round.bareMs),
    versionRatio: of(round => round.versionRatio),
    getRatio: of(round => round.getRatio),
    rounds: ROUNDS,
  }
  printTable(
    print,
    [`seven servers, median of ${ROUNDS}`, 'measured', 'target'],
    [
      ['certificates and config, ms', show(result.initMs), ''],
      ['init to all seven ready, ms', show(result.readyMs), '15,000'],
      ['second start to all seven ready, ms', show(result.secondReadyMs), ''],
      ['largest server at rest, MB', show(result.residentMbMax), '90'],
      ['node -e 1, processor ms', show(result.bareMs), ''],
      ['coterie --version, multiple of that', show(result.versionRatio), '2'],
      ['coterie get, multiple of that', show(result.getRatio), '4'],
    ],
  )
  return result
}

async function measure(): Promise<Omit<StartResult, 'rounds'>> {
  const folder = await makeFolder('start')
  const began = performance.now()
  const basePort = await freePorts(SERVERS, METRICS_ABOVE)
  const group = await initGroup({ dir: join(folder, 'group'), servers: SERVERS, liars: 1, basePort })
  const initMs = performance.now() - began
  const serve = () => group.serverFolders.map(server => start(process.execPath, [coterieProgram(), 'serve', server]))
  const servers = serve()
  await allReady(group.clientFolders[0]!)
  const readyMs = performance.now() - began
  await sleep(REST_MS)
  const resident = await Promise.all(servers.map(({ pid }) => residentMb(pid)))
  const commands = await measureCommands(group.clientFolders[0]!)
  await Promise.all(servers.map(server => stop(server)))
  const again = performance.now()
  const second = serve()
  await allReady(group.clientFolders[0]!)
  const secondReadyMs = performance.now() - again
  await Promise.all(second.map(server => stop(server)))
  return { initMs, readyMs, secondReadyMs, residentMbMax: Math.max(...resident), ...commands }
}

async function allReady(config: string): Promise<void> {
  await using client = await connect({ config, timeout: 30_000 })
  await until('all servers are ready', async () =>
    (await client.status()).servers.every(server => server.state === 'ready'),
  )
}

async function measureCommands(config: string) {
  await using client = await connect({ config })
  await client.tree().create('/started', 'yes')
  const bare: number[] = []
  const version: number[] = []
  const get: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    bare.push(processorMs(['-e', '1']))
    version.push(processorMs([coterieProgram(), '--version']))
    get.push(processorMs([coterieProgram(), 'get', '/started', '--config', config]))
  }
  const bareMs = median(bare)
  return { bareMs, versionRatio: median(version) / bareMs, getRatio: median(get) / bareMs }
}

/** What a run of Node takes of processors, its threads and its end included, as bash's `time` tells it. */
function processorMs(args: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null; } 2>&1'
  const told = execFileSync('bash', ['-c', script, 'bash', process.execPath, ...args], { encoding: 'utf8' })
  const [user, system] = told.trim().split(' ').map(Number)
  return 1_000 * (user! + system!)
}
