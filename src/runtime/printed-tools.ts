// The arithmetic of the thesis's own protocols in Node: AES-256-GCM, and Paillier on OpenSSL's powers.

import { createCipheriv, createDecipheriv, generatePrime, randomBytes, randomInt } from 'node:crypto'
import type { PrintedSeals } from '../bandits/index.ts'
import { PAILLIER_BITS_MIN, type PaillierDecryption, paillierDecryption } from '../crypto/index.ts'
import { opensslPower } from './modular-power.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** Keys by name, drawn when they are first asked for, for one run. */
export function gcmSeals(run: string): PrintedSeals {
  const keys = new Map<string, Buffer>()
  const keyOf = (name: string) => {
    const key = keys.get(name) ?? randomBytes(KEY_BYTES)
    keys.set(name, key)
    return key
  }
  const aboutOf = (about: string) => Buffer.from(`${run}\0${about}`)
  return {
    seal(key, about, message) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, keyOf(key), nonce).setAAD(aboutOf(about))
      return new Uint8Array(Buffer.concat([nonce, cipher.update(message), cipher.final(), cipher.getAuthTag()]))
    },
    open(key, about, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, keyOf(key), sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(aboutOf(about)).setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
        return new Uint8Array(Buffer.concat([opened, decipher.final()]))
      } catch {
        return undefined
      }
    },
  }
}

function prime(bits: number): Promise<bigint> {
  return new Promise((resolve, reject) =>
    generatePrime(bits, { bigint: true }, (error, found) => (error ? reject(error) : resolve(found))),
  )
}

/** The primes of a key, the highest byte first. */
export async function newPrimes(): Promise<{ readonly p: Uint8Array; readonly q: Uint8Array }> {
  const [p, q] = await drawPrimes()
  const bytes = (value: bigint) => new Uint8Array(Buffer.from(value.toString(16), 'hex'))
  return { p: bytes(p), q: bytes(q) }
}

function drawPrimes(): Promise<[bigint, bigint]> {
  const half = PAILLIER_BITS_MIN / 2
  // Node sets the two highest bits, so that the product has all its bits, and a number has an even number of digits.
  return Promise.all([prime(half), prime(half)])
}

/** A pair of keys for one run. */
export async function newPaillier(): Promise<PaillierDecryption> {
  const [p, q] = await drawPrimes()
  return paillierDecryption({ p, q }, length => new Uint8Array(randomBytes(length)), opensslPower)
}

/** Uniform, from the system's randomness. */
export function secretBelow(bound: number): number {
  return bound < 2 ? 0 : randomInt(bound)
}
