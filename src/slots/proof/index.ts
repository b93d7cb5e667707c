// The door of the slots' proof, for tests, `coterie sim` and the lab: scenarios, liars, planted bugs, the secrecy checker.
// No machine imports it. What is only about the paper's ring by itself is in src/papers/slots.

export { plantedSlotsRuns as plantedRuns } from './runs.ts'
export { plantedTrustingBugs } from './trusting/planted.ts'
export { trustingScenarioFor } from './trusting/scenario.ts'
export { NamingChecker, SeatChecker } from './verified/checkers.ts'
export { slotsLiars } from './verified/liars.ts'
export type { SlotsScenarioOptions } from './verified/plan.ts'
export { plantedSlotsBugs } from './verified/planted.ts'
export { slotsScenario, slotsScenarioFor } from './verified/scenario.ts'
export { SecrecyChecker } from './verified/secrecy.ts'
