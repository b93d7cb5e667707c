export {
  ADDRESS_BYTES_MAX,
  type AliveClaim,
  ATTRIBUTES_MAX,
  type Claim,
  type FailedClaim,
  MEMBER_BYTES_MAX,
  NAME_BYTES_MAX,
  type NamedKey,
  type NamedValue,
  signClaim,
  verifyClaim,
} from './claims.ts'
export type {
  MemberStatus,
  MembershipChange,
  MembershipCommand,
  MembershipEvent,
  MemberView,
  Misbehaviour,
} from './events.ts'
export { bootOf, type Incarnation } from './incarnation.ts'
export { type Membership, membership } from './member/machine.ts'
export type { MembershipState } from './member/state.ts'
export { type AttributeSetting, compareBy, type Ranked, rank } from './ranking.ts'
export {
  type Lifeguard,
  type MembershipBeat,
  type MembershipSettings,
  membershipBeat,
  membershipDefaults,
} from './settings.ts'
export { retransmissions, suspicionTime } from './suspicion.ts'
export { type Coordinate, coordinateDistance } from './vivaldi.ts'
export { type MembershipMessage, membershipRecord, membershipVocabulary } from './wire.ts'
