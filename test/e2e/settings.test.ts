// Servers whose copies of the settings differ, as processes: they are named by status, by the log and by the doctor, and no lock
// rests on them. Four servers of which one may lie: three must grant.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, Refused } from 'coterie'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, type Running, serve } from '../support/processes.ts'

const SERVERS = 4
let dir: string
let group: NewGroup
const servers: Running[] = []

async function change(place: number, from: RegExp, to: string): Promise<void> {
  const file = join(group.serverFolders[place]!, 'coterie.toml')
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(from)
  await writeFile(file, text.replace(from, to))
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-settings-'))
  const basePort = await freePorts(SERVERS)
  group = await initGroup({ dir: join(dir, 'group'), servers: SERVERS, liars: 1, crashes: 1, basePort, ttlMax: 2_000 })
  await change(3, /^ttlMax = .*/m, 'ttlMax = 1000')
  for (const folder of group.serverFolders) servers.push(await serve(folder))
})

afterAll(async () => {
  await endAll()
  await rm(dir, { recursive: true, force: true })
})

const config = () => group.clientFolders[0]!

async function restart(place: number): Promise<void> {
  servers[place]!.child.kill('SIGTERM')
  await servers[place]!.ended
  servers[place] = await serve(group.serverFolders[place]!)
}

it('one that differs is named, and a lock rests on the others', async () => {
  {
    await using client = await connect({ config: config() })
    await using lease = await client.lock('a')
    expect(lease.held()).toBe(true)
    const { servers: seen } = await client.status()
    expect(seen.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'unreachable'])
    expect(seen[3]?.why).toContain('settings differ: ttlMax is 2000 in yours, 1000 here')
  }
  expect(servers[3]!.output()).toContain('settings differ: ttlMax')
  const doctor = coterie(['doctor', group.dir, '--quiet', '--json'])
  expect(await doctor.ended).toBe(1)
  const { findings } = JSON.parse(doctor.output()) as { findings: { where: string; what: string }[] }
  expect(findings.map(({ where, what }) => [where, what])).toContainEqual([
    'server-4',
    'ttlMax is 1000 in its coterie.toml, 2000 in group.toml',
  ])
})

it('with two that differ a client refuses: too few are left on whom a lock could rest', async () => {
  await change(2, /^liars = .*/m, 'liars = 0')
  await restart(2)
  const error = await connect({ config: config(), timeout: 2_000 }).then(
    () => undefined,
    caught => caught,
  )
  expect(error).toBeInstanceOf(Refused)
  expect(error.message).toContain('Settings differ')
  expect(error.message).toContain('liars is 1 in yours, 0 here')
})
