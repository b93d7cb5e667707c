// Events by gossip among members that want the same, as a part of their node. Whom to speak to, and whose word counts, comes from gossip
// about who is here: guests take part as others do.

import { interest } from '../events/interest/machine.ts'
import type { InterestSettings } from '../events/interest/settings.ts'
import type { InterestCommand, InterestEvent, InterestState } from '../events/interest/state.ts'
import type { InterestMessage } from '../events/interest/wire.ts'
import type { MembershipEvent } from '../membership/index.ts'
import { type Sleeping, sleeping } from './sleeping.ts'

/** A member's gossip by interest, asleep at first. */
export type SleepingInterest = Sleeping<InterestState, InterestMessage, InterestCommand, InterestEvent>

export function sleepingInterest(settings: InterestSettings): SleepingInterest {
  return sleeping(interest(settings), {
    wakes: ({ kind }) => kind !== 'changed',
    keyOf: command => (command.kind === 'changed' ? command.view.member : command.kind),
  })
}

/** Who is here, and by which key it is known. */
export function presenceOfGossip(event: MembershipEvent): InterestCommand | undefined {
  if (event.kind !== 'changed') return undefined
  const { member, identity, status } = event.member
  return { kind: 'changed', view: { member, identity, here: status === 'alive' || status === 'suspect' } }
}
