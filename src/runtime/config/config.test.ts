import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CoterieError, FileError, Refused, SettingsError } from '../../core/index.ts'
import { eventsSettings } from '../../node/events.ts'
import { lockSettings, orderingSettings } from '../../node/settings.ts'
import { createAuthority, validFor } from '../certificates/authority.ts'
import { initGroup, type NewGroup } from '../setup/group.ts'
import { serverSettings } from './agreed.ts'
import { loadGroup, loadNodeConfig } from './config.ts'

let root: string
let pattern: NewGroup
let folder: string
let server: string
let server2: string
let client: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-config-'))
  pattern = await initGroup({ dir: join(root, 'pattern'), name: 'shop', clients: ['alice'] })
})

// Each test breaks its own copy: making a group waits for the disk many times.
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'copy-'))
  await cp(pattern.dir, folder, { recursive: true })
  server = join(folder, 'servers', 'server-1')
  server2 = join(folder, 'servers', 'server-2')
  client = join(folder, 'clients', 'alice')
})

afterAll(() => rm(root, { recursive: true, force: true }))

const toml = () => join(server, 'coterie.toml')

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const edited = text.replace(from, to)
  expect(edited, 'the edit changes something').not.toBe(text)
  await writeFile(file, edited)
}

async function refusal(path: string): Promise<CoterieError> {
  const error = await loadNodeConfig(path).then(
    () => undefined,
    caught => caught,
  )
  expect(error).toBeInstanceOf(CoterieError)
  return error
}

