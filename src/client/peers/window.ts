// Both sides of a member's window: what a member tells a client that looks in, and the client that looks.

import type { WindowCommand, WindowEvent } from '../../node/window.ts'
import type { PublicSlotsStatus } from './joined-group.ts'
import type { CoordinatorInfo } from './office.ts'
import type { MemberInfo } from './roster.ts'

export interface Looked {
  readonly member: string
  readonly members: readonly MemberInfo[]
  readonly coordinator: CoordinatorInfo | undefined
  readonly slots: PublicSlotsStatus | undefined
}

interface Shown {
  readonly name: string
  list(): readonly MemberInfo[]
  coordinatorNow(name: string): CoordinatorInfo
  slotsNow(name: string): Promise<PublicSlotsStatus | undefined>
}

const COORDINATOR = 'coordinator '
const SLOTS = 'slots '
export const LOOK_MEMBERS = 'members'

export function lookCoordinator(name: string): string {
  return COORDINATOR + name
}

export function lookSlots(name: string): string {
  return SLOTS + name
}

/** Answers a client's question; what cannot be answered is not. */
export async function answerLook(
  event: WindowEvent,
  group: Shown,
  say: (command: WindowCommand) => void,
): Promise<void> {
  if (event.kind !== 'looked') return
  const { from, query, what } = event
  try {
    const coordinator = what.startsWith(COORDINATOR) ? group.coordinatorNow(what.slice(COORDINATOR.length)) : undefined
    const slots = what.startsWith(SLOTS) ? await group.slotsNow(what.slice(SLOTS.length)) : undefined
    const looked: Looked = { member: group.name, members: group.list(), coordinator, slots }
    say({ kind: 'show', to: from, query, found: new TextEncoder().encode(JSON.stringify(looked)) })
  } catch {
    // A name that cannot be: the asker's own check should have refused it.
  }
}
