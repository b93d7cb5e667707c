export { type AttributeSetting, compareBy, type Ranked, rank } from './attributes.ts'
export {
  ADDRESS_BYTES_MAX,
  type AliveClaim,
  ATTRIBUTES_MAX,
  type Claim,
  type FailedClaim,
  finite,
  MEMBER_BYTES_MAX,
  NAME_BYTES_MAX,
  type NamedKey,
  type NamedValue,
  signClaim,
  verifyClaim,
} from './claims.ts'
export { bootOf, type Incarnation } from './incarnation.ts'
export { type MembershipMessage, membershipRecord, membershipVocabulary } from './messages.ts'
export { type Membership, membership } from './protocol.ts'
export {
  type Lifeguard,
  type MembershipBeat,
  type MembershipSettings,
  membershipBeat,
  membershipDefaults,
} from './settings.ts'
export type {
  MemberStatus,
  MembershipChange,
  MembershipCommand,
  MembershipEvent,
  MembershipState,
  MemberView,
  Misbehaviour,
} from './state.ts'
export { retransmissions, suspicionTime } from './suspicion.ts'
export { type Coordinate, coordinateDistance } from './vivaldi.ts'
