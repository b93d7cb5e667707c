// What tests, the simulator's commands and the lab may touch of the ledger's proof: scenario, liars, planted bugs, stories.
// No machine imports it.

export { type Actors, firstDisk, ideals, linked, makeLedger, serverSettings, signed } from './actors.ts'
export { exploreLedger, exploreLedgerBug, ledgerSystems, plantedLedgerSystems } from './exploration.ts'
export { ledgerLiars } from './liars.ts'
export type { LedgerPlan } from './plan.ts'
export { brokenLedgerRules, plantedExecutionBugs, plantedLedgerBugs, plantedVotingBugs } from './planted.ts'
export { plantedLedgerRuns as plantedRuns } from './runs.ts'
export { ledgerScenario } from './scenario.ts'
export { PlainLedger, Stage } from './stories.ts'
export { differs, exploreTwoInOne, TwoInOne, universe } from './two-in-one.ts'
export { certifiedBy, type VotingGroup } from './votes.ts'
