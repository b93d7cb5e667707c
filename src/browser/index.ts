// Coterie in a browser tab: a whole group inside the page, with the machines that servers run, in memory. Locks, objects
// and the tree for the parts of one page, and for trying things out. It bundles without any module of Node.

import { sha256 } from '@noble/hashes/sha2.js'
import { type EmbeddedOptions, embed } from '../client/embedding.ts'
import { Group } from '../client/group.ts'

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
export type * from '../index.ts'

/** A whole group in this tab, without network and disk. */
export async function embedded(options: EmbeddedOptions = {}): Promise<Group> {
  return embed(options, { hash: sha256 }, (shape, driver) => new Group(shape, driver))
}
