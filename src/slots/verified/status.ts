// What a member may tell about the group: where things stand, never who has what, not even what it has itself.

import { takesPart } from './epoch.ts'
import type { MemberState, SlotsScene, SlotsStatus } from './state.ts'

export function onStatus({ state, turn }: SlotsScene, id: number): void {
  turn.do({ kind: 'emit', event: { kind: 'status', id, status: statusOf(state, turn.now) } })
}

function statusOf(state: MemberState, now: number): SlotsStatus {
  const { epoch, waiting } = state
  const { record, rounds } = epoch
  return {
    name: record.name,
    epoch: record.number,
    members: record.members.map(member => member.name),
    phase: phaseOf(state, now),
    rounds: [...rounds.values()]
      .filter(round => round.slots.length > 0 && round.phase !== 'over')
      .map(({ number, phase, check }) => ({ number, phase, checks: check })),
    waiting: waiting.length,
  }
}

function phaseOf({ epoch }: MemberState, now: number): SlotsStatus['phase'] {
  if (!takesPart(epoch)) return 'outside'
  if (epoch.closed || epoch.succession.active) return 'changing'
  if (!epoch.live) return 'forming'
  return now < epoch.quietUntil ? 'waiting out old leases' : 'dealing'
}
