// Jobs done by processes that are killed by -9 while servers are killed, too: every job is done at least once, no token is
// given twice, and a job that was completed is not begun again.

import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'
import { afterEach, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { endAll, freePorts, type Running, root, run, serve, waitFor } from '../support/processes.ts'

const JOBS = 120
const WORKERS = 3
const KILLS = 8
const BUSY_MS = 2_000

interface Note {
  readonly what: 'begun' | 'done' | 'failed'
  readonly id: string
  readonly token: number
  readonly attempt: number
  readonly pid: number
}

let dir = ''
afterEach(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

function readJournal(file: string): Note[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as Note)
}

async function startWorker(config: string, journal: string): Promise<Running> {
  const worker = run(process.execPath, [join(root, 'test/e2e/job-worker.mjs'), config, journal])
  await waitFor(
    'a worker works',
    () => {
      if (worker.child.exitCode !== null) throw new Error(`worker ended: ${worker.errors()}`)
      return worker.output().includes('working')
    },
    60_000,
  )
  return worker
}

/** A try of this process has begun, and not ended. */
function isBusy(notes: readonly Note[], pid: number): boolean {
  let open = 0
  for (const note of notes) if (note.pid === pid) open += note.what === 'begun' ? 1 : -1
  return open > 0
}

it('does every job though workers and servers are killed', async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-jobs-'))
  const journal = join(dir, 'journal')
  writeFileSync(journal, '')
  const made = await initGroup({ dir: join(dir, 'group'), servers: 3, crashes: 1, basePort: await freePorts(3) })
  const servers = await Promise.all(made.serverFolders.map(folder => serve(folder)))
  const config = made.clientFolders[0]!
  await using group = await connect({ config, blockedMax: 0 })
  const jobs = group.recipes.jobs<{ fails: number }>('orders')
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(config, journal)))
  const backoff = { kind: 'fixed', delay: 50 } as const
  const list = Array.from({ length: JOBS }, (_, place) => ({
    id: `job-${place}`,
    data: { fails: place % 3 },
    attempts: 50,
    backoff,
  }))
  await jobs.addAll(list)
  for (let kill = 0; kill < KILLS; kill++) {
    const place = kill % WORKERS
    // In the middle of a job, where it has one within a while.
    const until = performance.now() + BUSY_MS
    while (!isBusy(readJournal(journal), workers[place]!.child.pid!) && performance.now() < until) await sleep(1)
    workers[place]!.child.kill('SIGKILL')
    await workers[place]!.ended
    if (kill === 3) servers[0]!.child.kill('SIGKILL')
    workers[place] = await startWorker(config, journal)
    await sleep(100)
  }
  await waitFor('all are done', async () => (await jobs.stats()).completed === JOBS, 90_000)
  const stats = await jobs.stats()
  expect(stats).toMatchObject({ completed: JOBS, waiting: 0, active: 0, delayed: 0, dead: 0 })
  const notes = readJournal(journal)
  const done = new Set(notes.filter(({ what }) => what === 'done').map(({ id }) => id))
  // At least once: whoever said that it was done had done it.
  expect(list.filter(({ id }) => !done.has(id))).toEqual([])
  const begun = notes.filter(({ what }) => what === 'begun')
  // A token is given once, and those of a job grow.
  expect(new Set(begun.map(({ token }) => token)).size).toBe(begun.length)
  for (const { id } of list) {
    const tokens = begun.filter(note => note.id === id).map(({ token }) => token)
    expect(Math.max(...tokens)).toBe(tokens.at(-1))
  }
  // The kills were felt: some tries have begun and not ended.
  expect(begun.length).toBeGreaterThan(notes.length - begun.length)
  for (const worker of workers) worker.child.kill('SIGTERM')
  for (const worker of workers) expect(await worker.ended, worker.errors()).toBe(0)
})
