// Bytes compared and written as digits. Compared in constant time for equal lengths, so that it may also stand where one side is a secret.

/** Whether both hold the same bytes. Equal lengths are compared in constant time. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one === other) return true
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ other[at]!
  return difference === 0
}

/** The order of byte strings, a prefix before what it begins: for sorting. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const shared = Math.min(one.length, other.length)
  for (let at = 0; at < shared; at++) if (one[at] !== other[at]) return one[at]! - other[at]!
  return one.length - other.length
}

const BYTES_IN_HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Bytes as lower-case digits. */
export function toHex(value: Uint8Array): string {
  let hex = ''
  for (let at = 0; at < value.length; at++) hex += BYTES_IN_HEX[value[at]!]
  return hex
}

/** The bytes that lower-case digits stand for; undefined where they are none, or an odd number. */
export function fromHex(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0) return undefined
  const value = new Uint8Array(hex.length / 2)
  for (let at = 0; at < value.length; at++) {
    const [high, low] = [digit(hex.charCodeAt(2 * at)), digit(hex.charCodeAt(2 * at + 1))]
    if (high < 0 || low < 0) return undefined
    value[at] = high * 16 + low
  }
  return value
}

/** What a digit stands for; below 0 where it is none. */
function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : -1
}

/** Room for many short arrays; whoever keeps one of them keeps so much. */
const SHELF_BYTES = 4_096
const SHELVED_MAX = 1_024

/**
 * Gives out parts of one array, for bytes that live as long as their neighbours: of those that come by the ten thousand, an
 * array of its own for each costs the engine more than what is written there. Nothing is given out twice.
 */
export class Shelf {
  private room = new Uint8Array(0)
  private used = 0

  /** Zeros. */
  take(length: number): Uint8Array {
    if (length > SHELVED_MAX) return new Uint8Array(length)
    if (this.used + length > this.room.length) {
      this.room = new Uint8Array(SHELF_BYTES)
      this.used = 0
    }
    this.used += length
    return this.room.subarray(this.used - length, this.used)
  }
}
