// What one message of a client could spoil for good, on a real server: it is refused there; and where a store is spoiled already,
// status and doctor say so, an operator mends it, and the log names who did.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dialTls, framed, hello } from '../../test/support/attacker.ts'
import { runCommand } from '../../test/support/command.ts'
import { get } from '../../test/support/ordering-group.ts'
import { freePorts } from '../../test/support/processes.ts'
import { connect } from '../client/connect.ts'
import { decode, encode } from '../core/index.ts'
import { type LockMessage, serverRecord as lockRecord, TOKEN_MAX } from '../lock/wire.ts'
import { nodeVocabulary } from '../node/index.ts'
import { serverRecord as objectRecord } from '../ordering/server/records.ts'
import { COUNTER_MAX, type OrderingMessage } from '../ordering/wire.ts'
import { serverSettings } from '../runtime/config/agreed.ts'
import { loadNodeConfig, type ServerConfig } from '../runtime/config/config.ts'
import { type RunningServer, startServer } from '../runtime/server.ts'
import { initGroup } from '../runtime/setup/group.ts'
import { createLogStorage } from '../runtime/storage/log.ts'
import { FrameSplitter } from '../runtime/transport/frames.ts'
import { doctorCommand } from './commands/doctor.ts'
import { objectCommand } from './commands/object.ts'
import { statusCommand } from './commands/status.ts'
import { unlockCommand } from './commands/unlock.ts'

const TTL_MAX_MS = 1_000
const FRAME_MAX = 1 << 20
let folder: string
let admin: string
let config: ServerConfig
let running: RunningServer
let logged: string[] = []

