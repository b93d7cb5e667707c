// Bugs planted on purpose, one broken rule each. If the checkers do not find them, they would not find ours either.

import { type SlotsRules, slotsRules } from './rules.ts'

export const plantedSlotsBugs: Readonly<Record<string, Partial<SlotsRules>>> = {
  'no-possession': { needsPossession: () => false },
  'share-before-seals': { mayShare: () => true },
  'share-for-any-point': { pointToShare: (_dealt, asked) => asked },
  'own-share-sent': { sharesWith: () => true },
  'reuse-before-lease': { mayReuse: () => true },
  'lease-from-opening': { deadline: (_sealedAt, openedAt, lease, drift) => openedAt + lease * (1 - drift) },
  'no-drift-factor': {
    mayReuse: (closed, sharedAt, now, lease) => closed || now >= sharedAt + lease,
    deadline: (sealedAt, _openedAt, lease) => sealedAt + lease,
    quiet: lease => lease,
  },
  'no-quiet': { quiet: () => 0 },
  'lock-forgotten': { mayLetGo: () => true },
  'quorum-too-small': { successionQuorum: members => Math.floor(members / 2) },
  'no-proof-of-knowledge': { needsKnowledge: () => false },
  'vote-before-opening': { votesBeforeOpening: () => true },
  'requests-forgotten': { keepsRequests: () => false },
  'key-posted-again': { staysOut: () => false },
  'no-re-encryption': { reencrypts: () => false },
  'bad-lap-sealed': { refusesBadLap: () => false },
}

export function brokenSlotsRules(bug: string | undefined): SlotsRules {
  if (bug === undefined) return slotsRules
  const broken = plantedSlotsBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedSlotsBugs).join(', ')}`)
  return { ...slotsRules, ...broken }
}
