// Explains what is wrong with a group's folder, a server's or a client's: settings, certificates, ports, stores.
// It changes nothing, goes on after each fault, and says what to do about it. A test of the doctor breaks a folder in
// one place and expects one problem.

import { basename, dirname, join, resolve } from 'node:path'
import { explainTrust } from '../../core/index.ts'
import type { LivesRecord } from '../../node/lives/wire.ts'
import {
  AUTHORITY_FILE,
  AUTHORITY_KEY_FILE,
  credentialFiles,
  GROUP_FILE,
  type GroupSettings,
  loadGroup,
  NODE_FILE,
  type NodeCredentials,
  type NodeSettings,
  readCertificate,
  readKey,
  readNodeSettings,
} from '../config/config.ts'
import { exists, subfolders } from '../files.ts'
import { checkOwnPort, checkReach } from './address.ts'
import { checkCertificates, checkDates, checkPair, checkPermissions } from './certificates.ts'
import { type Finding, Findings } from './finding.ts'
import { checkLife, checkLives, lifeOf } from './lives.ts'
import { checkStore } from './store.ts'

export type { Finding, Level } from './finding.ts'

export interface ExamineOptions {
  /** Also try ports and dial servers; the default is yes. */
  readonly probe?: boolean
  /** The default is this machine's clock. */
  readonly now?: Date
}

interface Visit {
  readonly probe: boolean
  readonly now: Date
  /** What group.toml says, where a whole group is examined. */
  readonly group: GroupSettings | undefined
  /** Whether to dial the other servers too: once is enough where a whole group is examined. */
  readonly others: boolean
}

/** Examines a group's folder with all nodes in it, or one node's folder. */
export async function examine(path: string, options: ExamineOptions = {}): Promise<Finding[]> {
  const full = resolve(path)
  const { probe = true, now = new Date() } = options
  const named = basename(full)
  const folder = named === NODE_FILE || named === GROUP_FILE ? dirname(full) : full
  if (named !== NODE_FILE && (await exists(join(folder, GROUP_FILE)))) return examineGroup(folder, { probe, now })
  return examineNode(folder, { probe, now, group: undefined, others: true })
}

async function examineGroup(folder: string, visit: { probe: boolean; now: Date }): Promise<Finding[]> {
  const findings = new Findings('group')
  const group = await findings.attempt(() => loadGroup(folder))
  if (group !== undefined) findings.ok(`group ${group.name}: ${explainTrust(group.trust)}`)
  const servers = new Set([
    ...(group?.servers ?? []).map(server => server.name),
    ...(await subfolders(join(folder, 'servers'))),
  ])
  const clients = await subfolders(join(folder, 'clients'))
  if (group !== undefined) checkOperators(findings, group, clients)
  const members = await subfolders(join(folder, 'members'))
  const nodes = [...servers].map(name => join(folder, 'servers', name))
  nodes.push(...clients.map(name => join(folder, 'clients', name)))
  nodes.push(...members.map(name => join(folder, 'members', name)))
  const authority = await examineAuthority(join(folder, 'authority'), visit.now)
  const lists = await Promise.all(nodes.map(node => examineNode(node, { ...visit, group, others: false })))
  const lives = await examineLives([...servers].map(name => join(folder, 'servers', name)))
  return [findings.list, authority, ...lists, ...lives].flat()
}

/** Each store against what all the others know of it. Theirs are read first: a server may begin its next life meanwhile. */
async function examineLives(folders: readonly string[]): Promise<Finding[][]> {
  const nodes = (await Promise.all(folders.map(folder => readNodeSettings(folder).catch(() => undefined)))).filter(
    node => node?.role === 'server',
  )
  const known = new Map<string, LivesRecord>()
  for (const node of nodes) {
    const record = await lifeOf(node)
    if (record !== undefined) known.set(node.name, record)
  }
  return Promise.all(
    nodes.map(async node => {
      const findings = new Findings(node.name)
      const others = [...known].filter(([name]) => name !== node.name).map(([, record]) => record)
      await checkLives(findings, node, others)
      return findings.list
    }),
  )
}

/** Without an operator nobody can free a lock, repair an object, or let a member vote. */
function checkOperators(findings: Findings, { operators }: GroupSettings, clients: readonly string[]): void {
  const here = operators.filter(name => clients.includes(name))
  if (here.length > 0) return findings.ok(`operators: ${operators.join(', ')}`)
  const named = operators.length === 0 ? 'nobody is named' : `${operators.join(', ')}, and no such client is here`
  findings.warning(
    `nobody may unlock, repair, admit or expel: operators are ${named}`,
    operators.length === 0
      ? `Name a client as operator, in ${GROUP_FILE} and every ${NODE_FILE}, then restart the nodes.`
      : `Right if its folder was moved to its machine. Else: coterie client add ${operators[0]}.`,
  )
}

