// The errata of OMA, one by one: how to plant each, and where it shows. Those that break distinctness, progress or a count
// are found by the scenario; those that tell a secret are found by an adversary of the assignment game (lab/oma);
// those of plain arithmetic by a property test. `errata.test.ts` runs them all.

import type { Fairness } from '../../slots/index.ts'
import type { RingLevel } from '../../slots/ring/index.ts'
import type { Flaws } from './flaws.ts'

export interface PlantedErratum {
  /** Its number in the readings of OMA. */
  readonly erratum: number
  readonly flaws: Partial<Flaws>
  /** What the checker says. */
  readonly says: string
  /** Where it shows soonest. */
  readonly level?: RingLevel
  readonly fairness?: Fairness
  readonly members?: number
  readonly slots?: number
  readonly crashes?: boolean
  /** Tickets as squares, opened by roots. */
  readonly squares?: boolean
  /** A process that restarts, with its key saved, begins anew (restarting.ts). */
  readonly restarts?: boolean
}

/** The errata of OMA as planted bugs, by name. */
export const plantedErrata: Readonly<Record<string, PlantedErratum>> = {
  'root-off-by-two': {
    erratum: 1,
    flaws: { rootOffByTwo: true },
    says: 'is held by',
    squares: true,
    members: 5,
    slots: 4,
  },
  'full-key-release': { erratum: 2, flaws: { fullKeyRelease: true }, says: 'was not served', level: 'curious' },
  'passes-unopened': { erratum: 3, flaws: { passesUnopened: true }, says: 'is held by' },
  'forgets-requests': { erratum: 4, flaws: { forgetsRequests: true }, says: 'was not served' },
  'counts-from-one': { erratum: 5, flaws: { countsFromOne: true }, says: 'was not served' },
  'forwards-for-ever': { erratum: 6, flaws: { forwardsForEver: true }, says: 'twice', crashes: false },
  'needs-dummy': {
    erratum: 7,
    flaws: { needsDummy: true },
    says: 'was not served',
    fairness: 'rotating',
    members: 4,
    slots: 4,
  },
  'own-share-twice': { erratum: 8, flaws: { ownShareTwice: true }, says: 'opened to nothing known' },
  'restarts-anew': {
    erratum: 11,
    flaws: {},
    restarts: true,
    says: 'is held by',
    crashes: true,
    fairness: 'rotating',
    members: 3,
    slots: 1,
  },
}
