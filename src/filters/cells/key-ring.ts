// Whole keys in a ring of fixed size, for the exact window: integers below a known bound packed into the bits they need,
// or any keys up to a given number of bytes, each with its length.

import type { Key } from '../filter.ts'
import { bytesOfKey, type KeyHash } from '../hashing/key-hash.ts'
import { FilterError } from '../refusals.ts'
import { PackedCells } from './packed.ts'
import { WideCells } from './wide-cells.ts'

const TWO_32 = 0x1_0000_0000

export interface KeyRing {
  readonly bits: number
  readonly words: readonly Int32Array[]
  /** Makes this key the candidate and returns its hash; refuses keys that the ring cannot hold. */
  take(key: Key): number
  takeRange(bytes: Uint8Array, start: number, end: number): number
  isCandidate(position: number): boolean
  hashAt(position: number): number
  store(position: number): void
  clear(): void
}

/** Integers in [0, alphabet). */
export class IntegerRing implements KeyRing {
  private readonly hash: KeyHash
  private readonly alphabet: number
  private readonly cells: WideCells
  /** Low and high word of the key at hand; an array, because a number above 2^31 in a field may be allocated. */
  private readonly candidate = new Uint32Array(2)

  constructor(window: number, alphabet: number, hash: KeyHash) {
    this.hash = hash
    this.alphabet = alphabet
    this.cells = new WideCells(window, Math.max(1, Math.ceil(Math.log2(alphabet))))
  }

  get bits(): number {
    return this.cells.bits
  }

  get words(): readonly Int32Array[] {
    return this.cells.words
  }

  take(key: Key): number {
    const value = typeof key === 'bigint' ? Number(key) : key
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= this.alphabet)
      throw new FilterError(
        `a key is ${String(key)}: with alphabet ${this.alphabet} keys are integers from 0 to ${this.alphabet - 1}`,
      )
    this.candidate[0] = value
    this.candidate[1] = Math.floor(value / TWO_32)
    return this.hash.of(value)
  }

  takeRange(): number {
    throw new FilterError(`a key is bytes: with alphabet ${this.alphabet} keys are integers`)
  }

  isCandidate(position: number): boolean {
    return this.cells.equals(position, this.candidate[0]!, this.candidate[1]!)
  }

  hashAt(position: number): number {
    return this.hash.of(this.cells.low(position) + this.cells.high(position) * TWO_32)
  }

  store(position: number): void {
    this.cells.set(position, this.candidate[0]!, this.candidate[1]!)
  }

  clear(): void {
    this.cells.clear()
  }
}

/** Keys of up to keyBytes bytes. */
export class ByteRing implements KeyRing {
  private readonly hash: KeyHash
  private readonly keyBytes: number
  private readonly backing: Int32Array
  private readonly bytes: Uint8Array
  private readonly lengths: PackedCells
  private readonly candidate: Uint8Array
  private length = 0

  constructor(window: number, keyBytes: number, hash: KeyHash) {
    this.hash = hash
    this.keyBytes = keyBytes
    this.backing = new Int32Array(Math.ceil((window * keyBytes) / 4))
    this.bytes = new Uint8Array(this.backing.buffer)
    this.lengths = new PackedCells(window, Math.ceil(Math.log2(keyBytes + 1)))
    this.candidate = new Uint8Array(keyBytes)
  }

  get bits(): number {
    return this.backing.length * 32 + this.lengths.bits
  }

  get words(): readonly Int32Array[] {
    return [this.backing, this.lengths.words]
  }

  take(key: Key): number {
    const bytes = bytesOfKey(key)
    return this.takeRange(bytes, 0, bytes.length)
  }

  takeRange(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (length > this.keyBytes)
      throw new FilterError(`a key has ${length} bytes: with keyBytes ${this.keyBytes} the window cannot hold it`)
    for (let i = 0; i < length; i++) this.candidate[i] = bytes[start + i]!
    this.length = length
    return this.hash.ofRange(this.candidate, 0, length)
  }

  isCandidate(position: number): boolean {
    if (this.lengths.get(position) !== this.length) return false
    const start = position * this.keyBytes
    for (let i = 0; i < this.length; i++) if (this.bytes[start + i] !== this.candidate[i]) return false
    return true
  }

  hashAt(position: number): number {
    const start = position * this.keyBytes
    return this.hash.ofRange(this.bytes, start, start + this.lengths.get(position))
  }

  store(position: number): void {
    const start = position * this.keyBytes
    for (let i = 0; i < this.length; i++) this.bytes[start + i] = this.candidate[i]!
    this.lengths.set(position, this.length)
  }

  clear(): void {
    this.backing.fill(0)
    this.lengths.clear()
  }
}
