export type { Applier, ApplyContext, Leases, TableView } from './applier.ts'
export { type Choice, choose, type Voucher } from './choose.ts'
export type { FailedReason, InspectedOrderingServer, OrderingCommand, OrderingEvent } from './client/commands.ts'
export { type OrderingClient, orderingClient } from './client/machine.ts'
export { orderingDefaults } from './defaults.ts'
export { type OrderingRules, orderingRules } from './rules.ts'
export { type OrderingServer, orderingServer } from './server/machine.ts'
export type { OrderingServerEvent, ServerState as OrderingServerState } from './server/state.ts'
export type { Hash, OrderingSettings, RankProofs } from './settings.ts'
export {
  BODY_BYTES_MAX,
  CHANGE_BYTES_MAX,
  type Complaint,
  type DeleteOutcome,
  type Head,
  type InspectedObject,
  KEY_BYTES_MAX,
  KEYS_MAX,
  OBJECT_BYTES_MAX,
  type Operation,
  type OrderingMessage,
  orderingVocabulary,
  type Rank,
  type RepairOutcome,
  SESSION_TTL_MAX,
  VALUE_BYTES_MAX,
  type Write,
} from './wire.ts'
