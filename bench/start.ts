// A group's first start, as `coterie up` does it: certificates and config for seven servers, seven processes, until all
// of them are ready for locks; and what a server takes at rest. Targets: 15 s, 90 MB.

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
  readonly rounds: number
}

const SERVERS = 7
const ROUNDS = 3
/** Ports for metrics lie this far above. */
const METRICS_ABOVE = 100
const REST_MS = 3_000

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
  await Promise.all(servers.map(server => stop(server)))
  const again = performance.now()
  const second = serve()
  await allReady(group.clientFolders[0]!)
  const secondReadyMs = performance.now() - again
  await Promise.all(second.map(server => stop(server)))
  return { initMs, readyMs, secondReadyMs, residentMbMax: Math.max(...resident) }
}

async function allReady(config: string): Promise<void> {
  await using client = await connect({ config, timeout: 30_000 })
  await until('all servers are ready', async () =>
    (await client.status()).servers.every(server => server.state === 'ready'),
  )
}
