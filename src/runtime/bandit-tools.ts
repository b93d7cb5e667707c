// The arithmetic of private bandits in Node: all of it by OpenSSL.

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { BanditKeys, BanditTools } from '../bandits/index.ts'
import { PAILLIER_BITS_MIN, paillierDecryption, paillierEncryption } from '../crypto/index.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
import { lazyPower } from './modular-power.ts'
import { opensslSealing } from './openssl-sealing.ts'

/** What every party of a run computes with. */
export async function opensslBanditTools(): Promise<BanditTools> {
  return {
    prf: (key, message) => new Uint8Array(createHmac('sha256', key).update(message).digest()),
    blocks: key => {
      // Whole blocks, each for itself: one cipher does for all of them.
      const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
      return blocks => {
        const { buffer, byteOffset, byteLength } = cipher.update(blocks)
        return new Uint8Array(buffer, byteOffset, byteLength)
      }
    },
    sealing: opensslSealing(),
    signatures: opensslSignatures(),
    symmetric: { seal, open },
    sums: {
      isModulus: modulus => modulus % 2n === 1n && modulus.toString(2).length >= PAILLIER_BITS_MIN,
      encryption: (modulus, random) => paillierEncryption({ modulus }, random, lazyPower),
      decryption: (secret, random) => paillierDecryption(secret, random, lazyPower),
    },
  }
}

const GCM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

function seal(key: Uint8Array, nonce: Uint8Array, about: string, message: Uint8Array): Uint8Array {
  const cipher = createCipheriv(GCM, key, nonce).setAAD(Buffer.from(about))
  return new Uint8Array(Buffer.concat([nonce, cipher.update(message), cipher.final(), cipher.getAuthTag()]))
}

function open(key: Uint8Array, about: string, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(GCM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
    return new Uint8Array(Buffer.concat([opened, decipher.final()]))
  } catch {
    return undefined
  }
}

/** The keys of one party, from two secrets of 32 random bytes. */
export function banditKeys(tools: BanditTools, signing: Uint8Array, sealing: Uint8Array): BanditKeys {
  return { tools, signer: opensslSigner(signing), sealing: tools.sealing.of(sealing) }
}
