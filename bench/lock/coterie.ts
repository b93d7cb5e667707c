// Our group: real server processes over mutual TLS. A liar is a process too, with that server's certificate.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/client/connect.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import {
  benchProgram,
  coterieProgram,
  freePorts,
  makeFolder,
  type Running,
  start,
  stop,
  untilReady,
} from '../support/processes.ts'
import type { Cluster, LockClient, LockService, StartOptions } from './service.ts'

interface Shape {
  readonly servers: number
  readonly liars: number
  readonly crashes: number
  /** Servers that do lie. */
  readonly lying: number
  /** The program of a liar; default: one that grants every lock. */
  readonly liarProgram?: string
}

const METRICS_ABOVE = 100
const CONNECT_MS = 30_000

export const coterieServices: readonly LockService[] = [
  coterieService('coterie-3', { servers: 3, liars: 0, crashes: 1, lying: 0 }),
  coterieService('coterie-6', { servers: 6, liars: 1, crashes: 1, lying: 0 }),
  coterieService('coterie-6-liar', { servers: 6, liars: 1, crashes: 1, lying: 1 }),
]

export function coterieService(name: string, shape: Shape): LockService {
  return {
    name,
    ours: true,
    mayLoseOne: shape.lying < shape.crashes,
    missing: () => missingProgram(shape.liarProgram),
    start: options => startGroup(name, shape, options ?? {}),
  }
}

function missingProgram(program: string | undefined): string | undefined {
  const there = program === undefined || existsSync(benchProgram(program))
  return there ? undefined : `there is no program ${program}`
}

async function startGroup(name: string, shape: Shape, options: StartOptions): Promise<Cluster> {
  const { servers, liars, crashes, lying } = shape
  const folder = await makeFolder(name)
  const basePort = await freePorts(servers, METRICS_ABOVE)
  const group = await initGroup({ dir: join(folder, 'group'), servers, liars, crashes, basePort })
  const running = group.serverFolders.map((server, place) =>
    startServer(server, place >= servers - lying ? (shape.liarProgram ?? 'liar-server') : undefined, options),
  )
  await Promise.all(
    running.map((server, place) =>
      untilReady(`server ${place + 1} of ${name}`, server, () => server.output().includes('listening')),
    ),
  )
  return {
    address: { kind: 'coterie', config: group.clientFolders[0]! },
    pids: () => running.slice(0, servers - lying).map(({ pid }) => pid),
    killOne: () => stop(running[0]!, 'SIGKILL'),
    stop: async () => {
      await Promise.all(running.map(server => stop(server)))
    },
  }
}

function startServer(folder: string, liar: string | undefined, { profiles }: StartOptions): Running {
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const program = liar === undefined ? [coterieProgram(), 'serve'] : [benchProgram(liar)]
  return start(process.execPath, [...flags, ...program, folder])
}

export async function coterieClient(config: string, leaseMs: number): Promise<LockClient> {
  const group = await connect({ config, timeout: CONNECT_MS })
  return {
    lock: name => group.lock(name, { ttl: leaseMs }),
    close: () => group.close(),
  }
}
