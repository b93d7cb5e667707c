// Bytes of any length from a domain and a message, by SHA-512 with a counter. The domain is framed with the message, so
// that no message of one domain is a message of another.

import { sha512 } from '@noble/hashes/sha2.js'
import { framed } from '../framing.ts'

const DIGEST_BYTES = 64

export function hashToBytes(domain: string, message: Uint8Array, length: number): Uint8Array {
  const seed = sha512(framed(domain, message))
  if (length === DIGEST_BYTES) return seed
  const bytes = new Uint8Array(Math.ceil(length / DIGEST_BYTES) * DIGEST_BYTES)
  for (let block = 0; block * DIGEST_BYTES < length; block++) {
    bytes.set(sha512(framed(seed, block)), block * DIGEST_BYTES)
  }
  return bytes.slice(0, length)
}
