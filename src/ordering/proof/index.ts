// What tests, the simulator's commands and the lab may touch of the objects' proof: scenario, liars, planted bugs, small systems.
// No machine imports it.

export {
  exploreOrdering,
  exploreOrderingBug,
  orderingSystems,
  plantedOrderingSystems,
} from './exploration.ts'
export { OneOrderChecker } from './history.ts'
export { orderingLiars } from './liars.ts'
export { orderingPalette } from './palette.ts'
export { brokenOrderingRules, plantedOrderingBugs } from './planted.ts'
export { recoveryScenario } from './recovery.ts'
export { decodeWords, encodeWords, type RegisterOperation, type RegisterResult, registers } from './register.ts'
export { plantedOrderingRuns as plantedRuns } from './runs.ts'
export { type OrderingAct, type OrderingPlan, orderingScenario } from './scenario.ts'
