// AES on OpenSSL: 10 µs to seal 256 bytes.

import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { CIPHER_TAG_BYTES, type Ciphers } from '../crypto/index.ts'

const known = new WeakMap<Uint8Array, KeyObject>()

/** The key as OpenSSL keeps it: made once for each array, so whoever holds one must not change it. */
function keyOf(key: Uint8Array): KeyObject {
  const made = known.get(key) ?? createSecretKey(key)
  known.set(key, made)
  return made
}

/** AES-256-GCM and AES-128, by the system's library. */
export const opensslCiphers: Ciphers = {
  seal(key, nonce, data, text) {
    const cipher = createCipheriv('aes-256-gcm', keyOf(key), nonce)
    cipher.setAAD(data)
    const hidden = cipher.update(text)
    cipher.final()
    const sealed = new Uint8Array(text.length + CIPHER_TAG_BYTES)
    sealed.set(hidden)
    sealed.set(cipher.getAuthTag(), text.length)
    return sealed
  },
  open(key, nonce, data, sealed) {
    if (sealed.length < CIPHER_TAG_BYTES) return undefined
    const decipher = createDecipheriv('aes-256-gcm', keyOf(key), nonce, { authTagLength: CIPHER_TAG_BYTES })
    decipher.setAAD(data)
    decipher.setAuthTag(sealed.subarray(sealed.length - CIPHER_TAG_BYTES))
    const text = decipher.update(sealed.subarray(0, sealed.length - CIPHER_TAG_BYTES))
    try {
      decipher.final()
      return new Uint8Array(text)
    } catch {
      // The tag does not fit: somebody's bad bytes.
      return undefined
    }
  },
  block(key, block) {
    const cipher = createCipheriv('aes-128-ecb', key, null)
    cipher.setAutoPadding(false)
    return new Uint8Array(cipher.update(block))
  },
}
