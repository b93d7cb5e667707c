// Bugs planted on purpose, one broken rule each. If the explorer and the simulator do not find them,
// they would not find ours either.

import { type ElectionRules, electionRules } from '../rules.ts'

/** Rules that are broken on purpose, by name. */
export const plantedElectionBugs: Readonly<Record<string, Partial<ElectionRules>>> = {
  'majority-of-those-seen': {
    quorum: (_members, _liars, seenAlive) => Math.floor(seenAlive / 2) + 1,
  },
  'literal-weights': { weight: place => place + 1 },
  // The last to come goes first. (The first to come would not show: rows come in the order of ids.)
  'ties-by-arrival': { before: (value, _id, otherValue) => value <= otherValue },
  'vote-counted-twice': { countsOnce: () => false },
  'stale-claim-granted': { isNewTerm: () => true },
  'one-word-followed': { wordsNeeded: () => 1 },
  'apart-for-ever': { followsOneWord: () => false },
  'every-call-followed': { mayCallAgain: () => true },
  'proved-by-too-few': { grantsThatProve: quorum => quorum - 1 },
  'proved-by-no-signature': { checksGrants: () => false },
  'led-for-ever': { isNewlyLed: (term, proved) => term >= proved },
  'anybody-resigns': { mayResign: () => true },
  'term-at-the-floor': { isAboveFloor: (term, floor) => term >= floor },
  'list-without-signatures': { checksSigners: () => false },
  'grant-not-saved': { savesGrant: () => false },
  'promise-not-kept': { isBound: () => false },
  'promise-for-ever': { endsPromise: () => false },
  'promise-forgotten': { restartWait: () => 0 },
  'no-drift-factor': { belief: promise => promise },
  'deadline-from-answer': { beliefStart: (_sentAt, answeredAt) => answeredAt },
  'loss-noticed-late': { warns: () => false },
  'two-successors': { maySignAgain: () => true },
  'ballot-of-any-term': { bindsTerm: () => 0 },
  'no-turnout-check': { checksTurnout: ballots => ballots > 0 },
  'possession-not-checked': { checksPossession: () => false },
  'ballot-proof-not-checked': { checksBallotProof: () => false },
  'opening-not-checked': { checksOpening: () => false },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenElectionRules(bug: string | undefined): ElectionRules {
  if (bug === undefined) return electionRules
  const broken = plantedElectionBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedElectionBugs).join(', ')}`)
  return { ...electionRules, ...broken }
}
