// Rewriting a log without its dead records, while the node goes on saving.
//
// The old file stays the store until the very end. Its living records are copied to a new file in rounds, each round
// up to where the old file then ends; saves meanwhile go to the old file. When little is left, the log's writer stops
// for a moment (`finish`), copies the rest, makes the new file durable and renames it over the old one.
// A crash before the rename leaves the old store and a file that the next opening removes; a crash after it leaves
// the new store. Copying keeps the order of the records, so that a lane that is replaced while it is copied
// comes out right: the replacement is copied too, behind what it replaces, and so is a `forget`.

import { dirname } from 'node:path'
import { closingOnError, type Files } from './files.ts'
import { createLogFile, damaged, type LogFile, readBatches, writeBatch } from './log-file.ts'
import { BATCH_HEAD_BYTES, createBatchBuilder, FILE_HEAD_BYTES, type RecordKind } from './records.ts'

/** Below this a rewrite saves nothing worth the disk's time. */
export const DEAD_BYTES_MIN = 1 << 20
/** The last stretch, copied while saves wait: about a millisecond of work. */
const LAST_STRETCH_BYTES = 256 << 10
/** A node that saves faster than we copy must not keep us copying for ever: then saves wait a little longer. */
const ROUNDS_MAX = 8
/** Living records are gathered into batches of about this size: memory stays small, and so does the number of writes. */
const COPY_BYTES = 256 << 10

/** Worth it when more than half of the file is dead: so each byte saved is copied, on average, at most once more. */
export function isCompactionDue(log: LogFile, deadBytesMin: number): boolean {
  const dead = log.end - log.lanes.livingBytes
  return dead > deadBytesMin && dead > log.end / 2
}

export interface Compaction {
  /** Copies while the old log may still grow. */
  copy(): Promise<void>
  /** Copies the rest and puts the new log in the old one's place. Nothing may be written to the old one meanwhile. */
  finish(): Promise<LogFile>
  /** After `finish`: lets go of the old file. To free 300 MB takes a disk a tenth of a second, for which no save waits. */
  release(): Promise<void>
  /** In place of `finish`, where the store failed meanwhile. The next opening removes the file. */
  abandon(): Promise<void>
}

export function createCompaction(files: Files, old: LogFile, freshPath: string): Compaction {
  let copiedTo = FILE_HEAD_BYTES
  let fresh: LogFile

  async function copyRound(): Promise<void> {
    const end = old.end
    await copyLiving(old, fresh, copiedTo, end)
    copiedTo = end
  }

  return {
    async copy() {
      fresh = await createLogFile(files, freshPath)
      await closingOnError(fresh.file, async () => {
        // Each round also flushes what it copied, so that little is left to flush while saves wait.
        let rounds = 0
        do {
          await copyRound()
          await fresh.file.sync()
          rounds++
        } while (rounds < ROUNDS_MAX && old.end - copiedTo > LAST_STRETCH_BYTES)
      })
    },
    finish: () =>
      closingOnError(fresh.file, async () => {
        await copyRound()
        await fresh.file.sync()
        await files.rename(freshPath, old.path)
        await files.syncFolder(dirname(old.path))
        return { ...fresh, path: old.path }
      }),
    // All that counts is in the new file and durable: whatever this close says, nothing can be lost by it.
    release: () => old.file.close().catch(() => {}),
    abandon: () => fresh.file.close(),
  }
}

interface Noted {
  readonly lane: string
  readonly bytes: number
  readonly kind: RecordKind
  /** Counted from the start of the new batch. */
  readonly at: number
}

async function copyLiving(old: LogFile, fresh: LogFile, from: number, to: number): Promise<void> {
  const batch = createBatchBuilder()
  let noted: Noted[] = []

  async function flush(): Promise<void> {
    if (noted.length === 0) return
    await writeBatch(fresh, batch)
    for (const { lane, at, bytes, kind } of noted) fresh.lanes.note(lane, fresh.end + at, bytes, kind)
    fresh.end += batch.length
    batch.reset()
    noted = []
  }

  let position = from
  for await (const { position: start, end, records } of readBatches(old, from, to)) {
    for (const record of records) {
      if (!old.lanes.isLiving(record.lane, start + record.offset)) continue
      const { lane, bytes, kind } = record
      noted.push({ lane, bytes, kind, at: batch.add(lane, record.payload, kind) })
      if (batch.length - BATCH_HEAD_BYTES >= COPY_BYTES) await flush()
    }
    position = end
  }
  // What was whole when it was written, or when the store was opened, is so no more.
  if (position !== to) throw damaged(old.path, position)
  await flush()
}
