export {
  type Fairness,
  groupOf,
  patienceMax,
  type SlotsLevel,
  type SlotsSettings,
  settleMin,
  slotsDefaults,
  slotsLevels,
} from './settings.ts'
export { type TrustingMember, trustingMember } from './trusting/machine.ts'
export { type TrustingMessage, trustingVocabulary } from './trusting/wire.ts'
export { type Verdict, verifyEvidence } from './verified/evidence.ts'
export { type SlotsMember, type SlotsMemberOptions, slotsMember } from './verified/machine.ts'
export { type EpochMember, firstEpoch } from './verified/record.ts'
export { type SlotsRules, slotsRules } from './verified/rules.ts'
export { performShuffleWork } from './verified/shuffle-work.ts'
export type { MemberState, SlotsCommand, SlotsEvent, SlotsStatus } from './verified/state.ts'
export { EVIDENCE_BYTES_MAX, type SlotsMessage, slotsVocabulary } from './verified/wire.ts'
