// Makes a group: authority, certificates and config files, all at once or not at all (see config.ts for the layout).

import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { SERVERS_MAX, SettingsError, type Trust, trust } from '../../core/index.ts'
import { type Credentials, createAuthority, type Identity, issueCertificate } from '../certificates/authority.ts'
import {
  ATTEMPT_DEFAULT_MS,
  AUTHORITY_FILE,
  AUTHORITY_KEY_FILE,
  credentialFiles,
  DRIFT_DEFAULT,
  GROUP_FILE,
  type GroupSettings,
  isEverywhere,
  loadGroup,
  NODE_FILE,
  OPERATORS_DEFAULT,
  PORT_MAX,
  readCertificate,
  readKey,
  type ServerAddress,
  TTL_DEFAULT_MS,
  TTL_MAX_MS,
  TTL_MIN_MS,
} from '../config/config.ts'
import { HOST_RULE, isHost, isName, NAME_RULE } from '../config/fields.ts'
import { groupText, listenOn, namedHosts, nodeText } from '../config/template.ts'
import { exists, KEY_MODE, makeFolder, syncFolder, writeNew } from '../files.ts'
import { leaveFirstStartMark } from '../first-start.ts'
import {
  checkAddress,
  checkMemberName,
  issueMember,
  issueMembers,
  type MembersOptions,
  planMembers,
  writeMember,
  writeMembers,
} from './members.ts'

/** Below the range from which systems draw ports for outgoing connections (32768 on Linux). */
export const BASE_PORT_DEFAULT = 7400

/** Metrics ports begin this far above the servers' ports, so that the two never meet on one machine. */
const METRICS_OFFSET = SERVERS_MAX

/** A group's folder is written in one go; more clients than this are added one at a time. */
const CLIENTS_MAX = 1000

export interface InitOptions extends MembersOptions {
  /** The folder to make. It must not exist, or be empty. */
  readonly dir: string
  /** The default is the folder's own name where that is a name, else "group". */
  readonly name?: string
  /** The default is as many as hosts, or the fewest that can do everything with these liars and crashes. */
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
  /** One host for each server, or one for all. The default is this machine only, 127.0.0.1. */
  readonly hosts?: readonly string[]
  /** The first server on a host listens here, the next one on the next port. */
  readonly basePort?: number
  /** The longest lease, in milliseconds: as long as a server waits after a crash. The default is a minute. */
  readonly ttlMax?: number
  /** The longest attempt of a client to order operations, in milliseconds. The default is a minute. */
  readonly attemptMax?: number
  /** The first of them is operator. The default is one client, "admin". */
  readonly clients?: readonly string[]
}

export interface NewGroup {
  readonly dir: string
  readonly group: GroupSettings
  readonly serverFolders: readonly string[]
  readonly clientFolders: readonly string[]
  readonly memberFolders: readonly string[]
}

export async function initGroup(options: InitOptions): Promise<NewGroup> {
  const dir = resolve(options.dir)
  const clients = options.clients ?? ['admin']
  const planned = planGroup(options)
  checkClients(clients)
  let group = planned
  await makeFolder(dir, `${dir} is in use. Choose a new folder, or delete what is there.`, async unfinished => {
    group = await writeGroup(unfinished, planned, clients, options.memberClients ?? false)
  })
  return {
    dir,
    group,
    serverFolders: group.servers.map(server => join(dir, 'servers', server.name)),
    clientFolders: clients.map(client => join(dir, 'clients', client)),
    memberFolders: group.membership.members.map(member => join(dir, 'members', member.name)),
  }
}

/** Adds a member that is in no electorate yet, and returns its folder. */
export async function addMember(
  dir: string,
  name: string,
  host: string,
  port: number,
  { client = false }: { readonly client?: boolean } = {},
): Promise<string> {
  const group = await loadGroup(dir)
  if (client && (await exists(join(resolve(dir), 'clients', name)))) {
    throw new SettingsError(`a member that is a client, too, cannot be called ${JSON.stringify(name)}: a client is.`)
  }
  checkMemberName(name, group)
  checkAddress(host, port)
  const authority = await readAuthority(dir)
  const folder = join(resolve(dir), 'members', name)
  const credentials = await issueMember(authority, group, name, host)
  await makeFolder(
    folder,
    `${folder} is already there. Choose another name, or delete that folder first.`,
    async unfinished => {
      const listening = { listen: listenOn(host), address: { host, port } }
      await writeMember(unfinished, group, authority, { name, credentials, listening })
      if (client) await addClientRole(unfinished, group, authority, name)
    },
  )
  return folder
}

