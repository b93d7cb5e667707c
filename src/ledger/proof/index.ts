// What tests, the simulator's commands and the lab may touch of the ledger's proof: scenario, liars, planted bugs, stories.
// No machine imports it.

export { type Actors, firstDisk, ideals, linked, makeLedger, serverSettings, signed } from './actors.ts'
export { ledgerLiars } from './liars.ts'
export { brokenLedgerRules, plantedExecutionBugs, plantedLedgerBugs, plantedVotingBugs } from './planted.ts'
export { plantedLedgerRuns as plantedRuns } from './runs.ts'
export { type LedgerPlan, ledgerScenario } from './scenario.ts'
