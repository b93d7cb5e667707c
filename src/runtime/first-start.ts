// The first-start mark (protocols/lock 6), and how a node's store begins.
//
// A server whose store is empty cannot know whether it never ran or lost its disk. If it lost its disk, it may have
// granted leases that still run, so an empty store waits for ttlMax before it grants anything. A group that was made a
// second ago need not wait: `coterie init` leaves a mark in each server's folder, and the server takes it at its first
// start. The mark must be gone for certain before the server grants: a mark that came back after a power cut would
// let a server with a lost store grant at once.
//
// Taking the mark is not the end of a start: the port may be in use, or the power fail. So "this node never ran" moves
// from the mark into the store: first the record that says so is durable, then the mark is removed, then the node runs,
// and the first thing it saves stands in the place of that record. Cut anywhere, one of the two says that the node never
// ran until it has run, and neither says it after.

import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError, type Saved } from '../core/index.ts'
import { type Identity, identityUri } from './certificates/identity.ts'
import { cannot, exists, syncFolder, writeNew } from './files.ts'
import type { Storage, Store } from './storage/storage.ts'

export const FIRST_START_FILE = 'first-start'

const TEXT = `This server has never been started. It deletes this file when it starts for the first time, and then
does not have to wait for leases of an earlier life. Do not copy it back.
`

export async function leaveFirstStartMark(serverFolder: string): Promise<void> {
  await writeNew(join(serverFolder, FIRST_START_FILE), TEXT)
}

export interface NodeStoreOptions {
  readonly store: Store
  /** The node's folder, where the mark is. */
  readonly folder: string
  /** Whose store it is, said in the store: another's holds promises that this node never made, and lacks its own. */
  readonly owner: Identity
  /** What the store of a node that never ran begins with. */
  readonly first: Saved
  /** The store failed after it was opened. */
  failed(error: Error): void
}

/** Opens a node's store. What it holds is empty only where it was lost: the node may have promised things. */
export async function openNodeStore(options: NodeStoreOptions): Promise<{ storage: Storage; saved: Saved }> {
  const { store, folder, first } = options
  const owner = new TextEncoder().encode(identityUri(options.owner))
  let failed = (error: Error) => options.failed(error)
  const storage = await store.open(error => failed(error))
  try {
    const found = await storage.read()
    const isOwned = checkOwner(found, options.owner, folder)
    let saved: Saved = new Map([...found].filter(([lane]) => lane !== OWNER_LANE))
    if (!isOwned && saved.size > 0) storage.save(OWNER_LANE, owner, 'replace')
    // A store that says whose it is was in use: a mark beside it has come back, and says nothing.
    if (!isOwned && saved.size === 0 && (await exists(join(folder, FIRST_START_FILE)))) {
      await new Promise<void>((resolve, reject) => {
        failed = reject
        saveAll(storage, new Map([...first, [OWNER_LANE, [owner]]]), resolve)
      })
      failed = options.failed
      saved = first
    }
    if (!isOwned && saved.size === 0) storage.save(OWNER_LANE, owner, 'replace')
    await removeMark(folder)
    return { storage, saved }
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** A lane of no part. */
const OWNER_LANE = 'owner'

/** Whether the store says whose it is. Throws where it is another's. */
function checkOwner(found: Saved, owner: Identity, folder: string): boolean {
  const record = found.get(OWNER_LANE)?.at(-1)
  if (record === undefined) return false
  const whose = new TextDecoder().decode(record)
  if (whose === identityUri(owner)) return true
  throw new FileError(
    `the store in ${folder} is that of ${whose}, and this is ${identityUri(owner)}. Put each node's own store back into ` +
      'its folder: with the promises of another it would break its own.',
  )
}

/** In one turn, so that a crash leaves all of it or nothing. */
function saveAll(storage: Storage, records: Saved, durable: () => void): void {
  const all = [...records].flatMap(([lane, list]) => list.map(record => ({ lane, record })))
  for (const [place, { lane, record }] of all.entries()) {
    storage.save(lane, record, 'append', place === all.length - 1 ? durable : undefined)
  }
}

/** Durably. Where there is none, it was removed before, perhaps in the machine's memory only. */
async function removeMark(folder: string): Promise<void> {
  const file = join(folder, FIRST_START_FILE)
  await unlink(file).catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannot('delete', file, error)
  })
  await syncFolder(folder)
}
