// READINGS OMA, one by one: how to plant each, and where it shows. Those that break distinctness, progress or a count
// are found by the scenario; those that tell a secret are found by an adversary of the assignment game (lab/oma);
// those of plain arithmetic by a property test. `errata.test.ts` runs them all.

import type { PrintedRules } from '../../ring/rules.ts'
import type { PrintedFairness, PrintedLevel } from '../../ring/settings.ts'

export interface PlantedErratum {
  /** Its number in READINGS OMA. */
  readonly erratum: number
  readonly rules: Partial<PrintedRules>
  /** What the checker says. */
  readonly says: string
  /** Where it shows soonest. */
  readonly level?: PrintedLevel
  readonly fairness?: PrintedFairness
  readonly members?: number
  readonly slots?: number
  readonly crashes?: boolean
  /** Tickets as squares, opened by roots. */
  readonly squares?: boolean
}

export const plantedErrata: Readonly<Record<string, PlantedErratum>> = {
  'root-off-by-two': {
    erratum: 1,
    rules: { rootOffByTwo: true },
    says: 'is held by',
    squares: true,
    members: 5,
    slots: 4,
  },
  'full-key-release': { erratum: 2, rules: { fullKeyRelease: true }, says: 'was not served', level: 'curious' },
  'passes-unopened': { erratum: 3, rules: { passesUnopened: true }, says: 'is held by' },
  'forgets-requests': { erratum: 4, rules: { forgetsRequests: true }, says: 'was not served' },
  'counts-from-one': { erratum: 5, rules: { countsFromOne: true }, says: 'was not served' },
  'forwards-for-ever': { erratum: 6, rules: { forwardsForEver: true }, says: 'twice', crashes: false },
  'needs-dummy': {
    erratum: 7,
    rules: { needsDummy: true },
    says: 'was not served',
    fairness: 'rotating',
    members: 4,
    slots: 4,
  },
  'own-share-twice': { erratum: 8, rules: { ownShareTwice: true }, says: 'opened to nothing known' },
  'restarts-anew': {
    erratum: 11,
    rules: { restartsAnew: true },
    says: 'is held by',
    crashes: true,
    fairness: 'rotating',
    members: 3,
    slots: 1,
  },
}