/** Adds a client to a group's folder and returns the client's folder. */
export async function addClient(dir: string, name: string): Promise<string> {
  checkClients([name])
  const group = await loadGroup(dir)
  const authority = await readAuthority(dir)
  const folder = join(resolve(dir), 'clients', name)
  const taken = `${folder} is already there. Choose another name, or delete that folder first.`
  if (await exists(credentialFiles({ folder: join(resolve(dir), 'members', name), role: 'client' }).certificate)) {
    throw new SettingsError(`a client cannot be called ${JSON.stringify(name)}: a member is, and it is a client, too.`)
  }
  await makeFolder(folder, taken, unfinished => writeClient(unfinished, group, authority, name))
  return folder
}

/** The authority of a group, with its key. */
export async function readAuthority(dir: string): Promise<Credentials> {
  const folder = join(resolve(dir), 'authority')
  const key = join(folder, AUTHORITY_KEY_FILE)
  if (!(await exists(key))) {
    throw new SettingsError(
      `${key} is not there, and only it can sign certificates. Do this where the group was made, or where its key is kept.`,
    )
  }
  return { certificate: await readCertificate(join(folder, AUTHORITY_FILE)), key: await readKey(key) }
}

function planGroup(options: InitOptions): GroupSettings {
  const name = options.name ?? (isName(basename(resolve(options.dir))) ? basename(resolve(options.dir)) : 'group')
  if (!isName(name)) throw new SettingsError(`the group's name is ${JSON.stringify(name)}; it must be ${NAME_RULE}.`)
  const { servers = countHosts(options.hosts), liars, crashes } = options
  const numbers = trust({
    ...(servers === undefined ? {} : { servers }),
    ...(liars === undefined ? {} : { liars }),
    ...(crashes === undefined ? {} : { crashes }),
  })
  return {
    name,
    id: randomBytes(16).toString('hex'),
    trust: numbers,
    operators: operatorsOf(options.clients),
    lock: { ttlMax: checkTtlMax(options.ttlMax ?? TTL_DEFAULT_MS), drift: DRIFT_DEFAULT },
    objects: { attemptMax: options.attemptMax ?? ATTEMPT_DEFAULT_MS },
    servers: planServers(numbers, options.hosts ?? ['127.0.0.1'], options.basePort ?? BASE_PORT_DEFAULT),
    membership: planMembers(options, options.basePort ?? BASE_PORT_DEFAULT),
  }
}

/** The first client that is named, so that there is somebody who may; and the usual one, where it is named too. */
function operatorsOf(clients: readonly string[] = []): readonly string[] {
  if (clients.length === 0) return OPERATORS_DEFAULT
  return [...new Set([clients[0]!, ...clients.filter(client => OPERATORS_DEFAULT.includes(client))])]
}

/** Hosts say how many servers there are, except one alone, which may be the host of all. */
function countHosts(hosts: readonly string[] | undefined): number | undefined {
  return hosts === undefined || hosts.length === 1 ? undefined : hosts.length
}

function planServers(numbers: Trust, hosts: readonly string[], basePort: number): ServerAddress[] {
  if (hosts.length !== 1 && hosts.length !== numbers.servers) {
    throw new SettingsError(
      `${hosts.length} hosts are named for ${numbers.servers} servers. Name one host for each server, or one for all.`,
    )
  }
  const last = PORT_MAX - METRICS_OFFSET - numbers.servers
  if (!Number.isInteger(basePort) || basePort < 1 || basePort > last) {
    throw new SettingsError(`the base port is ${basePort}; it must be a whole number from 1 to ${last}.`)
  }
  const onHost = new Map<string, number>()
  return Array.from({ length: numbers.servers }, (_, at) => {
    const host = hosts[hosts.length === 1 ? 0 : at]!
    if (!isHost(host) || isEverywhere(host)) {
      throw new SettingsError(`host ${JSON.stringify(host)} must be ${HOST_RULE}, that the others can reach.`)
    }
    const before = onHost.get(host.toLowerCase()) ?? 0
    onHost.set(host.toLowerCase(), before + 1)
    const port = basePort + before
    return { name: `server-${at + 1}`, host, port, metricsPort: port + METRICS_OFFSET }
  })
}

