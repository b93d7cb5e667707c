// One file of the log: made, opened, read, appended to. It knows nothing of queues and callbacks.
//
// Opening decides what a crash has left. From the first batch that is not whole there are two cases:
// - no later batch begins behind it: a write was cut short. It was never called durable; it is cut off and logged.
// - a later batch begins behind it: it had been durable, and is damaged. The file is refused, because a server that
//   comes back without a promise it made may grant a lock twice.
// Damage to the very last batch looks like a cut write, unless the store was closed: closing appends an empty batch,
// which makes the last one with content "followed by a later one".

import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { FileError, KeptLane, type Saved } from '../../core/index.ts'
import { closingOnError, type Files, type OpenFile } from './files.ts'
import { Lanes } from './lanes.ts'
import {
  BATCH_HEAD_BYTES,
  type BatchBuilder,
  decodeBatch,
  decodeBatchHead,
  decodeFileHead,
  encodeFileHead,
  FILE_HEAD_BYTES,
  FORMAT_VERSION,
  isBatchAt,
  type LogRecord,
  MARK_BYTES,
} from './records.ts'

export interface LogFile {
  readonly path: string
  readonly file: OpenFile
  readonly version: number
  readonly mark: Uint8Array
  readonly lanes: Lanes
  /** Where the next batch goes. All before it is whole. */
  end: number
}

interface Batch {
  readonly position: number
  readonly end: number
  readonly records: readonly LogRecord[]
}

/** One read of this size serves many batches: the small batches of a quiet server would else cost two reads each. */
const WINDOW_BYTES = 1 << 20
/** Small, because a record that the node keeps hold of keeps its whole shelf. */
const SHELF_BYTES = 64 << 10

/** The file has its head, but neither content nor name is durable yet. */
export async function createLogFile(files: Files, path: string): Promise<LogFile> {
  const file = await files.create(path)
  const mark = randomBytes(MARK_BYTES)
  const log: LogFile = { path, file, version: FORMAT_VERSION, mark, lanes: new Lanes(), end: FILE_HEAD_BYTES }
  return closingOnError(file, async () => {
    await file.write(encodeFileHead(mark), 0)
    return log
  })
}

export async function openLogFile(
  files: Files,
  path: string,
  tell: (sentence: string) => void,
): Promise<{ log: LogFile; saved: Saved }> {
  const file = await files.open(path)
  return closingOnError(file, async () => {
    const size = await file.size()
    const head = await readHead(file, path)
    const log: LogFile = { path, file, ...head, lanes: new Lanes(), end: FILE_HEAD_BYTES }
    const kept = new Map<string, KeptLane>()
    const store = createShelf()
    for await (const batch of readBatches(log, FILE_HEAD_BYTES, size)) {
      for (const record of batch.records) keep(kept, record, store)
      noteBatch(log, batch)
    }
    if (log.end < size) await cutOff(log, size, tell)
    // A process may have died between write and fdatasync: what was read is then only in the machine's memory. Who
    // reads it will promise on it, so it has to be durable first.
    await file.sync()
    return { log, saved: new Map([...kept].map(([lane, { records }]) => [lane, records])) }
  })
}

/** The newest record of a lane, as far as the file is whole. It changes nothing: also of a store that is in use. */
export async function newestOf(files: Files, path: string, lane: string): Promise<Uint8Array | undefined> {
  const file = await files.open(path)
  try {
    const log: LogFile = { path, file, ...(await readHead(file, path)), lanes: new Lanes(), end: FILE_HEAD_BYTES }
    let newest: Uint8Array | undefined
    for await (const { records } of readBatches(log, FILE_HEAD_BYTES, await file.size())) {
      const last = records.findLast(record => record.lane === lane && record.kind !== 'forget')
      if (last !== undefined) newest = last.payload.slice()
    }
    return newest
  } finally {
    await file.close()
  }
}

/** Writes the batch at the end. The file's `end` moves on with `noteBatch`, when the caller has made it durable. */
export function writeBatch(log: LogFile, batch: BatchBuilder): Promise<void> {
  return log.file.write(batch.finish(log.mark, log.end), log.end)
}

function noteBatch(log: LogFile, batch: Batch): void {
  for (const { lane, offset, bytes, kind } of batch.records) {
    log.lanes.note(lane, batch.position + offset, bytes, kind)
  }
  log.end = batch.end
}

