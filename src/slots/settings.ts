// What the members of a slots group agree on, whatever the level. Most of it stands in the epoch record, so that members
// with different settings never talk past each other; the rest is each member's own pace.

import { believed, type Millis, outlasting, SettingsError } from '../core/index.ts'
import type { Group } from '../crypto/index.ts'

/** What is assumed of the members, and what they then learn of each other. */
export type SlotsLevel =
  /** The paper's: nobody learns who holds which, if all members follow the protocol. How many hold is known. */
  | 'curious'
  /** The same, and of who holds nothing but the bit "somebody still does" is known. */
  | 'strong'
  /** Keeps its promises also where members do anything, and names those that cheat. */
  | 'verified'

/** All levels, the weakest first. */
export const slotsLevels: readonly SlotsLevel[] = ['curious', 'strong', 'verified']

/**
 * The group under the name that it has at a level. It stands in the epoch record, to whose hash every word is bound:
 * members at different levels never talk past each other.
 */
export function groupOf(group: Group, level: SlotsLevel): Group {
  return level === 'verified' ? group : { ...group, name: `${group.name}, ${level}` }
}

/** How tickets are dealt. */
export type Fairness =
  /** Every ticket is dealt: unserved after k rounds with chance (1 - m/n)^k. */
  | 'lottery'
  /** The leader takes its ticket first: served within n rounds, but a member that knows that it wanted one may guess better. */
  | 'rotating'

/** What a slots group is set up with. */
export interface SlotsSettings {
  readonly name: string
  readonly level: SlotsLevel
  readonly slots: readonly string[]
  /** The longest hold. There is no renewal: it would tell who holds. */
  readonly lease: Millis
  /** Clock rates lie between 1 - drift and 1 + drift. */
  readonly drift: number
  /** b: members that may do anything. */
  readonly liars: number
  readonly fairness: Fairness
  /** Several rounds at once, each with slots of its own. The occupancy of each slot over time becomes public. */
  readonly concurrent: boolean
  /** Words wait for the beat, so that how long a member took tells nothing. */
  readonly paced: boolean
  /** Rounds start only when somebody asks. It discloses who asked. */
  readonly onDemand: boolean
  /** How often a member looks around: starts rounds and checks, repeats, asks for what is missing. */
  readonly beat: Millis
  /** The longest pause between two checks of a round; it grows from one beat to this while nothing changes. */
  readonly checkMax: Millis
  /** How long a word may be owed before its author is called silent: see `patienceMin` and `patienceMax`. */
  readonly patience: Millis
  /** How old an epoch must be before it ends for somebody who wants to join, or restarted: see `settleMin`. */
  readonly settle: Millis
}

/** Settings that suit a group in one place; `name` and `slots` have no default. */
export const slotsDefaults: Omit<SlotsSettings, 'name' | 'slots'> = {
  level: 'verified',
  lease: 60_000,
  drift: 0.01,
  liars: 0,
  fairness: 'lottery',
  concurrent: false,
  paced: false,
  onDemand: false,
  beat: 250,
  checkMax: 4_000,
  patience: 10_000,
  settle: 120_000,
}

/** Slots of one group: a round's proof grows with the members, and there are at least as many members as slots in a round. */
export const SLOTS_MAX = 64
/** Members of one group: each checks n proofs of n tickets a round. */
export const MEMBERS_MAX = 64
/** With two, each knows what the other has: nobody is left to hide among. */
export const MEMBERS_MIN = 3
/** n ≥ 2f + b + 1 with f = b, in every epoch: with fewer, one more silent member would block the group for good. */
export function membersNeeded(liars: number): number {
  return Math.max(MEMBERS_MIN, 3 * liars + 1)
}

/** Between our seal and our open ticket, besides what is waited for: a beat to notice, one for each paced word. */
const BEATS_TO_OPEN = 3

/** How much longer a slow clock waits for a lease to run out than a fast one, by the fast one's clock. */
export function patienceMin(lease: Millis, drift: number): Millis {
  return 2 * drift * outlasting(lease, drift)
}

/**
 * Nobody's patience may outlast a lease. Among liars, neither may the slowest clock's patience outlast the fastest one's
 * lease: a member that is late by less would be silent to some only, and too late for others, round after round (seed
 * 60008).
 */
export function patienceMax(lease: Millis, drift: number, beat: Millis, liars: number): Millis {
  const counted = lease * (1 - drift)
  const least = liars === 0 ? counted : believed(counted, drift)
  return least - BEATS_TO_OPEN * beat
}

/**
 * Among liars, how long an epoch must live before it ends for somebody who wants in: the fastest clock's `settle` must
 * outlast the slowest clock's wait for the old leases, and a round. With less, a liar that spoils each round, is left out
 * and comes in again keeps the group from ever dealing.
 */
export function settleMin(lease: Millis, drift: number, patience: Millis): Millis {
  return outlasting(lease * (1 + drift) + patience, drift)
}

/** The longest lease: a day. */
export const LEASE_MAX = 24 * 60 * 60 * 1000

/** Refuses what cannot work, with a sentence that says what would. */
export function checkSettings(settings: SlotsSettings, members: number): void {
  const { slots, lease, drift, beat, patience, settle, fairness, concurrent, liars } = settings
  const refuse = (why: string): never => {
    throw new SettingsError(`slots '${settings.name}': ${why}`)
  }
  if (slots.length < 1 || slots.length > SLOTS_MAX) refuse(`there are ${slots.length} slots; 1 to ${SLOTS_MAX} work.`)
  if (new Set(slots).size !== slots.length) refuse('two slots have one name.')
  if (members < membersNeeded(liars) || members > MEMBERS_MAX) {
    refuse(`${members} members with ${liars} liars; ${membersNeeded(liars)} to ${MEMBERS_MAX} work.`)
  }
  if (slots.length > members) refuse(`${slots.length} slots and ${members} members: have at most one slot a member.`)
  if (!(Number.isInteger(lease) && lease >= 1 && lease <= LEASE_MAX)) {
    refuse(`a lease of ${lease} ms; a whole number up to a day works.`)
  }
  if (!(drift >= 0 && drift < 0.5)) refuse(`a drift of ${drift}; 0 to 0.5 works.`)
  const [least, most] = [patienceMin(lease, drift), patienceMax(lease, drift, beat, liars)]
  if (patience <= least || patience >= most) {
    const between = `between ${Math.ceil(least)} and ${Math.floor(most)} ms`
    refuse(
      least < most
        ? `a patience of ${patience} ms; with this lease, drift and beat it must lie ${between}.`
        : `no patience fits a lease of ${lease} ms, a drift of ${drift} and a beat of ${beat} ms; make the drift smaller.`,
    )
  }
  const settles = settleMin(lease, drift, patience)
  if (liars > 0 && settle < settles) {
    const why = 'or one liar that comes and goes stops the group'
    refuse(`a settle of ${settle} ms; with this lease, drift and patience at least ${Math.ceil(settles)} ms, ${why}.`)
  }
  if (fairness === 'rotating' && concurrent) refuse('concurrent rounds work with the lottery only.')
}
