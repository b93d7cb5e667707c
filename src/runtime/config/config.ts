// The settings of a group and of its nodes, as files.
//
//   DIR/group.toml                  the whole group, for the person who runs it
//   DIR/authority/                  authority.crt, authority.key: signs certificates; no server needs the key
//   DIR/servers/server-1/           coterie.toml, server.crt, server.key, authority.crt, first-start; store/ later
//   DIR/clients/NAME/               coterie.toml, client.crt, client.key, authority.crt
//   DIR/members/NAME/               coterie.toml, member.crt, member.key, seal.key, authority.crt; store/ later;
//                                   count.key where ballots are secret
//
// A node's folder is complete in itself: it can be copied to its machine and nothing else has to come along. That is
// why coterie.toml repeats the group's settings. Two nodes with different settings could disagree about a quorum, so
// the group's id is random and in every certificate, and `coterie doctor` compares the copies that it can see.
//
// What is read here is checked here, once: the rest of the program gets a typed object and asks no more questions.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FileError, SERVERS_MAX, SettingsError, type Trust, trust } from '../../core/index.ts'
import { CONTENT_BYTES_MAX } from '../../events/limits.ts'
import { type Credentials, type Identity, identityUri, type Role, readIdentity } from '../certificates/identity.ts'
import { checkValidity } from '../certificates/validity.ts'
import { cannot, exists, readText } from '../files.ts'
import { HOST_RULE, isHost, isName, NAME_RULE, Table } from './fields.ts'

export const NODE_FILE = 'coterie.toml'
export const GROUP_FILE = 'group.toml'
export const AUTHORITY_FILE = 'authority.crt'
export const AUTHORITY_KEY_FILE = 'authority.key'
/** A member's secret for what is sealed to it. */
export const SEAL_KEY_FILE = 'seal.key'
/** Its secret for counting ballots that stay secret. */
export const COUNT_KEY_FILE = 'count.key'
export const STORE_FOLDER = 'store'

export const PORT_MAX = 65_535

/** Every restart after a crash waits this long before it grants a lock: an hour is the most that anyone would bear. */
export const TTL_MAX_MS = 60 * 60 * 1000
export const TTL_MIN_MS = 100
export const TTL_DEFAULT_MS = 60_000

/** Clocks of working machines differ in rate by 0.0002 at most; 0.01 leaves room, 0.2 is a broken clock. */
export const DRIFT_DEFAULT = 0.01
const DRIFT_MAX = 0.2

/** A server that lost its store stays silent for this long; a client that is slower than this tries again. */
export const ATTEMPT_DEFAULT_MS = 60_000
const ATTEMPT_MIN_MS = 1_000
const ATTEMPT_MAX_MS = 60 * 60 * 1000

/** Less, and a clock that is a little wrong is refused; more, and what a client spoils lasts for years. */
const AHEAD_MS = [10 * 60 * 1000, 365 * 24 * 60 * 60 * 1000, ' (milliseconds)'] as const

/** Less than an event can have would refuse some whatever else is there; more than a terabyte no machine has. */
const KEEP_BYTES = [CONTENT_BYTES_MAX, 1_000_000_000_000, ' (bytes)'] as const
/** Clients that can fill their share at once, where the settings do not say how much there is for all. */
const KEEP_SHARES = 4

/** The client that `coterie init` makes. Groups made before there were operators do not name them. */
export const OPERATORS_DEFAULT: readonly string[] = ['admin']
/** More people than this who may break any lock are nobody in particular. */
const OPERATORS_MAX = 100

/** Every member talks to every other now and then: more than this is for the simulator. */
export const MEMBERS_MAX = 1000
/** A coordinator that crashed is replaced after this long. */
export const LEADER_LEASE_DEFAULT_MS = 2_000

/** An Ed25519 certificate takes under 1 KB, a long chain under 10. */
const PEM_BYTES_MAX = 64 * 1024

export interface LockSettings {
  /** The longest lease, in milliseconds. */
  readonly ttlMax: number
  /** By which share two clocks may differ in rate. */
  readonly drift: number
  /** How far ahead of its own wall clock a server takes a token, in milliseconds. Left out: a day. */
  readonly tokenAheadMax?: number
}

