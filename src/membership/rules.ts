// The few decisions on which the promises of membership rest, apart from the machine that takes them. Each says the
// smallest story that goes wrong without it; planted.ts breaks each, and the simulator must notice.

import type { Millis } from '../core/index.ts'
import type { Claim } from './claims.ts'
import type { Incarnation } from './incarnation.ts'

export interface MembershipRules {
  /** Whether a claim is taken, given whether the signature of the one who may make it holds. */
  genuine(claim: Claim, holds: boolean): boolean
  /** Whether what a member says of itself replaces what is known. */
  isNewer(known: Incarnation, told: Incarnation): boolean
  /** Whether, of two identities that one life was said under, the told one stays, given whether it is the smaller. */
  prefersFace(isSmaller: boolean): boolean
  /** The incarnation with which a member answers a suspicion. */
  refutes(incarnation: Incarnation): Incarnation
  /** The number of this life, given that of the last. */
  nextBoot(saved: number): number
  /** How many others are asked to try when a member does not answer. */
  helpers(wanted: number): number
  /** Whether an answer that a third party brings counts, given whether it carries the member's own signature. */
  counts(holds: boolean): boolean
  /** Whether one author's word that a member failed is enough to give it up at once. */
  believesNotice(): boolean
  /** Whether members that are believed gone are asked now and then. */
  seeksTheGone(): boolean
  /** Tokens left, given how many there are: what is below zero is refused. */
  spends(tokens: number, cost: number): number
  /** How long a suspicion lasts. */
  suspicionTime(time: Millis): Millis
}

export const membershipRules: MembershipRules = {
  // Any member could say that another left, and everybody would stop asking it.
  genuine: (_claim, holds) => holds,
  // Somebody who kept last week's claims could put a member back to its old address.
  isNewer: (known, told) => told > known,
  // Where the first or the newest stayed, members would hold different keys of one liar for ever: what it signs would hold for some and look
  // forged to others, who would call those that pass it on forgers.
  prefersFace: isSmaller => isSmaller,
  // With the same number the refutation is no news to those who hold the suspicion, and the member dies of it.
  refutes: incarnation => incarnation + 1,
  // The first words of a new life would be older than the last words of the life before.
  nextBoot: saved => saved + 1,
  // One broken link between two healthy members would be a suspicion every few seconds.
  helpers: wanted => wanted,
  // A helper that lies could keep the dead among the living.
  counts: holds => holds,
  // One liar could empty the group: everybody would give up everybody.
  believesNotice: () => false,
  // After a partition each side believes the other dead, and nobody would ever ask.
  seeksTheGone: () => true,
  // One member that talks without end would take all the time of the others.
  spends: (tokens, cost) => tokens - cost,
  // With no time between suspicion and failure nobody could refute.
  suspicionTime: time => time,
}
