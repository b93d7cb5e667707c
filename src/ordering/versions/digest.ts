// The chain of digests: a version's digest covers its parent's, so that one known digest proves every
// change that led to it, from whomever it has them.

import { encode, uint } from '../../core/index.ts'
import type { Hash } from '../settings.ts'
import { DIGEST_BYTES } from '../wire.ts'

/** Of version 0, the empty table. */
export const FIRST_DIGEST: Uint8Array = new Uint8Array(DIGEST_BYTES)

export function nextDigest(hash: Hash, parent: Uint8Array, version: number, change: Uint8Array): Uint8Array {
  const number = encode(uint(), version)
  const input = new Uint8Array(DIGEST_BYTES + number.length + DIGEST_BYTES)
  input.set(parent)
  input.set(hash(change), DIGEST_BYTES)
  input.set(number, 2 * DIGEST_BYTES)
  return hash(input)
}

/** A digest as a key of a map. */
export function digestKey(digest: Uint8Array): string {
  return String.fromCharCode(...digest)
}
