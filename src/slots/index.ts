// The door of slots: the machines of the three levels, what they say, what they are set up with, and how evidence is
// checked. Groups, signers and signatures come from `coterie/crypto`.

export {
  type Fairness,
  groupOf,
  LEASE_MAX,
  MEMBERS_MAX,
  membersNeeded,
  patienceMax,
  patienceMin,
  SLOTS_MAX,
  type SlotsLevel,
  type SlotsSettings,
  settleMin,
  slotsDefaults,
  slotsLevels,
} from './settings.ts'
export { type TrustingMember, type TrustingMemberOptions, trustingMember } from './trusting/machine.ts'
export type { TrustingState } from './trusting/state.ts'
export { type TrustingMessage, trustingVocabulary } from './trusting/wire.ts'
export { type Verdict, verifyEvidence } from './verified/evidence.ts'
export { type SlotsMember, type SlotsMemberOptions, slotsMember } from './verified/machine.ts'
export { type EpochMember, firstEpoch } from './verified/record.ts'
export { type SlotsRules, slotsRules } from './verified/rules.ts'
export { performShuffleWork } from './verified/shuffle-work.ts'
export type { MemberState, RoundPhase, SlotsCommand, SlotsEvent, SlotsStatus } from './verified/state.ts'
export { EVIDENCE_BYTES_MAX, type SlotsMessage, slotsVocabulary } from './verified/wire.ts'
