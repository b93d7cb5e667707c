export { type BackoffName, backoffNames } from './backoff.ts'
export { type LockClient, lockClient } from './client.ts'
export type { ServerEvent, ServerState } from './entries.ts'
export { isOperator } from './force.ts'
export { type KeeperCommand, type KeeperEvent, type LockKeeper, lockKeeper } from './keeper.ts'
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
export { type LockRules, lockRules, raiseToken } from './rules.ts'
export { type LockServer, lockServer } from './server.ts'
export { type LockSettings, lockDefaults } from './settings.ts'
export type { ClientCommand, ClientEvent, ForcedServer, InspectedServer } from './state.ts'
