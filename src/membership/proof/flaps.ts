// One half-dead member in a healthy group: whom does it drag along? A function that the lab calls.
//
// A member whose messages take so long that its own questions seem unanswered suspects everybody else. With plain SWIM each
// such suspicion goes round, and where the refutation comes late, a healthy member is given up. Lifeguard lets the ill member
// doubt itself, gives a suspicion that nobody confirms more time, and tells the suspected at once.

import type { NodeId } from '../../core/index.ts'
import { calm, type Micros, World } from '../../simulator/index.ts'
import type { MembershipEvent } from '../events.ts'
import { membership } from '../member/machine.ts'
import { type Lifeguard, type MembershipBeat, membershipBeat } from '../settings.ts'
import { membershipVocabulary } from '../wire.ts'
import { simulatedGroup } from './simulated.ts'

/** How large the group is, and how ill its one ill member. */
export interface FlapOptions {
  readonly members: number
  readonly seed: number
  readonly lifeguard: Lifeguard
  readonly seconds: number
  /** How many times longer every message from and to the ill one takes: 1 to 2 ms each way without. */
  readonly slowness: number
  readonly beat?: MembershipBeat
}

/** How often healthy members were taken for ill. */
export interface Flaps {
  /** Times that a healthy member took another healthy one for suspect, and for failed. */
  readonly suspected: number
  readonly failed: number
  /** Different healthy members that somebody healthy suspected. */
  readonly victims: number
}

const SECOND: Micros = 1_000_000
/** Long enough that everybody has met everybody. */
const WARM_UP = 8 * SECOND
const ILL: NodeId = 'member-1'

/** Runs a group with one ill member, and counts. */
export function countFlaps(options: FlapOptions): Flaps {
  const { members, seed, lifeguard, seconds, slowness, beat = membershipBeat } = options
  const ids = Array.from({ length: members }, (_, place) => `member-${place + 1}`)
  const group = simulatedGroup(ids)
  const world = new World({ seed, network: calm, eventsMax: 100_000_000 })
  // Measuring distances has nothing to do with it, and takes most of the time of a short run.
  for (const id of ids) {
    const protocol = membership(group.settings(id, { lifeguard, beat, measurers: 0 }))
    world.add({ id, protocol, peers: ids.slice(1, 4), vocabulary: membershipVocabulary })
  }
  for (const id of ids) world.start(id)
  world.run(WARM_UP)
  const counts = { suspected: 0, failed: 0 }
  const victims = new Set<NodeId>()
  world.listen((node, event) => {
    const { kind, change, member } = event as MembershipEvent & { kind: 'changed' }
    if (kind !== 'changed' || node.spec.id === ILL || member.member === ILL) return
    if (change !== 'suspected' && change !== 'failed') return
    counts[change]++
    victims.add(member.member)
  })
  world.network.slow.set(world.node(ILL).index, slowness)
  world.run(world.now + seconds * SECOND)
  return { ...counts, victims: victims.size }
}
