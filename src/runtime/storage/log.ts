// The durable store: an append log in a folder of its own, for one process at a time.
//
// Guarantees, against kill -9 and power cuts at any moment: a record called durable is read back; a record that was
// not saved is never read; a damaged, foreign or newer file is refused with a sentence, never half used.
// Not covered: a disk that lies about fdatasync, and damage to the last write before a crash (see log-file.ts).
//
// Group commit: an fdatasync takes a quarter of a millisecond whether it flushes one record or a thousand. So one
// writer runs at a time, and all that is saved while it is busy goes out in its next write, with one fdatasync.
//
// A lazy record, and a `forget`, waits in the batch that is being filled without waking the writer.
//
// After a failed write or fdatasync the store is over: the system may have thrown the unwritten pages away and would
// call the next fdatasync a success. Nothing is called durable any more, and the node must stop.

import { join } from 'node:path'
import { assert, FileError, type Saved, type SaveKind } from '../../core/index.ts'
import { type Compaction, createCompaction, DEAD_BYTES_MIN, isCompactionDue } from './compaction.ts'
import { closingOnError, type Files, realFiles } from './files.ts'
import { holdStore } from './holder.ts'
import { createLogFile, type LogFile, openLogFile, writeBatch } from './log-file.ts'
import {
  BATCH_HEAD_BYTES,
  type BatchBuilder,
  BODY_BYTES_MAX,
  createBatchBuilder,
  FORMAT_VERSION,
  type RecordKind,
} from './records.ts'
import { RECORD_BYTES_MAX, type Storage, type Store } from './storage.ts'

export interface LogSettings {
  /** Made where it does not exist; nothing else should be in it. */
  readonly folder: string
  /** Told, in a sentence, what opening found and repaired. */
  readonly log?: (sentence: string) => void
  readonly files?: Files
  /** Told how long each flush took, in seconds. */
  readonly synced?: (seconds: number) => void
  /** A rewrite begins only when this many bytes are dead. */
  readonly deadBytesMin?: number
  /** How long a lazy record may wait for company. */
  readonly lazyMs?: number
  /** The store fails when more than this waits to be written. */
  readonly queuedBytesMax?: number
}

/** The file of a store that holds its records. */
export const LOG_NAME = 'store.log'
const FRESH_NAME = 'store.new'

/** A batch of this length is closed, and another one begins. */
export const BATCH_BYTES_MAX = BODY_BYTES_MAX - 2 * RECORD_BYTES_MAX
/**
 * What may wait for the disk: a copy of a large object is saved in one step. A disk that is so far behind a node is as
 * good as gone; memory would be next.
 */
const QUEUED_BYTES_MAX = 1 << 30

/** Long against a flush, so that a busy node never flushes for a lazy record; short for somebody who looks at the file. */
const LAZY_MS = 200
/** Lazy bytes that are written without waiting for more: enough for a flush to be worth it, far from what may wait at all. */
const LAZY_BYTES_MAX = 1 << 20
const NO_BYTES = new Uint8Array(0)

export function createLogStorage(settings: LogSettings): Store {
  return { open: failed => openLog(settings, failed) }
}

async function openLog(settings: LogSettings, failed: (error: Error) => void): Promise<Storage> {
  const { folder, files = realFiles, log: tell = () => {}, deadBytesMin = DEAD_BYTES_MIN, lazyMs = LAZY_MS } = settings
  const { queuedBytesMax = QUEUED_BYTES_MAX } = settings
  try {
    await files.makeFolder(folder)
    const release = await holdStore(files, folder)
    try {
      const { log, saved } = await openOrCreate(files, folder, tell)
      const { synced = () => {} } = settings
      return new OpenLog({ files, folder, deadBytesMin, lazyMs, queuedBytesMax, release, failed, synced }, log, saved)
    } catch (error) {
      await release().catch(() => {})
      throw error
    }
  } catch (error) {
    throw explain(error, folder, 'opened')
  }
}

async function openOrCreate(files: Files, folder: string, tell: (sentence: string) => void) {
  const path = join(folder, LOG_NAME)
  const fresh = join(folder, FRESH_NAME)
  const names = await files.list(folder)
  // Left by a crash: a rewrite, or a first opening, that did not come to its end.
  if (names.includes(FRESH_NAME)) await files.remove(fresh)
  if (!names.includes(LOG_NAME)) {
    const { file } = await createLogFile(files, fresh)
    await file.sync()
    await file.close()
    await files.rename(fresh, path)
  }
  // Also for a store that exists: its last rename may be known to the machine's memory only.
  await files.syncFolder(folder)
  const opened = await openLogFile(files, path, tell)
  return opened.log.version === FORMAT_VERSION ? opened : { ...opened, log: await rewrite(files, opened.log, fresh) }
}

