// Sealing a message to one member: anybody can seal, only the owner of the key can open, and nobody can change what was
// sealed. A fresh X25519 key for every message, and ChaCha20-Poly1305 under a hash of both public keys and the shared
// secret; as the key serves once, the nonce is zero. It says nothing about who sealed: sign what is inside.
//
// A member's sealing key is not its signing key: one leaked key should not be two, and keys with one use have simpler
// proofs. On libsodium's WebAssembly; in a simulation something cheaper stands behind the same interface.

import { sha256 } from '@noble/hashes/sha2.js'
import sodium from 'libsodium-wrappers-sumo'
import { framedBriefly } from './framing.ts'
import type { RandomBytes } from './group.ts'
import type { PublicKey } from './signatures.ts'

/** One party's sealing key: opens what was sealed to it. */
export interface Sealing {
  /** What others seal to. */
  readonly publicKey: PublicKey
  /** For the owner of that key. What is no key throws: ask `isKey` when one is admitted. */
  seal(to: PublicKey, message: Uint8Array, random: RandomBytes): Uint8Array
  /** What was sealed to us, or undefined: for somebody else, or broken. Never throws. */
  open(sealed: Uint8Array): Uint8Array | undefined
}

/** A sealing key that also serves to agree on a secret with one other party. */
export interface AgreeingSealing extends Sealing {
  /** What we share with the owner of that key: the same at both ends. Nothing where it is no key. Never throws. */
  agree(other: PublicKey): Uint8Array | undefined
}

const KEY_BYTES = 32
const TAG_BYTES = 16
/** How much longer the sealed message is: the fresh public key, and the tag. */
export const SEAL_BYTES = KEY_BYTES + TAG_BYTES
const DOMAIN = 'coterie sealed message'
const NO_DATA = null
const NONCE = new Uint8Array(12)

/** Encrypts messages to the key of one party. */
export interface SealingScheme<Kind extends Sealing = Sealing> {
  /** The sealing of a secret of 32 random bytes. */
  of(secret: Uint8Array): Kind
  /** Of the right length, and not one of the few whose shared secret everybody knows. Never throws. */
  isKey(publicKey: PublicKey): boolean
}

/** Waits for the WebAssembly module, once. */
export async function x25519Sealing(): Promise<SealingScheme<AgreeingSealing>> {
  await sodium.ready
  return { of: secret => sealingOf(secret.slice()), isKey }
}

function sealingOf(secret: Uint8Array): AgreeingSealing {
  const publicKey = sodium.crypto_scalarmult_base(secret)
  return {
    publicKey,
    seal(to, message, random) {
      const freshSecret = random(KEY_BYTES)
      const fresh = sodium.crypto_scalarmult_base(freshSecret)
      const key = messageKey(fresh, to, sodium.crypto_scalarmult(freshSecret, to))
      const hidden = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(message, NO_DATA, null, NONCE, key)
      const sealed = new Uint8Array(KEY_BYTES + hidden.length)
      sealed.set(fresh)
      sealed.set(hidden, KEY_BYTES)
      return sealed
    },
    open(sealed) {
      if (sealed.length < SEAL_BYTES) return undefined
      const fresh = sealed.slice(0, KEY_BYTES)
      try {
        const key = messageKey(fresh, publicKey, sodium.crypto_scalarmult(secret, fresh))
        const hidden = sealed.slice(KEY_BYTES)
        return sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, hidden, NO_DATA, NONCE, key)
      } catch {
        // The library throws for a key of small order and for a wrong tag: both are somebody's bad bytes.
        return undefined
      }
    },
    agree: other => (isKey(other) ? agreed(publicKey, other, sodium.crypto_scalarmult(secret, other)) : undefined),
  }
}

/** The key of one message, from both public keys and the shared secret. */
export function messageKey(
  fresh: PublicKey,
  to: PublicKey,
  shared: Uint8Array,
  hash: (message: Uint8Array) => Uint8Array = sha256,
): Uint8Array {
  return hash(framedBriefly(DOMAIN, fresh, to, shared))
}

const AGREED = 'coterie agreed secret'

/** The secret of two parties, from both public keys, in an order that is the same for both. */
function agreed(own: PublicKey, other: PublicKey, shared: Uint8Array): Uint8Array {
  const [one, two] = isBefore(own, other) ? [own, other] : [other, own]
  return sha256(framedBriefly(AGREED, one, two, shared))
}

function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  const place = one.findIndex((byte, at) => byte !== other[at])
  return place >= 0 && one[place]! < other[place]!
}

function isKey(publicKey: PublicKey): boolean {
  if (publicKey.length !== KEY_BYTES) return false
  try {
    sodium.crypto_scalarmult(new Uint8Array(KEY_BYTES).fill(1), publicKey)
    return true
  } catch {
    return false
  }
}
