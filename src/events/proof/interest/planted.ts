// Bugs planted on purpose in the rules of gossip by interest.

import { PLACES } from '../../interest/ring.ts'
import { type InterestRules, interestRules } from '../../interest/rules.ts'

/** Odd and large: neighbouring numbers are far apart. */
const SPREAD = 2_654_435_761

/** Rules that are broken on purpose, by name. */
export const plantedInterestBugs: Readonly<Record<string, Partial<InterestRules>>> = {
  'ring-by-own-choice': { placeOf: (_hashed, chosen) => ((chosen % 2 ** 20) * SPREAD) % PLACES },
  'dead-handed-round': { isFresh: () => true, isBarred: () => false },
  'interest-window-forgets': { floorAfter: floor => floor },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenInterestRules(bug: string | undefined): InterestRules {
  if (bug === undefined) return interestRules
  const broken = plantedInterestBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedInterestBugs).join(', ')}`)
  return { ...interestRules, ...broken }
}
