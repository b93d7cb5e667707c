// A filter as bytes, to be continued elsewhere or after a restart.
//
//   'COTF' · version · 1 keyed, 0 unkeyed · key tag (8) · length of description (4) · description · state · checksum (4)
//
// The description is JSON in ASCII: the structure's name and its constructor options. The state is the structure's
// typed arrays, little-endian. The key is never in it: who restores brings it, and the tag tells whether it is the one.
// The checksum finds accidents. It is no signature: who can write the file can write a false history into it.

import { kindOf } from '../core/index.ts'
import type { SnapshotOptions } from './filter.ts'
import type { KeyHash } from './hashing/key-hash.ts'
import { mixBytes } from './hashing/unkeyed.ts'
import { FilterError } from './refusals.ts'

export interface SnapshotContent {
  readonly name: string
  readonly options: SnapshotOptions
  readonly hash: KeyHash
  readonly parts: readonly Int32Array[]
}

export interface OpenedSnapshot {
  readonly name: string
  readonly options: SnapshotOptions
  readonly keyed: boolean
  readonly tag: readonly [number, number]
  readonly state: DataView
}

const MAGIC = 0x46_54_4f_43
const VERSION = 1
const TAG_AT = 6
const DESCRIPTION_LENGTH_AT = 14
const DESCRIPTION_AT = 18
const CHECKSUM_BYTES = 4
/** Descriptions are a handful of numbers; anything longer is no snapshot of ours. */
const DESCRIPTION_MAX = 4096

export function writeSnapshot({ name, options, hash, parts }: SnapshotContent): Uint8Array {
  const description = JSON.stringify({ name, ...options })
  const words = parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(DESCRIPTION_AT + description.length + words * 4 + CHECKSUM_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  bytes[4] = VERSION
  bytes[5] = hash.keyed ? 1 : 0
  view.setInt32(TAG_AT, hash.tag[0], true)
  view.setInt32(TAG_AT + 4, hash.tag[1], true)
  view.setUint32(DESCRIPTION_LENGTH_AT, description.length, true)
  for (let i = 0; i < description.length; i++) bytes[DESCRIPTION_AT + i] = description.charCodeAt(i)
  let at = DESCRIPTION_AT + description.length
  for (const part of parts)
    for (const word of part) {
      view.setInt32(at, word, true)
      at += 4
    }
  view.setInt32(at, checksum(bytes, at), true)
  return bytes
}

export function openSnapshot(bytes: Uint8Array): OpenedSnapshot {
  if (!(bytes instanceof Uint8Array))
    throw new FilterError(`snapshot is ${kindOf(bytes)}: it must be bytes (Uint8Array), as filter.snapshot() gave them`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < DESCRIPTION_AT + CHECKSUM_BYTES || view.getUint32(0, true) !== MAGIC)
    throw new FilterError('snapshot: these bytes are not a filter snapshot')
  if (bytes[4] !== VERSION)
    throw new FilterError(`snapshot: version ${bytes[4]} is not known here, only version ${VERSION}`)
  const end = bytes.length - CHECKSUM_BYTES
  if (view.getInt32(end, true) !== checksum(bytes, end))
    throw new FilterError('snapshot: the checksum does not match, the bytes were cut or changed')
  const length = view.getUint32(DESCRIPTION_LENGTH_AT, true)
  const stateAt = DESCRIPTION_AT + length
  if (length > DESCRIPTION_MAX || stateAt > end)
    throw new FilterError('snapshot: the description is longer than allowed')
  const { name, ...options } = parseDescription(bytes.subarray(DESCRIPTION_AT, stateAt))
  return {
    name,
    options,
    keyed: bytes[5] === 1,
    tag: [view.getInt32(TAG_AT, true), view.getInt32(TAG_AT + 4, true)],
    state: new DataView(bytes.buffer, bytes.byteOffset + stateAt, end - stateAt),
  }
}

/** Copies the state into a fresh filter of the same options; the sizes must agree to the byte. */
export function loadParts(state: DataView, parts: readonly Int32Array[]): void {
  const words = parts.reduce((sum, part) => sum + part.length, 0)
  if (words * 4 !== state.byteLength)
    throw new FilterError(`snapshot: the state has ${state.byteLength} bytes where its options call for ${words * 4}`)
  let at = 0
  for (const part of parts) for (let i = 0; i < part.length; i++, at += 4) part[i] = state.getInt32(at, true)
}

function parseDescription(ascii: Uint8Array): { name: string } & SnapshotOptions {
  try {
    const parsed: unknown = JSON.parse(String.fromCharCode(...ascii))
    if (typeof parsed === 'object' && parsed !== null && 'name' in parsed && typeof parsed.name === 'string')
      return parsed as { name: string } & SnapshotOptions
  } catch {
    // Falls through to the refusal: what is wrong with the JSON helps nobody.
  }
  throw new FilterError('snapshot: the description cannot be read')
}

function checksum(bytes: Uint8Array, end: number): number {
  return mixBytes(bytes, 0, end, new Int32Array(1))
}
