// coterie lease, against a group of three servers in this process.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../../../../test/support/command.ts'
import { freePorts } from '../../../../test/support/processes.ts'
import { connect } from '../../../client/connect.ts'
import type { Group } from '../../../client/group.ts'
import { loadNodeConfig, type ServerConfig } from '../../../runtime/config/config.ts'
import { silence } from '../../../runtime/log.ts'
import { type RunningServer, startServer } from '../../../runtime/server.ts'
import { initGroup, type NewGroup } from '../../../runtime/setup/group.ts'
import { dumpCommand } from './dump.ts'
import { getCommand } from './get.ts'
import { leaseCommand } from './lease.ts'

let dir: string
let made: NewGroup
let group: Group
const servers: RunningServer[] = []
const run = (...line: string[]) => runCommand([leaseCommand(), getCommand(), dumpCommand()], line)
const at = (...line: string[]) => run(...line, '--config', made.clientFolders[0]!)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-lease-'))
  made = await initGroup({ dir: join(dir, 'group'), servers: 3, liars: 0, basePort: await freePorts(3) })
  for (const folder of made.serverFolders) {
    const config = (await loadNodeConfig(folder)) as ServerConfig
    const failed = (error: Error) => {
      throw error
    }
    servers.push(await startServer({ config, log: silence, failed }))
  }
  // Some process that uses the tree: it sees to it that what is over ends.
  group = await connect({ config: made.clientFolders[0]! })
  await group.tree({ ttl: 1_000 }).create('/here')
})
afterAll(async () => {
  await group.close()
  await Promise.all(servers.map(server => server.stop()))
  await rm(dir, { recursive: true, force: true })
})

it('sets an entry that is gone after its time, and what is above it stays', async () => {
  expect(await at('lease', 'set', '/services/mail', '10.0.0.7', '--ttl', '1500ms')).toMatchObject({ code: 0, err: '' })
  expect(await at('get', '/services/mail')).toMatchObject({ code: 0, out: '10.0.0.7' })
  expect((await at('dump')).out).not.toContain('/services/mail')
  const tree = group.tree()
  await expect.poll(() => tree.exists('/services/mail'), { timeout: 15_000 }).toBeUndefined()
  expect(await tree.exists('/services')).toBeDefined()
}, 20_000)

it('grants a lease that outlives the command, and other commands renew, use and revoke it', async () => {
  const granted = await at('lease', 'grant', '--ttl', '1m', '--json')
  const { lease, ttl } = JSON.parse(granted.out)
  expect(ttl).toBe(60_000)
  expect(await at('lease', 'set', '/a', 'one', '--lease', lease)).toMatchObject({ code: 0 })
  expect(await at('lease', 'set', '/a', 'two', '--lease', lease)).toMatchObject({ code: 0 })
  expect((await group.tree().get('/a'))?.stat).toMatchObject({ owner: lease, version: 1 })
  expect(await at('lease', 'renew', lease)).toMatchObject({ code: 0 })
  expect(await at('lease', 'revoke', lease)).toMatchObject({ code: 0 })
  expect(await group.tree().exists('/a')).toBeUndefined()
  const late = await at('lease', 'renew', lease)
  expect(late).toMatchObject({
    code: 1,
    err: `error: lease ${lease}: the lease has ended, or never was: grant another.\n`,
  })
  expect(await at('lease', 'keep', lease)).toMatchObject({ code: 1 })
}, 20_000)

it.each([
  [['lease', 'set', '/a', 'x'], /give --ttl or --lease/],
  [['lease', 'set', '/a', 'x', '--ttl', '1s', '--lease', 'y'], /give --ttl or --lease/],
  [['lease', 'grant', '--ttl', '10ms'], /ttl is 10ms \(10 ms\)/],
  [['lease', 'grant'], /--ttl/],
  [['lease', 'keep', 'x', '--every', '0ms'], /--every is 0/],
])('%j is wrong usage', async (line, why) => {
  expect(await at(...line)).toMatchObject({ code: 2, err: expect.stringMatching(why) })
})

it('ends what is over though no process uses the tree: who reads sees to it', async () => {
  await group.close()
  expect(await at('lease', 'set', '/alone', 'here', '--ttl', '1s')).toMatchObject({ code: 0, err: '' })
  expect(await at('get', '/alone')).toMatchObject({ code: 0, out: 'here' })
  await expect.poll(async () => (await at('get', '/alone')).code, { timeout: 15_000, interval: 500 }).not.toBe(0)
}, 20_000)
