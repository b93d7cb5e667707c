// What events need of the machine: OpenSSL's signatures, and the keys in clients' certificates.
//
// A certificate that has expired since still vouches for what it signed: events are kept for longer than a connection lasts.
// Servers take new ones only from who has a valid certificate now.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { PublicKey, Signer } from '../crypto/index.ts'
import type { EventKeys } from '../events/settings.ts'
import { identityBytes } from './certificates/admission.ts'
import { readIdentity } from './certificates/identity.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
import { sha256 } from './hash.ts'

/** Certificates that were looked at; the oldest are forgotten. */
const KNOWN_MAX = 10_000
/** Signatures that were found good: up to 64 events have the same one, and each is looked at. */
const GOOD_MAX = 4_096

/** Measured: events of a few bytes take five times as much memory as they are counted; of a kilobyte, twice. */
const MEMORY_FACTOR = 5

/** Why a server may come to its end when clients fill what it would keep of their events; nothing where it may not. */
export function whyScarce(keepAllMax: number | undefined, heapMax: number): string | undefined {
  if (keepAllMax === undefined || keepAllMax * MEMORY_FACTOR <= heapMax) return undefined
  const megabytes = Math.ceil((keepAllMax * MEMORY_FACTOR) / 2 ** 20)
  return `keepAllMax of [events] is ${keepAllMax}: in small events that takes up to ${megabytes} MiB of memory, and this process may use ${Math.floor(heapMax / 2 ** 20)}. Start it with NODE_OPTIONS=--max-old-space-size=${megabytes}, on a machine that has them, or keep less.`
}

/** Whose signatures count in this group: clients' whose certificates its authority signed. */
export function eventKeys(group: string, authority: string): EventKeys {
  const signer = new X509Certificate(authority).publicKey
  const known = new Map<string, { readonly name: string; readonly key: PublicKey } | undefined>()
  return {
    signatures: remembering(),
    keyOf(name, identity) {
      const print = Buffer.from(identity).toString('latin1')
      if (!known.has(print)) {
        if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
        known.set(print, read(identity, signer, group))
      }
      const found = known.get(print)
      return found?.name === name ? found.key : undefined
    },
  }
}

function read(identity: Uint8Array, signer: X509Certificate['publicKey'], group: string) {
  try {
    const certificate = new X509Certificate(identity)
    const who = readIdentity(certificate)
    if (who?.group !== group || who.role !== 'client' || !certificate.verify(signer)) return undefined
    const { x, crv } = certificate.publicKey.export({ format: 'jwk' })
    if (crv !== 'Ed25519' || x === undefined) return undefined
    return { name: who.name, key: new Uint8Array(Buffer.from(x, 'base64url')) }
  } catch {
    // Not a certificate at all.
    return undefined
  }
}

function remembering(): EventKeys['signatures'] {
  const signatures = opensslSignatures()
  const good = new Set<string>()
  return {
    verify(key, message, signature) {
      const parts = [key, signature, sha256(message)].map(part => Buffer.from(part).toString('latin1'))
      const print = parts.join('')
      if (good.has(print)) return true
      if (!signatures.verify(key, message, signature)) return false
      if (good.size >= GOOD_MAX) good.delete(good.values().next().value!)
      good.add(print)
      return true
    },
  }
}

/** Who signs for a client, and the certificate that says so. */
export function eventSigner({ certificate, key }: { readonly certificate: string; readonly key: string }): {
  readonly signer: Signer
  readonly identity: Uint8Array
} {
  const { d } = createPrivateKey(key).export({ format: 'jwk' })
  return {
    signer: opensslSigner(new Uint8Array(Buffer.from(d!, 'base64url'))),
    identity: identityBytes(certificate),
  }
}
