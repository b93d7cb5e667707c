// What tests, the simulator's commands and the lab may touch of the proof of events. No machine imports it.

export { eventsSystems, exploreEvents, exploreEventsBug, plantedEventsSystems } from './exploration.ts'
export { brokenEventsRules, plantedEventsBugs } from './planted.ts'
export { eventsScenario } from './scenario.ts'
export { brokenSecretRules, plantedSecretBugs } from './secret/planted.ts'
export { plantedRuns } from './secret/runs.ts'
export { type SecretOptions, secretScenario } from './secret/scenario.ts'
