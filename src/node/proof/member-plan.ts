// What a simulated run of members is made of, drawn from its seed: who lies, what users do, what goes wrong.

import type { NodeId, Random } from '../../core/index.ts'
import { type ElectionSettings, electionDefaults } from '../../election/index.ts'
import { drawFaults, drawNetwork, type Micros, type Plan, pick } from '../../simulator/index.ts'
import { type SlotsSettings, slotsDefaults } from '../../slots/index.ts'

export type MemberAct =
  /** Wants a seat, holds it for a while, lets go; gives up waiting after `patience`. */
  | { kind: 'seat'; member: NodeId; hold: Micros; patience: Micros }
  /** The member that leads steps down. */
  | { kind: 'resign'; name: string }
  /** A member says something new of itself, and who is best changes. */
  | { kind: 'battery'; member: NodeId; value: number }
  /** A member publishes an event. */
  | { kind: 'publish'; member: NodeId }
  /** The operator wants the guest among those who vote, or out again. */
  | { kind: 'admit' | 'expel'; member: NodeId }

/** Which part of a member's node lies, or the whole of it. */
export type LyingPart = 'membership' | 'election' | 'slots' | 'routing' | 'all'

export interface MemberLiar {
  readonly part: LyingPart
  /** Which of that part's liars, modulo how many there are. */
  readonly kind: number
}

export interface MemberPlan extends Plan<MemberAct> {
  readonly election: ElectionSettings
  readonly slots: SlotsSettings
  /** The first list of those who vote, and the members of the first epoch of the slots. */
  readonly members: readonly NodeId[]
  /** Gossips, and may be admitted. */
  readonly guests: readonly NodeId[]
  readonly names: readonly string[]
  readonly liars: ReadonlyMap<NodeId, MemberLiar>
  readonly rates: ReadonlyMap<NodeId, number>
  readonly batteries: ReadonlyMap<NodeId, number>
}

export interface MemberGroup {
  readonly members: number
  readonly liars: number
}

export const SECOND: Micros = 1_000_000
const SAFETY = 12 * SECOND
/** Runs end when everybody is served. Slots wait out old leases and leave silent members out, several times over. */
const LIVENESS = 240 * SECOND
const DRIFT = 0.05

const ELECTION: ElectionSettings = {
  ...electionDefaults,
  promise: 800,
  drift: DRIFT,
  countAfter: 60,
  attemptMax: 250,
  holdMax: 60,
  quiet: 90,
  attributes: [
    { name: 'battery', best: 'large', tolerance: 0 },
    { name: 'joined', best: 'small', tolerance: 0 },
    { name: 'failures', best: 'small', tolerance: 0 },
  ],
}

const SLOTS: Omit<SlotsSettings, 'slots'> = {
  ...slotsDefaults,
  name: 'desks',
  lease: 3_000,
  beat: 100,
  checkMax: 800,
  drift: DRIFT,
  patience: 1_900,
  settle: 8_000,
}

export function drawMemberPlan(random: Random, group: MemberGroup): MemberPlan {
  const members = Array.from({ length: group.members }, (_, place) => `member-${place + 1}`)
  const guests = random.chance(0.4) ? ['guest-1'] : []
  const all = [...members, ...guests]
  const liars = new Map<NodeId, MemberLiar>()
  while (liars.size < group.liars) {
    const part = pick(random, ['membership', 'election', 'slots', 'routing', 'all'] as const)
    // Not the first: it is everybody's contact.
    liars.set(pick(random, members.slice(1)), { part, kind: random.below(1_000) })
  }
  const names = ['jobs', 'mail'].slice(0, 1 + random.below(2))
  const faults = drawFaults(random, { durable: all, all }, SAFETY, 4 * SECOND)
  return {
    election: { ...ELECTION, liars: group.liars },
    slots: drawSlots(random, group),
    members,
    guests,
    names,
    liars,
    rates: new Map(all.map(id => [id, 1 + DRIFT * pick(random, [-1, -1, 0, 1, 1, random.unit() * 2 - 1])])),
    batteries: new Map(all.map(id => [id, random.below(6)])),
    network: drawNetwork(random),
    faults,
    acts: drawActs(random, members, guests, names),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      members: members.length,
      guests: guests.length,
      elections: names.length,
      liars: [...liars].map(([id, { part, kind }]) => `${id} ${part} #${kind}`).join(', ') || 'none',
      faults: faults.length,
    },
  }
}

/** A seat for each, or turns: nobody waits by bad luck alone. */
function drawSlots(random: Random, { members, liars }: MemberGroup): SlotsSettings {
  const rotating = random.chance(0.5)
  const count = rotating ? 1 + random.below(members - 1) : members
  const slots = Array.from({ length: count }, (_, place) => `desk-${place + 1}`)
  return { ...SLOTS, slots, liars, fairness: rotating ? 'rotating' : 'lottery' }
}

function drawActs(
  random: Random,
  members: readonly NodeId[],
  guests: readonly NodeId[],
  names: readonly string[],
): MemberPlan['acts'] {
  const acts: (MemberAct & { at: Micros })[] = []
  const at = () => random.below(SAFETY)
  for (const member of members) {
    for (let i = random.below(4); i > 0; i--) {
      acts.push({ kind: 'seat', member, hold: random.below(3 * SECOND), patience: random.below(8 * SECOND), at: at() })
    }
    if (random.chance(0.4)) acts.push({ kind: 'battery', member, value: random.below(6), at: at() })
  }
  for (let i = random.below(3); i > 0; i--) acts.push({ kind: 'resign', name: pick(random, names), at: at() })
  for (const member of guests) {
    acts.push({ kind: 'admit', member, at: at() })
    if (random.chance(0.3)) acts.push({ kind: 'expel', member, at: at() })
  }
  for (const member of members) {
    for (let i = random.below(4); i > 0; i--) acts.push({ kind: 'publish', member, at: at() })
  }
  return acts
}
