export { addressed, ownTurn } from './addressing.ts'
export { AssertionError, assert, unreachable } from './assert.ts'
export { believed, outlasting } from './belief.ts'
export { type Allowance, type Bucket, fullBucket, take } from './bucket.ts'
export { compareBytes, fromHex, sameBytes, toHex } from './bytes.ts'
export {
  bool,
  bytes,
  type Codec,
  type Decoded,
  decode,
  encode,
  type Fields,
  finite,
  isText,
  list,
  oneOf,
  option,
  Reader,
  struct,
  TooLong,
  text,
  uint,
  type Variants,
  variants,
  Writer,
} from './codec.ts'
export {
  type AnyComplaint,
  accuserOf,
  type Complaints,
  keepComplaint,
  newComplaints,
} from './complaints.ts'
export {
  type Composed,
  type ComposedState,
  type ComposeRules,
  type Composing,
  compose,
  composeRules,
  type PartCommand,
  type PartEvent,
  type Parted,
  type PartMessage,
  type Parts,
  type Wire,
} from './compose.ts'
export {
  because,
  CoterieError,
  FileError,
  LeaseLost,
  NotAcquired,
  type NotAcquiredReason,
  NotAnswered,
  type NotAnsweredReason,
  OperationFailed,
  type Outcome,
  Refused,
  SettingsError,
  Unavailable,
} from './errors.ts'
export {
  FAMILY_NAME_BYTES_MAX,
  type Family,
  type FamilyCommand,
  type FamilyEvent,
  type FamilyState,
  family,
  lettingGo,
} from './family.ts'
export { type Decision, decide } from './fencing.ts'
export { createHost, type Host, type Ports } from './host.ts'
export { KeptLane, type SaveKind } from './kept.ts'
export { firstNames, kthLargest } from './largest.ts'
export {
  abortSignal,
  anything,
  between,
  called,
  checkValue,
  flag,
  kindOf,
  listOf,
  objectWith,
  oneWord,
  optionsSchema,
  type Rule,
  type Rules,
  required,
  type Schema,
  textOf,
  unknownName,
  waitTime,
  whole,
} from './options.ts'
export { copy, fingerprint } from './plain.ts'
export {
  type AnyProtocol,
  type Effect,
  type Input,
  type Millis,
  NOTHING_SAVED,
  type NodeId,
  type Protocol,
  type Saved,
  type Turn,
} from './process.ts'
export {
  explainTrust,
  lockGrants,
  lockServersNeeded,
  orderingQuorum,
  orderingServersNeeded,
  printedLockServersNeeded,
  SERVERS_MAX,
  type Trust,
  type TrustSettings,
  trust,
  trustRules,
} from './quorum.ts'
export { type Random, seededRandom } from './random.ts'
export type { Scene } from './scene.ts'
export { changes } from './spelling.ts'
export { type TimerDue, type Timers, timers } from './timers.ts'
