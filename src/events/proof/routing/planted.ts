// Bugs planted on purpose in the rules of routing, one broken rule each.

import { type RoutingRules, routingRules } from '../../routing/rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedRoutingBugs: Readonly<Record<string, Partial<RoutingRules>>> = {
  'uncover-after-remove': { uncoversAtOnce: () => false },
  'merged-and-forgot-the-new': { tellsBeside: () => false },
  'back-to-sender': { passesOn: () => true },
  'ready-too-early': { isReady: () => true },
  'silent-waited-for': { passesOver: () => false },
  'half-made-trees-used': { replacesOlder: () => true },
  'tree-window-forgets': { floorAfter: floor => floor },
  'marked-unverified': { verifiesFirst: () => false },
  'announcement-gap-taken': { continues: () => true },
  'one-tree': { treesUsed: () => 1 },
  'receipt-for-seen': { givesReceipt: () => true },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenRoutingRules(bug: string | undefined): RoutingRules {
  if (bug === undefined) return routingRules
  const broken = plantedRoutingBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedRoutingBugs).join(', ')}`)
  return { ...routingRules, ...broken }
}
