// Bugs planted on purpose, one broken rule each. If the simulator does not find them, it would not find ours either.

import { LOWEST_RANK, type OrderingRules, orderingRules } from '../rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedOrderingBugs: Readonly<Record<string, Partial<OrderingRules>>> = {
  // protocols/ordering, line by line.
  'lower-version-in-a-rank': { mayFollow: () => true },
  'committed-goes-back': { mayCommit: () => true },
  'parent-not-committed': { commitsParent: () => false },
  'only-proposed-vouches': { committedVouches: () => false },
  'built-on-proposed': { mayBuildOn: () => true },
  'one-rank-for-all': { reusesRank: () => true },
  'rank-above-the-largest': { nextCounter: (counter, reported) => Math.max(counter, ...reported, 0) + 1 },
  'pending-not-told': { tellsPending: () => false },
  // And the rest of the protocol.
  'liars-are-enough': { vouchersNeeded: liars => Math.max(1, liars) },
  'commit-without-propose': { acknowledgementsNeeded: () => 0 },
  'one-acknowledgement-too-few': { acknowledgementsNeeded: quorum => quorum - 1 },
  'rank-forgotten-at-restart': { promisedAfterRestart: () => LOWEST_RANK },
  'answered-from-proposed': { answersFromProposed: () => true },
  'half-done-not-completed': { completesOthers: () => false },
  'highest-sequence-number': { appliesNow: (seq, next) => seq >= next },
  'read-of-committed-alone': { mayRead: () => true },
  'a-vote-for-each-word': { voterOf: (server, words) => `${server} ${words}` },
  'any-rank-is-promised': { mayPromise: () => true },
  'any-version-is-committed': { mayTake: () => true },
  'lease-ends-on-old-word': { mayEndLease: () => true },
  'memory-without-bound': { mayKeep: () => true },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenOrderingRules(bug: string | undefined): OrderingRules {
  if (bug === undefined) return orderingRules
  const broken = plantedOrderingBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedOrderingBugs).join(', ')}`)
  return { ...orderingRules, ...broken }
}
