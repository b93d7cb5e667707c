// Bugs planted on purpose, one broken rule each. If the simulator does not find them, it would not find ours either.

import { type MembershipRules, membershipRules } from '../rules.ts'

/** Rules that are broken on purpose, by name. */
export const membershipBugs: Readonly<Record<string, Partial<MembershipRules>>> = {
  'alive-unsigned': { genuine: (claim, holds) => holds || claim.kind === 'alive' },
  'leave-forged': { genuine: (claim, holds) => holds || claim.kind === 'leave' },
  'accusation-unsigned': { genuine: (claim, holds) => holds || claim.kind === 'suspect' },
  'old-claims-accepted': { isNewer: (known, told) => told !== known },
  'first-face-stays': { prefersFace: () => false },
  'incarnation-not-raised': { refutes: incarnation => incarnation },
  'boot-not-raised': { nextBoot: saved => Math.max(1, saved) },
  'no-indirect-ping': { helpers: () => 0 },
  'vouched-for-by-anyone': { counts: () => true },
  'notice-believed': { believesNotice: () => true },
  'the-gone-forgotten': { seeksTheGone: () => false },
  'flood-not-slowed': { spends: tokens => tokens },
  'no-time-to-refute': { suspicionTime: () => 0 },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenMembershipRules(bug: string | undefined): MembershipRules {
  if (bug === undefined) return membershipRules
  const broken = membershipBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(membershipBugs).join(', ')}`)
  return { ...membershipRules, ...broken }
}
