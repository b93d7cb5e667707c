export {
  type PartyMember,
  type PartyMessage,
  partyMember,
  partyVocabulary,
  type ThirdParty,
  thirdParty,
} from './third-party.ts'
export {
  type Passage,
  type TokenMessage,
  type TrivialToken,
  tokenVocabulary,
  trivialToken,
  wasKept,
} from './trivial-token.ts'
export type { BaselineCommand, BaselineEvent } from './words.ts'
