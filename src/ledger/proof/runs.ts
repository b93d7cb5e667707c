// Each planted bug of voting as a run that shows it: `npm run pin` searches for the first seed, pins.json keeps it.

import type { PlantedRun } from '../../simulator/index.ts'
import { brokenLedgerRules, plantedVotingBugs } from './planted.ts'
import { ledgerScenario } from './scenario.ts'

/** Where faults weigh most, and where somebody lies. */
export const honestLedger = { servers: 4, crashes: 1, liars: 0 }
export const liedLedger = { servers: 6, crashes: 1, liars: 1 }
const lying: readonly string[] = ['votes-unseen', 'vote-twice']

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'certificate-one-short': /servers signed the checkpoint, and it takes|two histories/,
  'small-quorum': /servers signed the checkpoint, and it takes|two histories/,
  'no-reports': /two histories/,
  'vote-twice': /two histories/,
  'vote-below-promise': /two histories/,
  'promise-not-saved': /two histories/,
  'vote-not-saved': /two histories|a machine threw/,
  'votes-unseen': /is wrong/,
  'votes-after-lost-store': /two histories/,
  'newest-not-kept': /two histories/,
}

/** The planted bugs of voting, each as a run that shows it. */
export const plantedLedgerRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  Object.keys(plantedVotingBugs).map((bug): [string, PlantedRun] => {
    const group = lying.includes(bug) ? liedLedger : honestLedger
    return [bug, { scenario: () => ledgerScenario(group, brokenLedgerRules(bug)), says: says[bug] ?? /./ }]
  }),
)
