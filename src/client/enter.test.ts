// One process as a member and as a client: one folder, one name, one group for both.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as path } from 'node:path'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts, waitFor } from '../../test/support/processes.ts'
import { SettingsError } from '../core/index.ts'
import { renewCertificates } from '../runtime/certificates/renew.ts'
import { loadNodeConfig, type ServerConfig } from '../runtime/config/config.ts'
import { silence } from '../runtime/log.ts'
import { startServer } from '../runtime/server.ts'
import { addClient, addMember, initGroup, type NewGroup } from '../runtime/setup/group.ts'
import { connect } from './connect.ts'
import { enter } from './enter.ts'

let dir: string
let made: NewGroup
const ends: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  dir = await mkdtemp(path(tmpdir(), 'coterie-enter-'))
  const basePort = await freePorts(3)
  made = await initGroup({ dir: path(dir, 'g'), servers: 3, members: 3, memberClients: true, basePort })
  for (const folder of made.serverFolders) {
    const config = (await loadNodeConfig(folder)) as ServerConfig
    const server = await startServer({ config, log: silence, failed: error => expect.unreachable(error.message) })
    ends.push(() => server.stop())
  }
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
  await rm(dir, { recursive: true, force: true })
})

describe('a member that is a client, too', () => {
  it('takes locks and leads, in one group under one name', async () => {
    const groups = await Promise.all(made.memberFolders.map(config => enter({ config, blockedMax: 0 })))
    try {
      expect(groups.map(group => group.name)).toEqual(['member-1', 'member-2', 'member-3'])
      const [one] = groups
      await using lease = await one!.lock('books')
      expect((await one!.locks()).map(({ name }) => name)).toEqual(['books'])
      expect(lease.held()).toBe(true)
      const led: bigint[] = []
      for (const group of groups) {
        await group.coordinator('scheduler', {
          async lead(term) {
            led.push(term.token)
            await group.recipes.jobs('reports').add({ by: group.name }, { id: 'first' })
            await new Promise(resolve => term.signal.addEventListener('abort', resolve))
          },
        })
      }
      await waitFor('somebody leads and has put a job in', async () => {
        return (await one!.recipes.jobs('reports').stats()).waiting === 1
      })
      expect(led.length).toBeGreaterThan(0)
      await using _worker = groups[1]!.recipes.jobs<{ by: string }>('reports').work(({ data }) => data.by)
      expect(await groups[2]!.recipes.jobs('reports').result('first')).toMatch(/^member-/)
      expect(
        one!
          .list()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['member-1', 'member-2', 'member-3'])
    } finally {
      await Promise.all(groups.map(group => group.close()))
    }
  })

  it('puts its numbers of both into the registry that it is given', async () => {
    const registry = new Registry()
    const group = await enter({ config: made.memberFolders[0]!, blockedMax: 0, metrics: { registry } })
    await (await group.lock('counted')).release()
    const text = await registry.metrics()
    await group.close()
    expect(text).toMatch(/^coterie_client_lock_grants_total\{node="member-1"\} 1$/m)
    expect(text).toMatch(/^coterie_member_terms_won_total\{node="member-1"\} 0$/m)
  })

  it('may connect alone, by the same folder', async () => {
    await using group = await connect({ config: made.memberFolders[0]!, blockedMax: 0 })
    await (await group.lock('alone')).release()
  })

  it('is made by an operator, name by name: a member without the certificate is none', async () => {
    const port = await freePorts(1)
    const folder = await addMember(made.dir, 'guest', '127.0.0.1', port)
    await expect(connect({ config: folder })).rejects.toThrow("is a member's; connect with")
    await expect(enter({ config: folder })).rejects.toBeInstanceOf(SettingsError)
    const both = await addMember(made.dir, 'both', '127.0.0.1', port, { client: true })
    await using group = await connect({ config: both, blockedMax: 0 })
    await (await group.lock('both')).release()
    await expect(addClient(made.dir, 'both')).rejects.toThrow('a member is, and it is a client, too')
    await addClient(made.dir, 'carla')
    await expect(addMember(made.dir, 'carla', '127.0.0.1', port, { client: true })).rejects.toThrow('a client is')
    await expect(connect({ config: made.serverFolders[0]! })).rejects.toThrow("is a server's")
  })

  it('has both certificates renewed', async () => {
    const file = path(made.memberFolders[1]!, 'client.crt')
    const before = await readFile(file, 'utf8')
    const renewed = await renewCertificates(made.dir, ['member-2'])
    expect(renewed).toEqual([path(made.memberFolders[1]!, 'member.crt'), file])
    expect(await readFile(file, 'utf8')).not.toBe(before)
    await using group = await connect({ config: made.memberFolders[1]!, blockedMax: 0 })
    await (await group.lock('renewed')).release()
  })
})
