// New certificates for the nodes of a group, before the old ones expire.
//
// The key stays: so only one file changes, at once, and there is no moment in which certificate and key do not match.
// A key that somebody else may have read needs more than a new certificate, since the old one stays valid until its end:
// that takes a new group.

import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SettingsError } from '../core/index.ts'
import { type Credentials, issueCertificate } from './authority.ts'
import { credentialFiles, loadGroup, readKey, readNodeSettings } from './config.ts'
import { replaceText } from './files.ts'
import { readAuthority } from './setup.ts'

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
  const renewed = []
  for (const [name, folder] of nodes) {
    if (names.length === 0 || names.includes(name)) renewed.push(await renew(authority, folder, group.id))
  }
  return renewed
}

async function renew(authority: Credentials, folder: string, groupId: string): Promise<string> {
  const node = await readNodeSettings(folder)
  if (node.group.id !== groupId) {
    throw new SettingsError(`${node.file} is of group ${node.group.id}, not of ${groupId}: it does not belong here.`)
  }
  const files = credentialFiles(node)
  const hosts = node.role === 'server' ? [node.address.host] : []
  const options = { hosts, key: await readKey(files.key) }
  const { certificate } = await issueCertificate(authority, node.identity, options)
  await replaceText(files.certificate, certificate)
  return files.certificate
}

async function nodeFolders(dir: string): Promise<Map<string, string>> {
  const nodes = new Map<string, string>()
  for (const kind of ['servers', 'clients']) {
    const entries = await readdir(join(dir, kind), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) nodes.set(entry.name, join(dir, kind, entry.name))
    }
  }
  return nodes
}
