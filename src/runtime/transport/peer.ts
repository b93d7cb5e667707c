// Who is at the other end of a TLS connection, from its certificate alone, before a byte of ours is read.

import type { TLSSocket } from 'node:tls'
import type { NodeId } from '../../core/index.ts'
import { type Identity, identityUri, type Role, readIdentity } from '../certificates/identity.ts'
import { instanceOf } from './instance.ts'

export type Identified =
  | { readonly ok: true; readonly identity: Identity; readonly validUntil: Date }
  | { readonly ok: false; readonly refusal: string }

/** Names of ours have at most 40 letters; names are kept, logged and sent, so there is an end to them. */
const NAME_LETTERS_MAX = 64

/** For a socket whose handshake is complete. */
export function identify(socket: TLSSocket, group: string): Identified {
  if (!socket.authorized) return refuse(`certificate refused: ${String(socket.authorizationError)}`)
  // A resumed session repeats the judgement of an earlier handshake; the certificate may have run out since.
  if (socket.isSessionReused()) return refuse('a resumed session proves nothing about now')
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return refuse('no certificate')
  const identity = readIdentity(certificate)
  if (identity === undefined) return refuse('the certificate has no identity of ours')
  if (identity.name.length > NAME_LETTERS_MAX) return refuse('the name in the certificate is too long')
  if (identity.group !== group) return refuse(`the certificate is for group '${identity.group}', this is '${group}'`)
  return { ok: true, identity, validUntil: new Date(certificate.validTo) }
}

function refuse(refusal: string): Identified {
  return { ok: false, refusal }
}

/** What is wrong with this identity where the server or member of that name was dialled, or nothing. */
export function notTheOneDialled(name: string, role: Role, identity: Identity): string | undefined {
  if (identity.role === role && identity.name === name) return undefined
  return `dialled '${name}', but ${identityUri(identity)} answered`
}

/** Servers talk to servers, members to members; clients to both. Names of the two kinds may be the same. */
export function wrongKind(listener: Role, { role }: Identity): string | undefined {
  return role === 'client' || role === listener ? undefined : `a ${role} has no business at a ${listener}'s port`
}

export function nodeId(identity: Identity, instance: string): NodeId {
  return identity.role !== 'client' ? identity.name : instanceOf(identity.name, instance)
}