describe('loadNodeConfig accepts', () => {
  it('a server’s folder, complete and typed', async () => {
    const config = await loadNodeConfig(server)
    expect(config).toMatchObject({
      role: 'server',
      name: 'server-1',
      listen: '127.0.0.1',
      folder: server,
      storeFolder: join(server, 'store'),
      address: { name: 'server-1', host: '127.0.0.1', port: 7400, metricsPort: 7500 },
      group: { name: 'shop', lock: { ttlMax: 60_000, drift: 0.01 }, trust: { servers: 3, liars: 0, crashes: 1 } },
    })
    expect(config.group).toEqual(pattern.group)
    expect(config.key).toContain('PRIVATE KEY')
  })

  it('how far ahead of its clock a server takes tokens and turns; left out, a day', async () => {
    expect((await loadNodeConfig(server)).group).toMatchObject({ lock: { ttlMax: 60_000, drift: 0.01 } })
    await edit(toml(), /drift = .*/, 'drift = 0.01\ntokenAheadMax = 600000')
    await edit(toml(), /attemptMax = .*/, 'attemptMax = 60000\nrankAheadMax = 31536000000')
    const { group } = await loadNodeConfig(server)
    expect(group).toMatchObject({ lock: { tokenAheadMax: 600_000 }, objects: { rankAheadMax: 31_536_000_000 } })
    expect(serverSettings(group)).toContain('tokenAheadMax')
    expect(lockSettings({ ...group, operators: [] })).toMatchObject({ tokenAheadMax: 600_000 })
    expect(orderingSettings({ ...group, operators: [] }, { hash: bytes => bytes })).toMatchObject({
      rankAheadMax: 31_536_000_000,
    })
    await edit(toml(), 'tokenAheadMax = 600000', 'tokenAheadMax = 599999')
    await expect(loadNodeConfig(server)).rejects.toThrow(/tokenAheadMax.*600000/)
    await edit(toml(), 'tokenAheadMax = 599999', '')
    await edit(toml(), 'rankAheadMax = 31536000000', 'rankAheadMax = 31536000001')
    await expect(loadNodeConfig(server)).rejects.toThrow(/rankAheadMax.*31536000000/)
  })

  it('how much of clients’ events a server keeps; left out, as ever', async () => {
    const brings = { group: '', hash: (bytes: Uint8Array) => bytes }
    expect(eventsSettings({ ...(await loadNodeConfig(server)).group, operators: [] }, brings)).toMatchObject({
      authorBytesMax: 64_000_000,
      bytesMax: 256_000_000,
    })
    await edit(toml(), '[objects]', '[events]\nkeepMax = 1_200_000_000\n\n[objects]')
    const { group } = await loadNodeConfig(server)
    expect(group.events).toEqual({ keepMax: 1_200_000_000, keepAllMax: 4_800_000_000 })
    expect(eventsSettings({ ...group, operators: [] }, brings)).toMatchObject({
      authorBytesMax: 1_200_000_000,
      bytesMax: 4_800_000_000,
    })
    // Servers are changed one after the other, while the others serve.
    expect(serverSettings(group)).not.toContain('keep')
    await edit(toml(), 'keepMax = 1_200_000_000', 'keepMax = 1_200_000_000\nkeepAllMax = 1_000_000_000')
    await expect(loadNodeConfig(server)).rejects.toThrow(/keepAllMax.*at least keepMax, 1200000000/)
    await edit(toml(), 'keepMax = 1_200_000_000', 'keepMax = 1000')
    await expect(loadNodeConfig(server)).rejects.toThrow(/keepMax.*2097152/)
  })

  it('a client’s folder, or the file in it', async () => {
    expect((await loadNodeConfig(client)).identity).toEqual({ group: pattern.group.id, role: 'client', name: 'alice' })
    expect(await loadNodeConfig(join(client, 'coterie.toml'))).toEqual(await loadNodeConfig(client))
  })

  it.each([
    ['another address of a server', 'host = "127.0.0.1"\nport = 7401', 'host = "b.example.org"\nport = 9'],
    ['an IPv6 address', 'host = "127.0.0.1"\nport = 7401', 'host = "fe80::1"\nport = 7401'],
    ['no listen: the address serves for both', /listen.*\n/, ''],
    ['a wildcard to listen on', 'listen = "127.0.0.1"', 'listen = "::"'],
    ['the shortest and the longest lease', 'ttlMax = 60000', 'ttlMax = 3_600_000'],
    ['no operators: those of older groups', /operators.*\n/, ''],
    ['several operators', 'operators = ["alice"]', 'operators = ["alice", "night-shift"]'],
    ['nobody', 'operators = ["alice"]', 'operators = []'],
    ['no drift at all', 'drift = 0.01', 'drift = 0'],
    ['another order and comments', 'liars = 0\ncrashes = 1', 'crashes = 1 # one\nliars = 0'],
    ['the same port on two machines', 'host = "127.0.0.1"\nport = 7401', 'host = "10.0.0.2"\nport = 7400'],
  ])('%s', async (_, from, to) => {
    await edit(toml(), from, to)
    await expect(loadNodeConfig(server)).resolves.toMatchObject({ name: 'server-1' })
  })
})

