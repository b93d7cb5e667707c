// Events in trees of members, as a part of their node. The list that the trees are made of is the electorate: numbered, signed by a
// quorum, and the same at all members. Keys come from gossip.

import type { ElectionEvent } from '../election/index.ts'
import { TREES_MAX } from '../events/routing/limits.ts'
import { routing } from '../events/routing/machine.ts'
import type { RoutingSettings } from '../events/routing/settings.ts'
import type { RoutingCommand, RoutingEvent, RoutingState } from '../events/routing/state.ts'
import type { RoutingMessage } from '../events/routing/wire.ts'
import type { MembershipEvent } from '../membership/index.ts'
import { type Sleeping, sleeping } from './sleeping.ts'

/** A member's routing, asleep at first. */
export type SleepingRouting = Sleeping<RoutingState, RoutingMessage, RoutingCommand, RoutingEvent>

/** So many trees: one more than liars, and another, because some member is always being started again. */
export function treesFor(liars: number): number {
  return Math.min(TREES_MAX, liars + 2)
}

export function sleepingRouting(settings: RoutingSettings): SleepingRouting {
  return sleeping(routing(settings), {
    wakes: ({ kind }) => kind !== 'overlay' && kind !== 'changed',
    keyOf: command => (command.kind === 'changed' ? `changed ${command.view.member}` : command.kind),
  })
}

/** Whose signature counts, as gossip learns it. */
export function keyOfGossip(event: MembershipEvent): RoutingCommand | undefined {
  if (event.kind !== 'changed') return undefined
  const { member, identity } = event.member
  return { kind: 'changed', view: { member, identity } }
}

/** The list that the trees are made of. */
export function listOfElection(event: ElectionEvent): RoutingCommand | undefined {
  if (event.kind !== 'electorate') return undefined
  const { number, members } = event.electorate
  return { kind: 'overlay', record: { number, members: members.map(({ id }) => id) } }
}
