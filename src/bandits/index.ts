// The door to bandits: find the best arm, or earn most.

export { type Chance, ln } from './arithmetic.ts'
export { auditRun } from './audit/audit.ts'
export type { AuditResult, PartyLog, RewardTable } from './audit/reading.ts'
export { type NumberedEntry, numberedCodec } from './member/entries.ts'
export { banditMember } from './member/machine.ts'
export type {
  BanditMember,
  BanditMemberCommand,
  BanditMemberEvent,
  BanditMemberSettings,
  Wanted,
} from './member/state.ts'
export { banditMemberVocabulary, PATIENCE_MAX, type Terms } from './member/wire.ts'
export {
  batchOf,
  firstWins,
  type OpenOptions,
  type OpenRun,
  type OpenSearch,
  playOpen,
  type Source,
  sequentialHalving,
  successiveRejects,
  type TieOrder,
  ucb2Open,
} from './open.ts'
export { halvingPhases, type Phase, pullsOf, rejectPhases } from './phases.ts'
export { type ArmRecord, GRID, type Policy, thompson, ucb1 } from './policies/index.ts'
export { playRejects, type RejectParts, type RejectResult, type RejectSums, rejectsByPhase } from './printed/rejects.ts'
export {
  type PrintedSeals,
  type PrintedSums,
  playRing,
  type RingLevel,
  type RingParts,
  type RingPull,
  type RingResult,
} from './printed/ring.ts'
export { type RewardGrid, type RewardRange, rewardGrid, UNIT_RANGE } from './rewards.ts'
export { type BanditRules, banditRules } from './rules.ts'
export { type Course, type Round, type Schedule, scheduleOf } from './schedule.ts'
export {
  ALGORITHMS,
  type Algorithm,
  ARMS_MAX,
  type BanditKeys,
  type BanditParty,
  type BanditRun,
  type BanditSettings,
  type BanditTools,
  checkRun,
} from './settings.ts'
