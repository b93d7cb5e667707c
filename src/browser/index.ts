// Coterie in a browser tab: a whole group inside the page, with the machines that servers run, in memory. Locks, objects
// and the tree for the parts of one page, and for trying things out. It bundles without any module of Node.

import { sha256 } from '@noble/hashes/sha2.js'
import { type EmbeddedOptions, embed } from '../client/embedding.ts'
import type { Group } from '../client/group.ts'

export type { EmbeddedOptions } from '../client/embedding.ts'
export type { Group, LockOptions } from '../client/group.ts'
export type { Lease } from '../client/lease.ts'
export type { ObjectDefinition, SharedObject } from '../client/objects/shared-object.ts'
export type { SharedTree } from '../client/objects/shared-tree.ts'
export {
  CoterieError,
  explainTrust,
  LeaseLost,
  NotAcquired,
  NotAnswered,
  OperationFailed,
  Refused,
  SettingsError,
  trust,
  Unavailable,
} from '../core/index.ts'

/** A whole group in this tab, without network and disk. */
export async function embedded(options: EmbeddedOptions = {}): Promise<Group> {
  return embed(options, sha256)
}
