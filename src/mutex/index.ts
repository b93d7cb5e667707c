export { type CentralisedMessage, type CentralisedState, centralised } from './centralised.ts'
export {
  type DecentralisedMessage,
  type DecentralisedSettings,
  type DecentralisedState,
  decentralised,
  decentralisedDefaults,
} from './decentralised.ts'
export {
  type AnyMutexAlgorithm,
  type MutexAlgorithm,
  type MutexCommand,
  type MutexEvent,
  type MutexState,
  mutexAlgorithm,
} from './mutex.ts'
export { type RicartAgrawalaMessage, type RicartAgrawalaState, ricartAgrawala } from './ricart-agrawala.ts'
export { type MutexPlan, mutexScenario } from './scenario.ts'
export { type TokenRingMessage, type TokenRingSettings, type TokenRingState, tokenRing } from './token-ring.ts'
export {
  binomialTail,
  choose,
  type Fraction,
  majority,
  resetsThatBreak,
  toNumber,
  violationProbability,
} from './votes.ts'
