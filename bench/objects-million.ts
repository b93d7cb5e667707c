// A million small entries of a tree: what a server needs for them, how long it takes to start with them, and whether a
// put costs the same at the end of a long run as at its beginning.
//
// npm run bench -- objects-million [--count 1000000] [--puts 0]

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '../src/client/connect.ts'
import type { Group } from '../src/client/group.ts'
import { initGroup } from '../src/runtime/setup/group.ts'
import type { Print } from './support/figures.ts'
import {
  coterieProgram,
  freePorts,
  makeFolder,
  type Running,
  residentMb,
  start,
  stop,
  stopAll,
  untilReady,
} from './support/processes.ts'

interface MillionResult {
  readonly entries: number
  readonly fillSeconds: number
  readonly residentMb: readonly number[]
  readonly restartSeconds: number
  readonly afterRestartMb: number
  /** Puts a second in the first and in the last tenth of the puts, and what the servers had at those times. */
  readonly firstTenth: number
  readonly lastTenth: number
}

const COUNT = 1_000_000
const METRICS_ABOVE = 100
const CONNECT_MS = 30_000
/** As many as a transaction takes. */
const AT_ONCE = 256
/** Transactions in flight. */
const IN_FLIGHT = 8
const PUTS_IN_FLIGHT = 64
const PER_FOLDER = 10_000
const VALUE = new Uint8Array(10).fill(7)

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<MillionResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { count: { type: 'string', default: String(COUNT) }, puts: { type: 'string', default: '0' } },
  })
  try {
    return await measure(Number(values.count), Number(values.puts), print)
  } finally {
    await stopAll()
  }
}

async function measure(count: number, puts: number, print: Print): Promise<MillionResult> {
  const folder = await makeFolder('million')
  const basePort = await freePorts(3, METRICS_ABOVE)
  const made = await initGroup({ dir: join(folder, 'group'), servers: 3, liars: 0, crashes: 1, basePort })
  const servers = await Promise.all(made.serverFolders.map(startServer))
  const group = await connect({ config: made.clientFolders[0]!, timeout: CONNECT_MS, blockedMax: 0 })
  const began = performance.now()
  await fill(group, count, print)
  const fillSeconds = secondsSince(began)
  const [firstTenth, lastTenth] = await putAll(group, puts)
  const residents = await Promise.all(servers.map(server => residentMb(server.pid)))
  print(`${count} entries in ${fillSeconds.toFixed(1)} s; MB a server: ${residents.map(Math.round).join(', ')}`)
  if (puts > 0)
    print(`${puts} puts: ${Math.round(firstTenth)}/s in the first tenth, ${Math.round(lastTenth)}/s in the last`)
  await stop(servers[0]!, 'SIGKILL')
  const stopped = performance.now()
  const again = await startServer(made.serverFolders[0]!)
  const restartSeconds = secondsSince(stopped)
  const afterRestartMb = await residentMb(again.pid)
  const processor = await processorSeconds(again.pid)
  print(
    `killed and started again: ${restartSeconds.toFixed(1)} s (${processor} s of a processor), ${Math.round(afterRestartMb)} MB`,
  )
  await group.close()
  return { entries: count, fillSeconds, residentMb: residents, restartSeconds, afterRestartMb, firstTenth, lastTenth }
}

const secondsSince = (time: number) => (performance.now() - time) / 1000

async function startServer(folder: string): Promise<Running> {
  const server = start(process.execPath, [coterieProgram(), 'serve', folder])
  await untilReady('a server', server, () => server.output().includes('listening'))
  return server
}

async function fill(group: Group, count: number, print: Print): Promise<void> {
  const tree = group.tree()
  for (let at = 0; at < count; at += PER_FOLDER) await tree.create(`/${at / PER_FOLDER}`)
  let next = 0
  const one = async () => {
    while (next < count) {
      const from = next
      const to = Math.min(count, from + AT_ONCE)
      next = to
      const paths = Array.from({ length: to - from }, (_, place) => pathOf(from + place))
      const create = { kind: 'create', value: VALUE, ephemeral: false, sequential: false } as const
      await tree.txn({ do: paths.map(path => ({ ...create, path })) })
      if (Math.floor(to / 100_000) > Math.floor(from / 100_000)) print(`${to} entries`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, one))
}

function pathOf(number: number): string {
  return `/${Math.floor(number / PER_FOLDER)}/entry-${number}`
}

/** Puts a second in the first tenth and in the last. */
async function putAll(group: Group, puts: number): Promise<readonly [number, number]> {
  const tree = group.tree()
  const times: number[] = [performance.now()]
  let next = 0
  const one = async () => {
    while (next < puts) {
      await tree.set(pathOf(next++ % 100), VALUE)
      times.push(performance.now())
    }
  }
  await Promise.all(Array.from({ length: PUTS_IN_FLIGHT }, one))
  const tenth = Math.floor(puts / 10)
  const rate = (from: number, to: number) => (tenth * 1000) / (times[to]! - times[from]!)
  return puts === 0 ? [0, 0] : [rate(0, tenth), rate(puts - tenth, puts)]
}

async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
