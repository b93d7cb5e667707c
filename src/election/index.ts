export { type OpenBallot, totals, type VoidedBallots, winner } from './ballot.ts'
export { claimFault } from './claim.ts'
export {
  type Approval,
  type Change,
  type Electorate,
  firstElectorate,
  type Listed,
  type Newcomer,
  type Voter,
} from './electorate.ts'
export { type ElectionMessage, type ElectionRecord, electionRecord, electionVocabulary } from './messages.ts'
export { type ElectionProtocol, election } from './protocol.ts'
export { type ElectionRules, electionRules } from './rules.ts'
export { countingKey } from './secret.ts'
export { type Attribute, type ElectionSettings, electionDefaults } from './settings.ts'
export type { Claim, Counting, ElectionCommand, ElectionEvent, ElectionState, Keys } from './state.ts'
export { candidatesOf, type Row, type View } from './view.ts'
