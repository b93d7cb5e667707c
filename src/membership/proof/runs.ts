// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import type { PlantedRun } from '../../simulator/index.ts'
import { brokenMembershipRules, membershipBugs } from './planted.ts'
import { type MembershipScenarioOptions, membershipScenario } from './scenario.ts'

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'alive-unsigned': /for two-faced, and it is honest/,
  'leave-forged': /never said so/,
  'accusation-unsigned': /names .* for accusing, and it is honest/,
  'old-claims-accepted': /goes back/,
  'first-face-stays': /hold different keys of/,
  'incarnation-not-raised': /for failed, and nothing is wrong/,
  'boot-not-raised': /as left/,
  'no-indirect-ping': /for suspected, and nothing is wrong/,
  'vouched-for-by-anyone': /still sees/,
  'notice-believed': /for failed, and nothing is wrong/,
  'the-gone-forgotten': /as unknown/,
  'flood-not-slowed': /floods, and nobody noticed/,
  'no-time-to-refute': /for failed, and nothing is wrong/,
}

/** Where a bug shows soonest: a flood that nobody slows down costs the more, the more there are; one liar in twenty. */
const where: Readonly<Record<string, MembershipScenarioOptions>> = {
  'flood-not-slowed': { members: 4 },
  'first-face-stays': { lie: 'has two keys' },
}

/** The planted bugs of membership, each as a run that shows it. */
export const plantedMembershipRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(membershipBugs).map((bug): [string, PlantedRun] => [
    bug,
    {
      scenario: () => membershipScenario({ ...where[bug], rules: brokenMembershipRules(bug) }),
      sound: () => membershipScenario(where[bug]),
      says: says[bug] ?? /./,
    },
  ]),
)