/** A file of an older format is copied into one of ours: a crash on the way leaves the one or the other. */
async function rewrite(files: Files, old: LogFile, freshPath: string): Promise<LogFile> {
  return closingOnError(old.file, async () => {
    const compaction = createCompaction(files, old, freshPath)
    await compaction.copy()
    const log = await compaction.finish()
    await compaction.release()
    return log
  })
}

interface Running {
  readonly files: Files
  readonly folder: string
  readonly deadBytesMin: number
  readonly lazyMs: number
  readonly queuedBytesMax: number
  readonly release: () => Promise<void>
  readonly failed: (error: Error) => void
  readonly synced: (seconds: number) => void
}

interface Entry {
  readonly lane: string
  readonly offset: number
  readonly bytes: number
  readonly kind: RecordKind
  readonly durable: (() => void) | undefined
}

interface Pending {
  readonly batch: BatchBuilder
  readonly entries: Entry[]
}

/** The open store. `work` is the only writer of the current file; the copying half of a compaction runs beside it. */
class OpenLog implements Storage {
  private readonly running: Running
  /** Until the node has read it: a second copy for the life of the process would serve nobody. */
  private found: Saved | undefined
  private log: LogFile
  private filling: Pending = { batch: createBatchBuilder(), entries: [] }
  private flushing: Pending = { batch: createBatchBuilder(), entries: [] }
  /** Batches that are full, oldest first: they go before the one that is being filled. */
  private readonly full: Pending[] = []
  private fullBytes = 0
  /** Somebody waits for what is being filled, or it has waited long enough. */
  private urgent = false
  private lazyTimer: NodeJS.Timeout | undefined
  /** Lanes with an account that was begun since the store was opened. */
  private readonly begun = new Set<string>()
  private working: Promise<void> | undefined
  /** From the first copied byte until the new file is in place and the old one gone. */
  private copying: Promise<void> | undefined
  /** Set when the copy is ready for its last stretch. */
  private copied: Compaction | undefined
  private failure: Error | undefined
  private closed = false

  constructor(running: Running, log: LogFile, found: Saved) {
    this.running = running
    this.log = log
    this.found = found
  }

  async read(): Promise<Saved> {
    const { found } = this
    assert(found !== undefined, 'a store read twice')
    this.found = undefined
    return found
  }

  save(lane: string, record: Uint8Array, kind: SaveKind, durable?: () => void): void {
    assert(!this.closed, 'a record saved after the store was closed')
    if (kind === 'begin') this.begun.add(lane)
    this.add(lane, record, kind, durable)
  }

  forget(lane: string): void {
    assert(!this.closed, 'records forgotten after the store was closed')
    // An account that an earlier life began and did not finish is in the log too, and must not pass for whole.
    if (this.begun.has(lane)) this.add(lane, NO_BYTES, 'forget', undefined)
  }

  async close(): Promise<void> {
    if (this.closed) return
    await this.settle()
    this.closed = true
    try {
      if (this.failure === undefined) await seal(this.log)
    } catch (error) {
      this.fail(error)
    }
    await this.copied?.abandon().catch(() => {})
    await this.log.file.close().catch(() => {})
    await this.running.release().catch(() => {})
  }

  private add(lane: string, record: Uint8Array, kind: RecordKind, durable: (() => void) | undefined): void {
    if (this.failure !== undefined) return
    if (this.filling.batch.length > BATCH_BYTES_MAX) this.setAside()
    const { queuedBytesMax } = this.running
    if (this.fullBytes > queuedBytesMax) return this.fail(tooSlow(this.log.path, queuedBytesMax))
    const { batch, entries } = this.filling
    const offset = batch.add(lane, record, kind)
    entries.push({ lane, offset, bytes: batch.length - offset, kind, durable })
    if (durable !== undefined || batch.length > LAZY_BYTES_MAX) this.hurry()
    else this.lazyTimer ??= setTimeout(() => this.hurry(), this.running.lazyMs).unref()
  }

