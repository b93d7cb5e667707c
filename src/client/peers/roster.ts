// The group as this member shows it to its user, kept up from membership's events.

import type { MemberStatus, MembershipEvent, MemberView } from '../../membership/index.ts'
import { STANDS } from '../../node/hints/standing.ts'

/** One member, as this one knows it. */
export interface MemberInfo {
  readonly name: string
  /** alive, suspect (somebody could not reach it), left (it said so), failed (it is gone). */
  readonly status: MemberStatus
  readonly address: string
  /** It stands in the list of those who vote and may lead; others are guests. */
  readonly voter: boolean
  readonly attributes: Readonly<Record<string, number>>
}

export class Roster {
  private readonly views = new Map<string, MemberView>()

  /** True where something changed. */
  take(event: MembershipEvent): boolean {
    if (event.kind !== 'changed') return false
    this.views.set(event.member.member, event.member)
    return true
  }

  all(): Iterable<MemberView> {
    return this.views.values()
  }

  list(mayVote: (member: string) => boolean): MemberInfo[] {
    const infos = [...this.views.values()].map(view => infoOf(view, mayVote(view.member)))
    return infos.sort((one, other) => (one.name < other.name ? -1 : 1))
  }
}

function infoOf({ member, status, address, attributes }: MemberView, voter: boolean): MemberInfo {
  const shown = [...attributes].filter(([name]) => !name.startsWith(STANDS))
  return { name: member, status, address, voter, attributes: Object.fromEntries(shown) }
}
