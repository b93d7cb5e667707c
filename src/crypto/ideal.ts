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
/** Signatures that are remembered as right; with more of them all are forgotten, and computed again where they are asked for. */
const REMEMBERED_MAX = 1 << 16

interface Made {
  readonly secret: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** Fresh ideal signatures: cheap, and worth nothing outside of one process. */
export function idealSignatures(): IdealSignatures {
  const signers = new Map<string, Signer>()
  const secrets = new Map<string, Uint8Array>()
  /** The same by the key itself: most are the objects that `signer` gave out. */
  const known = new WeakMap<Uint8Array, Uint8Array>()
  const made = new Map<number, Made>()
  const sign = (secret: Uint8Array, message: Uint8Array): Uint8Array => {
    const signature = digest(secret, message)
    if (made.size >= REMEMBERED_MAX) made.clear()
    made.set(numberOf(signature), { secret, message: message.slice(), signature: signature.slice() })
    return signature
  }
  return {
    signer(name) {
      const before = signers.get(name)
      if (before !== undefined) return before
      const secret = sha256(new TextEncoder().encode(`ideal secret of ${name}`))
      const publicKey = sha256(secret)
      secrets.set(publicKey.join(), secret)
      known.set(publicKey, secret)
      const signer = { publicKey, sign: (message: Uint8Array) => sign(secret, message) }
      signers.set(name, signer)
      return signer
    },
    verify(publicKey, message, signature) {
      const secret = known.get(publicKey) ?? secrets.get(publicKey.join())
      if (secret === undefined || signature.length !== SIGNATURE_BYTES) return false
      // Everybody looks at the same signatures. One that was made here for just this is right without computing it again.
      const one = made.get(numberOf(signature))
      if (one?.secret === secret && sameBytes(one.message, message) && sameBytes(one.signature, signature)) return true
      return sameBytes(digest(secret, message), signature)
    },
  }
}

function digest(secret: Uint8Array, message: Uint8Array): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES)
  signature.set(hmac(sha256, secret, message))
  return signature
}

/** Its first six bytes. */
function numberOf(signature: Uint8Array): number {
  let number = 0
  for (let at = 0; at < 6; at++) number = number * 256 + signature[at]!
  return number
}