export interface ObjectSettings {
  /** The longest attempt of a client to order operations, in milliseconds. */
  readonly attemptMax: number
  /** How far ahead of its own wall clock a server promises a turn, in milliseconds. Left out: a day. */
  readonly rankAheadMax?: number
}

export interface EventSettings {
  /** Bytes of one client's events that a server keeps, in its memory. */
  readonly keepMax: number
  /** The same of all clients. */
  readonly keepAllMax: number
}

export interface ServerAddress {
  readonly name: string
  readonly host: string
  readonly port: number
  /** On the server's own machine only. */
  readonly metricsPort: number
}

/** Where its peers find a member, and its keys in hexadecimal: Ed25519 of its certificate, X25519 for what is sealed to it. */
export interface MemberAddress {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly publicKey: string
  readonly sealKey: string
  /** Where ballots are secret: its key for counting, and the proof that it knows the secret of it. Else empty. */
  readonly countKey: string
  readonly possession: string
}

/** What the others learn of a ballot once it is counted: all of it, or only the totals. */
export const BALLOTS = ['sealed', 'secret'] as const
export type Ballots = (typeof BALLOTS)[number]

export interface MembershipSettings {
  /** b among the members: they are other processes than the servers. */
  readonly liars: number
  /** How long a grant to a coordinator holds, in milliseconds. */
  readonly lease: number
  readonly ballots: Ballots
  /** The first electorate; empty where the group was made without members. */
  readonly members: readonly MemberAddress[]
}

export interface GroupSettings {
  readonly name: string
  /** Random; in every certificate. */
  readonly id: string
  readonly trust: Trust
  /** The names of clients that may take a lock from its holder. */
  readonly operators: readonly string[]
  readonly lock: LockSettings
  readonly objects: ObjectSettings
  /** Left out: what `eventsBasics` says. */
  readonly events?: EventSettings
  readonly servers: readonly ServerAddress[]
  readonly membership: MembershipSettings
}

interface NodeSettingsOf<R extends Role> {
  readonly role: R
  readonly name: string
  readonly group: GroupSettings
  readonly identity: Identity
  /** The node's folder, absolute, and its config file. */
  readonly folder: string
  readonly file: string
}

export interface ServerSettings extends NodeSettingsOf<'server'> {
  /** Its own entry in `group.servers`: where others find it. */
  readonly address: ServerAddress
  /** The local address it listens on. */
  readonly listen: string
  readonly storeFolder: string
}

export interface MemberSettings extends NodeSettingsOf<'member'> {
  /** Where its peers find it. */
  readonly address: { readonly host: string; readonly port: number }
  /** The local address it listens on. */
  readonly listen: string
  readonly storeFolder: string
}

interface ClientSettings extends NodeSettingsOf<'client'> {
  /** Commands about ledgers ask for --yes above this many units. */
  readonly yesAbove?: number
}
export type NodeSettings = ServerSettings | ClientSettings | MemberSettings

/** The settings, with certificate, key and the authority's certificate as PEM. */
export type ServerConfig = ServerSettings & NodeCredentials
export type ClientConfig = ClientSettings & NodeCredentials
export type MemberConfig = MemberSettings & NodeCredentials & MemberSecrets
export type NodeConfig = ServerConfig | ClientConfig | MemberConfig

interface MemberSecrets {
  readonly sealKey: string
  /** In hexadecimal; undefined where ballots are not secret. */
  readonly countSecret: string | undefined
}

export interface NodeCredentials extends Credentials {
  readonly authority: string
}

/** Reads a node's folder (or its coterie.toml) with its certificate and key, which must be valid now. */
export async function loadNodeConfig(path: string, now = new Date()): Promise<NodeConfig> {
  const settings = await readNodeSettings(path)
  const credentials = await readCredentials(settings)
  checkCredentials(settings, credentials, now)
  if (settings.role !== 'member') return { ...settings, ...credentials }
  return { ...settings, ...credentials, ...(await readSecrets(settings)) }
}

