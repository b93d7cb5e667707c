// Where the system gives a process few files, every command says so in a sentence, however early it shows.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { freePorts } from '../support/processes.ts'

const BIN = join(import.meta.dirname, '../../bin/coterie')
/** What one command may take; a server is stopped then. */
const PATIENCE_MS = 20_000
const LIMITS = [28, 46, 48, 64]
let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-few-files-'))
  const basePort = await freePorts(LIMITS.length + 1)
  // One server for each limit; and a group whose server nobody starts.
  await initGroup({ dir: join(dir, 'served'), basePort, servers: LIMITS.length, liars: 0 })
  const silent = { basePort: basePort + LIMITS.length, servers: 1, liars: 0, crashes: 0 }
  await initGroup({ dir: join(dir, 'silent'), ...silent })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Runs `coterie` with so many open files at most, and gives all that it said. */
async function withFiles(files: number, args: readonly string[]): Promise<string> {
  const child = spawn('bash', ['-c', `ulimit -n ${files}; exec "$@"`, 'bash', process.execPath, BIN, ...args])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (said += data))
  const timer = setTimeout(() => child.kill(), PATIENCE_MS)
  await new Promise(resolve => child.once('close', resolve))
  clearTimeout(timer)
  return said
}

// All at once: those that find nobody wait for a while before they say so.
describe.concurrent.each(LIMITS)('with %i open files', files => {
  it.each([
    ['serve', () => ['serve', join(dir, `served/servers/server-${LIMITS.indexOf(files) + 1}`)]],
    ['status', () => ['status', '--config', join(dir, 'silent/clients/admin')]],
    ['lock', () => ['lock', 'x', '--config', join(dir, 'silent/clients/admin'), '--', 'true']],
  ])('%s works, or says what is wrong', async (_command, args) => {
    const said = await withFiles(files, args())
    expect(said).not.toMatch(/this is a bug|\n {4}at |node:internal/)
    // A server that came up has said so; one that did not says what to do.
    const isPlain = ['"msg":"listening"', 'does not answer', 'servers connected within'].some(one => said.includes(one))
    if (!isPlain) expect(said).toMatch(/ulimit -n/)
  })
})
