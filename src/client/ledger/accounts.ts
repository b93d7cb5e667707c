// Accounts: an Ed25519 key. Who holds the secret owns what the key owns; nobody can give it back.

import { randomBytes } from 'node:crypto'
import { kindOf, SettingsError } from '../../core/index.ts'
import { isSigningKey, SIGNING_SEED_BYTES } from '../../crypto/ed25519.ts'
import { fromHex, toHex } from '../../ledger/index.ts'
import { SIGNATURE_BYTES } from '../../ledger/limits.ts'
import { opensslSigner } from '../../runtime/certificates/signatures.ts'

/** An account that can spend. */
export interface Account {
  /** The public key, in hexadecimal: where others pay to. */
  readonly key: string
  sign(message: Uint8Array): Uint8Array
}

/** An account with the secret that it is made from. */
export interface NewAccount extends Account {
  /** 64 digits of hexadecimal. Anyone who has it can spend: keep it in a file that only you can read. */
  readonly secret: string
}

/** A new account, from fresh randomness. */
export function newAccount(): NewAccount {
  return accountFrom(toHex(randomBytes(SIGNING_SEED_BYTES)))
}

/** The account of a secret that was kept. */
export function accountFrom(secret: string): NewAccount {
  const seed = typeof secret === 'string' ? fromHex(secret) : undefined
  if (seed?.length !== SIGNING_SEED_BYTES)
    throw new SettingsError('the secret of an account is 64 digits of hexadecimal.')
  const { publicKey, sign } = opensslSigner(seed)
  const account = {
    key: toHex(publicKey),
    sign(message: Uint8Array) {
      if (!(message instanceof Uint8Array)) throw new SettingsError(`message must be bytes, not ${kindOf(message)}.`)
      return sign(message)
    },
  }
  // Not among what is printed or copied with the account.
  Object.defineProperty(account, 'secret', { value: secret, enumerable: false })
  return account as NewAccount
}

/** What an account signs. Its `sign` may be the caller's own, of a device: a signature has one length. */
export function signedBy(account: Account, message: Uint8Array): Uint8Array {
  const signature = account.sign(message)
  if (signature instanceof Uint8Array && signature.length === SIGNATURE_BYTES) return signature
  throw new SettingsError(
    `account ${account.key} signed with ${kindOf(signature)}; it must be ${SIGNATURE_BYTES} bytes. Nothing was sent.`,
  )
}

/** Keys that were found sound: to look at one is as dear as a dozen signatures, and each payment names two. */
const sound = new Map<string, Uint8Array>()
const SOUND_MAX = 10_000

/** The key as bytes; throws a `SettingsError` where it is none. */
export function keyBytes(key: string, what = 'an account'): Uint8Array {
  const known = sound.get(key)
  if (known !== undefined) return known.slice()
  const value = typeof key === 'string' ? fromHex(key) : undefined
  if (value === undefined || !isSigningKey(value)) {
    throw new SettingsError(
      `${what} is ${JSON.stringify(key)}; it must be an Ed25519 key of 64 digits of hexadecimal, not of small order.`,
    )
  }
  if (sound.size >= SOUND_MAX) sound.delete(sound.keys().next().value!)
  sound.set(key, value)
  return value.slice()
}
