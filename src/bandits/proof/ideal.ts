// Cheap arithmetic in place of AES, HMAC and X25519, for simulations: the same interface, a hundredth of the time. It keeps
// no secret from anybody who looks; nobody in a simulation looks.

import { seededRandom } from '../../core/index.ts'
import {
  idealSignatures,
  type PaillierDecryption,
  type PublicKey,
  type Sealing,
  type SealingScheme,
} from '../../crypto/index.ts'
import type { BlockFunction } from '../encoding.ts'
import type { BanditKeys, BanditParty, BanditTools, SumScheme, SymmetricSeals } from '../settings.ts'

const KEY_BYTES = 32
const BLOCK_BYTES = 16
const CHECK_BYTES = 8

/** Two lanes in one pass. */
function mixedTwice(low: number, high: number, bytes: Uint8Array, from = 0, to = bytes.length): [number, number] {
  let one = low | 0
  let other = high | 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!
    one = Math.imul(one ^ byte, 0x0100_0193)
    other = Math.imul(other ^ byte, 0x0180_01b3)
  }
  return [finished(one), finished(other)]
}

function finished(mixture: number): number {
  let hash = Math.imul(mixture ^ (mixture >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

function prf(key: Uint8Array, message: Uint8Array): Uint8Array {
  const [low, high] = mixedTwice(...mixedTwice(0x811c_9dc5, 0x1234_5677, key), message)
  return seededRandom((high & 0x1f_ffff) * 2 ** 32 + low, key.length).bytes(KEY_BYTES)
}

function blocks(key: Uint8Array): BlockFunction {
  const [low, high] = mixedTwice(1, 2, key)
  return input => {
    const out = new Uint8Array(input.length)
    const view = new DataView(out.buffer)
    for (let at = 0; at < input.length; at += BLOCK_BYTES) {
      const [one, other] = mixedTwice(low, high, input, at, at + BLOCK_BYTES)
      view.setUint32(at, one)
      view.setUint32(at + 4, other)
      view.setUint32(at + 8, finished(one ^ 0x5bd1_e995))
      view.setUint32(at + 12, finished(other ^ 0x5bd1_e995))
    }
    return out
  }
}

function check(key: Uint8Array, fresh: Uint8Array, message: Uint8Array): Uint8Array {
  const out = new Uint8Array(CHECK_BYTES)
  const view = new DataView(out.buffer)
  const [one, other] = mixedTwice(...mixedTwice(...mixedTwice(5, 6, key), fresh), message)
  view.setUint32(0, one)
  view.setUint32(4, other)
  return out
}

function sealingOf(secret: Uint8Array): Sealing {
  const publicKey: PublicKey = prf(secret, new Uint8Array(1))
  return {
    publicKey,
    seal(to, message, random) {
      const fresh = random(CHECK_BYTES)
      const out = new Uint8Array(2 * CHECK_BYTES + message.length)
      out.set(fresh)
      out.set(check(to, fresh, message), CHECK_BYTES)
      out.set(message, 2 * CHECK_BYTES)
      return out
    },
    open(sealed) {
      if (sealed.length < 2 * CHECK_BYTES) return undefined
      const message = sealed.slice(2 * CHECK_BYTES)
      const found = check(publicKey, sealed.subarray(0, CHECK_BYTES), message)
      return found.every((byte, at) => byte === sealed[CHECK_BYTES + at]) ? message : undefined
    },
  }
}

const aboutOf = (about: string) => new TextEncoder().encode(about)

const idealSeals: SymmetricSeals = {
  seal(key, nonce, about, message) {
    const out = new Uint8Array(CHECK_BYTES + message.length)
    out.set(check(key, aboutOf(about), message))
    out.set(message, CHECK_BYTES)
    void nonce
    return out
  },
  open(key, about, sealed) {
    const message = sealed.slice(CHECK_BYTES)
    const found = check(key, aboutOf(about), message)
    return found.every((byte, at) => byte === sealed[at]) ? message : undefined
  },
}

const SUM_BYTES = 32
const SUM_SPAN = 1n << BigInt(8 * SUM_BYTES)

/** Nothing is encrypted: a ciphertext is its value, above half of the span a negative one. */
function idealEncryption(modulus: bigint): PaillierDecryption {
  const within = (value: bigint) => ((value % SUM_SPAN) + SUM_SPAN) % SUM_SPAN
  return {
    key: { modulus },
    ciphertextBytes: SUM_BYTES,
    encrypt: within,
    add: (one, other) => within(one + other),
    times: (value, factor) => within(value * factor),
    rerandomise: value => value,
    decrypt: value => (value > SUM_SPAN / 2n ? value - SUM_SPAN : value),
    toBytes: value =>
      Uint8Array.from({ length: SUM_BYTES }, (_, at) => Number((value >> BigInt(8 * (SUM_BYTES - 1 - at))) & 255n)),
    fromBytes: bytes =>
      bytes.length === SUM_BYTES ? bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) : undefined,
  }
}

const idealSums: SumScheme = {
  isModulus: modulus => modulus > 1n,
  encryption: idealEncryption,
  decryption: ({ p, q }) => idealEncryption(p * q),
}

/** Keys of parties by name, and the arithmetic that all share. Counts the blocks that are encrypted. */
export interface IdealParties {
  readonly tools: BanditTools
  keysOf(name: string): BanditKeys
  party(name: string): BanditParty
  blocks(): number
}

/** Fresh ideal parties: cheap, and worth nothing outside of a simulation. */
export function idealParties(): IdealParties {
  let count = 0
  const signatures = idealSignatures()
  const sealing: SealingScheme = { of: sealingOf, isKey: key => key.length === KEY_BYTES }
  const tools: BanditTools = {
    prf,
    sealing,
    signatures,
    symmetric: idealSeals,
    sums: idealSums,
    blocks: key => {
      const encrypt = blocks(key)
      return input => {
        count += input.length / BLOCK_BYTES
        return encrypt(input)
      }
    },
  }
  const keysOf = (name: string): BanditKeys => ({
    tools,
    signer: signatures.signer(name),
    sealing: sealingOf(prf(new Uint8Array(KEY_BYTES), new TextEncoder().encode(name))),
  })
  return {
    tools,
    keysOf,
    party: name => {
      const keys = keysOf(name)
      return { id: name, signing: keys.signer.publicKey, sealing: keys.sealing.publicKey }
    },
    blocks: () => count,
  }
}
