// What tests, the simulator's commands and the lab may touch of the composed nodes' proof. No machine imports it.

export type { MemberGroup } from './member-plan.ts'
export { memberScenario } from './member-scenario.ts'
export { brokenComposeRules, plantedLivesBugs, plantedNodeBugs, plantedWireBugs } from './planted.ts'
export { plantedNodeRuns as plantedRuns } from './runs.ts'
export { serverScenario } from './server-scenario.ts'
