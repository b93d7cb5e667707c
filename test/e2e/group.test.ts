// Seven real processes over mutual TLS, several users, servers that are killed at any moment (issue: foundation).

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { sized } from '../support/long.ts'
import { coterie, endAll, freePorts, type Running, root, run, serve, waitFor } from '../support/processes.ts'
import { checkJournal, readJournal } from './journal.ts'

const SERVERS = 7
const TTL_MAX = 2_000
/** How long users come and go while servers are killed. */
const LASTS_MS = sized(4_500, 9_000)

describe('seven servers as processes, one of which may lie or be gone', () => {
  let dir: string
  let group: NewGroup
  let config: string
  const servers = new Map<string, Running>()
  const start = async (folder: string) => servers.set(folder, await serve(folder))

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-e2e-'))
    const basePort = await freePorts(SERVERS)
    const clients = ['admin', 'guest']
    group = await initGroup({ dir: join(dir, 'group'), servers: SERVERS, liars: 1, basePort, ttlMax: TTL_MAX, clients })
    config = group.clientFolders[0]!
    await Promise.all(group.serverFolders.map(start))
  })

  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it('is ready at once after its first start', async () => {
    await using client = await connect({ config })
    const status = await client.status()
    expect(status.servers.map(server => server.state)).toEqual(Array(SERVERS).fill('ready'))
    expect(status.explanation).toBe(
      '7 servers: locks need 5 grants, objects quorums of 5; one may lie, one may be gone (liars included).',
    )
  })

  it('hears of a release also from a program that exits right after it', async () => {
    const program = `import { connect } from 'coterie'
      const group = await connect({ config: process.argv[1], blockedMax: 0 })
      const lease = await group.lock('brief', { ttl: ${TTL_MAX} })
      await lease.release()
      process.exit(0)`
    const brief = run(process.execPath, ['--input-type=module', '-e', program, config])
    expect([await brief.ended, brief.errors()]).toEqual([0, ''])
    await using client = await connect({ config })
    expect(await client.tryLock('brief')).toBeDefined()
  })

  it('keeps users apart while servers and users are killed and restarted', async () => {
    const journal = join(dir, 'journal')
    await writeFile(journal, '')
    const user = (millis: number) =>
      run(process.execPath, [join(root, 'test/e2e/user.mjs'), config, journal, String(millis)])
    const users = Array.from({ length: 4 }, () => user(LASTS_MS))
    const victim = user(LASTS_MS)
    for (const [round, place] of sized([2], [2, 5]).entries()) {
      await sleep(1_000)
      const folder = group.serverFolders[place]!
      servers.get(folder)!.child.kill('SIGKILL')
      await servers.get(folder)!.ended
      if (round === 0) victim.child.kill('SIGKILL')
      await start(folder)
      // It waits for the leases of its former life; only then may the next one be gone.
      await sleep(TTL_MAX + 200)
    }
    const ends = await Promise.all(users.map(running => running.ended))
    for (const running of users) expect(running.errors()).toBe('')
    expect(ends).toEqual([0, 0, 0, 0])
    const report = checkJournal(readJournal(await readFile(journal, 'utf8')))
    expect(report.problems).toEqual([])
    expect(report.entries).toBeGreaterThan(sized(20, 50))
  })

  it('waits after kill -9 of all servers until every old lease is over, and never reuses a token', async () => {
    const before = await connect({ config })
    const lease = await before.lock('crash', { ttl: TTL_MAX })
    for (const folder of group.serverFolders) servers.get(folder)!.child.kill('SIGKILL')
    await Promise.all(group.serverFolders.map(folder => servers.get(folder)!.ended))
    await Promise.all(group.serverFolders.map(start))
    await using client = await connect({ config })
    await expect(client.tryLock('crash')).rejects.toMatchObject({ name: 'NotAcquired', reason: 'recovering' })
    const next = await client.lock('crash', { timeout: 3 * TTL_MAX })
    expect(lease.held()).toBe(false)
    expect(next.token).toBeGreaterThan(lease.token)
    await before.close()
  })

  it('runs a command under the lock and passes its exit code on', async () => {
    const command = ['lock', 'cli', '--config', config, '--', process.execPath, '-e']
    // It holds until it is told to end, however long the others take to start.
    const ends = join(dir, 'ends')
    const waits = `setInterval(() => fs.existsSync(${JSON.stringify(ends)}) && process.exit(7), 50)`
    const first = coterie([...command, `console.log(process.env.COTERIE_TOKEN > 0); ${waits}`])
    await waitFor('the command runs', () => first.output().includes('true'))
    const listed = coterie(['locks', '--json', '--config', config])
    expect(await listed.ended).toBe(0)
    expect(JSON.parse(listed.output())).toMatchObject([{ name: 'cli', held: true }])
    const second = coterie(['lock', 'cli', '--try', '--config', config, '--', process.execPath, '-e', ''])
    expect(await second.ended).toBe(75)
    expect(second.errors()).toContain('somebody else holds it')
    await writeFile(ends, '')
    expect(await first.ended).toBe(7)
    const third = coterie([...command, 'process.exit(0)'])
    expect(await third.ended).toBe(0)
  })

  it('ends a command before anybody else can hold its lock', async () => {
    const command = 'console.log(1); process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000)'
    const holder = coterie([
      'lock',
      'cut',
      '--ttl',
      '1500ms',
      '--config',
      config,
      '--',
      process.execPath,
      '-e',
      command,
    ])
    await waitFor('the command runs', () => holder.output().includes('1'))
    // With three of seven gone, five grants cannot be had: the lease cannot be renewed.
    const gone = group.serverFolders.slice(0, 3)
    for (const folder of gone) servers.get(folder)!.child.kill('SIGKILL')
    // Not 0, although the command ended with that: a script would take the work for done.
    expect(await holder.ended).toBe(79)
    expect(holder.errors()).toContain('is lost')
    await Promise.all(gone.map(start))
  })

  it('an operator takes a lock by force: its holder is told, the next token is larger, servers log who did it', async () => {
    const guest = group.clientFolders[1]!
    await using holder = await connect({ config: guest })
    const lease = await holder.lock('forced', { ttl: 1_500 })
    await using other = await connect({ config: guest })
    const waiting = other.lock('forced', { timeout: 10_000 })
    await waitFor('the other waits', async () => (await holder.locks())[0]?.waiters.length === 1)
    const listed = coterie(['locks', '--config', config])
    expect(await listed.ended).toBe(0)
    expect(listed.output()).toMatch(/forced {2}held by guest#\w+ .*, 1 waiting: guest#\w+\n/)

    const careless = coterie(['unlock', 'forced', '--config', config])
    expect(await careless.ended).toBe(2)
    expect(careless.errors()).toContain('add --force')
    const refused = coterie(['unlock', 'forced', '--force', '--config', guest])
    expect(await refused.ended).toBe(1)
    expect(refused.errors()).toContain('this client is no operator')
    expect(lease.held()).toBe(true)

    const freed = coterie(['unlock', 'forced', '--force', '--config', config])
    expect(await freed.ended).toBe(0)
    expect(freed.output()).toMatch(/freed forced on 7 servers; guest#\w+ was cut off/)
    expect(freed.output()).toContain('Only guards protect now')
    const next = await waiting
    expect(next.token).toBeGreaterThan(lease.token)
    await waitFor('the old holder is told', () => lease.signal.aborted, 3_000)
    expect(lease.held()).toBe(false)
    const log = servers.get(group.serverFolders[0]!)!.output()
    expect(log).toMatch(/"lock":"forced","by":"admin#\w+","holder":"guest#\w+","msg":"a lock was taken .* by force"/)
    expect(log).toMatch(/"lock":"forced","by":"guest#\w+","msg":"unlock by force refused: no operator"/)
    const free = coterie(['unlock', 'nothing', '--force', '--json', '--config', config])
    expect(await free.ended).toBe(0)
    expect(JSON.parse(free.output())).toEqual({ name: 'nothing', freed: 7 })
  })

  it('says what is wrong when the group cannot be reached', async () => {
    const missing = coterie(['status', '--config', join(dir, 'nowhere')])
    expect(await missing.ended).toBe(1)
    expect(missing.errors()).toContain('nowhere')
    const twice = coterie(['serve', group.serverFolders[0]!])
    expect(await twice.ended).toBe(1)
    expect(twice.output() + twice.errors()).toMatch(/held|in use/)
  })

  it("refuses another group's client before it can say anything, and tells it why", async () => {
    const basePort = group.group.servers[0]!.port
    const other = await initGroup({ dir: join(dir, 'other'), servers: SERVERS, liars: 1, basePort })
    const error = await connect({ config: other.clientFolders[0]!, timeout: 2_000 }).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'Refused', outcome: 'did not happen' })
    expect((error as Error).message).toMatch(/certificate/)
  })

  it('answers Prometheus, and tells health, on the loopback interface', async () => {
    const { metricsPort } = group.group.servers[4]!
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toMatch(/coterie_messages_received_total\{node="server-5"\} \d+/)
    const health = await fetch(`http://127.0.0.1:${metricsPort}/health`)
    expect(await health.json()).toMatchObject({ node: 'server-5' })
  })
})

describe('four servers as processes, with leases that no restart outlasts', () => {
  let dir: string
  let group: NewGroup

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-e2e-'))
    group = await initGroup({ dir: join(dir, 'group'), servers: 4, liars: 1, basePort: await freePorts(4) })
  })

  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it('remember over a clean stop what is held, and are ready at once', async () => {
    const config = group.clientFolders[0]!
    const before = await Promise.all(group.serverFolders.map(folder => serve(folder)))
    await using client = await connect({ config })
    const lease = await client.lock('kept', { renew: false })
    for (const { child } of before) child.kill('SIGTERM')
    for (const { ended } of before) expect(await ended).toBe(0)
    await Promise.all(group.serverFolders.map(folder => serve(folder)))
    await using other = await connect({ config })
    expect((await other.status()).locksWork).toBe(true)
    expect((await other.locks()).find(lock => lock.name === 'kept')?.token).toBe(lease.token)
    expect(await other.tryLock('kept')).toBeUndefined()
    expect(lease.held()).toBe(true)
    // A release that finds nobody is left to its ttl.
    await waitFor('its client hears them again', async () => (await client.status()).locksWork)
    await lease.release()
    const next = await other.lock('kept')
    expect(next.token).toBeGreaterThan(lease.token)
  })
})
