// Real processes and real faults: partitions, half-open and slow connections, processes that stand still or are killed
// (protocols/lock 2, 6, 7). First safety under faults, then progress after healing.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'
import { fileGuard } from 'coterie/guards'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nodeText } from '../../src/runtime/config/template.ts'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { endAll, freePorts, type Running, root, run, serve, waitFor } from '../support/processes.ts'
import { FaultyWire } from '../support/proxy.ts'
import { checkJournal, type JournalLine, readJournal } from './journal.ts'

const SERVERS = 5
const TTL_MAX = 1_500
/** Of the users' leases. A user that is cut off for longer has lost them. */
const TTL = 1_000
/** Users are told when it is enough; on a machine that is busy with other things that takes its time. */
const PATIENCE_MS = 60_000

/** Half of the users, with wires of its own to every server. */
interface Side {
  readonly config: string
  readonly wires: readonly FaultyWire[]
}

describe('five servers as processes, behind wires that fail', () => {
  let dir: string
  let group: NewGroup
  let left: Side
  let right: Side
  const servers = new Map<number, Running>()
  const wires = () => [...left.wires, ...right.wires]
  const start = async (place: number) => servers.set(place, await serve(group.serverFolders[place]!))

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-faults-'))
    const basePort = await freePorts(SERVERS)
    const clients = ['left', 'right']
    const shape = { servers: SERVERS, liars: 0, crashes: 2, basePort, ttlMax: TTL_MAX, clients }
    group = await initGroup({ dir: join(dir, 'group'), ...shape })
    await Promise.all(Array.from({ length: SERVERS }, (_, place) => start(place)))
    left = await newSide('left')
    right = await newSide('right')
  })

  afterEach(() => {
    for (const wire of wires()) wire.heal()
  })

  afterAll(async () => {
    await Promise.all(wires().map(wire => wire.close()))
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  /** Its client's folder says that the servers are where the wires are. */
  async function newSide(name: string): Promise<Side> {
    const config = join(dir, 'group', 'clients', name)
    const ends = await Promise.all(group.group.servers.map(server => FaultyWire.open(server.port)))
    const behind = group.group.servers.map((server, place) => ({ ...server, port: ends[place]!.port }))
    await writeFile(join(config, 'coterie.toml'), nodeText('client', name, { ...group.group, servers: behind }))
    return { config, wires: ends }
  }

  function holder(side: Side, name: string, file: string) {
    const running = run(process.execPath, [join(root, 'test/e2e/holder.mjs'), side.config, name, file])
    const said = (what: string) => {
      const lines = running.output().split('\n').filter(Boolean)
      return lines.map(line => JSON.parse(line)).find(line => line.what === what)
    }
    return { ...running, said }
  }

  const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000

  it('a holder that stood still finds held() false before it writes, and its late write is refused', async () => {
    const file = join(dir, 'stopped')
    const first = holder(left, 'stopped', file)
    await waitFor('the first is inside', () => first.said('inside') !== undefined)
    first.child.kill('SIGSTOP')
    await using other = await connect({ config: right.config })
    const lease = await other.lock('stopped', { timeout: 10_000 })
    expect(lease.token).toBeGreaterThan(BigInt(first.said('inside').token))
    await fileGuard(file).write(lease.token, 'next')
    await sleep(2 * TTL)
    first.child.kill('SIGCONT')
    expect(await first.ended).toBe(0)
    expect(first.errors()).toBe('')
    // The very first look after it woke said so.
    expect(first.said('noticed').gap).toBeGreaterThan(TTL)
    expect(first.said('ended')).toMatchObject({ refusal: 'StaleToken' })
    expect((await fileGuard(file).read()).data?.toString()).toBe('next')
    expect(lease.held()).toBe(true)
  })

  it.each([
    ['cut off', (wire: FaultyWire) => wire.cut()],
    ['not heard', (wire: FaultyWire) => wire.halt('to server')],
    ['not answered', (wire: FaultyWire) => wire.halt('to user')],
  ])('a holder that is %s is told before anybody else holds', async (what, fail) => {
    const file = join(dir, what)
    const first = holder(left, what, file)
    await waitFor('the first is inside', () => first.said('inside') !== undefined)
    await using other = await connect({ config: right.config })
    for (const wire of left.wires) fail(wire)
    const lease = await other.lock(what, { timeout: 10_000 })
    const taken = millis()
    await waitFor('the first is told', () => first.said('lost') !== undefined)
    expect(first.said('lost').at).toBeLessThan(taken)
    await fileGuard(file).write(lease.token, 'next')
    for (const wire of left.wires) wire.heal()
    expect(await first.ended).toBe(0)
    expect(first.said('ended')).toMatchObject({ refusal: 'StaleToken' })
    expect(lease.held()).toBe(true)
  })

  it('keeps users apart under all faults at once, and lets everybody in after healing', async () => {
    const journal = join(dir, 'journal')
    const guarded = join(dir, 'guarded')
    await mkdir(guarded)
    await writeFile(journal, '')
    const script = join(root, 'test/e2e/user.mjs')
    const user = (side: Side) => run(process.execPath, [script, side.config, journal, String(PATIENCE_MS), guarded])
    const users = [left, right, left, right, left].map(user)
    const victim = user(right)
    const read = async () => readJournal(await readFile(journal, 'utf8'))
    await waitFor('users enter', async () => (await read()).length > 10)
    const entriesSince = async (since: number, who?: string) =>
      (await read()).filter(line => line.what === 'enter' && line.at > since && (who ?? line.who) === line.who).length

    // Each side has a majority, and they share one server.
    for (const place of [3, 4]) left.wires[place]!.cut()
    for (const place of [0, 1]) right.wires[place]!.cut()
    await sleep(1_500)
    // One side alone has a majority: it goes on. The other is still heard by a server that the first one needs.
    left.wires[2]!.halt('to user')
    const goesOn = async () => {
      const since = millis() + TTL
      await waitFor('one side goes on', async () => (await entriesSince(since)) > 0)
    }
    await goesOn()
    // The other way round; and what stood still goes on.
    for (const wire of wires()) wire.heal()
    for (const place of [2, 3, 4]) right.wires[place]!.halt('to server')
    await goesOn()
    // Slow, a user and a server stand still, and one of each is killed.
    for (const wire of wires()) wire.heal()
    for (const wire of wires()) wire.delay(60)
    const stopped = await stopInside(users[0]!, read)
    servers.get(4)!.child.kill('SIGSTOP')
    await sleep(1_000)
    victim.child.kill('SIGKILL')
    servers.get(1)!.child.kill('SIGKILL')
    await servers.get(1)!.ended
    await start(1)
    await sleep(1_500)
    const room = fileGuard(join(guarded, stopped.name))
    await waitFor('another has written', async () => ((await room.read()).token ?? 0n) > BigInt(stopped.token))
    users[0]!.child.kill('SIGCONT')
    servers.get(4)!.child.kill('SIGCONT')
    await sleep(1_000)

    for (const wire of wires()) wire.heal()
    const since = millis() + TTL_MAX
    for (const running of users) {
      const who = `user-${running.child.pid}`
      await waitFor(`${who} enters after healing`, async () => (await entriesSince(since, who)) > 0)
    }
    for (const running of users) running.child.stdin!.end('enough\n')
    const ends = await Promise.all(users.map(running => running.ended))
    for (const running of users) expect(running.errors()).toBe('')
    expect(ends).toEqual([0, 0, 0, 0, 0])
    const lines = await read()
    const report = checkJournal(lines)
    expect(report.problems).toEqual([])
    expect(report.entries).toBeGreaterThan(50)
    await expectLastWriter(guarded, lines)
    const woken = lines.filter(line => line.what === 'woke' && line.token === stopped.token)
    expect(woken).toMatchObject([{ who: stopped.who, held: false, accepted: false }])
  })

  /** Stops a user while it is inside a room, and gives back its entry. */
  async function stopInside(user: Running, read: () => Promise<JournalLine[]>): Promise<JournalLine> {
    const last = async () => (await read()).findLast(line => line.who === `user-${user.child.pid}`)
    const end = performance.now() + 10_000
    while (performance.now() < end) {
      await waitFor('it is inside', async () => (await last())?.what === 'enter')
      user.child.kill('SIGSTOP')
      await sleep(50)
      const line = await last()
      if (line?.what === 'enter') return line
      user.child.kill('SIGCONT')
    }
    throw new Error('never stopped inside')
  }

  /** The file of a room holds what the largest token that was accepted wrote. */
  async function expectLastWriter(folder: string, lines: readonly JournalLine[]): Promise<void> {
    for (const name of ['room-0', 'room-1']) {
      const { token, data } = await fileGuard(join(folder, name)).read()
      const stay = lines.find(line => line.name === name && line.what === 'enter' && line.token === String(token))
      expect(data?.toString()).toBe(`${stay?.who} ${token}`)
    }
  }
})
