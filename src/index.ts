// Coterie: coordination for parties that do not fully trust each other, or the machines between them.

export { type ConnectOptions, connect } from './client/connect.ts'
export { type EmbeddedOptions, embedded } from './client/embedded.ts'
export { type ForcedUnlock, UnlockUncertain } from './client/force.ts'
export type { Group, GroupStatus, LockOptions } from './client/group.ts'
export type { LockInfo, ServerInfo } from './client/inspect.ts'
export { type JoinOptions, join } from './client/join.ts'
export type { Lease } from './client/lease.ts'
export type { JoinedGroup } from './client/peers/joined-group.ts'
export { type Seat, SeatLost } from './client/peers/seat.ts'
export { type Incident, NoSeat, type NoSeatReason, type SeatOptions, type Slots } from './client/peers/slots.ts'
export type { SlotsOptions } from './client/peers/slots-settings.ts'
export {
  CoterieError,
  explainTrust,
  FileError,
  LeaseLost,
  NotAcquired,
  type NotAcquiredReason,
  type Outcome,
  Refused,
  SettingsError,
  type Trust,
  type TrustSettings,
  trust,
  Unavailable,
} from './core/index.ts'
