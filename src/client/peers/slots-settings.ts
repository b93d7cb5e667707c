// What a user says about slots, and what follows from it. Whatever is not said is derived from the lease, so that a
// group with leases of two seconds is as lively as one with leases of a minute.

import {
  flag,
  isText,
  listOf,
  type Millis,
  oneWord,
  optionsSchema,
  type Rule,
  required,
  textOf,
  whole,
} from '../../core/index.ts'
import {
  type Fairness,
  LEASE_MAX,
  MEMBERS_MAX,
  patienceMax,
  type SlotsLevel,
  type SlotsSettings,
  settleMin,
  slotsDefaults,
  slotsLevels,
} from '../../slots/index.ts'

/** All members must say the same, down to the order of the slots: members that do not are in different groups. */
export interface SlotsOptions {
  readonly slots: readonly string[]
  /**
   * `verified` (default) keeps its promises whatever some members do. `curious` and `strong` cost a fraction, and count on
   * every member to follow the protocol; with `strong` nobody learns how many hold a seat either.
   */
  readonly level?: SlotsLevel
  /** The longest hold, in milliseconds (60,000). There is no renewal. */
  readonly lease?: Millis
  /** `lottery` (default), or `rotating`: served within n rounds, but somebody who knows that a member wanted one guesses better. */
  readonly fairness?: Fairness
  /** Several rounds at once: better used, but how long each slot is taken becomes public. */
  readonly concurrent?: boolean
  /** Words wait for a beat, so that how long a member took tells nothing. */
  readonly paced?: boolean
  /** No rounds while nobody asks; but who asks becomes public. */
  readonly onDemand?: boolean
  /** Members that may do anything (default: as many as the group's config says; none at `curious` and `strong`). */
  readonly liars?: number
  /** How often a member looks around. */
  readonly beat?: Millis
  /** How long a word may be owed before its author is left out: below the lease. */
  readonly patience?: Millis
  /** How old an epoch must be before it ends for somebody who comes back. */
  readonly settle?: Millis
  /** Where evidence against members that cheat is written, one file for each. */
  readonly evidenceFolder?: string
}

const FAIRNESS = ['lottery', 'rotating'] as const satisfies readonly Fairness[]
const millis = whole(1, LEASE_MAX, 'milliseconds')
/** A name of a slot stands in the epoch record, which has so much room for it. */
const SLOT_BYTES_MAX = 100
const slotName: Rule = {
  must: `text of 1 to ${SLOT_BYTES_MAX} bytes`,
  fits: value => typeof value === 'string' && value !== '' && isText(value, SLOT_BYTES_MAX),
}

/** Some leases: more is a group that never takes anybody back. */
const SETTLE_MAX_MS = 10 * LEASE_MAX

const checkSlotsOptions = optionsSchema<SlotsOptions>({
  slots: required(listOf(slotName, `names, each of ${slotName.must}`)),
  level: oneWord(slotsLevels),
  lease: millis,
  fairness: oneWord(FAIRNESS),
  concurrent: flag,
  paced: flag,
  onDemand: flag,
  liars: whole(0, MEMBERS_MAX),
  beat: millis,
  patience: millis,
  settle: whole(0, SETTLE_MAX_MS, 'milliseconds'),
  evidenceFolder: textOf('a folder'),
})

/** Of a lease: how often members look around, the longest pause between checks, how long a word may be owed. */
const BEATS_PER_LEASE = 20
const CHECKS_PER_LEASE = 5
const PATIENCE_PART = 3 / 4
/** Of the most that the drift of the clocks allows, which is less than the above where clocks are bad. */
const PATIENCE_ROOM = 0.95
const SETTLE_LEASES = 2

export function settingsOf(
  name: string,
  options: SlotsOptions,
  terms: { readonly drift: number; readonly liars: number },
): SlotsSettings {
  checkSlotsOptions('group.slots', options)
  const { slots, level = slotsDefaults.level, lease = slotsDefaults.lease } = options
  const liars = options.liars ?? (level === 'verified' ? terms.liars : 0)
  const { fairness, concurrent, paced, onDemand } = { ...slotsDefaults, ...options }
  const beat = options.beat ?? Math.max(1, Math.min(slotsDefaults.beat, lease / BEATS_PER_LEASE))
  const most = patienceMax(lease, terms.drift, beat, liars)
  const patience = options.patience ?? Math.min(slotsDefaults.patience, lease * PATIENCE_PART, most * PATIENCE_ROOM)
  return {
    name,
    level,
    slots,
    lease,
    drift: terms.drift,
    liars,
    fairness,
    concurrent,
    paced,
    onDemand,
    beat,
    checkMax: Math.max(1, Math.min(slotsDefaults.checkMax, lease / CHECKS_PER_LEASE)),
    patience,
    settle:
      options.settle ??
      Math.max(
        Math.min(slotsDefaults.settle, lease * SETTLE_LEASES),
        liars === 0 ? 0 : settleMin(lease, terms.drift, patience),
      ),
  }
}
