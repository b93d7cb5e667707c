import { randomInt } from 'node:crypto'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credentials,
  createAuthority,
  type Identity,
  issueCertificate,
  validFor,
} from '../certificates/authority.ts'
import { initGroup, type NewGroup, readAuthority } from '../setup/group.ts'
import { examine, type Finding } from './examine.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let root: string
let pattern: NewGroup
let authority: Credentials
let group: string
let server: string
let client: string
const listeners: Server[] = []

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'coterie-doctor-'))
  pattern = await initGroup({
    dir: join(root, 'pattern'),
    name: 'shop',
    clients: ['alice'],
    basePort,
  })
  authority = await readAuthority(pattern.dir)
})

beforeEach(async () => {
  group = await mkdtemp(join(root, 'copy-'))
  await cp(pattern.dir, group, { recursive: true })
  server = join(group, 'servers', 'server-1')
  client = join(group, 'clients', 'alice')
})

afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close()
})

afterAll(() => rm(root, { recursive: true, force: true }))

/** Below the ports that the system gives away by itself, and different from run to run. */
const basePort = randomInt(10_000, 30_000)

function listen(listener: Server, port: number): Promise<void> {
  listeners.push(listener)
  return new Promise(resolve => listener.listen(port, '127.0.0.1', resolve))
}

function tlsListener(leaf: Credentials): Server {
  const settings = { cert: leaf.certificate, key: leaf.key, ca: authority.certificate, requestCert: true } as const
  const listener = createTlsServer({ ...settings, minVersion: 'TLSv1.3' }, socket => socket.on('error', () => {}))
  return listener
}

const identity = (name: string): Identity => ({ group: pattern.group.id, role: 'server', name })

async function putLeaf(leaf: Credentials): Promise<void> {
  await writeFile(join(server, 'server.crt'), leaf.certificate)
  await writeFile(join(server, 'server.key'), leaf.key)
}

const worse = (findings: Finding[]) => findings.filter(finding => finding.level !== 'ok')
const told = (findings: Finding[]) => worse(findings).map(({ level, where, what }) => `${level} ${where}: ${what}`)

/** Breaks nothing else: exactly one finding, and it has advice. */
async function expectOne(path: string, sentence: RegExp, options = {}): Promise<void> {
  const findings = worse(await examine(path, { probe: false, ...options }))
  expect(told(findings)).toEqual([expect.stringMatching(sentence)])
  expect(findings[0]!.advice).not.toBe('')
}

describe('the doctor finds nothing wrong', () => {
  it('with a new group, ports and all', async () => {
    const findings = await examine(group)
    expect(told(findings)).toEqual([])
    expect(findings.map(finding => finding.what)).toContain(
      'port PORT is free; the server does not run'.replace('PORT', String(pattern.group.servers[0]!.port)),
    )
    expect(new Set(findings.map(finding => finding.where))).toEqual(
      new Set(['group', 'authority', 'server-1', 'server-2', 'server-3', 'alice']),
    )
  })

  it('with a folder that was moved to its machine, or the file in it', async () => {
    await rename(server, join(group, 'moved'))
    expect(told(await examine(join(group, 'moved'), { probe: false }))).toEqual([])
    expect(told(await examine(join(group, 'moved', 'coterie.toml'), { probe: false }))).toEqual([])
  })

  it('with a server that answers under its name', async () => {
    const leaf = await issueCertificate(authority, identity('server-1'))
    await listen(tlsListener(leaf), pattern.group.servers[0]!.port)
    const findings = await examine(group)
    expect(told(findings)).toEqual([])
    expect(findings.map(finding => finding.what)).toContainEqual(expect.stringMatching(/^server-1 answers at/))
  })

  it('where the authority’s key is kept elsewhere', async () => {
    await rm(join(group, 'authority', 'authority.key'))
    expect(told(await examine(group, { probe: false }))).toEqual([])
  })
})

