// The example of a shared pool of machines, as several programs.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { bundle } from '../guards/bundle.ts'
import { endAll, freePorts, run, waitFor } from '../support/processes.ts'

const MEMBERS = 4
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const DONE_MS = 110_000

let dir = ''
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

it('four programs share two machines, and all their jobs are done', async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-pool-'))
  const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
  const { memberFolders } = await initGroup({ dir: join(dir, 'pool'), basePort, members: MEMBERS })
  const program = await bundle('examples/shared-pool.ts')
  const programs = memberFolders.map(folder => run(process.execPath, [program, folder, '2']))
  const isDone = () => programs.every(({ output }) => output().includes('did job 2 of 2'))
  await waitFor('all jobs are done', isDone, DONE_MS)
  for (const { child } of programs) child.kill('SIGTERM')
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
  for (const { output, errors } of programs) expect(output() + errors()).not.toMatch(/oak|elm/)
})
