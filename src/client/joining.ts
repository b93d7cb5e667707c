// `join` as `coterie` exports it. What members are made of (gossip, election, slots, their arithmetic) is half of this
// library, and programs that only take locks need none of it: it is loaded by the first call.

import type { JoinOptions } from './join.ts'
import type { JoinedGroup } from './peers/joined-group.ts'

/** Makes this process a member of a group: it is seen by the others, may lead, and may ask for seats. */
export async function join(options: JoinOptions): Promise<JoinedGroup> {
  const joining = await import('./join.ts')
  return joining.join(options)
}
