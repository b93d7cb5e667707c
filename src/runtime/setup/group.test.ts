import { X509Certificate } from 'node:crypto'
import { access, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileError, SettingsError } from '../../core/index.ts'
import { readIdentity } from '../certificates/authority.ts'
import { renewCertificates } from '../certificates/renew.ts'
import { loadGroup, loadNodeConfig } from '../config/config.ts'
import { addClient, initGroup } from './group.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-setup-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function files(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => relative(folder, join(entry.parentPath, entry.name)))
}

describe('initGroup', () => {
  it('makes every file of the layout, and nothing else', async () => {
    const made = await initGroup({ dir: join(root, 'shop'), clients: ['alice'] })
    const server = ['authority.crt', 'coterie.toml', 'first-start', 'server.crt', 'server.key']
    expect((await files(made.dir)).sort()).toEqual([
      'authority/authority.crt',
      'authority/authority.key',
      ...['authority.crt', 'client.crt', 'client.key', 'coterie.toml'].map(name => `clients/alice/${name}`),
      'group.toml',
      ...[1, 2, 3].flatMap(number => server.map(name => `servers/server-${number}/${name}`)),
    ])
    expect(await readdir(root)).toEqual(['shop'])
  })

  it('lets only the owner read keys', async () => {
    const made = await initGroup({ dir: join(root, 'shop') })
    const keys = (await files(made.dir)).filter(name => name.endsWith('.key'))
    expect(keys).toHaveLength(5)
    for (const key of keys) expect((await stat(join(made.dir, key))).mode & 0o777).toBe(0o600)
  })

  it('sizes a group for objects: one liar takes seven servers', async () => {
    const made = await initGroup({ dir: join(root, 'shop'), liars: 1 })
    expect(made.group.trust).toMatchObject({ servers: 7, liars: 1, crashes: 1, orderingQuorum: 5 })
    for (const folder of made.serverFolders) expect((await loadNodeConfig(folder)).group).toEqual(made.group)
    expect(await loadGroup(made.dir)).toEqual(made.group)
  })

  it('takes a relative path, and fills an empty folder', async () => {
    await mkdir(join(root, 'empty'))
    const made = await initGroup({ dir: relative(process.cwd(), join(root, 'empty')) })
    expect(made.dir).toBe(join(root, 'empty'))
    expect(made.group.name).toBe('empty')
  })

  it('names a group "group" where its folder’s name is no name', async () => {
    expect((await initGroup({ dir: join(root, '.coterie') })).group.name).toBe('group')
  })

  it('puts one server on each host, at the same port, listening for all', async () => {
    const made = await initGroup({ dir: join(root, 'shop'), hosts: ['a.example.org', 'b.example.org', '10.0.0.3'] })
    expect(made.group.servers.map(server => `${server.host}:${server.port}`)).toEqual([
      'a.example.org:7400',
      'b.example.org:7400',
      '10.0.0.3:7400',
    ])
    const config = await loadNodeConfig(made.serverFolders[2]!)
    expect(config).toMatchObject({ listen: '0.0.0.0' })
    expect(new X509Certificate(config.certificate).checkIP('10.0.0.3')).toBe('10.0.0.3')
  })

  it('gives servers on one host ports of their own', async () => {
    const made = await initGroup({ dir: join(root, 'shop'), hosts: ['a', 'b', 'a'], basePort: 5000 })
    expect(made.group.servers.map(server => [server.port, server.metricsPort])).toEqual([
      [5000, 5100],
      [5000, 5100],
      [5001, 5101],
    ])
  })

  it('gives two groups of one name two identities', async () => {
    const one = await initGroup({ dir: join(root, 'one'), name: 'shop' })
    const two = await initGroup({ dir: join(root, 'two'), name: 'shop' })
    expect(one.group.id).not.toBe(two.group.id)
  })

  it.each([
    ['a group too small for its liars', { servers: 3, liars: 1 }, /takes 4 servers/],
    ['fewer crashes than liars', { liars: 2, crashes: 1 }, /set crashes to at least 2/],
    ['too many servers', { servers: 101 }, /from 0 to 100/],
    ['two hosts for three servers', { servers: 3, hosts: ['a', 'b'] }, /2 hosts are named for 3 servers/],
    ['no host', { servers: 3, hosts: [] }, /0 hosts are named/],
    ['a host with a port', { hosts: ['a:1', 'b:1', 'c:1'] }, /host "a:1" must be .*without port/],
    ['a host that nobody can dial', { hosts: ['0.0.0.0'] }, /that the others can reach/],
    ['base port 0', { basePort: 0 }, /base port is 0; it must be a whole number from 1 to/],
    ['a base port too high', { basePort: 65_500 }, /base port is 65500/],
    ['an odd group name', { name: 'My Shop' }, /group's name is "My Shop"; it must be lower-case/],
    ['an odd client name', { clients: ['../../etc'] }, /client's name is "..\/..\/etc"/],
    ['a client called like a server', { clients: ['server-1'] }, /cannot be called "server-1"/],
    ['a client twice', { clients: ['bob', 'bob'] }, /"bob" is named twice/],
  ])('refuses %s, and leaves nothing behind', async (_, options, sentence) => {
    const attempt = initGroup({ dir: join(root, 'shop'), ...options })
    await expect(attempt).rejects.toThrow(sentence)
    await expect(attempt).rejects.toBeInstanceOf(SettingsError)
    expect(await readdir(root)).toEqual([])
  })

  it('refuses a folder in use and leaves it as it was', async () => {
    const { dir, group } = await initGroup({ dir: join(root, 'shop') })
    await expect(initGroup({ dir })).rejects.toThrow(/is in use\. Choose a new folder/)
    expect(await loadGroup(dir)).toEqual(group)
    expect(await readdir(root)).toEqual(['shop'])
  })

  it('refuses a file in the folder’s place, or on the way to it', async () => {
    await writeFile(join(root, 'file'), 'mine')
    await expect(initGroup({ dir: join(root, 'file') })).rejects.toBeInstanceOf(FileError)
    await expect(initGroup({ dir: join(root, 'file', 'shop') })).rejects.toBeInstanceOf(FileError)
    expect(await readFile(join(root, 'file'), 'utf8')).toBe('mine')
  })

  it('lets one of two that race win', async () => {
    const dir = join(root, 'shop')
    const results = await Promise.allSettled([initGroup({ dir }), initGroup({ dir })])
    expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await readdir(root)).toEqual(['shop'])
  })
})

describe('addClient', () => {
  it('makes a client of the same group', async () => {
    const { dir, group } = await initGroup({ dir: join(root, 'shop') })
    const config = await loadNodeConfig(await addClient(dir, 'bob'))
    expect(config.group).toEqual(group)
    expect(readIdentity(config.certificate)).toEqual({ group: group.id, role: 'client', name: 'bob' })
  })

  it.each(['Bob', '', 'a/b', '..', 'server-3', 'x'.repeat(41)])('refuses the name %j', async name => {
    const { dir } = await initGroup({ dir: join(root, 'shop') })
    await expect(addClient(dir, name)).rejects.toBeInstanceOf(SettingsError)
  })

  it('refuses a client that is there, and keeps its key', async () => {
    const { dir, clientFolders } = await initGroup({ dir: join(root, 'shop'), clients: ['bob'] })
    const key = await readFile(join(clientFolders[0]!, 'client.key'), 'utf8')
    await expect(addClient(dir, 'bob')).rejects.toThrow(/already there/)
    expect(await readFile(join(clientFolders[0]!, 'client.key'), 'utf8')).toBe(key)
  })

  it('refuses where the authority’s key is not, and says where to go', async () => {
    const { dir } = await initGroup({ dir: join(root, 'shop') })
    await rm(join(dir, 'authority', 'authority.key'))
    await expect(addClient(dir, 'bob')).rejects.toThrow(/where the group was made/)
    await expect(access(join(dir, 'clients', 'bob'))).rejects.toThrow()
  })

  it('refuses a folder that is no group’s', async () => {
    await expect(addClient(root, 'bob')).rejects.toThrow(/group\.toml: it is not there/)
  })
})

describe('renewCertificates', () => {
  const serial = async (folder: string) => new X509Certificate((await loadNodeConfig(folder)).certificate).serialNumber

  it('gives new certificates for the same keys, to those named', async () => {
    const { dir, serverFolders } = await initGroup({ dir: join(root, 'shop') })
    const [one, two] = [serverFolders[0]!, serverFolders[1]!]
    const before = [await serial(one), await serial(two)]
    expect(await renewCertificates(dir, ['server-1'])).toEqual([join(one, 'server.crt')])
    expect(await serial(one)).not.toBe(before[0])
    expect(await serial(two)).toBe(before[1])
    expect(await renewCertificates(dir)).toHaveLength(4)
  })

  it('needs no private key but the authority’s', async () => {
    const { dir, serverFolders } = await initGroup({ dir: join(root, 'shop') })
    const key = await readFile(join(serverFolders[0]!, 'server.key'))
    await rm(join(serverFolders[0]!, 'server.key'))
    await renewCertificates(dir)
    await writeFile(join(serverFolders[0]!, 'server.key'), key)
    await expect(loadNodeConfig(serverFolders[0]!)).resolves.toMatchObject({ name: 'server-1' })
  })

  it('refuses to sign for a certificate of another node or authority', async () => {
    const { dir, serverFolders } = await initGroup({ dir: join(root, 'shop') })
    const other = await initGroup({ dir: join(root, 'other') })
    const target = join(serverFolders[0]!, 'server.crt')
    for (const source of [serverFolders[1]!, other.serverFolders[0]!]) {
      await copyFile(join(source, 'server.crt'), target)
      await expect(renewCertificates(dir)).rejects.toThrow(/was not made by this authority for server-1/)
    }
  })

  it('refuses a name that is not there', async () => {
    const { dir } = await initGroup({ dir: join(root, 'shop') })
    await expect(renewCertificates(dir, ['bob'])).rejects.toThrow(/"bob" has no folder .* server-1, server-2/)
  })
})
