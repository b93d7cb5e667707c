// Ed25519 signatures (RFC 8032) on noble: pure TypeScript, for browsers and as the oracle of the quick ones in
// src/runtime/certificates/signatures.ts.
//
// The standard leaves open whether small parts outside the prime group count, and libraries differ: a signature made on
// purpose can hold for one and not for the other. Two members would then disagree on evidence. So a key with such a part
// is no key, a signature with one is no signature, and an encoding that is not canonical is neither. What is left holds
// for every library or for none.

import { ed25519 } from '@noble/curves/ed25519.js'
import type { PublicKey, Signatures, Signer } from './signatures.ts'

/** Bytes of the secret that a signing key is made from. */
export const SIGNING_SEED_BYTES = 32
export const SIGNING_KEY_BYTES = 32
export const SIGNATURE_BYTES = 64

/** The signer of a secret seed of 32 random bytes. */
export function ed25519Signer(seed: Uint8Array): Signer {
  const secret = seed.slice()
  return { publicKey: ed25519.getPublicKey(secret), sign: message => ed25519.sign(message, secret) }
}

/** More keys than members in any group; beyond it the one that came first is forgotten and checked again. */
const KEYS_MAX = 4_096

/** Ed25519 signatures. */
export function ed25519Signatures(): Signatures {
  const sound = new Map<string, boolean>()
  // As dear as half a signature, and the answer never changes.
  const isSound = (publicKey: PublicKey): boolean => {
    const name = publicKey.join()
    const known = sound.get(name) ?? isSigningKey(publicKey)
    if (sound.size >= KEYS_MAX) sound.delete(sound.keys().next().value!)
    sound.set(name, known)
    return known
  }
  return {
    verify(publicKey, message, signature) {
      if (publicKey.length !== SIGNING_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
      if (!isSound(publicKey)) return false
      return (
        inPrimeGroup(signature.subarray(0, SIGNING_KEY_BYTES)) &&
        ed25519.verify(signature, message, publicKey, { zip215: false })
      )
    },
  }
}

/** In its one encoding, in the prime group, and not its identity: to be asked before a key is admitted. Never throws. */
export function isSigningKey(publicKey: PublicKey): boolean {
  return publicKey.length === SIGNING_KEY_BYTES && inPrimeGroup(publicKey) && !isIdentity(publicKey)
}

function inPrimeGroup(encoded: Uint8Array): boolean {
  try {
    return ed25519.Point.fromBytes(encoded).isTorsionFree()
  } catch {
    return false
  }
}

/** The identity is (0, 1), written as its second coordinate, low byte first. */
function isIdentity(encoded: Uint8Array): boolean {
  return encoded.every((byte, place) => byte === (place === 0 ? 1 : 0))
}
