export {
  actText,
  type ManualAct,
  type ManualKind,
  type MessageName,
  messageText,
  PLAY_MICROS_MAX,
  RATE_MAX,
  RATE_MIN,
  readAct,
  readMessage,
  SLOW_MAX,
} from './acts.ts'
export { BlameChecker } from './blame.ts'
export { type CampaignResult, type Failure, type Kept, type RunResult, runOnce } from './campaign.ts'
export { diagram } from './diagram.ts'
export { ExclusionChecker, ProgressChecker } from './exclusion.ts'
export { checkClaims } from './explorer/claims.ts'
export { type Exploration, type ExploreOptions, explore, type Properties, type Property } from './explorer/explore.ts'
export {
  type ExplorationSuite,
  type ExploreBug,
  type ExploreByName,
  explorationSuite,
  type NamedExploration,
  type NamedSystem,
  type SuiteParts,
} from './explorer/suite.ts'
export type { Moment, System, SystemNode, UserAct } from './explorer/system.ts'
export { rerouted, retrace, WALK_STEP, Walk, type WalkChoice } from './explorer/walk.ts'
export { drawFaults, drawNetwork, type Fault, type FaultTargets, pick, type Timed } from './faults.ts'
export { forging, generalLiars, type Liar, replaying, silent, slow, twisting } from './liars.ts'
export { type CheckOptions, checkLinearizability, type Linearizability } from './linearizability/check.ts'
export { LinearizabilityChecker } from './linearizability/checker.ts'
export { type HistoryEvent, historyLine, type ReadHistory, readHistory } from './linearizability/history.ts'
export type { Model, Operation, OperationOutcome, Step } from './linearizability/model.ts'
export {
  type CounterCall,
  counter,
  type QueueCall,
  queue,
  type RegisterCall,
  registers,
  type Value,
} from './linearizability/models.ts'
export { calm, type Micros, Network, type NetworkFaults } from './network.ts'
export {
  ACTS_MAX,
  ADDRESS_MAX,
  ADDRESS_PLAIN_MAX,
  type DecodedRun,
  decodeRun,
  encodeRun,
  NODES_MAX,
  type RunName,
  type RunSpec,
  readRunName,
  runText,
  type Script,
  WORDS_MAX,
} from './permalink.ts'
export { type PlantedRun, shows } from './pins.ts'
export {
  type LostMessage,
  PLAY_EVENTS_MAX,
  PLAYED,
  Play,
  type PlayItem,
  type PlayNode,
  type PlayStatus,
  type PlayViolation,
  type Question,
} from './play.ts'
export type { Playable, PlayCommand, Playground, PlayModel, Sizes } from './playable.ts'
export { type Asked, freeWord, honestWord, type Palette, type PaletteWord, silence } from './puppet.ts'
export type { AnyScenario, Checker, Plan, Scenario, Stage, Violation } from './scenario.ts'
export { reduceItems, shrink } from './shrink.ts'
export { type Corrupt, overheard, ScenarioStage } from './stage.ts'
export { type TraceEntry, traceLine } from './trace.ts'
export { type NodeSpec, type SimulatedNode, World, type WorldOptions } from './world.ts'