describe('the doctor finds, in certificates', () => {
  it('one that has expired', async () => {
    const validity = validFor(30, new Date('2020-01-01'))
    await putLeaf(await issueCertificate(authority, identity('server-1'), { validity }))
    await expectOne(server, /^problem server-1: the certificate .*server\.crt expired on 2020-01-31$/)
  })

  it('one that expires soon', async () => {
    await putLeaf(await issueCertificate(authority, identity('server-1'), { validity: validFor(10.5) }))
    await expectOne(server, /^warning server-1: the certificate .* expires in 10 days/)
  })

  it('a clock that is behind', async () => {
    const findings = await examine(client, { probe: false, now: new Date(Date.now() - 2 * DAY_MS) })
    expect(told(findings)).toEqual([
      expect.stringMatching(/^problem alice: the certificate .* begins on .* this machine says/),
      expect.stringMatching(/^problem alice: the authority's certificate .* begins on/),
    ])
  })

  it('one of a foreign authority', async () => {
    await putLeaf(await issueCertificate(await createAuthority('shop'), identity('server-1')))
    await expectOne(server, /^problem server-1: .*server\.crt was not signed by .*authority\.crt/)
  })

  it('that of a member as a client, which has another than as a member', async () => {
    const made = await initGroup({ dir: join(group, 'both'), members: 3, memberClients: true, basePort })
    const member = made.memberFolders[0]!
    expect(told(await examine(member, { probe: false }))).toEqual([])
    const as = { group: made.group.id, role: 'client', name: 'member-1' } as const
    const validity = validFor(30, new Date('2020-01-01'))
    const leaf = await issueCertificate(await readAuthority(made.dir), as, { validity })
    await writeFile(join(member, 'client.crt'), leaf.certificate)
    await writeFile(join(member, 'client.key'), leaf.key)
    await expectOne(member, /^problem member-1: the certificate .*client\.crt expired on 2020-01-31$/)
  })

  it('a swapped key', async () => {
    await cp(join(group, 'servers', 'server-2', 'server.key'), join(server, 'server.key'))
    await expectOne(server, /^problem server-1: .*server\.key is not the key of .*server\.crt/)
  })

  it('another server’s identity', async () => {
    await putLeaf(await issueCertificate(authority, identity('server-2')))
    await expectOne(server, /^problem server-1: the certificate is of server server-2; .* is of server server-1/)
  })

  it('another group’s identity', async () => {
    await putLeaf(await issueCertificate(authority, { ...identity('server-1'), group: 'f'.repeat(32) }))
    await expectOne(server, /^problem server-1: the certificate is of group f{32}; /)
  })

  it('no identity at all', async () => {
    await putLeaf(await issueCertificate(authority, { ...identity('server-1'), name: 'No Name' }))
    await expectOne(server, /carries no identity/)
  })

  it('a key that others can read', async () => {
    await chmod(join(server, 'server.key'), 0o644)
    await expectOne(server, /^warning server-1: .*server\.key has permissions 0644/)
    await chmod(join(server, 'server.key'), 0o600)
    await chmod(join(group, 'authority', 'authority.key'), 0o640)
    await expectOne(group, /^warning authority: .*authority\.key has permissions 0640/)
  })
})

describe('the doctor finds, in files', () => {
  it.each(['server.crt', 'server.key', 'authority.crt', 'coterie.toml'])('%s unreadable, and goes on', async name => {
    await rm(join(server, name))
    await mkdir(join(server, name))
    await expectOne(group, new RegExp(`^problem server-1: .*${name.replace('.', '\\.')} is a folder`))
  })

  it('group.toml broken, and still examines the nodes', async () => {
    await writeFile(join(group, 'group.toml'), 'liars = ')
    const findings = await examine(group, { probe: false })
    expect(told(findings)).toEqual([expect.stringMatching(/^problem group: .*group\.toml is not TOML/)])
    expect(findings.filter(finding => finding.where === 'server-3').length).toBeGreaterThan(3)
  })

  it('impossible trust numbers, with what would work', async () => {
    const file = join(server, 'coterie.toml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('liars = 0', 'liars = 1'))
    await expectOne(server, /3 servers cannot keep a lock .* would work/)
  })

  it('a node that has other settings than the group', async () => {
    const file = join(server, 'coterie.toml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('ttlMax = 60000', 'ttlMax = 30000'))
    await expectOne(group, /^problem server-1: ttlMax is 30000 in its coterie\.toml, 60000 in group\.toml/)
  })

  it('a server’s folder that is not here', async () => {
    await rm(server, { recursive: true })
    await expectOne(group, /^warning server-1: .* is not here/)
  })

  it('a key that is not here: a warning in the group’s folder, a problem on its own machine', async () => {
    await rm(join(server, 'server.key'))
    await expectOne(group, /^warning server-1: .*server\.key is not here/)
    await expectOne(server, /^problem server-1: cannot read .*server\.key: it is not there/)
  })

  it('a folder that is nothing of ours', async () => {
    await expectOne(root, /coterie\.toml: it is not there/)
    await expectOne(join(root, 'nowhere'), /nowhere: it is not there/)
  })
})

describe('the doctor finds, on the network', () => {
  const port = () => pattern.group.servers[0]!.port

  it('something else on the port', async () => {
    await listen(
      createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      port(),
    )
    await expectOne(group, /^problem server-1: something else listens at 127\.0\.0\.1 port \d+: it does not speak/, {
      probe: true,
    })
  })

  it('something that listens and says nothing', async () => {
    await listen(
      createServer(socket => socket.on('error', () => {})),
      port(),
    )
    await expectOne(group, /^problem server-1: something else listens .* no answer within/, { probe: true })
  })

  it('another server of the group in its place', async () => {
    await listen(tlsListener(await issueCertificate(authority, identity('server-2'))), port())
    await expectOne(group, /^problem server-1: coterie:.*server-2 answers at .*server-1 belongs/, { probe: true })
  })

  it('an impostor with the right name and no right to it', async () => {
    await listen(tlsListener(await issueCertificate(await createAuthority('shop'), identity('server-1'))), port())
    await expectOne(group, /^problem server-1: .* expired or not of this authority/, { probe: true })
  })

  it('a metrics port in use', async () => {
    await listen(createServer(), pattern.group.servers[0]!.metricsPort)
    await expectOne(group, /^problem server-1: metrics port \d+ cannot be used \(in use\)/, { probe: true })
  })

  it('for a client, too few servers to take a lock', async () => {
    await listen(tlsListener(await issueCertificate(authority, identity('server-1'))), port())
    expect(told(await examine(client))).toEqual([
      expect.stringMatching(/^warning alice: server-2 does not answer .* nothing listens there/),
      expect.stringMatching(/^warning alice: server-3 does not answer/),
      'problem alice: 1 of 3 servers answer; a lock needs 2',
    ])
  })
})

describe('the doctor finds, in stores', () => {
  const mark = () => join(server, 'first-start')
  const store = () => join(server, 'store')

  it('a store that is gone', async () => {
    await rm(mark())
    await expectOne(server, /^warning server-1: .*store is not there, though the server was started before/)
    const [finding] = worse(await examine(server, { probe: false }))
    expect(finding?.advice).toContain(`coterie serve --rejoin ${server}`)
  })

  it('a file in its place', async () => {
    await writeFile(store(), '')
    await expectOne(server, /^problem server-1: .*store is not a folder/)
  })

  it('a first-start mark that came back', async () => {
    await mkdir(store())
    await writeFile(join(store(), 'log'), 'x')
    await expectOne(server, /^warning server-1: .*first-start is there although/)
  })

  it('a process that has the store and does not answer', async () => {
    await rm(mark())
    await mkdir(store())
    await writeFile(join(store(), `held-by-${process.pid}-1x2-3`), '')
    expect(told(await examine(group))).toEqual([
      `warning server-1: process ${process.pid} has the store open, but the server does not answer`,
    ])
  })

  it('nothing wrong with a store left by a process that is gone', async () => {
    await rm(mark())
    await mkdir(store())
    await writeFile(join(store(), 'held-by-4194305-1x2-3'), '')
    expect(told(await examine(group))).toEqual([])
  })
})
