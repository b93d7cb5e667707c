export { type CampaignResult, type Failure, type Kept, type RunResult, runOnce } from './campaign.ts'
export { diagram } from './diagram.ts'
export { ExclusionChecker, ProgressChecker } from './exclusion.ts'
export { checkClaims } from './explorer/claims.ts'
export { type Exploration, type ExploreOptions, explore, type Properties, type Property } from './explorer/explore.ts'
export type { Moment, System, SystemNode, UserAct } from './explorer/system.ts'
export { drawFaults, drawNetwork, type Fault, type FaultTargets, pick, type Timed } from './faults.ts'
export { type HistoryEvent, historyLine, type ReadHistory, readHistory } from './history.ts'
export { forging, generalLiars, type Liar, replaying, silent, slow, twisting } from './liars.ts'
export {
  type CheckOptions,
  checkLinearizability,
  type Linearizability,
  LinearizabilityChecker,
  type Model,
  type Operation,
  type OperationOutcome,
  type Step,
} from './linearizability.ts'
export { type CounterCall, counter, type QueueCall, queue, type RegisterCall, registers, type Value } from './models.ts'
export { calm, type Micros, Network, type NetworkFaults } from './network.ts'
export type { AnyScenario, Checker, Plan, Scenario, Stage, Violation } from './scenario.ts'
export { reduceItems, shrink } from './shrink.ts'
export { type TraceEntry, traceLine } from './trace.ts'
export { type NodeSpec, type SimulatedNode, World, type WorldOptions } from './world.ts'