/** As a client: a client's folder, or that of a member that was given a client's certificate besides its own. */
export async function loadClientConfig(path: string, now = new Date()): Promise<ClientConfig> {
  const { role, name, group, folder, file } = await readNodeSettings(path)
  const identity = { group: group.id, role: 'client', name } as const
  const settings: ClientSettings = { role: 'client', name, group, identity, folder, file }
  if (role === 'server' || (role === 'member' && !(await exists(credentialFiles(settings).certificate)))) {
    const way =
      role === 'server'
        ? "connect with a client's folder (coterie client add NAME makes one)."
        : "connect with a client's folder, or with that of a member that is a client, too (coterie member add --client)."
    throw new SettingsError(`${file} is a ${role}'s; ${way}`)
  }
  const credentials = await readCredentials(settings)
  checkCredentials(settings, credentials, now)
  return { ...settings, ...credentials }
}

async function readSecrets({ folder, group }: MemberSettings): Promise<MemberSecrets> {
  const isSecret = group.membership.ballots === 'secret'
  return {
    sealKey: await readKey(join(folder, SEAL_KEY_FILE)),
    countSecret: isSecret ? await readText(join(folder, COUNT_KEY_FILE), PEM_BYTES_MAX) : undefined,
  }
}

/** Reads coterie.toml alone. */
export async function readNodeSettings(path: string): Promise<NodeSettings> {
  const file = await findFile(path, NODE_FILE)
  const folder = dirname(file)
  const table = await Table.read(file)
  const role = table.text('role', value => ROLES.includes(value), '"server", "client" or "member"') as Role
  const name = table.text('name', isName, NAME_RULE)
  const listen = role !== 'client' && table.has('listen') ? table.text('listen', isHost, HOST_RULE) : undefined
  const own = role === 'member' && table.has('address') ? readOwnAddress(table.table('address')) : undefined
  const yesAbove = role === 'client' && table.has('ledger') ? readGuard(table.table('ledger')) : undefined
  const group = readGroup(table)
  table.end()
  const identity = { group: group.id, role, name }
  const node = { name, group, identity, folder, file, storeFolder: join(folder, STORE_FOLDER) }
  if (role === 'client')
    return { role, name, group, identity, folder, file, ...(yesAbove !== undefined && { yesAbove }) }
  if (role === 'member') {
    const address = own ?? group.membership.members.find(member => member.name === name)
    if (address === undefined)
      throw table.refuse('name', 'one of the [[members]] in the same file, or an [address] of its own')
    return { ...node, role, address: { host: address.host, port: address.port }, listen: listen ?? address.host }
  }
  const address = group.servers.find(server => server.name === name)
  if (address === undefined) {
    const known = group.servers.map(server => server.name).join(', ')
    throw table.refuse('name', `one of the [[servers]] in the same file (${known})`)
  }
  return { ...node, role, address, listen: listen ?? address.host }
}

function readGuard(table: Table): number {
  const yesAbove = table.whole('yesAbove', 0, Number.MAX_SAFE_INTEGER)
  table.end()
  return yesAbove
}

const ROLES: readonly string[] = ['server', 'client', 'member']

/** Of a member that is not in the first electorate. */
function readOwnAddress(table: Table): { host: string; port: number } {
  const address = { host: readHost(table), port: table.whole('port', 1, PORT_MAX) }
  table.end()
  return address
}

function readHost(table: Table): string {
  return table.text('host', value => isHost(value) && !isEverywhere(value), `${HOST_RULE}, that the others can reach`)
}

/** Reads group.toml of a group's folder. */
export async function loadGroup(path: string): Promise<GroupSettings> {
  const table = await Table.read(await findFile(path, GROUP_FILE))
  const group = readGroup(table)
  table.end()
  return group
}

const GROUP_ID_RULE = '32 hexadecimal digits, as coterie init wrote it'

