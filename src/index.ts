// Coterie: coordination for parties that do not fully trust each other, or the machines between them.

export type {
  Algorithm,
  ArmRecord,
  Chance,
  OpenOptions,
  OpenRun,
  OpenSearch,
  RewardRange,
  RingLevel,
  Source,
  TieOrder,
} from './bandits/index.ts'
export type { EmbeddedGroup, OpenBandits } from './client/bandits/embedded-group.ts'
export { ArmFailed, RunEnded, RunRefused, TamperedRound } from './client/bandits/errors.ts'
export type {
  ArmSource,
  BanditOptions,
  BanditPrivacy,
  BestArmOptions,
  MaximiseOptions,
} from './client/bandits/options.ts'
export type {
  BanditHandle,
  BanditProgress,
  BanditResult,
  BestArmResult,
  MaximiseResult,
  RunAudit,
  RunHead,
} from './client/bandits/run.ts'
export type { ThesisSearchOptions } from './client/bandits/thesis-options.ts'
export type { CarriedChannel, CarriedEvent } from './client/carried/carried.ts'
export { NotCarried } from './client/carried/errors.ts'
export { carried } from './client/carried/index.ts'
export type {
  CarriedNews,
  CarriedOptions,
  PlainOptions,
  SearchableAttribute,
  SecretOptions,
} from './client/carried/options.ts'
export type { CarriedHandler, CarriedSubscribeOptions, CarriedSubscription } from './client/carried/subscribing.ts'
export { type ConnectOptions, connect } from './client/connect.ts'
export { embedded } from './client/embedded.ts'
export type { EmbeddedOptions } from './client/embedding.ts'
export type { EnterOptions } from './client/enter.ts'
export type { EventChannel, EventReceipt } from './client/events/channel.ts'
export { EventRefused, EventUnanswered, SubscriptionLost } from './client/events/errors.ts'
export type { EventHandler, ReceivedEvent } from './client/events/event.ts'
export type { AppliedEvent, EffectDefinition, EffectOptions, EventsInto } from './client/events/into.ts'
export type {
  ChannelOptions,
  Duration,
  FailedEvent,
  FilterLike,
  MissedEvents,
  PublishOptions,
  SubscribeOptions,
} from './client/events/options.ts'
export type { Checked, Verdict } from './client/events/payload.ts'
export type { ChannelStatus, SubscriptionStatus } from './client/events/status.ts'
export type { EventSubscription } from './client/events/subscription.ts'
export { type FloorReset, type ForcedUnlock, UnlockUncertain } from './client/force.ts'
export type { Group, GroupStatus } from './client/group.ts'
export type { LockInfo, ServerInfo } from './client/inspect.ts'
export type { Accusation, ObjectServerInfo, SpoiledObject } from './client/inspect-objects.ts'
export type { JobInfo, JobListOptions, JobOptions, JobStats, Jobs } from './client/jobs/jobs.ts'
export type { Backoff, JobState, Rate } from './client/jobs/state.ts'
export {
  FinalFailure,
  type Job,
  type JobHandler,
  JobLost,
  type JobWorker,
  type WorkerOptions,
} from './client/jobs/worker.ts'
export type { JoinOptions } from './client/join.ts'
export { enter, join } from './client/joining.ts'
export type { Lease } from './client/lease.ts'
export { type Account, accountFrom, type NewAccount, newAccount } from './client/ledger/accounts.ts'
export type { LedgerEntry } from './client/ledger/checks.ts'
export { LedgerRefused, LedgerUnanswered, MoveInFlight } from './client/ledger/errors.ts'
export type { AccountInfo, Ledger } from './client/ledger/ledger.ts'
export type { LedgerOptions } from './client/ledger/ledgers.ts'
export {
  type MoveBetween,
  type Moved,
  type MoveOptions,
  type MoveStep,
  move,
  type ResumeOptions,
  refundMove,
  resume,
} from './client/ledger/move.ts'
export type {
  Burning,
  EpochOptions,
  Fork,
  LinkOptions,
  Payment,
  RegisterOptions,
  Spending,
} from './client/ledger/options.ts'
export type { LockOptions } from './client/lock-options.ts'
export type { ConsoleLike, LogTarget, PinoLike } from './client/log.ts'
export type { MemberChannel, MemberReceipt } from './client/member-events/channel.ts'
export type {
  EventsVia,
  MemberEventsOptions,
  MemberPublishOptions,
  MemberSubscribeOptions,
} from './client/member-events/options.ts'
export type { HeardEvent, HeardHandler, MemberSubscription } from './client/member-events/subscription.ts'
export type { Following, MemberGroup } from './client/member-group.ts'
export type { MetricsOptions } from './client/metrics.ts'
export type { DeletedObject } from './client/objects/delete.ts'
export type { ReadOptions } from './client/objects/object-session.ts'
export type { Lie } from './client/objects/orders.ts'
export type { Recipes } from './client/objects/recipes.ts'
export type { RepairedObject } from './client/objects/repair.ts'
export type { ObjectDefinition, SharedObject, Version } from './client/objects/shared-object.ts'
export type {
  SharedTree,
  TransactionOptions,
  TreeEntry,
  TreeOptions,
  TreeWatchOptions,
} from './client/objects/shared-tree.ts'
export type { Json } from './client/objects/state-table.ts'
export type { LeasedOptions, TreeLease, TreeLeaseOptions } from './client/objects/tree-lease.ts'
export type { CountOptions, ListedEntry, ListOptions } from './client/objects/tree-listing.ts'
export type { TransactionCondition, TransactionWrite, VersionOptions } from './client/objects/tree-options.ts'
export type { Attributes } from './client/peers/attributes.ts'
export type { Aggregate, CoordinatorOptions, JoinedGroup } from './client/peers/joined-group.ts'
export type { Candidacy, CoordinatorInfo } from './client/peers/leadership.ts'
export type { MemberInfo } from './client/peers/roster.ts'
export type {
  AmongOptions,
  BestArmAmongOptions,
  MaximiseAmongOptions,
  ThesisSearchAmongOptions,
} from './client/peers/run-options.ts'
export { type Seat, SeatLost } from './client/peers/seat.ts'
export type { ArmOptions, RunTerms, ServedArm } from './client/peers/served-arm.ts'
export { type Incident, NoSeat, type NoSeatReason, type SeatOptions, type Slots } from './client/peers/slots.ts'
export type { SlotsOptions } from './client/peers/slots-settings.ts'
export type { Term } from './client/peers/term.ts'
export {
  type Barrier,
  type Counted,
  type Counter,
  type DoubleBarrier,
  type Hold,
  HoldLost,
  type Latch,
  type Membership,
  type ReadWriteLock,
  type Semaphore,
  type Taken,
  type TreeLock,
  type TreeQueue,
  WaitEnded,
} from './client/recipes/index.ts'
export { type CreateOptions, type Tree, TreeError, type ValuedEvent, type WatchEvent } from './client/recipes/tree.ts'
export type { Value } from './client/values.ts'
export type { WaitOptions } from './client/waiting.ts'
export {
  CoterieError,
  explainTrust,
  FileError,
  LeaseLost,
  type Millis,
  type NodeId,
  NotAcquired,
  type NotAcquiredReason,
  NotAnswered,
  type NotAnsweredReason,
  OperationFailed,
  type Outcome,
  Refused,
  SettingsError,
  type Trust,
  type TrustSettings,
  trust,
  Unavailable,
} from './core/index.ts'
export type { Attribute } from './election/index.ts'
export { type Audit, type AuditOptions, auditLedger } from './ledger/audit.ts'
export type { Descriptor, Epoch, Genesis, LedgerCrypto } from './ledger/genesis.ts'
export type { Book, Checkpoint, CountedVote, RefusalCode, Transaction } from './ledger/index.ts'
export { encodeDescriptor, followEpochs, readDescriptor } from './ledger/light.ts'
export { decodeReceipt, encodeReceipt, type LedgerReceipt, NotProven, verifyReceipt } from './ledger/receipt.ts'
export type { BackoffName } from './lock/index.ts'
export type { MemberStatus } from './membership/index.ts'
export type { Complaint, Head, InspectedObject, Rank } from './ordering/index.ts'
export type {
  Stat,
  TreeCondition,
  TreeErrorCode,
  TreeEvent,
  TreeWrite,
  TreeWriteResult,
} from './ordering/tree/index.ts'
export type { Carrier, CarrierNews, Hear, OpenCarrier, Tell } from './runtime/carriers/carrier.ts'
export { type MqttOptions, mqttBroker } from './runtime/carriers/mqtt.ts'
export { type NatsOptions, nats } from './runtime/carriers/nats.ts'
export type { MetricsRegistry } from './runtime/metrics/book.ts'
export type { Log, LogLevel } from './runtime/transport/transport.ts'
export type { Fairness, RoundPhase, SlotsLevel, SlotsStatus } from './slots/index.ts'
