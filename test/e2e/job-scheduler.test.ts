// The scheduler of the guide (docs/guide/build-a-job-scheduler.md), as several programs, of which the one that plans is
// killed by -9: another plans on, and every tick that was planned has its report.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'coterie'
import { afterAll, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { bundle } from '../guards/bundle.ts'
import { endAll, freePorts, root, run, serve, waitFor } from '../support/processes.ts'

const EXAMPLE = 'examples/job-scheduler.ts'

let dir = ''
afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

it('three processes plan and work, also after the one that plans was killed', async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-scheduler-'))
  const shape = { servers: 3, members: 3, memberClients: true, basePort: await freePorts(3) }
  const made = await initGroup({ dir: join(dir, 'shop'), ...shape })
  for (const folder of made.serverFolders) await serve(folder)
  const output = join(dir, 'reports')
  const program = await bundle(EXAMPLE)
  const programs = made.memberFolders.map(folder => run(process.execPath, [program, folder, output, '300']))
  const planner = () => programs.find(({ child, output: said }) => child.exitCode === null && said().includes('plans'))
  await waitFor('somebody plans', () => planner() !== undefined, 60_000)
  const reports = async () => (await readdir(output)).filter(name => !name.endsWith('.guard'))
  await waitFor('reports', async () => (await reports()).length >= 3, 60_000)
  const first = planner()!
  first.child.kill('SIGKILL')
  await first.ended
  const left = programs.filter(one => one !== first)
  await waitFor('another plans', () => left.some(({ output: said }) => said().includes('plans')), 60_000)
  const before = (await reports()).length
  await waitFor('more reports', async () => (await reports()).length >= before + 3, 60_000)
  for (const { child } of left) child.kill('SIGTERM')
  for (const one of left) expect(await one.ended, one.errors()).toBe(0)
  await using admin = await connect({ config: made.clientFolders[0]!, blockedMax: 0 })
  const jobs = admin.recipes.jobs<{ tick: number }>('reports')
  // What the others left behind is done by whoever comes.
  await using _worker = jobs.work(({ data }) => join(output, `report-${data.tick}`))
  await waitFor(
    'nothing waits',
    async () => {
      const { waiting, active, delayed } = await jobs.stats()
      return waiting + active + delayed === 0
    },
    60_000,
  )
  expect(await jobs.stats()).toMatchObject({ dead: 0 })
  for (const name of await reports()) expect(await readFile(join(output, name), 'utf8')).toMatch(/^tick \d+\n$/)
})

it('is the program of the guide, line by line', async () => {
  const guide = await readFile(join(root, 'docs/guide/build-a-job-scheduler.md'), 'utf8')
  const example = await readFile(join(root, EXAMPLE), 'utf8')
  const body = example.slice(example.indexOf('import {')).trim()
  expect(guide).toContain(body)
})
