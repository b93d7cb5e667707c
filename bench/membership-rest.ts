// What a member of a group in which nothing happens costs its processor: one member is a process of its own, another one
// leads, the others share a few processes. npm run bench -- membership-rest [MEMBERS [SECONDS]]. Target: under one
// hundredth of a core in a group of 100. Bytes are counted by the lab (membership-rest).

import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join as path } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { initGroup } from '../src/runtime/setup/group.ts'
import { type Print, printTable, show } from './support/figures.ts'
import {
  benchProgram,
  freePorts,
  makeFolder,
  type Running,
  residentMb,
  start,
  stopAll,
  until,
} from './support/processes.ts'

interface RestResult {
  readonly members: number
  readonly seconds: number
  /** Of one core. */
  readonly percent: number
  readonly memoryMb: number
}

const MEMBERS_DEFAULT = 100
const SECONDS_DEFAULT = 30
/** Members listen this far above the group's first port. */
const MEMBERS_ABOVE = 200
const PROCESSES = 2
/** Everybody has asked everybody once and is connected; distances have been told and have gone round. */
const WARM_UP_MS = 20_000
const WARM_UP_PER_MEMBER_MS = 330
const PATIENCE_MS = 300_000
/** The kernel counts a process's time in hundredths of a second, everywhere. */
const TICKS_PER_SECOND = 100

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<RestResult> {
  const [members, seconds] = [Number(args[0] ?? MEMBERS_DEFAULT), Number(args[1] ?? SECONDS_DEFAULT)]
  try {
    const result = await measure(members, seconds)
    printTable(
      print,
      [`a member of ${members} at rest, ${seconds} s, load ${loadavg()[0]!.toFixed(1)}`, 'measured', 'target'],
      [
        ['of a core, %', show(result.percent), '1'],
        ['memory, MB', show(result.memoryMb), ''],
      ],
    )
    return result
  } finally {
    await stopAll()
  }
}

async function measure(members: number, seconds: number): Promise<RestResult> {
  const folder = await makeFolder('rest')
  const basePort = (await freePorts(members)) - MEMBERS_ABOVE
  const group = await initGroup({ dir: path(folder, 'group'), members, servers: 1, crashes: 0, basePort })
  const [leader, measured, ...others] = group.memberFolders
  const leading = start(process.execPath, [benchProgram('coordinator'), leader!])
  await until('the coordinator has joined', () => leading.output().includes('joined'), PATIENCE_MS)
  const share = Math.ceil(others.length / PROCESSES)
  const parts = Array.from({ length: PROCESSES }, (_, place) => others.slice(place * share, (place + 1) * share))
  const hosts = [[measured!], ...parts].map(folders =>
    start(process.execPath, [benchProgram('members'), '0', ...folders]),
  )
  const hasJoined = (host: Running) => host.output().includes('"joined"')
  await until('all have joined', () => hosts.every(hasJoined), PATIENCE_MS)
  await sleep(WARM_UP_MS + WARM_UP_PER_MEMBER_MS * members)
  const { pid } = hosts[0]!
  const before = await processorSeconds(pid)
  await sleep(seconds * 1_000)
  const percent = (100 * ((await processorSeconds(pid)) - before)) / seconds
  return { members, seconds, percent, memoryMb: await residentMb(pid) }
}

/** What a process has used of the processor, its own and the system's time for it. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in brackets may hold anything; after it come the fields from the third on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return (user + system) / TICKS_PER_SECOND
}
