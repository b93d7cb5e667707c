// Ciphers as machines see them: AES-256-GCM for what is sealed under a shared key, one block of AES-128 as a keyed
// permutation. Which library is behind it is the driver's business: OpenSSL in Node, an ideal one in a simulation.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sameBytes } from '../core/index.ts'
import { framed } from './framing.ts'

/** Bytes of a nonce. */
export const NONCE_BYTES = 12
/** How much longer the sealed text is. */
export const CIPHER_TAG_BYTES = 16

/** Symmetric ciphers. */
export interface Ciphers {
  /** AES-256-GCM: hidden, and bound to `data`. A nonce must never serve twice under one key. */
  seal(key: Uint8Array, nonce: Uint8Array, data: Uint8Array, text: Uint8Array): Uint8Array
  /** The text, or nothing where a bit is wrong. Never throws. */
  open(key: Uint8Array, nonce: Uint8Array, data: Uint8Array, sealed: Uint8Array): Uint8Array | undefined
  /** One block of 16 bytes under a key of 16 bytes. */
  block(key: Uint8Array, block: Uint8Array): Uint8Array
}

/** HMAC with the key already taken in: half of the work of a short text. */
const begun = new WeakMap<Uint8Array, ReturnType<typeof hmac.create>>()

function keyed(key: Uint8Array, text: Uint8Array): Uint8Array {
  const known = begun.get(key) ?? hmac.create(sha256, key)
  begun.set(key, known)
  return known.clone().update(text).digest()
}

/** Ideal ciphers, for simulations: what they seal opens under the same key, nonce and data only. Cheap, and not AES. */
export function idealCiphers(): Ciphers {
  const tagOf = (key: Uint8Array, nonce: Uint8Array, data: Uint8Array, text: Uint8Array) =>
    keyed(key, framed(nonce, data, text)).subarray(0, CIPHER_TAG_BYTES)
  return {
    seal(key, nonce, data, text) {
      const sealed = new Uint8Array(text.length + CIPHER_TAG_BYTES)
      sealed.set(masked(key, nonce, text))
      sealed.set(tagOf(key, nonce, data, text), text.length)
      return sealed
    },
    open(key, nonce, data, sealed) {
      if (sealed.length < CIPHER_TAG_BYTES) return undefined
      const text = masked(key, nonce, sealed.subarray(0, sealed.length - CIPHER_TAG_BYTES))
      return sameBytes(tagOf(key, nonce, data, text), sealed.subarray(text.length)) ? text : undefined
    },
    block: (key, block) => keyed(key, block).slice(0, 16),
  }
}

/** One stream for each key and nonce, as in the real thing. */
function masked(key: Uint8Array, nonce: Uint8Array, text: Uint8Array): Uint8Array {
  const stream = keyed(key, nonce)
  const out = new Uint8Array(text.length)
  for (let place = 0; place < text.length; place++) out[place] = text[place]! ^ stream[place % 32]! ^ (place >> 5)
  return out
}
