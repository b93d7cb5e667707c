// What tests, the simulator's commands and the lab may touch of the slots' proof: scenario, liars, planted bugs, small systems.
// No machine imports it.

export { plantedTrustingBugs } from './trusting/planted.ts'
export { trustingScenarioFor } from './trusting/scenario.ts'
export { NamingChecker, SeatChecker } from './verified/checkers.ts'
export { slotsLiars } from './verified/liars.ts'
export type { SlotsScenarioOptions } from './verified/plan.ts'
export { plantedSlotsBugs } from './verified/planted.ts'
export { slotsScenario, slotsScenarioFor } from './verified/scenario.ts'
export { SecrecyChecker } from './verified/secrecy.ts'