async function examineAuthority(folder: string, now: Date): Promise<Finding[]> {
  const findings = new Findings('authority')
  const files = { certificate: join(folder, AUTHORITY_FILE), key: join(folder, AUTHORITY_KEY_FILE) }
  const certificate = await findings.attempt(() => readCertificate(files.certificate))
  if (certificate !== undefined) checkDates(findings, 'the authority’s certificate', certificate, now)
  if (!(await exists(files.key))) {
    findings.ok('the authority’s key is kept elsewhere; clients are added there')
    return findings.list
  }
  const key = await findings.attempt(() => readKey(files.key))
  if (key === undefined) return findings.list
  await checkPermissions(findings, files.key)
  if (certificate !== undefined) checkPair(findings, files, certificate, key)
  return findings.list
}

async function examineNode(folder: string, visit: Visit): Promise<Finding[]> {
  const findings = new Findings(basename(folder))
  if (visit.group !== undefined && !(await exists(folder))) {
    findings.warning(`${folder} is not here`, 'Right if it was moved to its machine; examine it there.')
    return findings.list
  }
  const node = await findings.attempt(() => readNodeSettings(folder))
  if (node === undefined) return findings.list
  findings.ok(
    visit.group === undefined
      ? `${node.file} is readable: ${explainTrust(node.group.trust)}`
      : `${NODE_FILE} is readable`,
  )
  if (visit.group !== undefined) compareSettings(findings, visit.group, node.group)
  const credentials = await checkCertificates(findings, node, visit.now, visit.group !== undefined)
  if (node.role === 'member') await checkClientRole(findings, node, visit)
  let serving: boolean | undefined
  if (visit.probe && credentials !== undefined) {
    if (node.role === 'server') serving = await checkOwnPort(findings, node, credentials)
    if (visit.others) findings.list.push(...(await examineOthers(node, credentials)))
  }
  if (node.role === 'server') {
    await checkStore(findings, node, serving)
    await checkLife(findings, node)
  }
  return findings.list
}

/** A member may be a client, too: its folder has another certificate for that, which runs out on a day of its own. */
async function checkClientRole(findings: Findings, node: NodeSettings, visit: Visit): Promise<void> {
  const { name, group, folder, file } = node
  const asClient = {
    role: 'client',
    identity: { group: group.id, role: 'client', name },
    name,
    group,
    folder,
    file,
  } as const
  if (!(await exists(credentialFiles(asClient).certificate))) return
  await checkCertificates(findings, asClient, visit.now, visit.group !== undefined)
}

/** Dials them all at once, and tells of them in the order of the file. */
async function examineOthers(node: NodeSettings, credentials: NodeCredentials): Promise<Finding[]> {
  const others = node.group.servers.filter(server => node.role !== 'server' || server.name !== node.name)
  const visits = others.map(async server => {
    const findings = new Findings(node.name)
    return { answers: await checkReach(findings, node, credentials, server), list: findings.list }
  })
  const seen = await Promise.all(visits)
  const findings = new Findings(node.name)
  const answering = seen.filter(({ answers }) => answers).length
  const { servers, lockGrants } = node.group.trust
  if (node.role === 'client' && answering < lockGrants) {
    findings.problem(
      `${answering} of ${servers} servers answer; a lock needs ${lockGrants}`,
      'Start more of them, or find out why they cannot be reached from here.',
    )
  }
  return [...seen.flatMap(({ list }) => list), ...findings.list]
}

/** Each node has its own copy of the group's settings; two that differ may disagree about a quorum. */
function compareSettings(findings: Findings, group: GroupSettings, copy: GroupSettings): void {
  const [wanted, found] = [flatten(group), flatten(copy)]
  for (const field of new Set([...wanted.keys(), ...found.keys()])) {
    if (wanted.get(field) === found.get(field)) continue
    findings.problem(
      `${field} is ${found.get(field) ?? 'missing'} in its ${NODE_FILE}, ${wanted.get(field) ?? 'missing'} in ${GROUP_FILE}`,
      'Give all copies the same value, then restart the nodes that were changed.',
    )
  }
}

function flatten(group: GroupSettings): Map<string, string> {
  const { name, id, trust, lock, membership } = group
  const { liars, crashes } = trust
  const fields = new Map(
    Object.entries({
      name,
      id,
      liars,
      crashes,
      ...lock,
      'member liars': membership.liars,
      'the coordinator’s lease': membership.lease,
      ballots: membership.ballots,
    }).map(([field, value]) => [field, `${value}`]),
  )
  for (const node of [...group.servers, ...group.membership.members]) {
    fields.set(`the address of ${node.name}`, `${node.host} port ${node.port}`)
  }
  for (const { name, publicKey } of group.membership.members) fields.set(`the key of ${name}`, publicKey)
  return fields
}
