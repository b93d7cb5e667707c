// The durable store: an append log in a folder of its own, for one process at a time.
//
// Guarantees, against kill -9 and power cuts at any moment: a record called durable is read back; a record that was
// not saved is never read; a damaged, foreign or newer file is refused with a sentence, never half used.
// Not covered: a disk that lies about fdatasync, and damage to the last write before a crash (see log-file.ts).
//
// Group commit: an fdatasync takes a quarter of a millisecond whether it flushes one record or a thousand. So one
// writer runs at a time, and all that is saved while it is busy goes out in its next write, with one fdatasync.
//
// After a failed write or fdatasync the store is over: the system may have thrown the unwritten pages away and would
// call the next fdatasync a success. Nothing is called durable any more, and the node must stop.

import { join } from 'node:path'
import { assert, FileError, type Saved } from '../../core/index.ts'
import { type Compaction, createCompaction, DEAD_BYTES_MIN, isCompactionDue } from './compaction.ts'
import { type Files, realFiles } from './files.ts'
import { holdStore } from './holder.ts'
import { createLogFile, type LogFile, openLogFile, writeBatch } from './log-file.ts'
import { BATCH_HEAD_BYTES, type BatchBuilder, BODY_BYTES_MAX, createBatchBuilder } from './records.ts'
import { RECORD_BYTES_MAX, type Storage, type Store } from './storage.ts'

export interface LogSettings {
  /** Made where it does not exist; nothing else should be in it. */
  readonly folder: string
  /** Told, in a sentence, what opening found and repaired. */
  readonly log?: (sentence: string) => void
  readonly files?: Files
  /** A rewrite begins only when so many bytes are dead. */
  readonly deadBytesMin?: number
}

const LOG_NAME = 'store.log'
const FRESH_NAME = 'store.new'

/** What may wait for the disk. A disk that is so far behind a node is as good as gone; memory would be next. */
export const QUEUED_BYTES_MAX = BODY_BYTES_MAX - 2 * RECORD_BYTES_MAX

export function createLogStorage(settings: LogSettings): Store {
  return { open: failed => openLog(settings, failed) }
}

async function openLog(settings: LogSettings, failed: (error: Error) => void): Promise<Storage> {
  const { folder, files = realFiles, log: tell = () => {}, deadBytesMin = DEAD_BYTES_MIN } = settings
  try {
    await files.makeFolder(folder)
    const release = await holdStore(files, folder)
    try {
      const { log, saved } = await openOrCreate(files, folder, tell)
      return runLog({ files, folder, deadBytesMin, release, failed }, log, saved)
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
  return openLogFile(files, path, tell)
}

interface Running {
  readonly files: Files
  readonly folder: string
  readonly deadBytesMin: number
  readonly release: () => Promise<void>
  readonly failed: (error: Error) => void
}

interface Entry {
  readonly lane: string
  readonly offset: number
  readonly bytes: number
  readonly replaces: boolean
  readonly durable: () => void
}

interface Pending {
  readonly batch: BatchBuilder
  readonly entries: Entry[]
}

/** The open store. `work` is the only writer of the current file; the copying half of a compaction runs beside it. */
function runLog(running: Running, opened: LogFile, found: Saved): Storage {
  let saved: Saved | undefined = found
  let log = opened
  let filling: Pending = { batch: createBatchBuilder(), entries: [] }
  let flushing: Pending = { batch: createBatchBuilder(), entries: [] }
  let working: Promise<void> | undefined
  let copying: Promise<void> | undefined
  let copied: Compaction | undefined
  let failure: Error | undefined
  let closed = false

  function fail(error: unknown): void {
    if (failure !== undefined) return
    failure = explain(error, log.path, 'written')
    running.failed(failure)
  }

  function wake(): void {
    if (working === undefined) working = work()
  }

  async function work(): Promise<void> {
    // Not at once: the other saves of this turn join the first batch.
    await Promise.resolve()
    try {
      while (failure === undefined && (filling.entries.length > 0 || copied !== undefined)) {
        if (filling.entries.length > 0) await commit()
        if (copied !== undefined) await swap(copied)
        if (copying === undefined && isCompactionDue(log, running.deadBytesMin)) copying = compact()
      }
    } catch (error) {
      fail(error)
    } finally {
      // In the same step as the loop's last look: a save that comes a step later must find no writer, and wake one.
      working = undefined
    }
  }

  async function commit(): Promise<void> {
    const { batch, entries } = filling
    filling = flushing
    flushing = { batch, entries }
    await writeBatch(log, batch)
    await log.file.sync()
    for (const { lane, offset, bytes, replaces } of entries) log.lanes.note(lane, log.end + offset, bytes, replaces)
    log.end += batch.length
    // A compaction beside us may have failed meanwhile: then `failed` was called, and nothing is durable after it.
    for (const entry of entries) if (failure === undefined) entry.durable()
    batch.reset()
    entries.length = 0
  }

  async function compact(): Promise<void> {
    const compaction = createCompaction(running.files, log, join(running.folder, FRESH_NAME))
    try {
      await compaction.copy()
      copied = compaction
      wake()
    } catch (error) {
      fail(error)
    }
  }

  async function swap(compaction: Compaction): Promise<void> {
    copied = undefined
    log = await compaction.finish()
    copying = undefined
  }

  async function settle(): Promise<void> {
    while (working !== undefined || (copying !== undefined && failure === undefined)) {
      await copying
      await working
    }
    await copying
  }

  return {
    async read() {
      assert(saved !== undefined, 'a store read twice')
      const answer = saved
      // The node makes its state from it; a second copy for the life of the process would serve nobody.
      saved = undefined
      return answer
    },
    save(lane, record, replaces, durable) {
      assert(!closed, 'a record saved after the store was closed')
      if (failure !== undefined) return
      if (filling.batch.length > QUEUED_BYTES_MAX) return fail(tooSlow(log.path))
      const offset = filling.batch.add(lane, record, replaces)
      filling.entries.push({ lane, offset, bytes: filling.batch.length - offset, replaces, durable })
      wake()
    },
    async close() {
      if (closed) return
      await settle()
      closed = true
      try {
        if (failure === undefined) await seal(log)
      } catch (error) {
        fail(error)
      }
      await log.file.close().catch(() => {})
      await running.release().catch(() => {})
    },
  }
}

/** An empty batch: after it, damage to the last one with content can be told from a write that was cut short. */
async function seal(log: LogFile): Promise<void> {
  const batch = createBatchBuilder()
  assert(batch.length === BATCH_HEAD_BYTES, 'a seal with content')
  await writeBatch(log, batch)
  await log.file.sync()
}

function tooSlow(path: string): FileError {
  return new FileError(
    `the disk under ${path} is too slow: more than ${QUEUED_BYTES_MAX >> 20} MB wait to be written. ` +
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
