// Both sides of a member's window: what a member tells a client that looks in, and the client that looks.

import type { WindowCommand, WindowEvent } from '../../node/window.ts'
import type { CoordinatorInfo } from './office.ts'
import type { MemberInfo } from './roster.ts'

export interface Looked {
  readonly member: string
  readonly members: readonly MemberInfo[]
  readonly coordinator: CoordinatorInfo | undefined
}

interface Shown {
  readonly name: string
  list(): readonly MemberInfo[]
  coordinatorNow(name: string): CoordinatorInfo
}

const COORDINATOR = 'coordinator '
export const LOOK_MEMBERS = 'members'

export function lookCoordinator(name: string): string {
  return COORDINATOR + name
}

/** Answers a client's question; what cannot be answered is not. */
export function answerLook(event: WindowEvent, group: Shown, say: (command: WindowCommand) => void): void {
  if (event.kind !== 'looked') return
  const { from, query, what } = event
  try {
    const coordinator = what.startsWith(COORDINATOR) ? group.coordinatorNow(what.slice(COORDINATOR.length)) : undefined
    const looked: Looked = { member: group.name, members: group.list(), coordinator }
    say({ kind: 'show', to: from, query, found: new TextEncoder().encode(JSON.stringify(looked)) })
  } catch {
    // A name that cannot be: the asker's own check should have refused it.
  }
}