describe('loadNodeConfig refuses, naming file, field, value and what would work', () => {
  it.each([
    ['role', 'role = "server"', 'role = "boss"', /role is "boss"; it must be "server", "client" or "member"/],
    ['a missing role', 'role = "server"', '', /role is missing; it must be/],
    ['a name with capitals', 'name = "server-1"', 'name = "Server-1"', /name is "Server-1"; it must be lower-case/],
    [
      'a name that is no server',
      'name = "server-1"',
      'name = "server-9"',
      /must be one of the \[\[servers\]\].*server-3/,
    ],
    [
      'listen with a port',
      'listen = "127.0.0.1"',
      'listen = "127.0.0.1:80"',
      /listen is "127.0.0.1:80"; .*without port/,
    ],
    ['the group’s name', 'name = "shop"', 'name = ""', /group\.name is ""/],
    ['the group’s id', /id = "[0-9a-f]+"/, 'id = "xyz"', /group\.id is "xyz"; it must be 32 hexadecimal/],
    ['liars as text', 'liars = 0', 'liars = "none"', /group\.liars is "none"; it must be a whole number from 0 to 100/],
    ['half a liar', 'liars = 0', 'liars = 0.5', /group\.liars is 0\.5; it must be a whole number/],
    ['more liars than the group masks', 'liars = 0', 'liars = 1', /3 servers cannot keep a lock .* takes 4 servers/],
    ['fewer crashes than liars', /liars = 0\ncrashes = 1/, 'liars = 1\ncrashes = 0', /set crashes to at least 1/],
    [
      'operators as text',
      'operators = ["alice"]',
      'operators = "alice"',
      /group\.operators is "alice"; it must be a list/,
    ],
    ['an operator that is no name', '["alice"]', '["Alice"]', /operators is \["Alice"\]; .* names of clients/],
    ['an operator that is a number', '["alice"]', '[7]', /operators is \[7\]; .* names of clients/],
    [
      'ttlMax too long',
      'ttlMax = 60000',
      'ttlMax = 99999999',
      /lock\.ttlMax is 99999999; .* to 3600000 \(milliseconds\)/,
    ],
    ['ttlMax with a unit', 'ttlMax = 60000', 'ttlMax = "60s"', /lock\.ttlMax is "60s"; it must be a whole number/],
    ['drift over all reason', 'drift = 0.01', 'drift = 2', /lock\.drift is 2; it must be a number from 0 to 0\.2/],
    ['drift that is no number', 'drift = 0.01', 'drift = nan', /lock\.drift is .*; it must be a number/],
    ['no [lock] at all', /\[lock\]\n#.*\n#.*\nttl.*\n#.*\ndrift.*\n/, '', /lock is missing; it must be a table/],
    ['port 0', 'port = 7401', 'port = 0', /servers\[2\]\.port is 0; it must be a whole number from 1 to 65535/],
    ['port 65536', 'port = 7401', 'port = 65536', /servers\[2\]\.port is 65536/],
    ['a taken port', 'port = 7401', 'port = 7400', /servers\[2\]\.port is 7400; .* nothing before it uses on 127/],
    ['metrics on a server’s port', 'metricsPort = 7501', 'metricsPort = 7400', /servers\[2\]\.metricsPort is 7400/],
    ['the same machine under two names', 'host = "127.0.0.1"\nport = 7401', 'host = "localhost"\nport = 7400', /port/],
    ['a name twice', 'name = "server-2"', 'name = "server-1"', /servers\[2\]\.name is "server-1"; .* no server before/],
    ['a URL for a host', 'host = "127.0.0.1"', 'host = "https://a"', /servers\[1\]\.host is "https:\/\/a"/],
    ['a host nobody can dial', 'host = "127.0.0.1"', 'host = "0.0.0.0"', /that the others can reach/],
    [
      'a misspelt field',
      'liars = 0',
      'liers = 0',
      /group\.liars is missing.*There is group\.liers: did you mean liars\?/,
    ],
    [
      'a field too many',
      'drift = 0.01',
      'drift = 0.01\ntllMax = 1',
      /lock\.tllMax is not a setting\. Did you mean ttlMax\?/,
    ],
    ['an unknown field', 'drift = 0.01', 'drift = 0.01\ncolour = 1', /lock\.colour .* Known here: ttlMax, drift\./],
    ['an unsafe key', 'drift = 0.01', 'drift = 0.01\n__proto__ = 1', /is not TOML, at line/],
    ['broken TOML', 'drift = 0.01', 'drift = = 1', /is not TOML, at line \d+, column \d+: /],
  ] as const)('%s', async (_, from, to, sentence) => {
    await edit(toml(), from, to)
    const error = await refusal(server)
    expect(error.message).toMatch(sentence)
    expect(error.message).toContain(toml())
  })

  it('a long value, shown in part', async () => {
    await edit(toml(), 'role = "server"', `role = "${'x'.repeat(5000)}"`)
    expect((await refusal(server)).message.length).toBeLessThan(300)
  })

  it('a file too large, before it is read', async () => {
    await writeFile(toml(), 'x'.repeat(300_000))
    expect((await refusal(server)).message).toMatch(/has 300000 bytes; at most 262144 are read/)
  })

  it('a file that is not UTF-8', async () => {
    await writeFile(toml(), Buffer.from([0x61, 0xff, 0xfe]))
    expect((await refusal(server)).message).toMatch(/not UTF-8 text/)
  })

  it('a folder in the file’s place', async () => {
    await rm(toml())
    await mkdir(toml())
    expect((await refusal(server)).message).toMatch(/coterie\.toml is a folder/)
  })

  it.each(['coterie.toml', 'server.crt', 'server.key', 'authority.crt'])('%s missing', async name => {
    await rm(join(server, name))
    const error = await refusal(server)
    expect(error).toBeInstanceOf(FileError)
    expect(error.message).toContain(`cannot read ${join(server, name)}: it is not there`)
  })

  it.each(['server.crt', 'server.key', 'authority.crt'])('%s damaged', async name => {
    const pem = await readFile(join(server, name), 'utf8')
    await writeFile(join(server, name), pem.slice(0, 60))
    expect((await refusal(server)).message).toMatch(/holds no readable (certificate|private key)/)
  })

  it('another server’s key', async () => {
    await writeFile(join(server, 'server.key'), await readFile(join(server2, 'server.key')))
    expect((await refusal(server)).message).toMatch(/server\.key is not the key of .*server\.crt/)
  })

  it('another server’s certificate and key', async () => {
    for (const name of ['server.key', 'server.crt']) {
      await writeFile(join(server, name), await readFile(join(server2, name)))
    }
    expect((await refusal(server)).message).toMatch(/carries coterie:.*server-2; .* says coterie:.*server-1/)
  })

  it('the folder of the group, and says what to name', async () => {
    expect((await refusal(folder)).message).toMatch(/folder of a whole group\. Name one of its nodes/)
    await expect(loadGroup(server)).rejects.toThrow(/folder of one node \(server-1\)/)
  })

  it('any damage to the text with a sentence, never with another error', async () => {
    const text = await readFile(toml())
    const damage = fc.tuple(fc.nat(text.length - 1), fc.uint8Array({ maxLength: 4 }), fc.nat(8))
    await fc.assert(
      fc.asyncProperty(damage, async ([at, bytes, cut]) => {
        await writeFile(toml(), Buffer.concat([text.subarray(0, at), bytes, text.subarray(at + cut)]))
        await loadNodeConfig(server).catch(error => expect(error).toBeInstanceOf(CoterieError))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a node whose own certificate does not hold now is refused', () => {
  const day = 24 * 60 * 60 * 1000
  const at = (days: number) => new Date(Date.now() + days * day)

  it.each([
    ['server', () => server],
    ['client', () => client],
  ])('expired: a %s hears which file, when, and what to do', async (role, node) => {
    const error = await loadNodeConfig(node(), at(3 * 365)).catch(caught => caught)
    expect(error).toBeInstanceOf(Refused)
    expect(error.message).toMatch(new RegExp(`${role}\\.crt expired on \\d{4}-\\d\\d-\\d\\d\\. .*coterie renew DIR`))
  })

  it('not valid yet: it hears of the clock', async () => {
    const error = await loadNodeConfig(client, at(-2)).catch(caught => caught)
    expect(error).toBeInstanceOf(Refused)
    expect(error.message).toMatch(/client\.crt is not valid before .* Set the clock of this machine/)
  })

  it('of an authority that expired: renewing would not help', async () => {
    const { certificate } = await createAuthority('old', validFor(30, new Date('2020-01-01')))
    await writeFile(join(client, 'authority.crt'), certificate)
    expect((await refusal(client)).message).toMatch(/authority\.crt expired on 2020-01-31\. .*make a new group/)
  })
})

it('settings that cannot work are SettingsErrors, files that are broken FileErrors', async () => {
  await edit(toml(), 'liars = 0', 'liars = 1')
  expect(await refusal(server)).toBeInstanceOf(SettingsError)
  await writeFile(toml(), '=')
  expect(await refusal(server)).toBeInstanceOf(FileError)
})
