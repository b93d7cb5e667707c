// Members of a new group: names, addresses and certificates. Their public keys stand in every copy of the settings,
// because the first electorate is what the rest of an election's safety rests on: nobody may be talked into another.

import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from '../../core/index.ts'
import { type Credentials, issueCertificate } from '../certificates/authority.ts'
import { type CountingCredentials, issueCounting } from '../certificates/counting-keys.ts'
import {
  BALLOTS,
  type Ballots,
  COUNT_KEY_FILE,
  credentialFiles,
  type GroupSettings,
  isEverywhere,
  LEADER_LEASE_DEFAULT_MS,
  MEMBERS_MAX,
  type MembershipSettings,
  NO_MEMBERS,
  NODE_FILE,
  PORT_MAX,
  SEAL_KEY_FILE,
} from '../config/config.ts'
import { HOST_RULE, isHost, isName, NAME_RULE } from '../config/fields.ts'
import { type Listening, listenOn, namedHosts, nodeText } from '../config/template.ts'
import { KEY_MODE, syncFolder, writeNew } from '../files.ts'
import { leaveFirstStartMark } from '../first-start.ts'

export interface MembersOptions {
  /** How many processes elect, gossip and share slots. Default: none. */
  readonly members?: number
  /** One host for each member, or one for all. The default is this machine only, 127.0.0.1. */
  readonly memberHosts?: readonly string[]
  /** Members that may do anything. Default: 0. */
  readonly memberLiars?: number
  /** What members learn of a ballot once it is counted: all of it, or only the totals. Default: sealed. */
  readonly ballots?: string
  /** Each member is also a client of the servers, by a second certificate in its folder. Default: false. */
  readonly memberClients?: boolean
}

/** Members listen from here on, above the ports of servers and their metrics. */
const MEMBERS_OFFSET = 200

export function planMembers(options: MembersOptions, basePort: number): MembershipSettings {
  const hosts = options.memberHosts ?? ['127.0.0.1']
  const count = options.members ?? (hosts.length > 1 ? hosts.length : 0)
  if (count === 0) return NO_MEMBERS
  if (!Number.isInteger(count) || count < 1 || count > MEMBERS_MAX) {
    throw new SettingsError(`members is ${count}; it must be a whole number from 0 to ${MEMBERS_MAX}.`)
  }
  if (hosts.length !== 1 && hosts.length !== count) {
    throw new SettingsError(
      `${hosts.length} hosts are named for ${count} members. Name one host for each member, or one for all.`,
    )
  }
  const liars = checkLiars(options.memberLiars ?? 0, count)
  const onHost = new Map<string, number>()
  const members = Array.from({ length: count }, (_, at) => {
    const host = hosts[hosts.length === 1 ? 0 : at]!
    const before = onHost.get(host) ?? 0
    onHost.set(host, before + 1)
    const port = basePort + MEMBERS_OFFSET + before
    checkAddress(host, port)
    return { name: `member-${at + 1}`, host, port, publicKey: '', sealKey: '', countKey: '', possession: '' }
  })
  return { liars, lease: LEADER_LEASE_DEFAULT_MS, ballots: checkBallots(options.ballots), members }
}

function checkBallots(ballots = 'sealed'): Ballots {
  const known = BALLOTS.find(mode => mode === ballots)
  if (known !== undefined) return known
  throw new SettingsError(`ballots is ${JSON.stringify(ballots)}; it can be ${BALLOTS.join(' or ')}.`)
}

/** n ≥ 2f + b + 1 with f ≥ b: an electorate that masks b liars has more than three times as many. */
function checkLiars(liars: number, members: number): number {
  if (Number.isInteger(liars) && liars >= 0 && members >= 3 * liars + 1) return liars
  throw new SettingsError(
    `member liars is ${liars}; with ${members} members it can be a whole number from 0 to ${Math.floor((members - 1) / 3)}.`,
  )
}

