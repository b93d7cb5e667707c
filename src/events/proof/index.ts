// What tests, the simulator's commands and the lab may touch of the proof of events. No machine imports it.

export { plantedRuns } from './all-runs.ts'
export { eventsSystems, exploreEvents, exploreEventsBug, plantedEventsSystems } from './exploration.ts'
export { brokenInterestRules, plantedInterestBugs } from './interest/planted.ts'
export { type InterestOptions, interestScenario } from './interest/scenario.ts'
export { brokenEventsRules, plantedEventsBugs } from './planted.ts'
export { exploreRouting, exploreRoutingBug, plantedRoutingSystems, routingSystems } from './routing/exploration.ts'
export { brokenRoutingRules, plantedRoutingBugs } from './routing/planted.ts'
export { type RoutingOptions, routingScenario } from './routing/scenario.ts'
export { eventsScenario } from './scenario.ts'
export type { SecretOptions } from './secret/plan.ts'
export { brokenSecretRules, plantedSecretBugs } from './secret/planted.ts'
export { secretScenario } from './secret/scenario.ts'
