// Ideal signatures, for simulations: unforgeable because nobody but the signer may ask for one, and cheap, so that
// twenty thousand runs take minutes. A signature is a keyed digest, and the verifier looks up the key by the public
// key. Never used outside a simulation: the holder of the registry can sign as anybody.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Signatures, Signer } from './signatures.ts'

/** Signatures that nobody can forge, for simulations. */
export interface IdealSignatures extends Signatures {
  /** The signer of that name; the same name gives the same keys. */
  signer(name: string): Signer
}

const SIGNATURE_BYTES = 64

/** Fresh ideal signatures: cheap, and worth nothing outside of one process. */
export function idealSignatures(): IdealSignatures {
  const secrets = new Map<string, Uint8Array>()
  const digest = (secret: Uint8Array, message: Uint8Array): Uint8Array => {
    const signature = new Uint8Array(SIGNATURE_BYTES)
    signature.set(hmac(sha256, secret, message))
    return signature
  }
  return {
    signer(name) {
      const secret = sha256(new TextEncoder().encode(`ideal secret of ${name}`))
      const publicKey = sha256(secret)
      secrets.set(publicKey.join(), secret)
      return { publicKey, sign: message => digest(secret, message) }
    },
    verify(publicKey, message, signature) {
      const secret = secrets.get(publicKey.join())
      if (secret === undefined || signature.length !== SIGNATURE_BYTES) return false
      const right = digest(secret, message)
      return right.every((byte, place) => byte === signature[place])
    },
  }
}