function readGroup(table: Table): GroupSettings {
  const group = table.table('group')
  const name = group.text('name', isName, NAME_RULE)
  const id = group.text('id', value => /^[0-9a-f]{32}$/.test(value), GROUP_ID_RULE)
  const liars = group.whole('liars', 0, SERVERS_MAX)
  const crashes = group.whole('crashes', 0, SERVERS_MAX)
  const operators = group.has('operators')
    ? group.texts('operators', OPERATORS_MAX, isName, `names of clients (${NAME_RULE})`)
    : OPERATORS_DEFAULT
  group.end()
  const lock = readLock(table.table('lock'))
  const objects = table.has('objects') ? readObjects(table.table('objects')) : { attemptMax: ATTEMPT_DEFAULT_MS }
  const events = table.has('events') ? readEvents(table.table('events')) : undefined
  const servers = readServers(table)
  const membership = table.has('membership') ? readMembership(table) : NO_MEMBERS
  try {
    const numbers = trust({ liars, crashes, servers: servers.length })
    const shared = { name, id, trust: numbers, operators, lock, objects, servers, membership }
    return { ...shared, ...(events && { events }) }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    throw new SettingsError(`${table.file}: ${error.message}`)
  }
}

function readLock(table: Table): LockSettings {
  const ttlMax = table.whole('ttlMax', TTL_MIN_MS, TTL_MAX_MS, ' (milliseconds)')
  const drift = table.number('drift', 0, DRIFT_MAX)
  const ahead = table.has('tokenAheadMax') ? table.whole('tokenAheadMax', ...AHEAD_MS) : undefined
  table.end()
  return { ttlMax, drift, ...(ahead === undefined ? {} : { tokenAheadMax: ahead }) }
}

function readObjects(table: Table): ObjectSettings {
  const attemptMax = table.whole('attemptMax', ATTEMPT_MIN_MS, ATTEMPT_MAX_MS, ' (milliseconds)')
  const ahead = table.has('rankAheadMax') ? table.whole('rankAheadMax', ...AHEAD_MS) : undefined
  table.end()
  return { attemptMax, ...(ahead === undefined ? {} : { rankAheadMax: ahead }) }
}

function readEvents(table: Table): EventSettings {
  const keepMax = table.whole('keepMax', ...KEEP_BYTES)
  const keepAllMax = table.has('keepAllMax') ? table.whole('keepAllMax', ...KEEP_BYTES) : KEEP_SHARES * keepMax
  if (keepAllMax < keepMax) throw table.refuse('keepAllMax', `at least keepMax, ${keepMax}`)
  table.end()
  return { keepMax, keepAllMax }
}

function readServers(table: Table): ServerAddress[] {
  const names = new Set<string>()
  const places = new Set<string>()
  return table.tables('servers', SERVERS_MAX).map(entry => {
    const server = {
      name: entry.text('name', isName, NAME_RULE),
      host: readHost(entry),
      port: entry.whole('port', 1, PORT_MAX),
      metricsPort: entry.whole('metricsPort', 1, PORT_MAX),
    }
    entry.end()
    takeOnce(names, server.name, () => entry.refuse('name', 'a name that no server before it has'))
    for (const field of ['port', 'metricsPort'] as const) {
      const free = () => entry.refuse(field, `a port that nothing before it uses on ${server.host}`)
      takeOnce(places, `${machine(server.host)} ${server[field]}`, free)
    }
    return server
  })
}

export const NO_MEMBERS: MembershipSettings = {
  liars: 0,
  lease: LEADER_LEASE_DEFAULT_MS,
  ballots: 'sealed',
  members: [],
}

const KEY_RULE = '64 hexadecimal digits'
const isKey = (value: string) => /^[0-9a-f]{64}$/.test(value)
/** Two numbers of 32 bytes. */
const PROOF_RULE = '128 hexadecimal digits'
const isProof = (value: string) => /^[0-9a-f]{128}$/.test(value)

