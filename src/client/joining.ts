// `join` and `enter` as `coterie` exports them. What members are made of (gossip, election, slots, their arithmetic) is half of this
// library, and programs that only take locks need none of it: it is loaded by the first call.

import type { EnterOptions } from './enter.ts'
import type { JoinOptions } from './join.ts'
import type { MemberGroup } from './member-group.ts'
import type { JoinedGroup } from './peers/joined-group.ts'

/** Makes this process a member of a group: it is seen by the others, may lead, and may ask for seats. */
export async function join(options: JoinOptions): Promise<JoinedGroup> {
  const joining = await import('./join.ts')
  return joining.join(options)
}

/**
 * Enters a group as a member and as a client of its servers, under one name: one folder (made with `coterie init
 * --member-clients`, or `coterie member add --client`), and one object for locks, objects and jobs, who is here and who leads.
 */
export async function enter(options: EnterOptions): Promise<MemberGroup> {
  const entering = await import('./enter.ts')
  return entering.enter(options)
}
