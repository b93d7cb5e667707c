// The group as this member sees it, kept up from membership's events, and what an election is told of it.

import type { MemberStatus, MembershipEvent, MemberView } from '../../membership/index.ts'

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

/** Whoever stands for a coordinator's place says so by an attribute of this prefix. */
const STANDS = 'stands.'
/** Attributes are compared as whole numbers, to the thousandth. */
const SCALE = 1000
/**
 * A distance in tenths of doublings of a millisecond: what members know of it differs by the noise of their measures, and
 * a member votes only on values that are near its own.
 */
const DISTANCE = 'distance'
const TENTHS = 10
/** Half as far and twice as far is as good as equal. */
export const DISTANCE_TOLERANCE = 15
/** Worth of a member whose attribute nobody knows: behind everybody, whether small or large is better. */
const UNKNOWN = Number.MAX_SAFE_INTEGER

export function standsFor(name: string): string {
  return `${STANDS}${name}`
}

export class Roster {
  private readonly views = new Map<string, MemberView>()

  /** True where something changed. */
  take(event: MembershipEvent): boolean {
    if (event.kind !== 'changed') return false
    this.views.set(event.member.member, event.member)
    return true
  }

  get(member: string): MemberView | undefined {
    return this.views.get(member)
  }

  list(mayVote: (member: string) => boolean): MemberInfo[] {
    const infos = [...this.views.values()].map(view => infoOf(view, mayVote(view.member)))
    return infos.sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** Known, and not known to be gone. */
  isHere(member: string): boolean {
    const status = this.views.get(member)?.status
    return status === 'alive' || status === 'suspect'
  }

  here(): string[] {
    return this.withStatus('alive', 'suspect')
  }

  gone(): string[] {
    return this.withStatus('failed', 'left')
  }

  /** Who stands for a name and is not known to be gone, with the values that the group compares by. */
  standing(name: string, attributes: readonly { readonly name: string; readonly best: 'small' | 'large' }[]) {
    return [...this.views.values()]
      .filter(view => this.isHere(view.member) && view.attributes.get(standsFor(name)) === 1)
      .map(view => ({ member: view.member, values: attributes.map(attribute => worth(view, attribute)) }))
      .sort((one, other) => (one.member < other.member ? -1 : 1))
  }

  private withStatus(...wanted: MemberStatus[]): string[] {
    return [...this.views.values()].filter(view => wanted.includes(view.status)).map(view => view.member)
  }
}

function worth(view: MemberView, attribute: { readonly name: string; readonly best: 'small' | 'large' }): number {
  const value = view.attributes.get(attribute.name)
  if (value === undefined || !Number.isFinite(value) || value < 0) return attribute.best === 'small' ? UNKNOWN : 0
  const scaled = attribute.name === DISTANCE ? TENTHS * Math.log2(1 + value) : SCALE * value
  return Math.min(UNKNOWN, Math.round(scaled))
}

function infoOf({ member, status, address, attributes }: MemberView, voter: boolean): MemberInfo {
  const shown = [...attributes].filter(([name]) => !name.startsWith(STANDS))
  return { name: member, status, address, voter, attributes: Object.fromEntries(shown) }
}
