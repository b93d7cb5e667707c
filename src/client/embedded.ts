// The group inside the calling process, in Node.

import { sha256 } from '../runtime/hash.ts'
import { EmbeddedGroup } from './bandits/embedded-group.ts'
import { type EmbeddedOptions, embed } from './embedding.ts'

/** A whole group in this process, without network and disk: for tests, and to try things out. */
export async function embedded(options: EmbeddedOptions = {}): Promise<EmbeddedGroup> {
  return embed(options, sha256, (shape, driver) => new EmbeddedGroup(shape, driver))
}
