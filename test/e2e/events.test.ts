// Events through real processes over mutual TLS (protocols/events): a server is killed in the middle, another one lies, and
// everything that was accepted arrives, in order, once.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Group } from 'coterie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, type Running, root, run, serve, waitFor } from '../support/processes.ts'

const SERVERS = 4
const TIMEOUT = { timeout: 30_000 }
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

describe('four servers as processes, one of which may do anything', () => {
  let dir: string
  let group: NewGroup
  let client: Group
  const servers = new Map<string, Running>()
  const kill = async (folder: string) => {
    servers.get(folder)!.child.kill('SIGKILL')
    await servers.get(folder)!.ended
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-events-'))
    const basePort = await freePorts(SERVERS)
    const settings = { servers: SERVERS, liars: 1, basePort, ttlMax: 1_000, clients: ['admin'] }
    group = await initGroup({ dir: join(dir, 'group'), ...settings })
    await Promise.all(group.serverFolders.map(async folder => servers.set(folder, await serve(folder))))
    client = await connect({ config: group.clientFolders[0]!, timeout: 60_000 })
  }, 120_000)

  afterAll(async () => {
    await client?.close()
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it('loses nothing that was accepted when a server is killed, and goes on under its name', async () => {
    const log = client.events<number>('log')
    const got: number[] = []
    const feed = log.subscribe({ n: { gte: 0 } }, { name: 'audit', from: 'start' }, ({ payload }) => got.push(payload))
    await feed.ready
    const accepted: number[] = []
    const publish = async (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        await log.publish({ n }, n, TIMEOUT)
        accepted.push(n)
      }
    }
    await publish(0, 20)
    const folder = group.serverFolders[1]!
    const more = publish(20, 60)
    await kill(folder)
    await more
    servers.set(folder, await serve(folder))
    await log.drain(TIMEOUT)
    expect(got).toEqual(accepted)
    await feed.close()
    const again = coterie([
      ...['subscribe', '{"n": {"gte": 0}}', '--channel', 'log', '--from', 'start', '--count', '60'],
      ...['--format', 'json', '--config', group.clientFolders[0]!],
    ])
    expect(await again.ended).toBe(0)
    const lines = again.output().trim().split('\n')
    expect(lines.map(line => JSON.parse(line).payload)).toEqual(accepted)
  }, 120_000)

  it('tells on the command line what the servers no longer keep', async () => {
    const small = client.events<string>('small', { keep: { bytes: 400 } })
    for (let n = 0; n < 10; n++) await small.publish({ n }, 'x'.repeat(100), TIMEOUT)
    const reading = coterie([
      ...['subscribe', '{}', '--channel', 'small', '--from', 'start', '--count', '1', '--format', 'json'],
      ...['--config', group.clientFolders[0]!],
    ])
    expect(await reading.ended).toBe(0)
    const { n } = JSON.parse(reading.output()).attributes
    expect(n).toBeGreaterThan(0)
    expect(reading.errors()).toContain(`missed ${n} events of admin: the servers no longer keep them`)
  }, 120_000)

  it('masks a server that withholds events, and names it', async () => {
    const folder = group.serverFolders[0]!
    await kill(folder)
    const liar = run(process.execPath, [join(root, 'test/e2e/events-liar.mjs'), folder, 'withholding'])
    servers.set(folder, liar)
    await waitFor('the liar listens', () => liar.output().includes('listening'))
    const isConnected = async () => {
      const { servers: known } = await client.status()
      return known.some(({ server, state }) => server === 'server-1' && state !== 'unreachable')
    }
    await waitFor('the client is connected to it', isConnected)
    const prices = client.events<number>('prices')
    const got = new Map<string, number[]>(NAMES.map(name => [name, []]))
    const feeds = NAMES.map(name =>
      prices.subscribe({ n: { gte: 0 } }, { name }, ({ payload }) => got.get(name)!.push(payload)),
    )
    await Promise.all(feeds.map(({ ready }) => ready))
    const sent = Array.from({ length: 30 }, (_, n) => n)
    await Promise.all(sent.map(n => prices.publish({ n }, n, TIMEOUT)))
    await prices.drain(TIMEOUT)
    for (const name of NAMES) expect(got.get(name), name).toEqual(sent)
    // On a slow machine others were quicker with all of these: it is named once it has kept one back for three beats.
    let more = sent.length
    const named = async () => new Set((await client.status()).lies.map(({ server }) => server))
    await waitFor('the liar is named', async () => {
      await prices.publish({ n: more }, more++, TIMEOUT)
      return (await named()).size > 0
    })
    await prices.drain(TIMEOUT)
    await Promise.all(feeds.map(feed => feed.close()))
    expect(await named()).toEqual(new Set(['server-1']))
  }, 120_000)
})
