// What tests, the simulator's commands and the lab may touch of the election's proof: scenario, liars, planted bugs,
// small systems. No machine imports it.

export { CountChecker, GrantChecker } from './checkers.ts'
export {
  electionSystems,
  exploreElection,
  exploreElectionBug,
  plantedElectionSystems,
} from './exploration.ts'
export { electionLiars } from './liars.ts'
export { brokenElectionRules, plantedElectionBugs } from './planted.ts'
export { plantedElectionRuns as plantedRuns } from './runs.ts'
export { type ElectionGroup, type ElectionPlan, electionScenario } from './scenario.ts'
export { ElectionWitness } from './witness.ts'
