// Who stands for a coordinator's place, and with which values, as gossip knows it.

import type { NodeId } from '../../core/index.ts'
import type { Attribute, Row } from '../../election/index.ts'
import type { MemberView } from '../../membership/index.ts'

/** A member that stands for a coordinator's place says so by an attribute of this prefix. */
export const STANDS = 'stands.'
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

/** Known, and not known to be gone. */
export function isHere({ status }: Pick<MemberView, 'status'>): boolean {
  return status === 'alive' || status === 'suspect'
}

/** Those who stand for a name and are not known to be gone, in the order of their names. */
export function standing(
  views: Iterable<MemberView>,
  name: string,
  attributes: readonly Pick<Attribute, 'name' | 'best'>[],
): Row[] {
  const rows: Row[] = []
  for (const view of views) {
    if (!isHere(view) || view.attributes.get(standsFor(name)) !== 1) continue
    rows.push({ member: view.member, values: attributes.map(attribute => worth(view, attribute)) })
  }
  return rows.sort((one, other) => (one.member < other.member ? -1 : 1))
}

export function membersWhere(views: Iterable<MemberView>, wanted: (view: MemberView) => boolean): NodeId[] {
  return [...views].filter(wanted).map(view => view.member)
}

function worth(view: MemberView, { name, best }: Pick<Attribute, 'name' | 'best'>): number {
  const value = view.attributes.get(name)
  if (value === undefined || !Number.isFinite(value) || value < 0) return best === 'small' ? UNKNOWN : 0
  const scaled = name === DISTANCE ? TENTHS * Math.log2(1 + value) : SCALE * value
  return Math.min(UNKNOWN, Math.round(scaled))
}
