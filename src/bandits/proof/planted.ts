// Bugs planted on purpose, one broken rule each. If the simulator does not find them, it would not find ours either.

import { type BanditRules, banditRules } from '../rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedBanditBugs: Readonly<Record<string, Partial<BanditRules>>> = {
  'ties-by-slot': { tieRank: (_ranks, _arm, slot) => slot },
  'rejected-arm-comes-back': { searchIndex: (_isIn, sum) => 1 + sum },
  'two-slots-taken': { takesSlot: () => true },
  'any-number-of-pulls': { pulls: (_own, asked) => asked },
  'strange-token-taken': { takesStrangeToken: () => true },
  'box-not-bound': { boundSlot: () => 0 },
  'seats-kept': { shuffledFor: () => 0 },
  'compares-again': { comparesAgain: () => true },
  'answer-of-anybody': { isAnswerOf: () => true },
  'first-claim-believed': { winner: () => 0 },
  'plays-with-other-keys': { playsWithOtherKeys: () => true },
  'restarts-from-nothing': { startsFrom: () => new Uint8Array(0) },
  'asks-anew': { resumes: () => false },
  'old-leader-taken': { sealedFor: () => 0 },
  'ring-without-comparison': { leads: () => true },
  'any-number-is-the-sum': { isSum: () => true },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenBanditRules(bug: string | undefined): BanditRules {
  if (bug === undefined) return banditRules
  const broken = plantedBanditBugs[bug]
  if (broken === undefined) {
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedBanditBugs).join(', ')}`)
  }
  return { ...banditRules, ...broken }
}