function readMembership(table: Table): MembershipSettings {
  const settings = table.table('membership')
  const liars = settings.whole('liars', 0, MEMBERS_MAX)
  const lease = settings.whole('lease', TTL_MIN_MS, TTL_MAX_MS, ' (milliseconds)')
  const isBallots = (value: string) => BALLOTS.some(known => known === value)
  const ballots = settings.has('ballots')
    ? (settings.text('ballots', isBallots, BALLOTS.map(known => JSON.stringify(known)).join(' or ')) as Ballots)
    : 'sealed'
  settings.end()
  const names = new Set<string>()
  const members = table.tables('members', MEMBERS_MAX).map(entry => {
    const member = {
      name: entry.text('name', isName, NAME_RULE),
      host: readHost(entry),
      port: entry.whole('port', 1, PORT_MAX),
      publicKey: entry.text('publicKey', isKey, KEY_RULE),
      sealKey: entry.text('sealKey', isKey, KEY_RULE),
      countKey: ballots === 'secret' ? entry.text('countKey', isKey, KEY_RULE) : '',
      possession: ballots === 'secret' ? entry.text('possession', isProof, PROOF_RULE) : '',
    }
    entry.end()
    takeOnce(names, member.name, () => entry.refuse('name', 'a name that no member before it has'))
    return member
  })
  return { liars, lease, ballots, members }
}

/** Addresses that one can listen on, and nobody can dial. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function machine(host: string): string {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' ? '127.0.0.1' : name
}

function takeOnce(taken: Set<string>, value: string, refusal: () => SettingsError): void {
  if (taken.has(value)) throw refusal()
  taken.add(value)
}

export function credentialFiles(node: { readonly folder: string; readonly role: Role }) {
  return {
    certificate: join(node.folder, `${node.role}.crt`),
    key: join(node.folder, `${node.role}.key`),
    authority: join(node.folder, AUTHORITY_FILE),
  }
}

/** Reads the three PEM files and checks that each is what its name says. */
async function readCredentials(node: NodeSettings): Promise<NodeCredentials> {
  const files = credentialFiles(node)
  return {
    certificate: await readCertificate(files.certificate),
    key: await readKey(files.key),
    authority: await readCertificate(files.authority),
  }
}

export async function readCertificate(file: string): Promise<string> {
  const pem = await readText(file, PEM_BYTES_MAX)
  try {
    new X509Certificate(pem)
    return pem
  } catch {
    throw new FileError(`${file} holds no readable certificate (PEM). Copy it again from where the group was made.`)
  }
}

export async function readKey(file: string): Promise<string> {
  const pem = await readText(file, PEM_BYTES_MAX)
  try {
    createPrivateKey(pem)
    return pem
  } catch {
    throw new FileError(`${file} holds no readable private key (PEM). Copy it again from where the group was made.`)
  }
}

/** What would only show as a failed handshake later, said now. */
function checkCredentials(node: NodeSettings, credentials: NodeCredentials, now: Date): void {
  const files = credentialFiles(node)
  const certificate = new X509Certificate(credentials.certificate)
  if (!certificate.checkPrivateKey(createPrivateKey(credentials.key))) {
    throw new FileError(`${files.key} is not the key of ${files.certificate}. Copy both again, from the same folder.`)
  }
  const found = readIdentity(certificate)
  const wanted = identityUri(node.identity)
  if (found === undefined || identityUri(found) !== wanted) {
    const instead = found === undefined ? 'no identity of a group' : identityUri(found)
    throw new FileError(`${files.certificate} carries ${instead}; ${node.file} says ${wanted}. They must agree.`)
  }
  checkValidity(files.certificate, certificate, now)
  checkValidity(files.authority, new X509Certificate(credentials.authority), now)
}

/** Accepts the folder or the file in it; where it is the other kind of folder, says so. */
async function findFile(path: string, name: string): Promise<string> {
  const full = resolve(path)
  const state = await stat(full).catch(error => {
    throw cannot('read', full, error)
  })
  if (!state.isDirectory()) return full
  const file = join(full, name)
  const other = name === NODE_FILE ? GROUP_FILE : NODE_FILE
  if (!(await exists(file)) && (await exists(join(full, other)))) {
    throw new FileError(
      name === NODE_FILE
        ? `${full} is the folder of a whole group. Name one of its nodes, such as ${join(full, 'servers', 'server-1')}.`
        : `${full} is the folder of one node (${basename(full)}). Name the folder of the group, with ${GROUP_FILE} in it.`,
    )
  }
  return file
}
