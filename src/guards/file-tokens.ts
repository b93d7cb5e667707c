// Tokens in a folder: one guarded file for each resource, so a restart of the process forgets nothing.

import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { checkValue, textOf, whole } from '../core/index.ts'
import { StaleToken } from './errors.ts'
import { type FileGuard, fileGuard } from './file.ts'
import { type TokenStore, tooManyResources } from './store.ts'

/** Each has a folder of its own on the disk. */
const RESOURCES_MAX = 100_000

interface Entry {
  readonly guard: FileGuard
  /** The token that this process wrote or met last. */
  seen?: bigint
}

/**
 * The tokens survive crashes and power cuts, and several processes may share the folder. That alone does not order the
 * work of several processes: see `createGuard`.
 */
export function fileTokens(folder: string, resourcesMax = RESOURCES_MAX): TokenStore {
  checkValue('resourcesMax', whole(0), resourcesMax)
  checkValue('folder', textOf('the path of a folder'), folder)
  const entries = new Map<string, Entry>()
  return {
    async admit(resource, token) {
      const entry = entries.get(resource) ?? { guard: fileGuard(join(folder, nameOf(resource))) }
      if (!entries.has(resource)) {
        if (entries.size >= resourcesMax) throw tooManyResources(resourcesMax)
        entries.set(resource, entry)
        await mkdir(folder, { recursive: true })
      }
      // The same holder again: its token is durable, and a look says whether it is still the largest.
      if (entry.seen === token && (await entry.guard.read()).token === token) return { pass: true, seen: token }
      try {
        await entry.guard.write(token, resource)
        entry.seen = token
        return { pass: true, seen: token }
      } catch (error) {
        if (!(error instanceof StaleToken)) throw error
        entry.seen = error.seen
        return { pass: false, seen: error.seen }
      }
    },
  }
}

/** A name that every file system takes, whatever the resource is called. The file inside says which it is. */
function nameOf(resource: string): string {
  return createHash('sha256').update(resource).digest('hex').slice(0, 40)
}
