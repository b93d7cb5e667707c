// Ideal seals, for simulations: opened by nobody but the owner of the key, and cheap, so that twenty thousand runs take
// minutes. Never used outside a simulation: the holder of the registry can open everything.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { sameBytes } from '../core/index.ts'
import type { AgreeingSealing } from './sealing.ts'

const NONCE_BYTES = 16
const TAG_BYTES = 16

/** Gives the sealing of each name; the same name gives the same keys. */
export function idealSealing(): (name: string) => AgreeingSealing {
  const secrets = new Map<string, Uint8Array>()
  return name => {
    const own = sha256(new TextEncoder().encode(`ideal seal of ${name}`))
    const publicKey = sha256(own)
    secrets.set(publicKey.join(), own)
    return {
      publicKey,
      seal(to, bytes, random) {
        const secret = secrets.get(to.join()) ?? to
        const nonce = random(NONCE_BYTES)
        const hidden = masked(secret, nonce, bytes)
        return joined(nonce, tagOf(secret, nonce, hidden), hidden)
      },
      open(sealed) {
        if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
        const nonce = sealed.subarray(0, NONCE_BYTES)
        const hidden = sealed.subarray(NONCE_BYTES + TAG_BYTES)
        const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
        return sameBytes(tag, tagOf(own, nonce, hidden)) ? masked(own, nonce, hidden) : undefined
      },
      agree(other) {
        const theirs = secrets.get(other.join())
        // Of a stranger's key: what nobody else has.
        if (theirs === undefined) return sha256(joined(own, other))
        return sha256(own.join() < theirs.join() ? joined(own, theirs) : joined(theirs, own))
      },
    }
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

function tagOf(secret: Uint8Array, nonce: Uint8Array, hidden: Uint8Array): Uint8Array {
  return hmac(sha256, secret, joined(nonce, hidden)).subarray(0, TAG_BYTES)
}

function masked(secret: Uint8Array, nonce: Uint8Array, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes)
  for (let at = 0, block = 0; at < out.length; block++) {
    for (const byte of sha256(joined(secret, nonce, Uint8Array.of(block & 0xff, block >> 8)))) {
      if (at < out.length) out[at++]! ^= byte
    }
  }
  return out
}
