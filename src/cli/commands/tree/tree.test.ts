// The commands on the tree: their help, wrong usage, and all of them against a group of three servers in this process.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../../test/support/command.ts'
import { freePorts } from '../../../../test/support/processes.ts'
import { connect } from '../../../client/connect.ts'
import { loadNodeConfig, type ServerConfig } from '../../../runtime/config/config.ts'
import { silence } from '../../../runtime/log.ts'
import { type RunningServer, startServer } from '../../../runtime/server.ts'
import { initGroup, type NewGroup } from '../../../runtime/setup/group.ts'
import { objectCommand } from '../object.ts'
import { statusCommand } from '../status.ts'
import { deleteCommand } from './delete.ts'
import { dumpCommand } from './dump.ts'
import { getCommand } from './get.ts'
import { listCommand } from './list.ts'
import { restoreCommand } from './restore.ts'
import { setCommand } from './set.ts'
import { txnCommand } from './txn.ts'
import { watchCommand } from './watch.ts'

const TREE = ['get', 'set', 'delete', 'list', 'watch', 'txn', 'dump', 'restore']
const makers = [
  ...[getCommand, setCommand, deleteCommand, listCommand, watchCommand, txnCommand, dumpCommand, restoreCommand],
  ...[objectCommand, statusCommand],
]
const run = (...line: string[]) =>
  runCommand(
    makers.map(make => make()),
    line,
  )

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe('help', () => {
  it.each([...TREE, 'object'])('%s has an example and its exit codes', async name => {
    const { out, code } = await run(name, '--help')
    expect(code).toBe(0)
    expect(out).toContain(`Example:\n  $ coterie ${name}`)
    expect(out).toMatch(/Exit codes: .*2 wrong usage/s)
  })
  it.each(TREE)('%s never waits for ever', async name => {
    expect((await run(name, '--help')).out).toMatch(/--timeout <duration>.*default:\s+10s/s)
  })
})

describe('wrong usage ends with 2 and a sentence', () => {
  it.each([
    ['get without a path', ['get'], /missing required argument 'path'/],
    ['set without a value', ['set', '/a'], /missing required argument 'value'/],
    ['a version that is none', ['set', '/a', '1', '--if-version', 'old'], /must be a whole number/],
    ['a timeout that is none', ['list', '--timeout', 'soon'], /must be a duration/],
    ['a transaction of nothing', ['txn', '--if', '/a exists'], /needs a --set, a --create or a --delete/],
    ['a condition that is none', ['txn', '--if', 'blue', '--delete', '/a'], /must be '\/path = value'/],
    ['a path that is none', ['set', 'a', 'b'], /must be a path: \/a\/b/],
    ['a path that is none, to list', ['list', '/a/'], /must be a path/],
    ['a path that is none, in a transaction', ['txn', '--set', 'a b'], /--set "a": it must be a path/],
    ['a path that is none, to delete in a transaction', ['txn', '--delete', 'a'], /--delete "a": it must be a path/],
    ['the root to delete', ['delete', '/'], /the root stays/],
    ['a write without a value', ['txn', '--set', '/a'], /a path, a space and a value/],
  ] as const)('%s', async (_, line, sentence) => {
    const { out, err, code } = await run(...line)
    expect(err).toMatch(sentence)
    expect(out).toBe('')
    expect(code).toBe(2)
  })
})

