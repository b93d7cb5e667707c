// What the lab may touch of OMA as printed: the baselines that it is measured against, the ring of src/slots/ring with
// lines as they are printed, and a scenario that finds them.

export { plantedErrata } from './errata.ts'
export { type Flaws, flawedRules } from './flaws.ts'
export { ringScenario } from './scenario.ts'
export { partyMember, partyVocabulary, thirdParty } from './third-party.ts'
export { bareTickets, generatorFrom, SMALL_MODULUS, squareOf, squareTickets, ticketOfSquare } from './tickets.ts'
export { type Passage, type TokenMessage, tokenVocabulary, trivialToken, wasKept } from './trivial-token.ts'
export type { BaselineEvent } from './words.ts'
