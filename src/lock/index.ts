export { type BackoffName, backoffNames } from './backoff.ts'
export { type LockClient, lockClient } from './client.ts'
export type { ServerEvent, ServerState } from './entries.ts'
export {
  exploreLock,
  explorePlanted,
  type LockExploration,
  lockSystems,
  type NamedSystem,
  plantedSystems,
} from './exploration.ts'
export { isOperator } from './force.ts'
export { type KeeperCommand, type KeeperEvent, lockKeeper } from './keeper.ts'
export { alwaysYes, lockLiars } from './liars.ts'
export {
  type ClientMessage,
  type InspectedLease,
  type LockMessage,
  lockVocabulary,
  NAME_BYTES_MAX,
  type ServerMessage,
  serverRecord,
  TTL_MAX,
  WAITERS_SHOWN_MAX,
} from './messages.ts'
export { brokenRules, plantedBugs } from './planted.ts'
export {
  type PrintedAct,
  type PrintedClient,
  type PrintedCommand,
  type PrintedEvent,
  type PrintedMessage,
  type PrintedPlan,
  type PrintedScenarioOptions,
  type PrintedServer,
  type PrintedSettings,
  printedAlwaysYes,
  printedClient,
  printedLiars,
  printedScenario,
  printedServer,
  printedVocabulary,
} from './printed/index.ts'
export { type LockRules, lockRules, raiseToken } from './rules.ts'
export { type LockPlan, lockScenario } from './scenario.ts'
export { type LockServer, lockServer } from './server.ts'
export { type LockSettings, lockDefaults } from './settings.ts'
export { type LockSystemOptions, lockSystem } from './small-system.ts'
export type { ClientCommand, ClientEvent, ForcedServer, InspectedServer } from './state.ts'
export { type LockVariant, lockVariants } from './variants.ts'
