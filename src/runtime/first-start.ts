// The first-start mark (PROTOCOLS E 6).
//
// A server whose store is empty cannot know whether it never ran or lost its disk. If it lost its disk, it may have
// granted leases that still run, so an empty store waits for ttlMax before it grants anything. A group that was made a
// second ago need not wait: `coterie init` leaves a mark in each server's folder, and the server takes it at its first
// start. The mark must be gone for certain before the server grants: a mark that came back after a power cut would
// let a server with a lost store grant at once.

import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { cannot, syncFolder, writeNew } from './files.ts'

export const FIRST_START_FILE = 'first-start'

const TEXT = `This server has never been started. It deletes this file when it starts for the first time, and then
does not have to wait for leases of an earlier life. Do not copy it back.
`

export async function leaveFirstStartMark(serverFolder: string): Promise<void> {
  await writeNew(join(serverFolder, FIRST_START_FILE), TEXT)
}

/** True once: the mark was there and is now durably gone. */
export async function takeFirstStartMark(serverFolder: string): Promise<boolean> {
  const file = join(serverFolder, FIRST_START_FILE)
  try {
    await unlink(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw cannot('delete', file, error)
  }
  await syncFolder(serverFolder)
  return true
}
