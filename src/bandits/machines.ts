// The second door: what runs among members, the audit, and the thesis's protocols. Apart from the first, so that a program that only
// knows the words of bandits does not load their machines.

export { auditRun } from './audit/audit.ts'
export { numberedCodec } from './member/entries.ts'
export { RUN_LOG_BYTES } from './member/log.ts'
export { banditMember } from './member/machine.ts'
export { banditMemberVocabulary, PATIENCE_MAX } from './member/wire.ts'
export { isNoLie, NO_REWARDS } from './party.ts'
export { playRejects, rejectsByPhase } from './printed/rejects.ts'
export { playRing } from './printed/ring.ts'
