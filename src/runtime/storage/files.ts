// The few things the log asks of a file system. Behind an interface, so that tests can fail the n-th of them,
// or cut the power between any two.

import { fdatasync, writeSync } from 'node:fs'
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface OpenFile {
  size(): Promise<number>
  /** Fills `into` from `position` on; returns how many bytes there were. */
  read(into: Uint8Array, position: number): Promise<number>
  /** Writes all of it, or throws. */
  write(bytes: Uint8Array, position: number): Promise<void>
  truncate(length: number): Promise<void>
  /** When it returns, content and length are durable; the file's name is not, before `syncFolder`. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface Files {
  makeFolder(folder: string): Promise<void>
  list(folder: string): Promise<readonly string[]>
  /** An existing file, for reading and writing. */
  open(path: string): Promise<OpenFile>
  /** A new file; throws where one of that name exists. */
  create(path: string): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Makes the names in the folder durable: what was created, renamed or removed. */
  syncFolder(folder: string): Promise<void>
}

/** Only the owner reads a store: its records may hold what the node keeps secret. */
const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY_FILE = 0o600
/**
 * What is smaller is copied into the system's memory at once: a thread that is woken for it costs more than the copy.
 * The log syncs after each, so that there is never much to be written out first.
 */
const SMALL_BYTES = 64 << 10
const sync = promisify(fdatasync)

export const realFiles: Files = {
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  },
  list: folder => readdir(folder),
  open: path => openReal(path, 'r+'),
  create: path => openReal(path, 'wx+'),
  rename,
  remove: unlink,
  async syncFolder(folder) {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
}

async function openReal(path: string, flags: string): Promise<OpenFile> {
  const handle = await open(path, flags, OWNER_ONLY_FILE)
  return {
    size: async () => (await handle.stat()).size,
    async read(into, position) {
      let done = 0
      while (done < into.length) {
        const { bytesRead } = await handle.read(into, done, into.length - done, position + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return done
    },
    async write(bytes, position) {
      let done = bytes.length <= SMALL_BYTES ? writeSync(handle.fd, bytes, 0, bytes.length, position) : 0
      while (done < bytes.length) {
        done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
      }
    },
    truncate: length => handle.truncate(length),
    sync: () => sync(handle.fd),
    close: () => handle.close(),
  }
}

/** Does the work with the file; where that fails, the file does not stay open. */
export async function closingOnError<T>(file: OpenFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await file.close().catch(() => {})
    throw error
  }
}
