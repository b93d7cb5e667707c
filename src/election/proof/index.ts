// What tests, the simulator's commands and the lab may touch of the election's proof: scenario, liars, planted bugs,
// small systems. No machine imports it.

export {
  electionSystems,
  exploreElection,
  exploreElectionBug,
  plantedElectionSystems,
} from './exploration.ts'
export { electionLiars } from './liars.ts'
export { brokenElectionRules, plantedElectionBugs } from './planted.ts'
export { type ElectionGroup, type ElectionPlan, electionScenario } from './scenario.ts'
