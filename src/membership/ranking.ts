// What members are ranked by (SRCEA 3.1): attributes with a direction and a priority, by configuration.
//
// A member says its own attributes (battery, load), and can lie about them. Three are vouched for by others instead:
// `distance` here (vouching.ts), the joining number and the failure count by the electorate. Ties go to the smaller name,
// or two members with equal views would name different candidates (readings SRCEA 4).

import type { NodeId } from '../core/index.ts'

/** An attribute that members are ranked by. */
export interface AttributeSetting {
  readonly name: string
  /** Which end of the scale one wants. */
  readonly better: 'small' | 'large'
  /** Smaller comes first. */
  readonly priority: number
}

/** A member with its values. */
export interface Ranked {
  readonly member: NodeId
  readonly attributes: ReadonlyMap<string, number>
}

/** Negative if `a` is preferred by this one attribute. A member without a value comes last; ties go to the smaller name. */
export function compareBy(setting: AttributeSetting, a: Ranked, b: Ranked): number {
  const sign = setting.better === 'small' ? 1 : -1
  const difference = sign * (attributeOf(setting, a) - attributeOf(setting, b))
  return difference !== 0 && !Number.isNaN(difference) ? difference : byName(a, b)
}

// Two that both lack a value differ by infinity minus infinity, which is not a number: a tie.
function attributeOf({ name, better }: AttributeSetting, { attributes }: Ranked): number {
  return attributes.get(name) ?? (better === 'small' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)
}

/** The best first, by the attribute of the first priority, where equal by the next, in the end by name. */
export function rank<R extends Ranked>(settings: readonly AttributeSetting[], members: readonly R[]): R[] {
  const order = [...settings].sort((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1))
  return [...members].sort((a, b) => {
    for (const setting of order) {
      const [own, other] = [attributeOf(setting, a), attributeOf(setting, b)]
      if (own !== other) return compareBy(setting, a, b)
    }
    return byName(a, b)
  })
}

function byName(a: Ranked, b: Ranked): number {
  return a.member < b.member ? -1 : a.member > b.member ? 1 : 0
}
