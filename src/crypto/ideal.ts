// Ideal signatures, for simulations: unforgeable because nobody but the signer may ask for one, and cheap, so that
// twenty thousand runs take minutes. A signature is a keyed digest, and the verifier looks up the key by the public
// key. Never used outside a simulation: the holder of the registry can sign as anybody.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sameBytes } from '../core/index.ts'
import type { Signatures, Signer } from './signatures.ts'

/** Signatures that nobody can forge, for simulations. */
export interface IdealSignatures extends Signatures {
  /** The signer of that name; the same name gives the same keys. */
  signer(name: string): Signer
}

const SIGNATURE_BYTES = 64
/** Of each signer, and a power of two. What is signed is heard by everybody soon; what is older is digested again. */
const REMEMBERED = 1024

/** Fresh ideal signatures: cheap, and worth nothing outside of one process. */
export function idealSignatures(): IdealSignatures {
  const named = new Map<string, Signer>()
  const byKey = new Map<number, Digests[]>()
  const create = (name: string): Signer => {
    const digests = new Digests(name)
    const { publicKey } = digests
    const place = shortHash(publicKey)
    byKey.set(place, [...(byKey.get(place) ?? []), digests])
    // A copy: what its owner does with it changes no digest that is remembered.
    const signer = { publicKey, sign: (message: Uint8Array) => digests.of(message).slice() }
    named.set(name, signer)
    return signer
  }
  return {
    signer: name => named.get(name) ?? create(name),
    verify(publicKey, message, signature) {
      const digests = byKey.get(shortHash(publicKey))?.find(one => sameBytes(one.publicKey, publicKey))
      return digests !== undefined && sameBytes(digests.of(message), signature)
    },
  }
}

/** What one signer signs. The last ones are remembered: every node that hears a message asks for the same one. */
class Digests {
  readonly publicKey: Uint8Array
  private readonly secret: Uint8Array
  private readonly messages: Uint8Array[] = []
  private readonly digests: Uint8Array[] = []

  constructor(name: string) {
    this.secret = sha256(new TextEncoder().encode(`ideal secret of ${name}`))
    this.publicKey = sha256(this.secret)
  }

  of(message: Uint8Array): Uint8Array {
    const place = shortHash(message) & (REMEMBERED - 1)
    const before = this.messages[place]
    if (before !== undefined && sameBytes(before, message)) return this.digests[place]!
    const signature = new Uint8Array(SIGNATURE_BYTES)
    signature.set(hmac(sha256, this.secret, message))
    this.messages[place] = message.slice()
    this.digests[place] = signature
    return signature
  }
}

/** FNV-1a. It only says where to look: what is found there is compared byte by byte. */
function shortHash(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let place = 0; place < bytes.length; place++) hash = Math.imul(hash ^ bytes[place]!, 0x01000193)
  return hash ^ (hash >>> 15)
}
