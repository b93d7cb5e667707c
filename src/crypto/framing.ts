// What is hashed is framed first: the number of parts, then for each its kind, its length and its bytes. Two different
// lists of parts never give the same bytes, so that nobody moves the border between two fields of a statement and finds
// a proof of one that is a proof of the other.

import { bytes, encode, list, text, uint, variants } from '../core/index.ts'

/** What can be framed: bytes, text or a number. */
export type Part = Uint8Array | string | number

type Framed = { kind: 'bytes'; value: Uint8Array } | { kind: 'text'; value: string } | { kind: 'number'; value: number }

// What is framed is our own, never somebody's frame: no limit but the machine's.
const UNBOUNDED = Number.MAX_SAFE_INTEGER
const partsCodec = list(
  variants<Framed>({
    bytes: { value: bytes(UNBOUNDED) },
    text: { value: text(UNBOUNDED) },
    number: { value: uint() },
  }),
  UNBOUNDED,
)

function framedPart(part: Part): Framed {
  if (typeof part === 'string') return { kind: 'text', value: part }
  if (typeof part === 'number') return { kind: 'number', value: part }
  return { kind: 'bytes', value: part }
}

/** One encoding for one list of parts. Numbers are integers from 0 to 2^53 - 1. */
export function framed(...parts: readonly Part[]): Uint8Array {
  return encode(partsCodec, parts.map(framedPart))
}
