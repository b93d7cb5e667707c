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
  /** What this process caught it at since it started, in one word each and where: `two-claims (election)`. Nothing: not there. */
  readonly caught?: readonly string[]
}

/** What others than gossip know of a member. */
interface Besides {
  readonly voter: boolean
  readonly caught: readonly string[]
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

  list(besides: (member: string) => Besides): MemberInfo[] {
    const infos = [...this.views.values()].map(view => infoOf(view, besides(view.member)))
    return infos.sort((one, other) => (one.name < other.name ? -1 : 1))
  }
}

function infoOf({ member, status, address, attributes }: MemberView, { voter, caught }: Besides): MemberInfo {
  const shown = [...attributes].filter(([name]) => !name.startsWith(STANDS))
  const info = { name: member, status, address, voter, attributes: Object.fromEntries(shown) }
  return caught.length === 0 ? info : { ...info, caught }
}
