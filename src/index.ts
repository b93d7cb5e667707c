// Coterie: coordination for parties that do not fully trust each other, or the machines between them.

export { type ConnectOptions, connect } from './client/connect.ts'
export { type EmbeddedOptions, embedded } from './client/embedded.ts'
export { type ForcedUnlock, UnlockUncertain } from './client/force.ts'
export type { Group, GroupStatus, LockOptions } from './client/group.ts'
export type { LockInfo, ServerInfo } from './client/inspect.ts'
export type { Lease } from './client/lease.ts'
export type { Lie, WaitOptions } from './client/objects/orders.ts'
export type { ObjectDefinition, SharedObject, Version } from './client/objects/shared-object.ts'
export type {
  SharedTree,
  TransactionOptions,
  TreeEntry,
  TreeOptions,
  TreeWatchOptions,
} from './client/objects/shared-tree.ts'
export { HoldLost, WaitEnded } from './client/recipes/index.ts'
export { TreeError } from './client/recipes/tree.ts'
export {
  CoterieError,
  explainTrust,
  FileError,
  LeaseLost,
  NotAcquired,
  type NotAcquiredReason,
  NotAnswered,
  OperationFailed,
  type Outcome,
  Refused,
  SettingsError,
  type Trust,
  type TrustSettings,
  trust,
  Unavailable,
} from './core/index.ts'
