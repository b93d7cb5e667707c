// Both sides of a member's window: what a member tells a client that looks in, and the client that looks.

import type { WindowCommand, WindowEvent } from '../../node/window.ts'
import type { PublicSlotsStatus } from './joined-group.ts'
import type { CoordinatorInfo } from './office.ts'
import type { MemberInfo } from './roster.ts'

export interface Looked {
  readonly member: string
  readonly members: readonly MemberInfo[]
  readonly coordinator: CoordinatorInfo | undefined
  /** Why what was asked for was not begun. */
  readonly refused?: string
  readonly slots?: PublicSlotsStatus | undefined
}

interface Shown {
  readonly name: string
  list(): readonly MemberInfo[]
  coordinatorNow(name: string): CoordinatorInfo
  isOperator(client: string): boolean
  admit(member: string): Promise<number>
  expel(member: string): Promise<number>
  slotsNow(name: string): Promise<PublicSlotsStatus | undefined>
}

const COORDINATOR = 'coordinator '
const SLOTS = 'slots '
const CHANGES = ['admit', 'expel'] as const
export type RollChange = (typeof CHANGES)[number]
/** A member that cannot begin it says so at once; that it has begun is said after so long. */
const BEGUN_MS = 50
export const LOOK_MEMBERS = 'members'

export function lookCoordinator(name: string): string {
  return COORDINATOR + name
}

export function changeRoll(change: RollChange, member: string): string {
  return `${change} ${member}`
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
  const answer = (looked: Looked) =>
    say({ kind: 'show', to: from, query, found: new TextEncoder().encode(JSON.stringify(looked)) })
  const [change, member] = what.split(' ')
  if (CHANGES.some(known => known === change)) {
    void agree(group, from, change as RollChange, member ?? '').then(answer)
    return
  }
  try {
    const coordinator = what.startsWith(COORDINATOR) ? group.coordinatorNow(what.slice(COORDINATOR.length)) : undefined
    const slots = what.startsWith(SLOTS) ? await group.slotsNow(what.slice(SLOTS.length)) : undefined
    answer({ member: group.name, members: group.list(), coordinator, slots })
  } catch {
    // A name that cannot be: the asker's own check should have refused it.
  }
}

/** What only an operator may ask of a member: to agree to a change of the list. */
async function agree(group: Shown, client: string, change: RollChange, member: string): Promise<Looked> {
  const seen = () => ({ member: group.name, members: group.list(), coordinator: undefined, slots: undefined })
  if (!group.isOperator(client)) return { ...seen(), refused: `${client.split('#')[0]} is not an operator` }
  const begun = new Promise<void>(resolve => setTimeout(resolve, BEGUN_MS))
  try {
    await Promise.race([begun, group[change](member)])
    return seen()
  } catch (error) {
    return { ...seen(), refused: (error as Error).message }
  }
}
