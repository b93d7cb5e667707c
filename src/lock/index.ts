// The lock's door: its machines, its settings, and the words that its users, its drivers and the wire speak.

export { type BackoffName, backoffNames } from './backoff.ts'
export { type LockClient, lockClient } from './client/machine.ts'
export {
  type AccountedServer,
  type ClientCommand,
  type ClientEvent,
  type ForcedServer,
  type InspectedServer,
  QUESTIONS_MAX,
  type ResetServer,
} from './client/state.ts'
export { type LockKeeper, lockKeeper } from './keeper/machine.ts'
export type { KeeperCommand, KeeperEvent } from './keeper/state.ts'
export { type LockRules, lockRules } from './rules.ts'
export { isOperator } from './server/force.ts'
export { type LockServer, lockServer } from './server/machine.ts'
export { isOut, recovering, type ServerCommand, type ServerEvent, type ServerState } from './server/state.ts'
export { type LockSettings, lockDefaults } from './settings.ts'
export {
  type ClientMessage,
  type InspectedLease,
  type LockComplaint,
  type LockMessage,
  lockVocabulary,
  NAME_BYTES_MAX,
  type ServerMessage,
  serverRecord,
  TTL_MAX,
  WAITERS_SHOWN_MAX,
} from './wire.ts'
