// The door of secret channels.

export {
  bytesOfLetters,
  type ChannelName,
  channelNames,
  countedTag,
  type EpochKeys,
  epochKeys,
  lettersOf,
  SECRET_MODES,
  type SecretMode,
  tagOf,
  trapdoorOf,
} from './keys.ts'
export { keywordsOf, listenedOf, type Search, type Searchable, whyNotSearchable } from './keywords.ts'
export { LANES, PARTIES_MAX } from './limits.ts'
export { type SecretMatcher, secretMatcher } from './matcher/machine.ts'
export type { MatcherEvent } from './matcher/state.ts'
export { type SecretMember, secretMember } from './member/machine.ts'
export type { MemberCommand, MemberEvent } from './member/state.ts'
export {
  decodeRecord,
  decodeRecords,
  EPOCH_MS,
  type EpochRecord,
  type EpochTerms,
  encodeRecord,
  encodeRecords,
  isKeepers,
  issueRecord,
  type Keeper,
  NO_RECORD,
  NOTICE_MS,
  type Party,
  recordHash,
  whyNotApart,
} from './record.ts'
export { type SecretRules, secretRules } from './rules.ts'
export { type MatchTools, matchTools, type SearchTools, searchSecret, searchTools } from './searching.ts'
export { type MatcherSettings, type SecretSettings, secretBasics } from './settings.ts'
export { type CarrierMessage, carrierVocabulary, decodeFrame, encodeFrame, type Frame, type Life } from './wire.ts'
