// SRCEA figure 2, equation 3 and lines 11–13, 26–28: the security mechanism as printed, for the lab only.
//
//   E_IV = K_scr ⊕ (n × height(d_minHeap))      M = E_Kscr(message ⊕ E_IV)      HM = HMAC-SHA-256_HKscr(M)
//   sent: M ‖ HM ‖ timestamp
//
// Read as AES in CBC mode with E_IV as initialisation vector: `message ⊕ E_IV` is what that mode does to the first
// block. E_IV changes only when the number of nodes does. Everything that is wrong with it is shown in `srcea-attacks`:
// E_IV repeats, and shown to anybody it is the key; all members have the same keys, so any of them is all of them;
// the time-stamp stands outside the HMAC, so anybody can make an old message new.
//
// The block cipher is an argument: pure code has none.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { height } from './heap.ts'

/** AES on one block of 16 bytes. */
export interface BlockCipher {
  encrypt(key: Uint8Array, block: Uint8Array): Uint8Array
  decrypt(key: Uint8Array, block: Uint8Array): Uint8Array
}

/** The keys that all members of the printed election share. */
export interface GroupKeys {
  /** K_scr: 16, 24 or 32 bytes. */
  readonly encryption: Uint8Array
  /** K_HKscr */
  readonly hashing: Uint8Array
}

/** M ‖ HM ‖ timestamp. */
export interface PrintedMessage {
  readonly sealed: Uint8Array
  readonly digest: Uint8Array
  readonly timestamp: number
}

export const BLOCK_BYTES = 16
const COUNTER_BYTES = 8

/** Equation 3. The product is XORed into the last bytes of the key; the vector is one block. */
export function initialisationVector(key: Uint8Array, nodes: number): Uint8Array {
  // A copy, and not by `slice`, which in a Node Buffer is a view: the key would change with the vector.
  const vector = new Uint8Array(key.subarray(0, BLOCK_BYTES))
  let rest = nodes * height(nodes)
  for (let at = BLOCK_BYTES - 1; at >= BLOCK_BYTES - COUNTER_BYTES; at--) {
    vector[at]! ^= rest % 0x100
    rest = Math.floor(rest / 0x100)
  }
  return vector
}

/** Lines 26–28. */
export function seal(
  message: Uint8Array,
  keys: GroupKeys,
  nodes: number,
  timestamp: number,
  cipher: BlockCipher,
): PrintedMessage {
  const padded = pad(message)
  const sealed = new Uint8Array(padded.length)
  let previous = initialisationVector(keys.encryption, nodes)
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    previous = cipher.encrypt(keys.encryption, xor(padded.subarray(at, at + BLOCK_BYTES), previous))
    sealed.set(previous, at)
  }
  return { sealed, digest: hmac(sha256, keys.hashing, sealed), timestamp }
}

/** Lines 31 and 38: the message, or undefined if its hash is wrong, it is not whole, or it is older than `oldest`. */
export function open(
  received: PrintedMessage,
  keys: GroupKeys,
  nodes: number,
  oldest: number,
  cipher: BlockCipher,
): Uint8Array | undefined {
  const { sealed, digest, timestamp } = received
  if (timestamp < oldest || sealed.length === 0 || sealed.length % BLOCK_BYTES !== 0) return undefined
  if (!same(hmac(sha256, keys.hashing, sealed), digest)) return undefined
  const padded = new Uint8Array(sealed.length)
  let previous = initialisationVector(keys.encryption, nodes)
  for (let at = 0; at < sealed.length; at += BLOCK_BYTES) {
    const block = sealed.subarray(at, at + BLOCK_BYTES)
    padded.set(xor(cipher.decrypt(keys.encryption, block), previous), at)
    previous = block
  }
  return unpad(padded)
}

const ID_BYTES = 4
const TIME_BYTES = 8

/** M_vote = P_sid ‖ P_i1 ‖ P_i2 ‖ [P_i3] ‖ timestamp, ids of 4 bytes and a time of 8. */
export function voteMessage(sender: number, order: readonly number[], timestamp: number): Uint8Array {
  const message = new Uint8Array(ID_BYTES * (1 + order.length) + TIME_BYTES)
  const view = new DataView(message.buffer)
  for (const [at, id] of [sender, ...order].entries()) view.setUint32(at * ID_BYTES, id)
  view.setBigUint64(message.length - TIME_BYTES, BigInt(timestamp))
  return message
}

/** Takes a vote apart; undefined where it is none. */
export function readVote(message: Uint8Array): { sender: number; order: number[] } | undefined {
  const ids = (message.length - TIME_BYTES) / ID_BYTES
  if (!Number.isInteger(ids) || ids < 1) return undefined
  const view = new DataView(message.buffer, message.byteOffset, message.length)
  const [sender, ...order] = Array.from({ length: ids }, (_, at) => view.getUint32(at * ID_BYTES))
  return { sender: sender!, order }
}

// PKCS #7, as AES libraries do; the paper does not say.
function pad(message: Uint8Array): Uint8Array {
  const missing = BLOCK_BYTES - (message.length % BLOCK_BYTES)
  const padded = new Uint8Array(message.length + missing).fill(missing)
  padded.set(message)
  return padded
}

function unpad(padded: Uint8Array): Uint8Array | undefined {
  const missing = padded.at(-1)!
  return missing >= 1 && missing <= BLOCK_BYTES ? padded.slice(0, -missing) : undefined
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ (b[at] ?? 0))
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