  private setAside(): void {
    this.full.push(this.filling)
    this.fullBytes += this.filling.batch.length
    this.filling = { batch: createBatchBuilder(), entries: [] }
    this.urgent = true
    this.wake()
  }

  /** What is being filled, if anything, waits no longer. */
  private hurry(): void {
    clearTimeout(this.lazyTimer)
    this.lazyTimer = undefined
    if (this.filling.entries.length === 0 || this.failure !== undefined) return
    this.urgent = true
    this.wake()
  }

  private wake(): void {
    if (this.working === undefined) this.working = this.work()
  }

  private async work(): Promise<void> {
    // Not at once: the other saves of this turn join the first batch.
    await Promise.resolve()
    try {
      while (this.failure === undefined && (this.urgent || this.copied !== undefined)) {
        if (this.urgent) await this.commit()
        if (this.copied !== undefined) await this.swap(this.copied)
        const due = isCompactionDue(this.log, this.running.deadBytesMin)
        if (due && this.copying === undefined) this.copying = this.compact()
      }
    } catch (error) {
      this.fail(error)
    } finally {
      // In the same step as the loop's last look: a save that comes a step later must find no writer, and wake one.
      this.working = undefined
    }
  }

  private nextBatch(): Pending {
    const first = this.full.shift()
    if (first !== undefined) {
      this.fullBytes -= first.batch.length
      return first
    }
    const { filling } = this
    this.filling = this.flushing
    this.flushing = filling
    this.urgent = false
    return filling
  }

  private async commit(): Promise<void> {
    const { log } = this
    const { batch, entries } = this.nextBatch()
    // A full one went before it, and nothing came since.
    if (entries.length === 0) return
    await writeBatch(log, batch)
    const began = performance.now()
    await log.file.sync()
    this.running.synced((performance.now() - began) / 1000)
    for (const { lane, offset, bytes, kind } of entries) log.lanes.note(lane, log.end + offset, bytes, kind)
    log.end += batch.length
    // A compaction beside us may have failed meanwhile: then `failed` was called, and nothing is durable after it.
    for (const entry of entries) if (this.failure === undefined) entry.durable?.()
    batch.reset()
    entries.length = 0
  }

  private async compact(): Promise<void> {
    const compaction = createCompaction(this.running.files, this.log, join(this.running.folder, FRESH_NAME))
    try {
      await compaction.copy()
      this.copied = compaction
      this.wake()
    } catch (error) {
      this.fail(error)
    }
  }

  private async swap(compaction: Compaction): Promise<void> {
    this.copied = undefined
    this.log = await compaction.finish()
    this.copying = compaction.release().then(() => {
      this.copying = undefined
    })
  }

  private async settle(): Promise<void> {
    this.hurry()
    while (this.working !== undefined || (this.copying !== undefined && this.failure === undefined)) {
      await this.copying
      await this.working
      // What came meanwhile, as an answer to `durable`, may be lazy.
      this.hurry()
    }
    await this.copying
  }

  private fail(error: unknown): void {
    if (this.failure !== undefined) return
    this.failure = explain(error, this.log.path, 'written')
    this.running.failed(this.failure)
  }
}

/** An empty batch: after it, damage to the last one with content can be told from a write that was cut short. */
async function seal(log: LogFile): Promise<void> {
  const batch = createBatchBuilder()
  assert(batch.length === BATCH_HEAD_BYTES, 'a seal with content')
  await writeBatch(log, batch)
  await log.file.sync()
}

function tooSlow(path: string, queuedBytesMax: number): FileError {
  return new FileError(
    `the disk under ${path} is too slow: more than ${queuedBytesMax >> 20} MB wait to be written. ` +
      'Check the disk, or give the store a faster one; then start the server again.',
  )
}

/** Our own sentences and our own bugs pass as they are; what the system says gets a sentence. */
function explain(error: unknown, path: string, what: 'opened' | 'written'): Error {
  const code = (error as NodeJS.ErrnoException).code
  if (code === undefined || !(error instanceof Error)) return error as Error
  const cause = new FileError(`the store ${path} could not be ${what} (${error.message}). ${advice(code)}`)
  cause.cause = error
  return cause
}

function advice(code: string): string {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full: make room, then start the server again. Nothing that was promised is lost.'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Make the folder and its files writable for the user that runs the server.'
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open: raise the limit (ulimit -n), then start the server again.'
    default:
      return 'Check the disk before the server is started again.'
  }
}
