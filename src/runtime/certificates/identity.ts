// The identity that a certificate carries, and how to read it. Apart from authority.ts, because a server reads
// certificates and never signs one: the library that signs takes 16 MB and a third of a second to load.

import { X509Certificate } from 'node:crypto'

/** A member is a process that its peers may dial, like a server, and that serves nobody but them. */
export type Role = 'server' | 'client' | 'member'

export interface Identity {
  /** The group's random id. */
  readonly group: string
  readonly role: Role
  readonly name: string
}

/** A certificate and its private key, both as PEM. */
export interface Credentials {
  readonly certificate: string
  readonly key: string
}

export function identityUri(identity: Identity): string {
  return `coterie://${identity.group}/${identity.role}/${identity.name}`
}

const IDENTITY_URI = /^URI:coterie:\/\/([a-z0-9]+)\/(server|client|member)\/([a-z0-9-]+)$/

/**
 * The identity in a certificate (PEM, or as node:tls gives it), or undefined where there is not exactly one.
 * This says what the certificate claims. Who signed it is a different question, and TLS has asked it before.
 */
export function readIdentity(certificate: string | X509Certificate): Identity | undefined {
  const { subjectAltName } = typeof certificate === 'string' ? new X509Certificate(certificate) : certificate
  // Node puts a name into quotes where it holds a comma or the like, so that it cannot pass for two. None of ours does.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined
  const uris = subjectAltName.split(', ').filter(name => name.startsWith('URI:coterie:'))
  const parts = uris.length === 1 ? IDENTITY_URI.exec(uris[0]!) : null
  if (parts === null) return undefined
  return { group: parts[1]!, role: parts[2] as Role, name: parts[3]! }
}