export function checkAddress(host: string, port: number): void {
  if (!isHost(host) || isEverywhere(host)) {
    throw new SettingsError(`host ${JSON.stringify(host)} must be ${HOST_RULE}, that the others can reach.`)
  }
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return
  throw new SettingsError(`the port of a member is ${port}; it must be a whole number from 1 to ${PORT_MAX}.`)
}

export function checkMemberName(name: string, group: GroupSettings): void {
  const shown = JSON.stringify(name.slice(0, 60))
  if (!isName(name)) throw new SettingsError(`the member's name is ${shown}; it must be ${NAME_RULE}.`)
  const taken = [...group.servers, ...group.membership.members].some(node => node.name === name)
  if (taken || /^server-\d+$/.test(name))
    throw new SettingsError(`a new member cannot be called ${shown}: another node is.`)
}

/** A member's certificate and key, and its secret for what is sealed to it, all as PEM; what it counts ballots with. */
export interface MemberCredentials extends Credentials {
  readonly sealKey: string
  /** Where ballots are secret. */
  readonly counting: CountingCredentials | undefined
}

export async function issueMember(
  authority: Credentials,
  group: GroupSettings,
  name: string,
  host: string,
): Promise<MemberCredentials> {
  const identity = { group: group.id, role: 'member', name } as const
  const credentials = await issueCertificate(authority, identity, { hosts: namedHosts(host) })
  const sealKey = generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const counting = group.membership.ballots === 'secret' ? await issueCounting(name) : undefined
  return { ...credentials, sealKey, counting }
}

/** Certificates first: their keys belong into the settings that all copies carry. */
export async function issueMembers(authority: Credentials, group: GroupSettings) {
  const issued = new Map<string, MemberCredentials>()
  for (const { name, host } of group.membership.members) {
    issued.set(name, await issueMember(authority, group, name, host))
  }
  const members = group.membership.members.map(member => {
    const { certificate, sealKey, counting } = issued.get(member.name)!
    const { countKey = '', possession = '' } = counting ?? {}
    const keys = { publicKey: publicKeyOf(certificate), sealKey: rawKey(createPublicKey(sealKey)) }
    return { ...member, ...keys, countKey, possession }
  })
  return { issued, group: { ...group, membership: { ...group.membership, members } } }
}

/** The raw Ed25519 key of a certificate, in hexadecimal. */
export function publicKeyOf(certificate: string): string {
  return rawKey(new X509Certificate(certificate).publicKey)
}

function rawKey(key: KeyObject): string {
  const { x } = key.export({ format: 'jwk' })
  return Buffer.from(x!, 'base64url').toString('hex')
}

export interface NewMember {
  readonly name: string
  readonly credentials: MemberCredentials
  readonly listening: Listening
}

export async function writeMember(
  folder: string,
  group: GroupSettings,
  authority: Credentials,
  { name, credentials, listening }: NewMember,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeNew(join(folder, NODE_FILE), nodeText('member', name, group, listening))
  const files = credentialFiles({ folder, role: 'member' })
  await writeNew(files.certificate, credentials.certificate)
  await writeNew(files.key, credentials.key, KEY_MODE)
  await writeNew(join(folder, SEAL_KEY_FILE), credentials.sealKey, KEY_MODE)
  const { counting } = credentials
  if (counting !== undefined) await writeNew(join(folder, COUNT_KEY_FILE), `${counting.secret}\n`, KEY_MODE)
  await writeNew(files.authority, authority.certificate)
  await leaveFirstStartMark(folder)
  await syncFolder(folder)
}

export async function writeMembers(
  folder: string,
  group: GroupSettings,
  authority: Credentials,
  issued: ReadonlyMap<string, MemberCredentials>,
): Promise<void> {
  if (issued.size === 0) return
  await mkdir(folder)
  for (const { name, host } of group.membership.members) {
    const member = { name, credentials: issued.get(name)!, listening: { listen: listenOn(host) } }
    await writeMember(join(folder, name), group, authority, member)
  }
  await syncFolder(folder)
}
