// Whom a member believes to be who it says: the bearer of a certificate that the group's authority signed for a member
// of that name, valid now. Gossip carries the certificate along with a member's word that it lives, so that a member
// can be believed by those who never had a connection to it.

import { X509Certificate } from 'node:crypto'
import type { NodeId } from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import { readIdentity } from './identity.ts'

/** A certificate is looked at once, not with each claim; beyond this many, the oldest are forgotten. */
const KNOWN_MAX = 10_000

interface Known {
  readonly member: NodeId
  readonly key: PublicKey
  readonly from: number
  readonly until: number
}

export type Admits = (member: NodeId, identity: Uint8Array) => PublicKey | undefined

export function admission(group: string, authority: string, now: () => number = Date.now): Admits {
  const signer = new X509Certificate(authority).publicKey
  const known = new Map<string, Known | undefined>()
  const examine = (identity: Uint8Array): Known | undefined => {
    const name = Buffer.from(identity).toString('latin1')
    if (known.has(name)) return known.get(name)
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    const found = read(identity, signer, group)
    known.set(name, found)
    return found
  }
  return (member, identity) => {
    const found = examine(identity)
    if (found === undefined || found.member !== member) return undefined
    const time = now()
    return time >= found.from && time <= found.until ? found.key : undefined
  }
}

function read(identity: Uint8Array, signer: X509Certificate['publicKey'], group: string): Known | undefined {
  try {
    const certificate = new X509Certificate(identity)
    const who = readIdentity(certificate)
    if (who === undefined || who.group !== group || who.role !== 'member' || !certificate.verify(signer))
      return undefined
    const { x, crv } = certificate.publicKey.export({ format: 'jwk' })
    if (crv !== 'Ed25519' || x === undefined) return undefined
    const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
    return { member: who.name, key: new Uint8Array(Buffer.from(x, 'base64url')), from, until }
  } catch {
    // Not a certificate at all.
    return undefined
  }
}

/** The certificate as it travels. */
export function identityBytes(certificate: string): Uint8Array {
  return new Uint8Array(new X509Certificate(certificate).raw)
}
