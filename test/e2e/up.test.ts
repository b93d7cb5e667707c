// coterie up over real processes: what it says when a server ends, and when the group is running already.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, waitFor } from '../support/processes.ts'

const folder = await mkdtemp(join(tmpdir(), 'coterie-up-'))
const dir = join(folder, 'shop')
// Its clients may have any names.
await initGroup({ dir, liars: 0, clients: ['till'], basePort: await freePorts(3) })

afterEach(endAll)
afterAll(() => rm(folder, { recursive: true, force: true }))

async function processOf(server: string): Promise<number> {
  const names = await readdir(join(dir, 'servers', server, 'store'))
  return Number(names.map(name => /^held-by-(\d+)-/.exec(name)?.[1]).find(pid => pid !== undefined))
}

it('says that a server ended and was started again, and that the group runs already', async () => {
  const up = coterie(['up', '--dir', dir])
  await waitFor('the group is ready', () => up.output().includes('ready after'))

  const second = coterie(['up', '--dir', dir])
  expect(await second.ended).toBe(1)
  expect(second.errors()).toContain(`this group is already running (process ${await processOf('server-1')}`)

  process.kill(await processOf('server-3'), 'SIGKILL')
  await waitFor('it says so', () => up.output().includes('server-3 ended (SIGKILL), restarted\n'))

  up.child.kill('SIGTERM')
  expect(await up.ended).toBe(0)
  expect(up.output()).not.toContain('server-1 ended')
  expect(up.errors()).toBe('')
})