const unexpected = (error: Error) => {
  throw error
}
const log = (_level: string, message: string, fields: object) => logged.push(`${message} ${JSON.stringify(fields)}`)
async function start(): Promise<void> {
  running = await startServer({ config, log, failed: unexpected })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coterie-spoiled-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let groups = 0
/** A new group, and its first server. */
async function begin(servers: number, crashes: number): Promise<void> {
  logged = []
  const shape = { servers, crashes, liars: 0, ttlMax: TTL_MAX_MS, clients: ['admin', 'ann'] }
  const made = await initGroup({ dir: join(folder, String(groups++)), basePort: await freePorts(servers), ...shape })
  admin = made.clientFolders[0]!
  config = (await loadNodeConfig(made.serverFolders[0]!)) as ServerConfig
  await start()
}
beforeEach(() => begin(1, 0))
afterEach(() => running.stop())

const run = (...line: string[]) =>
  runCommand([statusCommand(), doctorCommand(), unlockCommand(), objectCommand()], [...line, '--config', admin])
const doctor = () => runCommand([doctorCommand()], ['doctor', admin, '--quiet'])

describe('a client that was let in, at a bare socket', () => {
  /** Says this, and gives the first answer of that part. */
  async function says(part: 'lock' | 'ordering', ...bodies: (LockMessage | OrderingMessage)[]): Promise<unknown> {
    const own = await loadNodeConfig(admin)
    const { host, port } = config.address
    const { socket, heard } = dialTls({ host, port }, own)
    socket.write(hello({ group: config.group.id, settings: serverSettings(config.group) }))
    for (const body of bodies) socket.write(framed(encode(nodeVocabulary, { part, body } as never)))
    const answer = () => {
      const frames = new FrameSplitter(FRAME_MAX)
      frames.push(heard())
      frames.next()
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
        const said = decode(nodeVocabulary, frame)
        if (said.ok && said.value.part === part) return said.value.body
      }
      return undefined
    }
    await expect.poll(answer, { timeout: 10_000 }).toBeDefined()
    socket.destroy()
    return answer()
  }

  it('ends no locks with the largest token: the server knows its clock', async () => {
    const largest: LockMessage = { kind: 'try', name: 'eve', attempt: 1, token: TOKEN_MAX, ttl: 1 }
    expect(await says('lock', largest)).toMatchObject({ kind: 'tooHigh' })
    await using group = await connect({ config: admin })
    await using lease = await group.lock('eve')
    expect(lease.held()).toBe(true)
    expect(await group.status()).toMatchObject({ locksWork: true })
  })
  it('ends no object with the largest rank', async () => {
    const client = 'admin#00000000deadbeef'
    expect(await says('ordering', get(COUNTER_MAX, client))).toMatchObject({ kind: 'full', what: 'ranks' })
    expect(logged.join('\n')).toContain('a client asks for turns far in the future')
    expect((await run('status')).out).not.toContain('stands still')
  })
  it('accuses in one line of the log, whatever it says and however often, and metrics count it once', async () => {
    await running.stop()
    await begin(3, 1)
    const accuse = (what: string): LockMessage => ({ kind: 'complain', server: 'server-2', what, name: 'a' })
    const answer = await says('lock', accuse('granted twice'), ...Array(200).fill(accuse('and again')), {
      kind: 'account',
      query: 1,
    })
    expect(answer).toMatchObject({ kind: 'accounted', complaints: [{ server: 'server-2', what: 'and again' }] })
    const lines = logged.filter(line => line.includes('a client says that a server lied'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/"client":"admin#.*"server":"server-2","what":"granted twice"/)
    const page = await fetch(`http://127.0.0.1:${config.address.metricsPort}/metrics`)
    expect(await page.text()).toMatch(/^coterie_servers_accused\{.*server="server-2".*\} 1$/m)
  })
})

describe('a store that is spoiled already', () => {
  /** One record more, as a client's message left it there before servers bounded what they take. */
  async function spoil(part: string, record: Uint8Array, kind: 'replace' | 'append'): Promise<void> {
    await running.stop()
    const storage = await createLogStorage({ folder: config.storeFolder }).open(unexpected)
    await new Promise<void>(durable => storage.save(part, record, kind, durable))
    await storage.close()
    await start()
  }

  it('of tokens: locks do not work, status and doctor say how to mend it, and an operator does', async () => {
    const floor = { kind: 'stopped', floor: TOKEN_MAX, life: 1, leases: [] } as const
    await spoil('lock', encode(lockRecord, floor), 'replace')
    const seen = await run('status')
    expect(seen).toMatchObject({ code: 1 })
    expect(seen.out).toMatch(/lock tokens are .* ahead of the clock \(coterie unlock --reset-floor --help\)/)
    expect(seen.out).toContain('too few servers are ready for locks')
    expect((await doctor()).out).toMatch(
      /problem +lock tokens are .* ahead of the clock\n.*coterie unlock --reset-floor/,
    )

    const mended = await run('unlock', '--reset-floor')
    expect(mended).toMatchObject({ code: 0, err: '' })
    expect(mended.out).toContain('lowered the floor of tokens on 1 of 1 servers')
    expect(mended.out).toMatch(
      /No lock is granted until the longest lease is over\. Guards .* must be told to forget them/,
    )
    expect(logged.join('\n')).toMatch(/the floor of lock tokens was reset: tokens may go back .*"by":"admin#/)
    await using group = await connect({ config: admin })
    await using lease = await group.lock('a', { timeout: 10 * TTL_MAX_MS })
    expect(lease.token).toBeLessThan(BigInt(TOKEN_MAX))
    expect(await group.status()).toMatchObject({ locksWork: true })
  })
  it('of an object: the same', async () => {
    const rank = { counter: COUNTER_MAX, client: 'eve#1' }
    const record = { kind: 'rank', object: 'tree', rank, proof: new Uint8Array(0) } as const
    await spoil('ordering', encode(objectRecord, record), 'append')
    const why = "object 'tree' stands still: its turns are promised far into the future"
    expect((await run('status')).out).toContain(`${why} (coterie object repair tree)`)
    const found = await doctor()
    expect(found).toMatchObject({ code: 1 })
    expect(found.out).toContain(why)
    expect(found.out).toContain('then: coterie object repair tree')

    const mended = await run('object', 'repair', 'tree')
    expect(mended).toMatchObject({ code: 0, err: '' })
    expect(mended.out).toContain("repaired object 'tree' on server-1")
    expect(logged.join('\n')).toMatch(/an object was repaired by an operator .*"object":"tree","by":"admin#/)
    expect((await run('status')).out).not.toContain('stands still')
    await using group = await connect({ config: admin })
    await group.tree().create('/a', 'goes on')
    expect((await group.tree().get('/a'))?.text()).toBe('goes on')
  })
  it('is mended by operators only, and the log says who tried', async () => {
    const ann = join(config.folder, '../../clients/ann')
    const reset = await runCommand([unlockCommand()], ['unlock', '--reset-floor', '--config', ann])
    const repaired = await runCommand([objectCommand()], ['object', 'repair', 'tree', '--config', ann])
    for (const { code, err } of [reset, repaired]) {
      expect(code).toBe(1)
      expect(err).toContain('this client is no operator of the group')
    }
    expect(logged.join('\n')).toMatch(/a reset of the floor of lock tokens was refused: no operator .*"by":"ann#/)
    expect(logged.join('\n')).toMatch(/repair of an object refused: no operator .*"by":"ann#/)
  })
})

describe('help', () => {
  it.each([
    ['unlock', [], unlockCommand(), [/lets tokens go back/, /stop all holders first/, /Servers log who did it/]],
    ['object', ['repair'], objectCommand(), [/breaks a promise/, /may be\s+lost/, /log who did it/]],
  ] as const)('of %s %j says what it risks', (name, below, command, words) => {
    const shown = below.length === 0 ? command : command.commands.find(one => one.name() === below[0])!
    let help = ''
    shown.configureOutput({ writeOut: text => (help += text) }).outputHelp()
    for (const word of words) expect(help, name).toMatch(word)
  })
})
