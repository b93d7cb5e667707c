// What is hashed is framed first: the number of parts, then for each its kind, its length and its bytes. Two different
// lists of parts never give the same bytes, so that nobody moves the border between two fields of a statement and finds
// a proof of one that is a proof of the other.

import { bytes, text, uint, Writer } from '../core/index.ts'

/** What can be framed: bytes, text or a number. */
export type Part = Uint8Array | string | number

/** The number of each kind in what is hashed: append only. */
const KINDS = { bytes: 0, text: 1, number: 2 }
// What is framed is our own, never somebody's frame: no limit but the machine's.
const [anyBytes, anyText, anyNumber] = [bytes(Number.MAX_SAFE_INTEGER), text(Number.MAX_SAFE_INTEGER), uint()]
/** A writer that has grown beyond it is not kept. */
const KEPT_BYTES_MAX = 1 << 16
let kept = new Writer()

function write(parts: readonly Part[]): Writer {
  if (kept.bytes.length > KEPT_BYTES_MAX) kept = new Writer()
  const writer = kept.reset()
  writer.uint(parts.length)
  for (const part of parts) {
    if (typeof part === 'string') {
      writer.uint(KINDS.text)
      anyText.write(writer, part)
    } else if (typeof part === 'number') {
      writer.uint(KINDS.number)
      anyNumber.write(writer, part)
    } else {
      writer.uint(KINDS.bytes)
      anyBytes.write(writer, part)
    }
  }
  return writer
}

/** One encoding for one list of parts. Numbers are integers from 0 to 2^53 - 1. */
export function framed(...parts: readonly Part[]): Uint8Array {
  return write(parts).taken()
}

/** The same bytes for whoever hashes them at once: the next call of either overwrites them. */
export function framedBriefly(...parts: readonly Part[]): Uint8Array {
  const { bytes: room, length } = write(parts)
  return room.subarray(0, length)
}
