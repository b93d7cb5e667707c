// From any key to two 32-bit words, by the rules in filter.ts, without allocating for integers, bytes and strings.

import type { HashOptions, Key } from '../filter.ts'
import { FilterError, requireOneOf } from '../refusals.ts'
import { hashBytes, hashInteger, hashText } from './halfsiphash.ts'
import { freshSecret, KEY_BYTES } from './secret.ts'
import { mixBytes, mixInteger, mixSmall, mixText } from './unkeyed.ts'
import { Utf8Scratch } from './utf8.ts'

const TAG_LABEL = 'coterie filter key tag'
const DRAWS_LABEL = 'coterie filter draws'
const TWO_32 = 0x1_0000_0000

/** Turns keys into fingerprints and places, with a secret key of its own. */
export class KeyHash {
  readonly keyed: boolean
  /** The second word of the last hash; the first was returned. */
  readonly second = new Int32Array(1)
  private readonly k0: number
  private readonly k1: number
  private readonly scratch = new Utf8Scratch()

  constructor({ key, hashing = 'keyed' }: HashOptions) {
    requireOneOf('hashing', hashing, ['keyed', 'unkeyed'])
    this.keyed = hashing === 'keyed'
    if (!this.keyed && key !== undefined) throw new FilterError("hashing is 'unkeyed' and a key was given: drop one")
    const secret = this.keyed ? (key ?? freshSecret()) : new Uint8Array(KEY_BYTES)
    if (!(secret instanceof Uint8Array) || secret.length !== KEY_BYTES)
      throw new FilterError(`key must be ${KEY_BYTES} secret bytes, not ${describe(secret)}`)
    const view = new DataView(secret.buffer, secret.byteOffset, KEY_BYTES)
    this.k0 = view.getInt32(0, true)
    this.k1 = view.getInt32(4, true)
  }

  of(key: Key): number {
    if (typeof key !== 'number' || (key | 0) !== key) return this.ofOther(key)
    if (this.keyed) return hashInteger(this.k0, this.k1, key, key >> 31, this.second)
    return mixSmall(key, this.second)
  }

  ofRange(bytes: Uint8Array, start: number, end: number): number {
    return this.keyed
      ? hashBytes(this.k0, this.k1, bytes, start, end, this.second)
      : mixBytes(bytes, start, end, this.second)
  }

  /** Tells two keys apart without giving either away: a snapshot carries it. */
  get tag(): readonly [number, number] {
    const first = this.ofOther(TAG_LABEL)
    return [first, this.second[0]!]
  }

  /** Where random evictions start from: unknown to who does not know the key, the same for who does. */
  get drawsSeed(): number {
    return this.ofOther(DRAWS_LABEL)
  }

  private ofOther(key: Key): number {
    if (typeof key === 'string') {
      if (this.keyed) return hashText(this.k0, this.k1, key, this.scratch, this.second)
      return mixText(key, this.scratch, this.second)
    }
    if (typeof key === 'number') {
      requireSafe(key)
      const [low, high] = [key | 0, Math.floor(key / TWO_32)]
      return this.keyed ? hashInteger(this.k0, this.k1, low, high, this.second) : mixInteger(low, high, this.second)
    }
    if (typeof key === 'bigint') {
      const bytes = bytesOfBigint(key)
      return this.ofRange(bytes, 0, bytes.length)
    }
    if (!(key instanceof Uint8Array)) throw new FilterError(`a key is ${describe(key)}: ${ALLOWED}`)
    return this.ofRange(key, 0, key.length)
  }
}

const ALLOWED = 'keys are strings, bytes (Uint8Array), bigints and safe integers'

function requireSafe(key: number): void {
  if (!Number.isSafeInteger(key)) throw new FilterError(`a key is ${key}, which is no safe integer: ${ALLOWED}`)
}

function describe(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return value === null ? 'null' : `of type ${typeof value}`
}

/** Two's complement, little-endian, in the first of 7, 15, 23 … bytes that holds it. */
function bytesOfBigint(key: bigint): Uint8Array {
  let length = 7
  while (BigInt.asIntN(length * 8, key) !== key) length += 8
  const bytes = new Uint8Array(length)
  let rest = key
  for (let i = 0; i < length; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn)
  return bytes
}

/** A key as the bytes that are hashed for it; allocates, for structures that must keep the key itself. */
export function bytesOfKey(key: Key): Uint8Array {
  if (typeof key === 'bigint') return bytesOfBigint(key)
  if (typeof key === 'number') {
    requireSafe(key)
    return bytesOfBigint(BigInt(key))
  }
  if (typeof key === 'string') {
    const scratch = new Utf8Scratch()
    return scratch.bytes.slice(0, scratch.write(key))
  }
  if (!(key instanceof Uint8Array)) throw new FilterError(`a key is ${describe(key)}: ${ALLOWED}`)
  return key
}
