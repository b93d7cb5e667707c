// Bugs planted on purpose, one broken rule each. If the checkers do not find them, they would not find ours either. Those
// of the ring itself are planted in src/papers/slots.

import type { SlotsSettings } from '../../settings.ts'
import type { TrustingRules } from '../../trusting/rules.ts'
import type { SlotsRules } from '../../verified/rules.ts'

export interface PlantedTrustingBug {
  /** What the checker says. */
  readonly says: string
  readonly rules?: Partial<SlotsRules>
  readonly trusting?: Partial<TrustingRules>
  /** Where it shows soonest. */
  readonly members?: number
  readonly settings?: Partial<SlotsSettings>
  readonly weather?: TrustingWeather
}

export type TrustingWeather =
  /** A quick network; holders that leave the group with their seat. */
  | 'leavers'
  /** Halves that do not hear each other, and epochs that follow each other; nobody wants a seat. */
  | 'successions'
  /** A slow network; processes that stop for seconds at bad moments, and go on where they were. */
  | 'stops'
  /** One member is cut off from one other, and from nobody else. */
  | 'a broken link'

const plain: Partial<SlotsSettings> = { fairness: 'lottery', paced: false }
/** A group that changes at the slightest silence. */
const restless: Partial<SlotsSettings> = { beat: 50, patience: 700, settle: 1_000, drift: 0.02 }
/** The same, and it deals before those come back that it left out. */
const brisk: Partial<SlotsSettings> = { ...restless, settle: 10_000, slots: ['a', 'b', 'c'], paced: false }

/** Rules that are broken on purpose, by name. */
export const plantedTrustingBugs: Readonly<Record<string, PlantedTrustingBug>> = {
  'no-quiet': { says: 'is held by', rules: { quiet: () => 0 }, settings: plain, weather: 'leavers' },
  'no-drift-factor': {
    says: 'is held by',
    rules: { deadline: (sealedAt, _openedAt, lease) => sealedAt + lease, quiet: lease => lease },
    settings: { ...plain, drift: 0.2 },
    weather: 'leavers',
  },
  'lease-from-opening': {
    says: 'is held by',
    rules: { deadline: (_sealedAt, openedAt, lease, drift) => openedAt + lease * (1 - drift) },
    members: 4,
    settings: { ...brisk, fairness: 'lottery' },
    weather: 'stops',
  },
  'quorum-too-small': {
    says: 'is not that of',
    rules: { successionQuorum: members => Math.floor(members / 2) },
    members: 6,
    settings: { ...restless, lease: 12_000 },
    weather: 'successions',
  },
  'believes-before-the-lap': {
    says: 'is held by',
    trusting: { mayBelieve: () => true },
    members: 4,
    settings: { ...brisk, fairness: 'rotating' },
    weather: 'stops',
  },
  'stands-still': {
    says: 'was not served',
    trusting: { isStill: () => false },
    settings: plain,
    weather: 'a broken link',
  },
}
