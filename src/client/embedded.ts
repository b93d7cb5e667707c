// The group inside the calling process, in Node.

import { sha256 } from '../runtime/hash.ts'
import { type EmbeddedOptions, embed } from './embedding.ts'
import type { Group } from './group.ts'

/** A whole group in this process, without network and disk: for tests, and to try things out. */
export async function embedded(options: EmbeddedOptions = {}): Promise<Group> {
  return embed(options, sha256)
}
