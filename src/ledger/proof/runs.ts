// Planted bugs of voting and of changing keepers as runs that show them: `npm run pin` searches for the first seed, pins.json keeps it.

import type { PlantedRun } from '../../simulator/index.ts'
import { brokenLedgerRules } from './planted.ts'
import { ledgerScenario } from './scenario.ts'

/** Where faults weigh most, and where somebody lies. */
export const honestLedger = { servers: 4, crashes: 1, liars: 0 }
export const liedLedger = { servers: 6, crashes: 1, liars: 1 }
/** One more than it takes: keepers can be left out. */
const roomyLedger = { servers: 5, crashes: 1, liars: 0 }
const groups: Readonly<Record<string, typeof honestLedger>> = {
  'votes-unseen': liedLedger,
  'epoch-in-the-middle': roomyLedger,
}
/** What whole systems show in few seeds. All that can be said of votes alone is shown by `votes.ts`, in thousands of schedules. */
export const simulatedBugs = [
  'certificate-one-short',
  'small-quorum',
  'no-reports',
  'vote-below-promise',
  'votes-unseen',
  'vote-not-saved',
  'votes-after-lost-store',
  'votes-after-old-copy',
  'epoch-in-the-middle',
  'fresh-key-forgets',
  'refused-by-one-behind',
  'refuses-while-voting',
] as const

/** The words of the checker that finds it. */
const says: Readonly<Record<string, RegExp>> = {
  'certificate-one-short': /servers signed the checkpoint, and it takes|two histories/,
  'small-quorum': /servers signed the checkpoint, and it takes|two histories/,
  'votes-unseen': /is wrong/,
  'vote-not-saved': /two histories|a machine threw|has forgotten its vote/,
  'votes-after-lost-store': /has forgotten its vote/,
  'votes-after-old-copy': /has forgotten its vote/,
  'epoch-in-the-middle': /servers signed the checkpoint, and it takes/,
  'fresh-key-forgets': /has forgotten its vote/,
  'refused-by-one-behind': /a stale refusal/,
  'refuses-while-voting': /a stale refusal/,
}

/** Planted bugs, each as a run that shows it. */
export const plantedLedgerRuns: Readonly<Record<string, PlantedRun>> = Object.fromEntries(
  simulatedBugs.map((bug): [string, PlantedRun] => {
    const group = groups[bug] ?? honestLedger
    const scenario = () => ledgerScenario(group, brokenLedgerRules(bug))
    return [bug, { scenario, sound: () => ledgerScenario(group), says: says[bug] ?? /two histories/ }]
  }),
)
