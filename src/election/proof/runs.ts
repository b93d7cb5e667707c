// Each planted bug as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it, the tests look there.

import type { AnyScenario, PlantedRun } from '../../simulator/index.ts'
import { brokenElectionRules } from './planted.ts'
import { restless } from './restless.ts'
import { type ElectionGroup, electionScenario } from './scenario.ts'

/** What makes a liar, or what a store says, a danger: each lie by its place. */
export const INFLATES: Partial<ElectionGroup> = { lie: 11 }
export const CALLS: Partial<ElectionGroup> = { lie: 12 }
export const TOO_FEW: Partial<ElectionGroup> = { lie: 13 }
export const RESIGNS: Partial<ElectionGroup> = { lie: 14 }
export const FORGES_LISTS: Partial<ElectionGroup> = { lie: 15 }
export const AT_THE_FLOOR: Partial<ElectionGroup> = { lie: 16 }
export const FORGES_LEADERS: Partial<ElectionGroup> = { lie: 17 }
export const OF_THE_GONE: Partial<ElectionGroup> = { lie: 18 }
export const SPOILED: Partial<ElectionGroup> = { spoiled: true }

/** Three members, and no liar. */
function honestElection(bug?: string): AnyScenario {
  return electionScenario({ members: 3, liars: 0 }, { rules: brokenElectionRules(bug) })
}

/** Four members with secret ballots, of whom one lies. */
function secretElection(bug?: string): AnyScenario {
  return electionScenario({ members: 4, liars: 1 }, { rules: brokenElectionRules(bug), mode: 'secret' })
}

/** Four members of whom one lies, and terms that are far apart or are spoken of. */
export function electionOfTerms(group: Partial<ElectionGroup>, bug?: string): AnyScenario {
  return electionScenario({ members: 4, liars: 1, ...group }, { rules: brokenElectionRules(bug) })
}

/** Where a bug is planted; without one, the same run with nothing to show. */
type Place = (bug?: string) => AnyScenario

const honest: Readonly<Record<string, RegExp>> = {
  'majority-of-those-seen': /is held by/,
  'literal-weights': /the count of term .* votes/,
  'ties-by-arrival': /the count of term/,
  'vote-counted-twice': /a voter has two ballots/,
  'grant-not-saved': /is held by/,
  'promise-not-kept': /is held by/,
  'promise-forgotten': /is held by/,
  'no-drift-factor': /is held by/,
  'deadline-from-answer': /is held by/,
  'loss-noticed-late': /was told too late/,
  'ballot-of-any-term': /a ballot is not valid/,
  'no-turnout-check': /1 ballots of 2/,
}
const secret: Readonly<Record<string, RegExp>> = {
  'possession-not-checked': /a candidate did not prove its key/,
  'ballot-proof-not-checked': /a ballot is not valid/,
  'opening-not-checked': /the totals are not opened/,
  'vote-counted-twice': /a voter has two ballots/,
}
const ofTerms: Readonly<Record<string, Partial<ElectionGroup>>> = {
  'one-word-followed': INFLATES,
  'every-call-followed': CALLS,
  'apart-for-ever': SPOILED,
  'led-for-ever': OF_THE_GONE,
}
const ofWords: Readonly<Record<string, readonly [group: Partial<ElectionGroup>, says: RegExp]>> = {
  'proved-by-too-few': [TOO_FEW, /has two coordinators/],
  'proved-by-no-signature': [FORGES_LEADERS, /has two coordinators/],
  'anybody-resigns': [RESIGNS, /is held by/],
  'list-without-signatures': [FORGES_LISTS, /has two lists/],
  'term-at-the-floor': [AT_THE_FLOOR, /granted term .* begins above/],
}
const NOT_SERVED = /who leads .* was not served/

function planted(place: Place, bug: string, says: RegExp): PlantedRun {
  return { scenario: () => place(bug), sound: () => place(), says }
}

type Named = [name: string, run: PlantedRun]

/** By the name of the bug; where it is planted in secret ballots, after `secret/`. */
export const plantedElectionRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries([
  ...Object.entries(honest).map(([bug, says]): Named => [bug, planted(honestElection, bug, says)]),
  ...Object.entries(secret).map(([bug, says]): Named => [`secret/${bug}`, planted(secretElection, bug, says)]),
  ...Object.entries(ofTerms).map(([bug, group]): Named => {
    return [bug, planted(broken => electionOfTerms(group, broken), bug, NOT_SERVED)]
  }),
  ...Object.entries(ofWords).map(([bug, [group, says]]): Named => {
    return [bug, planted(broken => electionOfTerms(group, broken), bug, says)]
  }),
  ['two-successors', planted(restless, 'two-successors', /has two lists/)],
])