describe('with a group of three', () => {
  let dir: string
  let group: NewGroup
  const servers: RunningServer[] = []
  const at = (...line: string[]) => run(...line, '--config', group.clientFolders[0]!)
  const start = async (folder: string) => {
    const config = (await loadNodeConfig(folder)) as ServerConfig
    const failed = (error: Error) => {
      throw error
    }
    servers.push(await startServer({ config, log: silence, failed }))
  }
  const feed = (text: string | Uint8Array) =>
    vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Readable.from([Buffer.from(text as string)]) as unknown as typeof process.stdin)

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-tree-'))
    group = await initGroup({ dir: join(dir, 'group'), servers: 3, liars: 0, basePort: await freePorts(3) })
    for (const folder of group.serverFolders) await start(folder)
  })

  afterAll(async () => {
    await Promise.all(servers.map(server => server.stop()))
    await rm(dir, { recursive: true, force: true })
  })

  it('sets, gets, lists and deletes', async () => {
    expect(await at('set', '/services/mail', '10.0.0.7')).toMatchObject({ code: 0, err: '' })
    expect(await at('get', '/services/mail')).toMatchObject({ code: 0, out: '10.0.0.7' })
    const { out } = await at('get', '/services/mail', '--json')
    expect(JSON.parse(out)).toMatchObject({ path: '/services/mail', value: '10.0.0.7', version: 0 })
    expect(await at('list', '/services')).toMatchObject({ code: 0, out: 'mail\n' })
    expect((await at('list', '/', '--recursive')).out).toBe('/\n/services\n/services/mail\n')
    expect(await at('delete', '/services')).toMatchObject({ code: 1, err: expect.stringMatching(/\/services: /) })
    expect(await at('delete', '/services', '--recursive')).toMatchObject({ code: 0 })
    expect(await at('get', '/services/mail')).toMatchObject({ code: 1, err: 'there is no entry /services/mail\n' })
  })

  it('takes a value from standard input, to the last byte, and no more than an entry holds', async () => {
    feed('two\nlines\n')
    expect(await at('set', '/fed', '-')).toMatchObject({ code: 0, err: '' })
    expect((await at('get', '/fed')).out).toBe('two\nlines\n')
    feed('x'.repeat(4 * 2 ** 20 + 1))
    expect(await at('set', '/fed', '-')).toMatchObject({ code: 1, err: expect.stringMatching(/no entry holds more/) })
    expect(await at('delete', '/fed')).toMatchObject({ code: 0 })
  })

  it('gives back byte for byte what it took, and says which bytes are no text', async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0, 255, 10, 13, 10])
    feed(bytes)
    await at('set', '/bytes', '-')
    expect(Buffer.from((await at('get', '/bytes')).bytes)).toEqual(Buffer.from(bytes))
    expect(JSON.parse((await at('get', '/bytes', '--json')).out)).toEqual(
      expect.objectContaining({ path: '/bytes', base64: Buffer.from(bytes).toString('base64') }),
    )
    expect(JSON.parse((await at('get', '/bytes', '--json')).out)).not.toHaveProperty('value')
    expect(await at('get', '/bytes', '--json', '--raw')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--raw'),
    })
    const mark = '\ufefftext'
    await at('set', '/bytes', mark)
    expect(JSON.parse((await at('get', '/bytes', '--json')).out).value).toBe(mark)
  })

  it('on a terminal a value is a line of text, unless --raw', async () => {
    const onTerminal = async (...line: string[]) => {
      Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true })
      try {
        return await at(...line)
      } finally {
        Object.defineProperty(process.stdout, 'isTTY', { value: undefined, configurable: true })
      }
    }
    await at('set', '/shown-at', 'a\u001b[2Jb')
    expect((await onTerminal('get', '/shown-at')).out).toBe('a\\u{1b}[2Jb\n')
    expect((await onTerminal('get', '/shown-at', '--raw')).out).toBe('a\u001b[2Jb')
    feed(new Uint8Array([255, 0]))
    await at('set', '/shown-at', '-')
    expect((await onTerminal('get', '/shown-at')).out).toMatch(/^2 bytes that are no text: --raw .*--json/)
  })

  it('changes several entries at once or none', async () => {
    await at('set', '/colour', 'blue')
    const change = ['txn', '--if', '/colour = blue', '--set', '/colour green', '--create', '/log changed'] as const
    expect(await at(...change)).toMatchObject({ code: 0, err: '' })
    expect(await at(...change)).toMatchObject({ code: 1, err: expect.stringMatching(/number 1 of the transaction/) })
    expect(JSON.parse((await at('get', '/colour', '--json')).out)).toMatchObject({ value: 'green', version: 1 })
    expect(await at('set', '/colour', 'red', '--if-version', '0')).toMatchObject({ code: 1 })
    expect(await at('set', '/colour', 'red', '--if-version', '1')).toMatchObject({ code: 0 })
  })

  it('writes a dump and puts it back', async () => {
    await at('set', '/kept', 'by the dump')
    const { out } = await at('dump')
    const lines = out.trim().split('\n')
    const paths = lines.map(line => JSON.parse(line).path)
    expect(paths[0]).toBe('/')
    expect(paths).toContain('/kept')
    await at('delete', '/kept')
    feed(out)
    expect(await at('restore')).toMatchObject({ code: 0, err: `${lines.length} entries restored\n` })
    expect(JSON.parse((await at('get', '/kept', '--json')).out)).toMatchObject({ value: 'by the dump' })
    feed('{"path": 1}\n')
    expect(await at('restore')).toMatchObject({ code: 2, err: expect.stringMatching(/line 1 is no line of a dump/) })
  })

  it('a dump has the root with its value, leaves ephemeral entries out and says so', async () => {
    await using other = await connect({ config: group.clientFolders[0]!, blockedMax: 0 })
    await other.tree().set('/', 'about this tree')
    await other.tree().create('/living', 'x', { ephemeral: true })
    const { out, err } = await at('dump')
    const entries = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { path: string; base64: string })
    expect(entries[0]).toEqual({ path: '/', base64: Buffer.from('about this tree').toString('base64') })
    expect(entries.map(({ path }) => path)).not.toContain('/living')
    expect(err).toBe(`${entries.length} entries; left out: 1 ephemeral, all objects and sessions\n`)
  })

  it('watches until it is told to stop', async () => {
    await using other = await connect({ config: group.clientFolders[0]!, blockedMax: 0 })
    await other.tree().create('/watched')
    const watched = at('watch', '/watched')
    // Nobody says when it has begun: it is changed until that has been seen several times.
    const shown = () =>
      vi.isMockFunction(process.stdout.write) ? vi.mocked(process.stdout.write).mock.calls.length : 0
    for (let count = 0; shown() < 3; count++) {
      await other.tree().set('/watched', String(count))
      await sleep(20)
    }
    process.emit('SIGTERM')
    const { out, err, code } = await watched
    expect({ err, code }).toEqual({ err: '', code: 0 })
    const lines = out.trim().split('\n')
    const versions = lines.map(line => Number(/^(\d+) changed \/watched$/.exec(line)?.[1]))
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b))
    expect(lines.length).toBeGreaterThan(2)
  })

  it('watches from an older change on, with values, also those that are no text', async () => {
    await using other = await connect({ config: group.clientFolders[0]!, blockedMax: 0 })
    const { modified } = (await other.tree().create('/valued', 'one')).stat
    await other.tree().set('/valued', 'two\u001b[2J')
    await other.tree().set('/valued', Uint8Array.of(0xff))
    const until = async (...args: string[]) => {
      const watched = at('watch', '/valued', '--from', String(modified), ...args)
      const shown = () =>
        vi.isMockFunction(process.stdout.write) ? vi.mocked(process.stdout.write).mock.calls.length : 0
      while (shown() < 3) await sleep(10)
      process.emit('SIGTERM')
      return (await watched).out.trim().split('\n')
    }
    expect((await until()).map(line => line.replace(/^\d+ /, ''))).toEqual([
      'created /valued',
      'changed /valued',
      'changed /valued',
    ])
    const lines = await until('--values')
    expect(lines.join()).not.toContain('\u001b')
    expect(lines.at(-1)).toContain('(1 bytes that are no text)')
    const events = (await until('--values', '--json')).map(line => JSON.parse(line) as Record<string, unknown>)
    expect(events.at(-1)).toMatchObject({ kind: 'changed', path: '/valued', base64: '/w==' })
    expect((await at('watch', '/valued', '--from', 'x')).code).toBe(2)
  })

  it('shows objects, and how the servers stand', async () => {
    await at('set', '/shown', 'yes')
    const rows = JSON.parse((await at('object', 'tree', '--json')).out)
    expect(rows.map((row: { server: string }) => row.server).sort()).toEqual(['server-1', 'server-2', 'server-3'])
    expect(new Set(rows.map((row: { digest: string }) => row.digest)).size).toBe(1)
    expect((await at('object', 'tree')).out).toMatch(/\d+ entries with internals, \d+ sessions?, \d+ pending/)
    expect(await at('object', 'nothing')).toMatchObject({ code: 1 })
    const { out, code } = await at('status')
    expect(code).toBe(0)
    expect(out).toMatch(/server-1 {2}ready, .* 1 object\n/)
    expect(out).not.toMatch(/lied/)
    expect(JSON.parse((await at('status', '--json')).out)).toMatchObject({ accusations: [], lies: [] })
  })

  it('gives up in time where too few servers answer', async () => {
    await servers.pop()!.stop()
    await servers.pop()!.stop()
    const lone = await at('get', '/shown', '--timeout', '300ms')
    expect(lone).toMatchObject({ code: 1, out: '' })
    expect(lone.err).toMatch(/1 of 3 servers connected within 300 ms/)
  })
})
