// What tests, the simulator's commands and the lab may touch of membership's proof: scenario, liars, planted bugs, small systems.
// No machine imports it.

export { countFlaps, type FlapOptions, type Flaps } from './flaps.ts'
export { type MembershipLiar, membershipLiars } from './liars.ts'
export { brokenMembershipRules, membershipBugs } from './planted.ts'
export { costAtRest, type RestCost, type RestOptions } from './rest.ts'
export { plantedMembershipRuns as plantedRuns } from './runs.ts'
export { type MembershipPlan, type MembershipScenarioOptions, membershipScenario } from './scenario.ts'
export { type SimulatedGroup, simulatedGroup } from './simulated.ts'