/** The batches from one position to another, up to the first that is not whole. Their bytes hold until the next one. */
export async function* readBatches(log: LogFile, from: number, to: number): AsyncGenerator<Batch> {
  const window = createWindow(log.file, to)
  for (let position = from; ; ) {
    const head = window.held(position, BATCH_HEAD_BYTES) ?? (await window.read(position, BATCH_HEAD_BYTES))
    const length = head && decodeBatchHead(head, log.mark, position)
    if (length === undefined) return
    const whole = BATCH_HEAD_BYTES + length
    const bytes = window.held(position, whole) ?? (await window.read(position, whole))
    const records = bytes && decodeBatch(bytes)
    if (bytes === undefined || records === undefined) return
    const end = position + bytes.length
    yield { position, end, records }
    position = end
  }
}

export function damaged(path: string, position: number): FileError {
  return new FileError(
    `the store ${path} is damaged at byte ${position}: what stands there is not what was written, and it was promised. ` +
      `Check the disk, and move the folder ${dirname(path)} aside. A server that starts with an empty or an older one ` +
      'has forgotten its promises: let it do so only where the group can count it as a liar.',
  )
}

async function readHead(file: OpenFile, path: string): Promise<Pick<LogFile, 'version' | 'mark'>> {
  const bytes = new Uint8Array(FILE_HEAD_BYTES)
  const head = decodeFileHead(bytes.subarray(0, await file.read(bytes, 0)))
  switch (head.kind) {
    case 'ours':
      return { version: head.version, mark: head.mark }
    case 'damaged':
      throw damaged(path, 0)
    case 'newer':
      throw new FileError(
        `the store ${path} has format ${head.version}, which this version of coterie does not know. ` +
          'Start the server with the version that wrote it, or a later one.',
      )
    case 'foreign':
      throw new FileError(`${path} is not a store of coterie. Move it aside, or choose another folder for this server.`)
  }
}

function keep(kept: Map<string, KeptLane>, { lane: name, kind, payload }: LogRecord, store: Shelf): void {
  const lane = kept.get(name) ?? new KeptLane()
  kept.set(name, lane)
  if (kind === 'forget') lane.forget()
  else lane.save(store(payload), kind)
}

/** Copies a record to where it stays. */
type Shelf = (payload: Uint8Array) => Uint8Array

/** A byte array with memory of its own costs some 400 bytes beside its content, one that is a part of another 100. */
function createShelf(): Shelf {
  let shelf = new Uint8Array(0)
  let used = 0
  return payload => {
    if (payload.length > SHELF_BYTES / 2) return new Uint8Array(payload)
    if (used + payload.length > shelf.length) {
      shelf = new Uint8Array(SHELF_BYTES)
      used = 0
    }
    const copy = shelf.subarray(used, used + payload.length)
    copy.set(payload)
    used += payload.length
    return copy
  }
}

async function cutOff(log: LogFile, size: number, tell: (sentence: string) => void): Promise<void> {
  if (await isBatchIn(log, log.end + 1, size)) throw damaged(log.path, log.end)
  tell(
    `the store ${log.path} ends in a write that a crash cut short: ${size - log.end} bytes from byte ${log.end} on ` +
      'are removed. A crash can only cut what was not promised yet; a file that was cut by a disk, a copy or a hand may ' +
      'have lost promises: if there was no crash, stop this server, move its store aside and let it rejoin.',
  )
  await log.file.truncate(log.end)
}

/** True where the head of a batch stands at any byte of the range. */
async function isBatchIn(log: LogFile, from: number, to: number): Promise<boolean> {
  const window = createWindow(log.file, to)
  // Windows overlap by a head, so that none is missed at the seam.
  for (let start = from; start < to; start += WINDOW_BYTES - BATCH_HEAD_BYTES) {
    const bytes = Buffer.from((await window.read(start, Math.min(WINDOW_BYTES, to - start))) ?? [])
    for (let at = bytes.indexOf(log.mark); at >= 0; at = bytes.indexOf(log.mark, at + 1)) {
      if (isBatchAt(bytes.subarray(at), log.mark, start + at)) return true
    }
  }
  return false
}

/** Views of the file up to an end; undefined where it is shorter. A view holds until the next `read`. */
interface Window {
  /** What is in memory already: with a million small batches, to wait for each would be most of the work. */
  held(position: number, length: number): Uint8Array | undefined
  read(position: number, length: number): Promise<Uint8Array | undefined>
}

function createWindow(file: OpenFile, to: number): Window {
  let start = 0
  let bytes = Buffer.alloc(0)

  function held(position: number, length: number): Uint8Array | undefined {
    const offset = position - start
    return offset >= 0 && offset + length <= bytes.length ? bytes.subarray(offset, offset + length) : undefined
  }

  return {
    held,
    async read(position, length) {
      if (position + length > to) return undefined
      // A Buffer, as the decoder wants it: it need not be made one for each batch.
      const fresh = Buffer.alloc(Math.max(length, Math.min(WINDOW_BYTES, to - position)))
      bytes = fresh.subarray(0, await file.read(fresh, position))
      start = position
      return held(position, length)
    },
  }
}
