// What tests, the simulator's commands and the lab may touch of the lock' proof: scenario, liars, planted bugs, small systems.
// No machine imports it.

export {
  exploreLock,
  explorePlanted,
  lockSystems,
  plantedSystems,
} from './exploration.ts'
export { alwaysYes, lockLiars } from './liars.ts'
export { lockPalette } from './palette.ts'
export { brokenRules, plantedBugs } from './planted.ts'
export { plantedLockRuns as plantedRuns } from './runs.ts'
export { type LockAct, type LockPlan, lockScenario } from './scenario.ts'
export { type LockSystemOptions, lockSystem } from './small-system.ts'
export { GuardedResource } from './writes.ts'
