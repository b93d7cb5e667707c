// New certificates for the nodes of a group, before the old ones expire.
//
// The key stays: so only one file changes, at once, and there is no moment in which certificate and key do not match.
// The key itself is not looked at, so it need not be here: it may be on its node's machine only, where it belongs.
// A key that somebody else may have read needs more than a new certificate, since the old one stays valid until its end:
// that takes a new group.

import { join, resolve } from 'node:path'
import { FileError, SettingsError } from '../../core/index.ts'
import { credentialFiles, loadGroup, type NodeSettings, readCertificate, readNodeSettings } from '../config/config.ts'
import { exists, replaceText, subfolders } from '../files.ts'
import { readAuthority } from '../setup/group.ts'
import { type Credentials, reissueCertificate } from './authority.ts'

/** Renews the named nodes' certificates, or all in the group's folder. Returns the files that were replaced. */
export async function renewCertificates(dir: string, names: readonly string[] = []): Promise<string[]> {
  const group = await loadGroup(dir)
  const authority = await readAuthority(dir)
  const nodes = await nodeFolders(resolve(dir))
  const unknown = names.find(name => !nodes.has(name))
  if (unknown !== undefined) {
    throw new SettingsError(
      `${JSON.stringify(unknown)} has no folder in ${resolve(dir)}. There are: ${[...nodes.keys()].join(', ')}.`,
    )
  }
  const renewed: string[] = []
  for (const [name, folder] of nodes) {
    if (names.length === 0 || names.includes(name)) renewed.push(...(await renew(authority, folder, group.id)))
  }
  return renewed
}

async function renew(authority: Credentials, folder: string, groupId: string): Promise<string[]> {
  const node = await readNodeSettings(folder)
  if (node.group.id !== groupId) {
    throw new SettingsError(`${node.file} is of group ${node.group.id}, not of ${groupId}: it does not belong here.`)
  }
  const hosts = node.role === 'client' ? [] : [node.address.host]
  const own = await renewOne(authority, node, hosts)
  if (node.role !== 'member') return [own]
  const asClient = { ...node, role: 'client', identity: { ...node.identity, role: 'client' } } as const
  const isClient = await exists(credentialFiles(asClient).certificate)
  return isClient ? [own, await renewOne(authority, asClient, [])] : [own]
}

async function renewOne(
  authority: Credentials,
  node: Pick<NodeSettings, 'name' | 'folder' | 'role' | 'identity'>,
  hosts: readonly string[],
): Promise<string> {
  const files = credentialFiles(node)
  const older = await readCertificate(files.certificate)
  const certificate = await reissueCertificate(authority, node.identity, older, { hosts })
  if (certificate === undefined) {
    throw new FileError(`${files.certificate} was not made by this authority for ${node.name}; it is not renewed.`)
  }
  await replaceText(files.certificate, certificate)
  return files.certificate
}

async function nodeFolders(dir: string): Promise<Map<string, string>> {
  const nodes = new Map<string, string>()
  for (const kind of ['servers', 'clients', 'members']) {
    for (const name of await subfolders(join(dir, kind))) nodes.set(name, join(dir, kind, name))
  }
  return nodes
}
