// The format of the log, as pure functions over bytes.
//
//   file:   magic 8 | version 4 | mark 8 | crc 4 |  batch, batch, …
//   batch:  mark 8 | position 8 | body length 4 | crc 4 |  record, record, …
//   record: payload length 4 | kind 1 | lane length 1 | lane | payload
//
// A batch is what one write and one fdatasync made durable, so the checksum is the batch's: its records are promised
// together or not at all. Why not a checksum for each record? After a power cut the pages of the last write may have
// reached the disk in any order, so that a bad record with good ones behind it may be an honest tear. A bad batch with
// a later batch behind it never is: a batch is written only when the one before is durable. That is how a tear
// (cut off, nothing promised is lost) is told from damage (refused).
//
// A record's kind says what it does to those of its lane before it. Format 1 knew 'append' and 'replace' only; a version
// of coterie that knows no others would take a batch with one for a torn write, so a file that may hold them says 2.
//
// The mark is drawn at random for each file, and each batch says at which byte it stands: no payload can pass for the
// head of a batch. The checksum finds accidents; it is no protection against somebody who writes to the file.

import { crc32 } from 'node:zlib'
import { assert, type SaveKind } from '../../core/index.ts'
import { LANE_BYTES_MAX, RECORD_BYTES_MAX } from './storage.ts'

export const FORMAT_VERSION = 2
const OLDEST_VERSION = 1
export const MARK_BYTES = 8
export const FILE_HEAD_BYTES = 24
export const BATCH_HEAD_BYTES = 24
const RECORD_HEAD_BYTES = 6

/** What a batch may hold at most: the queue's bound, and room for one record that comes on top. */
export const BODY_BYTES_MAX = 64 << 20

const MAGIC = Buffer.from('COTERIE\n', 'latin1')
const VERSION_AT = 8
const FILE_MARK_AT = 12
const FILE_CRC_AT = 20

const POSITION_HIGH_AT = 8
const POSITION_LOW_AT = 12
const LENGTH_AT = 16
const BATCH_CRC_AT = 20

/** A 'forget' has no payload: it drops the records of its lane before the newest 'begin'. */
export type RecordKind = SaveKind | 'forget'

/** Written as the place in this list. */
const KINDS: readonly (RecordKind | undefined)[] = [undefined, 'append', 'replace', 'begin', 'forget']
const WORD = 2 ** 32

export interface LogRecord {
  readonly lane: string
  readonly kind: RecordKind
  /** A view into the bytes that were read: copy what is kept. */
  readonly payload: Uint8Array
  /** Where the record begins, counted from the start of its batch. */
  readonly offset: number
  /** What it takes in the file, head and lane included. */
  readonly bytes: number
}

export type FileHead =
  | { readonly kind: 'ours'; readonly version: number; readonly mark: Uint8Array }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' }

export function encodeFileHead(mark: Uint8Array): Uint8Array {
  const head = Buffer.alloc(FILE_HEAD_BYTES)
  head.set(MAGIC)
  head.writeUInt32BE(FORMAT_VERSION, VERSION_AT)
  head.set(mark, FILE_MARK_AT)
  head.writeUInt32BE(crc32(head.subarray(0, FILE_CRC_AT)), FILE_CRC_AT)
  return head
}

export function decodeFileHead(bytes: Uint8Array): FileHead {
  const head = asBuffer(bytes)
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return { kind: 'foreign' }
  if (head.length < FILE_HEAD_BYTES) return { kind: 'damaged' }
  // The checksum first: a flipped bit in the version is damage, and no reason to send anybody after a newer program.
  if (crc32(head.subarray(0, FILE_CRC_AT)) !== head.readUInt32BE(FILE_CRC_AT)) return { kind: 'damaged' }
  const version = head.readUInt32BE(VERSION_AT)
  if (version < OLDEST_VERSION || version > FORMAT_VERSION) return { kind: 'newer', version }
  return { kind: 'ours', version, mark: head.subarray(FILE_MARK_AT, FILE_MARK_AT + MARK_BYTES) }
}

/** The length of the body, where these bytes are the head of a batch that stands at `position`. */
export function decodeBatchHead(bytes: Uint8Array, mark: Uint8Array, position: number): number | undefined {
  if (bytes.length < BATCH_HEAD_BYTES || !isBatchAt(bytes, mark, position)) return undefined
  const length = asBuffer(bytes).readUInt32BE(LENGTH_AT)
  return length <= BODY_BYTES_MAX ? length : undefined
}

