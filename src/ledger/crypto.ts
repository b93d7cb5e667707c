// Which signatures count, for accounts and for servers. One predicate for all: the key canonical, in the prime group and
// not its identity; the signature's point not the identity, which some libraries take and others do not; the rest as
// RFC 8032 without cofactor. Two servers that judged one signature differently would keep two ledgers.

import { sha256 } from '@noble/hashes/sha2.js'
import { ed25519Signatures, isSigningKey } from '../crypto/ed25519.ts'
import type { Signatures } from '../crypto/signatures.ts'
import type { LedgerCrypto } from './genesis.ts'
import type { Hash } from './merkle.ts'

const IDENTITY = Uint8Array.from({ length: 32 }, (_, place) => (place === 0 ? 1 : 0))
const KEYS_MAX = 100_000

/** Which keys are sound, remembered: it is as dear to know as several signatures, and the answer never changes. */
export function soundKeys(): (key: Uint8Array) => boolean {
  const sound = new Map<string, boolean>()
  return key => {
    const name = String.fromCharCode(...key.subarray(0, 64))
    const known = sound.get(name)
    if (known !== undefined) return known
    if (sound.size >= KEYS_MAX) sound.delete(sound.keys().next().value!)
    const answer = isSigningKey(key)
    sound.set(name, answer)
    return answer
  }
}

/** Ledger signatures over a library's: what that library must not decide alone is decided here. */
export function ledgerCrypto(
  signatures: Signatures = ed25519Signatures(),
  hash: Hash = sha256,
  isKey: LedgerCrypto['isKey'] = soundKeys(),
): LedgerCrypto {
  return {
    isKey,
    hash,
    verify(key, message, signature) {
      if (signature.length !== 64 || IDENTITY.every((byte, place) => byte === signature[place])) return false
      return signatures.verify(key, message, signature)
    },
  }
}
