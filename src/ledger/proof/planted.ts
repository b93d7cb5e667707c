// Bugs planted on purpose, one broken rule each. Those of voting must be found by the simulator (pins.json has the seeds),
// those of execution by the stories of `stories.ts`. If they are not found, ours would not be either.

import { votesNeeded } from '../genesis.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'

/** Rules of voting that are broken on purpose, by name. */
export const plantedVotingBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'certificate-one-short': { votesNeeded: genesis => votesNeeded(genesis) - 1 },
  'small-quorum': { votesNeeded: ({ servers, liars }) => Math.floor((servers.length + liars) / 2) },
  'no-reports': { asksForReports: () => false },
  'vote-twice': { mayVote: attempt => attempt > 0 },
  'vote-below-promise': { mayVote: (attempt, voted) => attempt > voted },
  'promise-not-saved': { savesPromise: () => false },
  'vote-not-saved': { savesVote: () => false },
  'votes-unseen': { executesFirst: () => false },
  'votes-after-lost-store': { votesAgainFrom: () => 0 },
  'newest-not-kept': { choose: () => ({ kind: 'free' }) },
}

/** Rules of execution that are broken on purpose, by name. */
export const plantedExecutionBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'no-spent-set': { isSpent: () => false },
  'spent-by-sender-and-amount': { burnName: (_ledger, _index, from, amount) => `${from} ${amount}` },
  'minted-for-another': { mintsHere: () => true },
  'minted-as-own': { coinsOf: (_asset, own) => own },
  'refund-without-its-void': { refundsFor: () => true },
  'refund-twice': { mayRefund: () => true },
  'sequence-with-gaps': { isNext: (sequence, next) => sequence >= next },
  'sequence-again': { isNext: (sequence, next) => sequence <= next },
  'spends-more-than-it-has': { covers: () => true },
  'signature-for-any-ledger': { signedFor: () => new Uint8Array(32) },
  'signatures-unchecked': { checksSignatures: () => false },
  'key-of-small-order': { takesKey: () => true },
  'firewall-off': { withinOutstanding: () => true },
  'cap-off': { withinCap: () => true },
  'frozen-link-used': { isOpen: () => true },
  'old-link-again': { isNextLink: () => true },
  'own-burned-others-released': { burnsTo: () => true },
  'old-epoch-taken': { takesEpoch: () => true },
  'old-epoch-again': { isNextEpoch: () => true },
  'unpledged-epoch': { isPledged: () => true },
}

/** Rules of servers whose keepers change, broken on purpose: epochs.test.ts tells the story of each. */
export const plantedEpochBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'epoch-in-the-middle': { endsHeight: () => false },
  'fresh-key-forgets': { hasForgotten: ({ kept, lost }) => kept && lost },
}

/** What a server makes of the word that its store is an old copy, broken on purpose. */
export const plantedCopyBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'votes-after-old-copy': { forgetsWithCopy: () => false },
}

/** What a server takes that is behind, broken on purpose: catching-up.test.ts tells the story. */
export const plantedCatchingBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'pages-unchecked': { leadsTo: () => true },
}

/** What is refused for now, broken on purpose: a server that is behind is believed, or speaks although it voted for more. */
export const plantedRefusalBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  'refused-by-one-behind': { refusalsNeeded: (_final, { liars }) => liars + 1 },
  'refuses-while-voting': { refusesForNow: () => true },
}

/** All of them. */
export const plantedLedgerBugs: Readonly<Record<string, Partial<LedgerRules>>> = {
  ...plantedVotingBugs,
  ...plantedExecutionBugs,
  ...plantedEpochBugs,
  ...plantedCopyBugs,
  ...plantedCatchingBugs,
  ...plantedRefusalBugs,
}

/** The rules with that planted bug; without one, as they are. */
export function brokenLedgerRules(bug: string | undefined): LedgerRules {
  if (bug === undefined) return ledgerRules
  const broken = plantedLedgerBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedLedgerBugs).join(', ')}`)
  return { ...ledgerRules, ...broken }
}