function checkClients(names: readonly string[]): void {
  if (names.length > CLIENTS_MAX) {
    throw new SettingsError(`${names.length} clients are named; at most ${CLIENTS_MAX} can be made with the group.`)
  }
  for (const [at, name] of names.entries()) {
    const shown = JSON.stringify(name.slice(0, 60))
    if (!isName(name)) throw new SettingsError(`the client's name is ${shown}; it must be ${NAME_RULE}.`)
    // Logs and lock tables show bare names: a client that looks like a server would mislead their reader.
    if (/^server-\d+$/.test(name)) throw new SettingsError(`a client cannot be called ${shown}: servers are.`)
    if (/^member-\d+$/.test(name)) throw new SettingsError(`a client cannot be called ${shown}: members are.`)
    if (names.indexOf(name) !== at) throw new SettingsError(`client ${shown} is named twice.`)
  }
}

/** Returns the group with its members' keys. */
async function writeGroup(
  folder: string,
  planned: GroupSettings,
  clients: readonly string[],
  memberClients: boolean,
): Promise<GroupSettings> {
  const authority = await createAuthority(planned.name)
  const { group, issued } = await issueMembers(authority, planned)
  await writeNew(join(folder, GROUP_FILE), groupText(group))
  await mkdir(join(folder, 'authority'), { mode: 0o700 })
  await writeNew(join(folder, 'authority', AUTHORITY_FILE), authority.certificate)
  await writeNew(join(folder, 'authority', AUTHORITY_KEY_FILE), authority.key, KEY_MODE)
  await syncFolder(join(folder, 'authority'))
  await mkdir(join(folder, 'servers'))
  for (const server of group.servers) await writeServer(join(folder, 'servers', server.name), group, authority, server)
  await syncFolder(join(folder, 'servers'))
  await mkdir(join(folder, 'clients'))
  for (const client of clients) {
    await mkdir(join(folder, 'clients', client))
    await writeClient(join(folder, 'clients', client), group, authority, client)
  }
  await syncFolder(join(folder, 'clients'))
  await writeMembers(join(folder, 'members'), group, authority, issued)
  if (memberClients) {
    for (const { name } of group.membership.members) {
      await addClientRole(join(folder, 'members', name), group, authority, name)
    }
  }
  return group
}

/** In the folder of a member: what lets it use the servers, under the same name. */
async function addClientRole(folder: string, group: GroupSettings, authority: Credentials, name: string) {
  const credentials = await issueCertificate(authority, { group: group.id, role: 'client', name }, { hosts: [] })
  const files = credentialFiles({ folder, role: 'client' })
  await writeNew(files.certificate, credentials.certificate)
  await writeNew(files.key, credentials.key, KEY_MODE)
  await syncFolder(folder)
}

async function writeServer(folder: string, group: GroupSettings, authority: Credentials, server: ServerAddress) {
  await mkdir(folder)
  await writeNew(join(folder, NODE_FILE), nodeText('server', server.name, group, { listen: listenOn(server.host) }))
  const identity = { group: group.id, role: 'server', name: server.name } as const
  await writeCredentials(folder, authority, identity, namedHosts(server.host))
  await leaveFirstStartMark(folder)
  await syncFolder(folder)
}

async function writeClient(folder: string, group: GroupSettings, authority: Credentials, name: string) {
  await writeNew(join(folder, NODE_FILE), nodeText('client', name, group))
  await writeCredentials(folder, authority, { group: group.id, role: 'client', name }, [])
  await syncFolder(folder)
}

async function writeCredentials(folder: string, authority: Credentials, identity: Identity, hosts: readonly string[]) {
  const credentials = await issueCertificate(authority, identity, { hosts })
  const files = credentialFiles({ folder, role: identity.role })
  await writeNew(files.certificate, credentials.certificate)
  await writeNew(files.key, credentials.key, KEY_MODE)
  await writeNew(files.authority, authority.certificate)
}

function checkTtlMax(ttlMax: number): number {
  if (Number.isInteger(ttlMax) && ttlMax >= TTL_MIN_MS && ttlMax <= TTL_MAX_MS) return ttlMax
  throw new SettingsError(
    `ttlMax is ${ttlMax}; it must be a whole number of milliseconds from ${TTL_MIN_MS} to ${TTL_MAX_MS}.`,
  )
}