/** Mark and position alone prove that a batch was written here, whatever became of the rest of it. */
export function isBatchAt(bytes: Uint8Array, mark: Uint8Array, position: number): boolean {
  const head = asBuffer(bytes)
  return (
    head.length >= LENGTH_AT &&
    head.subarray(0, MARK_BYTES).equals(mark) &&
    head.readUInt32BE(POSITION_HIGH_AT) * WORD + head.readUInt32BE(POSITION_LOW_AT) === position
  )
}

/** The records of a whole batch, or undefined where its checksum is wrong. */
export function decodeBatch(bytes: Uint8Array): LogRecord[] | undefined {
  const batch = asBuffer(bytes)
  if (checksum(batch) !== batch.readUInt32BE(BATCH_CRC_AT)) return undefined
  const records: LogRecord[] = []
  for (let offset = BATCH_HEAD_BYTES; offset < batch.length; ) {
    const record = decodeRecord(batch, offset)
    if (record === undefined) return undefined
    records.push(record)
    offset += record.bytes
  }
  return records
}

function decodeRecord(batch: Buffer, offset: number): LogRecord | undefined {
  const laneAt = offset + RECORD_HEAD_BYTES
  if (laneAt > batch.length) return undefined
  const payloadAt = laneAt + batch[offset + 5]!
  const end = payloadAt + batch.readUInt32BE(offset)
  const kind = KINDS[batch[offset + 4]!]
  if (end > batch.length || kind === undefined) return undefined
  const lane = batch.toString('utf8', laneAt, payloadAt)
  return { lane, kind, payload: batch.subarray(payloadAt, end), offset, bytes: end - offset }
}

/** A batch in the making. Its buffer is used again after `reset`, so that a save allocates nothing of its own. */
export interface BatchBuilder {
  /** Head included. */
  readonly length: number
  /** Returns where the record begins, counted from the start of the batch. */
  add(lane: string, payload: Uint8Array, kind: RecordKind): number
  /** Completes the head and returns the batch, valid until `reset`. */
  finish(mark: Uint8Array, position: number): Uint8Array
  reset(): void
}

const BUFFER_BYTES = 64 << 10
/** A buffer that one burst made larger than this is given back. */
const BUFFER_BYTES_KEPT = 1 << 20

export function createBatchBuilder(): BatchBuilder {
  let buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let length = BATCH_HEAD_BYTES

  function reserve(bytes: number): number {
    const start = length
    length += bytes
    if (length > buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, buffer.length * 2))
      buffer.copy(grown, 0, 0, start)
      buffer = grown
    }
    return start
  }

  return {
    get length() {
      return length
    },
    add(lane, payload, kind) {
      assert(payload.length <= RECORD_BYTES_MAX, 'a record larger than RECORD_BYTES_MAX')
      const laneBytes = Buffer.byteLength(lane)
      assert(laneBytes <= LANE_BYTES_MAX, 'a lane longer than LANE_BYTES_MAX')
      const start = reserve(RECORD_HEAD_BYTES + laneBytes + payload.length)
      buffer.writeUInt32BE(payload.length, start)
      buffer[start + 4] = KINDS.indexOf(kind)
      buffer[start + 5] = laneBytes
      buffer.write(lane, start + RECORD_HEAD_BYTES)
      buffer.set(payload, start + RECORD_HEAD_BYTES + laneBytes)
      return start
    },
    finish(mark, position) {
      const batch = buffer.subarray(0, length)
      batch.set(mark)
      batch.writeUInt32BE(Math.floor(position / WORD), POSITION_HIGH_AT)
      batch.writeUInt32BE(position % WORD, POSITION_LOW_AT)
      batch.writeUInt32BE(length - BATCH_HEAD_BYTES, LENGTH_AT)
      batch.writeUInt32BE(checksum(batch), BATCH_CRC_AT)
      return batch
    },
    reset() {
      length = BATCH_HEAD_BYTES
      if (buffer.length > BUFFER_BYTES_KEPT) buffer = Buffer.allocUnsafe(BUFFER_BYTES)
    },
  }
}

function checksum(batch: Buffer): number {
  return crc32(batch.subarray(BATCH_HEAD_BYTES), crc32(batch.subarray(0, BATCH_CRC_AT)))
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
