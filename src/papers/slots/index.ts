export { partyMember, partyVocabulary, thirdParty } from './third-party.ts'
export { type Passage, type TokenMessage, tokenVocabulary, trivialToken, wasKept } from './trivial-token.ts'
export type { BaselineEvent } from './words.ts'
