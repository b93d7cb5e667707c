// The arithmetic of private bandits in Node: all of it by OpenSSL.

import { createCipheriv, createHmac } from 'node:crypto'
import type { BanditKeys, BanditTools } from '../bandits/index.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
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
  }
}

/** The keys of one party, from two secrets of 32 random bytes. */
export function banditKeys(tools: BanditTools, signing: Uint8Array, sealing: Uint8Array): BanditKeys {
  return { tools, signer: opensslSigner(signing), sealing: tools.sealing.of(sealing) }
}
