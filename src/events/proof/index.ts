// What tests, the simulator's commands and the lab may touch of the proof of events. No machine imports it.

export { eventsSystems, exploreEvents, exploreEventsBug, plantedEventsSystems } from './exploration.ts'
export { brokenEventsRules, plantedEventsBugs } from './planted.ts'
export { plantedEventsRuns as plantedRuns } from './runs.ts'
export { eventsScenario } from './scenario.ts'
