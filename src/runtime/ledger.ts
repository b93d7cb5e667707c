// What ledgers need of the machine: OpenSSL's signatures and hash, and a server's voting key in a file beside its
// certificate. The key outlives the store: a server that lost its store votes again under the same key, once every vote
// that it may have forgotten is behind.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { FileError } from '../core/index.ts'
import { SIGNING_SEED_BYTES } from '../crypto/ed25519.ts'
import { framed } from '../crypto/framing.ts'
import type { Signer } from '../crypto/index.ts'
import { fromHex, type LedgerCrypto, ledgerCrypto, soundKeys, toHex } from '../ledger/index.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
import { exists, KEY_MODE, readText, writeNew } from './files.ts'
import { sha256 } from './hash.ts'

/** In a server's folder, of mode 600. */
export const VOTING_KEY_FILE = 'voting.key'
const FILE_BYTES_MAX = 1_024
/** More salts than ledgers; each signer is made once. */
const SIGNERS_MAX = 1_024

let shared: LedgerCrypto | undefined

/** Ledger signatures by OpenSSL. One for the process: what was found good once is not looked at again. */
export function ledgerCryptoOf(): LedgerCrypto {
  shared ??= remembering(freshLedgerCrypto())
  return shared
}

/** The same, with nothing looked at yet: for measurements. */
export function freshLedgerCrypto(): LedgerCrypto {
  const isSound = soundKeys()
  return ledgerCrypto(opensslSignatures(isSound), input => new Uint8Array(sha256(input)), isSound)
}

/** Signatures that were found good of late; in one process all servers and clients look at the same ones. */
const REMEMBERED_MAX = 65_536

function remembering(crypto: LedgerCrypto): LedgerCrypto {
  const good = new Set<string>()
  return {
    ...crypto,
    verify(key, message, signature) {
      const name = Buffer.concat([signature, key, sha256(message)]).toString('latin1')
      if (good.has(name)) return true
      if (!crypto.verify(key, message, signature)) return false
      if (good.size >= REMEMBERED_MAX) good.delete(good.keys().next().value!)
      good.add(name)
      return true
    },
  }
}

export function newVotingSeed(): Uint8Array {
  return new Uint8Array(randomBytes(SIGNING_SEED_BYTES))
}

/** The voting key of a seed, for each salt another. */
export function voterOf(seed: Uint8Array): (salt: Uint8Array) => Signer {
  const signers = new Map<string, Signer>()
  return salt => {
    const name = toHex(salt)
    const known = signers.get(name)
    if (known !== undefined) return known
    const signer = opensslSigner(new Uint8Array(sha256(framed('coterie ledger voting key', seed, salt))))
    if (signers.size >= SIGNERS_MAX) signers.delete(signers.keys().next().value!)
    signers.set(name, signer)
    return signer
  }
}

/** The seed in a server's folder; made where there is none. */
export async function votingSeed(folder: string): Promise<Uint8Array> {
  const file = join(folder, VOTING_KEY_FILE)
  if (!(await exists(file))) await writeNew(file, `${toHex(newVotingSeed())}\n`, KEY_MODE)
  const seed = fromHex((await readText(file, FILE_BYTES_MAX)).trim())
  if (seed?.length === SIGNING_SEED_BYTES) return seed
  throw new FileError(
    `${file} holds no voting key: 64 digits of hexadecimal belong there. Restore it from a copy; without it this server ` +
      'can never vote again about the ledgers that name its key.',
  )
}
