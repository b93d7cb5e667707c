// "Renewal that stops when Node's event loop is busy": a main thread blocked for three times its lease.
//
// Three servers, a holder and a rival, each a process of its own on this machine, over mutual TLS. The holder takes the
// lock, and its next line is a loop that lasts for three leases. The rival waits for the lock meanwhile, in this process.
// Run twice: with the worker thread that renews, and without it.
//
// These are real processes, and a busy machine may leave any of them without a turn for seconds. What is decided does
// not depend on how fast the machine is:
// - Without the worker, the holder's loop goes on until the rival has the lock, however long that takes.
// - With the worker, the loop lasts for three leases, whatever a lease is. Where the machine gave the worker no turn
//   for the better part of a lease, the lease is over, as it should be; the run is then repeated with longer leases.
//   A worker that does not renew holds none of them.
// - That the holder never says "held" while the rival holds is asked of every run.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeBasePort } from '../../src/cli/ports.ts'
import { connect, type Group, NotAcquired } from '../../src/index.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { type Experiment, type Result, type Row, type RunOptions, row } from '../experiment.ts'
import type { Found } from './holder.ts'

const SERVERS = 3
/** The leases that are tried with the worker, the next one where the machine was too busy for the one before. */
const TTLS_MS = { small: [1_000, 3_000, 9_000], full: [10_000, 30_000] }
const BLOCK_PER_TTL = 3
/** How long the rival waits for a lease that is over and was not renewed: longer than any machine is busy. */
const RIVAL_MS_MAX = 60_000
const BLOCKED_MAX_MS = 600_000
/** Several of these run at once in tests: they look for ports in different places. */
const PORTS = { first: 20_000, places: 40, apart: 200 }
const START_MS_MAX = 30_000

/** Processes run what is built, also where this file runs from its source. */
const built = import.meta.url.endsWith('.ts') ? '../../dist/' : '../../'
const holderProgram = fileURLToPath(new URL(`${built}lab/lock/holder.js`, import.meta.url))

/** The command line: in a clone beside what is built; published it is the package that the laboratory belongs to. */
function program(): string {
  const beside = fileURLToPath(new URL(`${built}../bin/coterie`, import.meta.url))
  if (existsSync(beside)) return beside
  return join(dirname(createRequire(import.meta.url).resolve('coterie/package.json')), 'bin/coterie')
}

export const stalledLoop: Experiment = {
  name: 'stalled-loop',
  alone: true,
  title: 'A main thread blocked for three times its lease, with and without renewal from a worker thread.',
  source: 'protocols/lock 7',
  run: ({ scale, progress }) => stall(TTLS_MS[scale], BLOCKED_MAX_MS, progress),
}

/** With `blockedMax` 0 nobody renews: how a test sees the rows turn red. */
export async function stall(
  ttls: readonly number[],
  blockedMax: number,
  progress: RunOptions['progress'],
): Promise<Result> {
  const bed = await startServers(ttls.at(-1)!)
  try {
    const kept: Outcome[] = []
    for (const ttl of ttls) {
      progress(0.1, `a worker renews a lease of ${ttl / 1000} s`)
      kept.push(await stallWithWorker(bed, ttl, blockedMax))
      if (kept.at(-1)!.held) break
    }
    progress(0.55, 'the main thread would renew')
    const lost = await stallAlone(bed, ttls[0]!)
    const rows = [...rowsOf('worker', kept, 1), ...rowsOf('no worker', [lost], 0)]
    return { rows, pictures: [], notes: notes(ttls.slice(0, kept.length)) }
  } finally {
    await bed.stop()
  }
}

interface Outcome {
  readonly held: boolean
  /** Whether the rival had the lock before the holder looked. */
  readonly rivalHeld: boolean
}

/** The last run decides what was kept; a false "held" counts in every run. */
function rowsOf(how: string, runs: readonly Outcome[], expectHeld: 0 | 1): Row[] {
  const { held, rivalHeld } = runs.at(-1)!
  const lies = runs.filter(run => run.held && run.rivalHeld)
  return [
    row(`${how}: held after the block`, Number(held), expectHeld, 0),
    row(`${how}: others that held meanwhile`, Number(rivalHeld), 1 - expectHeld, 0),
    row(`${how}: false "held"`, lies.length, 0, 0),
  ]
}

function notes(ttls: readonly number[]): readonly string[] {
  const [first, ...longer] = ttls
  const repeated = longer.map(
    ttl => `The machine was too busy for the worker: repeated with a lease of ${ttl / 1000} s.`,
  )
  return [
    `A lease of ${first! / 1000} s, a loop of ${BLOCK_PER_TTL} leases that begins with the line after the lock was taken; ` +
      `${SERVERS} servers, one holder, one rival that waits; real processes on one machine.`,
    ...repeated,
    'Without the worker the lease runs out and the rival holds it; the holder finds held() === false at its first look. ' +
      'So the worker is there for keeping the lock, not for safety.',
  ]
}

/** The loop lasts for three leases. */
async function stallWithWorker({ config }: Bed, ttl: number, blockedMax: number): Promise<Outcome> {
  await using rival = await connect({ config, blockedMax: 0 })
  await using holder = startHolder([config, `kept ${ttl}`, ttl, BLOCK_PER_TTL * ttl, blockedMax])
  await holder.said.next()
  const rivalAt = waitFor(rival, `kept ${ttl}`)
  const found = JSON.parse((await holder.said.next()).value) as Found
  return { held: found.held, rivalHeld: (await rivalAt) < found.at }
}

/** The loop lasts for three leases, and until the rival has the lock. */
async function stallAlone({ config, dir }: Bed, ttl: number): Promise<Outcome> {
  const go = join(dir, 'rival-holds')
  await using rival = await connect({ config, blockedMax: 0 })
  await using holder = startHolder([config, 'lost', ttl, BLOCK_PER_TTL * ttl, 0, go])
  await holder.said.next()
  const rivalAt = await waitFor(rival, 'lost')
  await writeFile(go, '')
  const found = JSON.parse((await holder.said.next()).value) as Found
  return { held: found.held, rivalHeld: rivalAt < found.at }
}

interface Holder extends AsyncDisposable {
  readonly said: AsyncGenerator<string, never>
}

function startHolder(args: readonly (string | number)[]): Holder {
  const child = spawn(process.execPath, [holderProgram, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'] })
  return {
    said: linesOf(child),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
    },
  }
}

/** When the rival had the lock, by the clock that all processes of a machine share. */
async function waitFor(rival: Group, name: string): Promise<number> {
  try {
    const lease = await rival.lock(name, { timeout: RIVAL_MS_MAX })
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

interface Bed {
  /** The client's folder, and one for whatever else. */
  readonly config: string
  readonly dir: string
  stop(): Promise<void>
}

async function startServers(ttlMax: number): Promise<Bed> {
  const dir = await mkdtemp(join(tmpdir(), 'coterie-stalled-'))
  const basePort = await freeBasePort(PORTS.first + (process.pid % PORTS.places) * PORTS.apart, SERVERS)
  const group = await initGroup({ dir: join(dir, 'group'), servers: SERVERS, liars: 0, basePort, ttlMax })
  const servers = group.serverFolders.map(folder =>
    spawn(process.execPath, [program(), 'serve', folder], { stdio: ['ignore', 'ignore', 'inherit'] }),
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
  return { config: group.clientFolders[0]!, dir, stop }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
