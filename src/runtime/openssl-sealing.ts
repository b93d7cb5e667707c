// The seal of src/crypto/sealing.ts by OpenSSL: the same bytes for the same chance, in a third of the time. For rounds of private
// runs, in which every arm seals and the comparator opens all.

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hash,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { messageKey, SEAL_BYTES, type Sealing, type SealingScheme } from '../crypto/index.ts'

const KEY_BYTES = 32
const TAG_BYTES = 16
const NONCE = new Uint8Array(12)
const CIPHER = 'chacha20-poly1305'
const CURVE = { kty: 'OKP', crv: 'X25519' }
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
/** OpenSSL derives the public half from the secret; the format wants something in its place. */
const UNREAD = text(new Uint8Array(KEY_BYTES))

/** The scheme; the same keys are keys as in src/crypto/sealing.ts. */
export function opensslSealing(): SealingScheme {
  return { of: sealingOf, isKey }
}

/** Any secret: what keys are tried with. */
let trial: KeyObject | undefined

/** Of a key of small order the shared secret would be the same for everybody: OpenSSL refuses it. */
function isKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES) return false
  try {
    trial ??= secretKey(new Uint8Array(KEY_BYTES).fill(1))
    shared(trial, publicKeyFrom(publicKey))
    return true
  } catch {
    return false
  }
}

function secretKey(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: { ...CURVE, d: text(secret), x: UNREAD }, format: 'jwk' })
}

function publicKeyOf(key: KeyObject): Uint8Array {
  const { x } = key.export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x!, 'base64url'))
}

function publicKeyFrom(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: { ...CURVE, x: text(bytes) }, format: 'jwk' })
}

/** More keys than a run has parties; beyond it the one that came first is forgotten and made again. */
const KEYS_MAX = 64
const known = new Map<string, KeyObject>()

/** Who is sealed to once is sealed to again, in every round: making the key costs a third of using it. */
function recipient(to: Uint8Array): KeyObject {
  const name = text(to)
  const key = known.get(name) ?? publicKeyFrom(to)
  if (known.size >= KEYS_MAX && !known.has(name)) known.delete(known.keys().next().value!)
  known.set(name, key)
  return key
}

/** The last fresh pair: what is sealed to many at once may share one, and making it costs as much as using it. */
let last: { readonly secret: Uint8Array; readonly key: KeyObject; readonly publicKey: Uint8Array } | undefined

function pairOf(secret: Uint8Array): { readonly key: KeyObject; readonly publicKey: Uint8Array } {
  if (last !== undefined && timingSafeEqual(last.secret, secret)) return last
  const key = secretKey(secret)
  last = { secret: secret.slice(), key, publicKey: publicKeyOf(key) }
  return last
}

const sha256 = (message: Uint8Array): Uint8Array => hash('sha256', message, 'buffer')

function shared(privateKey: KeyObject, publicKey: KeyObject): Uint8Array {
  return diffieHellman({ privateKey, publicKey })
}

function sealingOf(secret: Uint8Array): Sealing {
  const own = secretKey(secret)
  const publicKey = publicKeyOf(own)
  return {
    publicKey,
    seal(to, message, random) {
      const { key: freshSecret, publicKey: fresh } = pairOf(random(KEY_BYTES))
      const key = messageKey(fresh, to, shared(freshSecret, recipient(to)), sha256)
      const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES })
      const sealed = new Uint8Array(SEAL_BYTES + message.length)
      sealed.set(fresh)
      // A stream: all of it comes at once, and nothing at the end.
      sealed.set(cipher.update(message), KEY_BYTES)
      cipher.final()
      sealed.set(cipher.getAuthTag(), KEY_BYTES + message.length)
      return sealed
    },
    open(sealed) {
      if (sealed.length < SEAL_BYTES) return undefined
      const fresh = sealed.slice(0, KEY_BYTES)
      try {
        const key = messageKey(fresh, publicKey, shared(own, publicKeyFrom(fresh)), sha256)
        const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES })
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
        const { buffer, byteOffset, byteLength } = decipher.update(sealed.subarray(KEY_BYTES, -TAG_BYTES))
        decipher.final()
        return new Uint8Array(buffer, byteOffset, byteLength)
      } catch {
        // A key of small order, or a wrong tag: somebody's bad bytes.
        return undefined
      }
    },
  }
}
