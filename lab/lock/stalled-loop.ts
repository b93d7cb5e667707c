// "Renewal that stops when Node's event loop is busy": a main thread blocked for three times its lease.
//
// Three servers, a holder and a rival, each a process of its own on this machine, over mutual TLS. The holder takes the
// lock, and its next line is a loop that lasts for three leases. The rival waits for the lock meanwhile, in this process.
// Run twice: with the worker thread that renews, and without it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeBasePort } from '../../src/cli/ports.ts'
import { connect, type Group, NotAcquired } from '../../src/index.ts'
import { initGroup } from '../../src/runtime/setup.ts'
import { type Experiment, type Row, row } from '../experiment.ts'
import type { Found } from './holder.ts'

const SERVERS = 3
const TTL_MS = { small: 1_000, full: 10_000 }
const BLOCK_PER_TTL = 3
/** Several of these run at once in tests: they look for ports in different places. */
const PORTS = { first: 20_000, places: 40, apart: 200 }
const START_MS_MAX = 30_000

/** Processes run what is built, also where this file runs from its source. */
const built = import.meta.url.endsWith('.ts') ? '../../dist/' : '../../'
const program = fileURLToPath(new URL(`${built}../bin/coterie`, import.meta.url))
const holderProgram = fileURLToPath(new URL(`${built}lab/lock/holder.js`, import.meta.url))

export const stalledLoop: Experiment = {
  name: 'stalled-loop',
  title: 'A main thread blocked for three times its lease, with and without renewal from a worker thread.',
  source: 'issue "The lock that never lies to its holder"; protocols/lock 7',
  async run({ scale, progress }) {
    const ttl = TTL_MS[scale]
    const bed = await startServers(ttl)
    try {
      progress(0.1, 'a worker renews')
      const kept = await stall(bed.config, ttl, 'kept', 60_000)
      progress(0.55, 'the main thread would renew')
      const lost = await stall(bed.config, ttl, 'lost', 0)
      return { rows: [...rowsOf('worker', kept, 1), ...rowsOf('no worker', lost, 0)], pictures: [], notes: notes(ttl) }
    } finally {
      await bed.stop()
    }
  },
}

interface Outcome {
  readonly held: number
  /** Others that held the lock before the holder looked. */
  readonly others: number
}

function rowsOf(how: string, { held, others }: Outcome, expectHeld: 0 | 1): Row[] {
  return [
    row(`${how}: held after the block`, held, expectHeld, 0),
    row(`${how}: others that held meanwhile`, others, 1 - expectHeld, 0),
    row(`${how}: false "held"`, held > 0 && others > 0 ? 1 : 0, 0, 0),
  ]
}

function notes(ttl: number): readonly string[] {
  return [
    `A lease of ${ttl / 1000} s, a loop of ${(BLOCK_PER_TTL * ttl) / 1000} s that begins with the line after the lock was taken; ` +
      `${SERVERS} servers, one holder, one rival that waits; real processes on one machine.`,
    'Without the worker the lease runs out and the rival holds it; the holder finds held() === false at its first look. ' +
      'So the worker is there for keeping the lock, not for safety.',
  ]
}

async function stall(config: string, ttl: number, name: string, blockedMax: number): Promise<Outcome> {
  await using rival = await connect({ config, blockedMax: 0 })
  const args = [config, name, ttl, BLOCK_PER_TTL * ttl, blockedMax].map(String)
  const holder = spawn(process.execPath, [holderProgram, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const said = linesOf(holder)
    await said.next()
    const rivalAt = waitFor(rival, name, (BLOCK_PER_TTL + 1) * ttl)
    const found = JSON.parse((await said.next()).value) as Found
    return { held: found.held ? 1 : 0, others: (await rivalAt) < found.at ? 1 : 0 }
  } finally {
    holder.kill('SIGKILL')
  }
}

/** When the rival had the lock, by the clock that all processes of a machine share. */
async function waitFor(rival: Group, name: string, timeout: number): Promise<number> {
  try {
    const lease = await rival.lock(name, { timeout })
    const at = Number(process.hrtime.bigint()) / 1e6
    await lease.release()
    return at
  } catch (error) {
    if (error instanceof NotAcquired) return Number.POSITIVE_INFINITY
    throw error
  }
}

async function* linesOf(child: ChildProcess): AsyncGenerator<string, never> {
  let text = ''
  for await (const data of child.stdout!) {
    const lines = `${text}${data}`.split('\n')
    text = lines.pop()!
    yield* lines
  }
  throw new Error('a process of the experiment ended before it was done')
}

async function startServers(ttlMax: number): Promise<{ config: string; stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'coterie-stalled-'))
  const basePort = await freeBasePort(PORTS.first + (process.pid % PORTS.places) * PORTS.apart, SERVERS)
  const group = await initGroup({ dir: join(dir, 'group'), servers: SERVERS, liars: 0, basePort, ttlMax })
  const servers = group.serverFolders.map(folder =>
    spawn(process.execPath, [program, 'serve', folder], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const stop = async () => {
    await Promise.all(servers.map(end))
    await rm(dir, { recursive: true, force: true })
  }
  try {
    // Connecting waits until enough servers listen.
    await using first = await connect({ config: group.clientFolders[0]!, timeout: START_MS_MAX, blockedMax: 0 })
    void first
  } catch (error) {
    await stop()
    throw error
  }
  return { config: group.clientFolders[0]!, stop }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
