export { totals, winner } from './count/ballot.ts'
export { type ClaimCheck, claimFault } from './count/claim.ts'
export { type Change, firstElectorate, type Newcomer } from './count/electorate.ts'
export { countingKey } from './count/secret.ts'
export { candidatesOf } from './count/view.ts'
export type { ElectionCommand, ElectionEvent } from './member/commands.ts'
export { type ElectionProtocol, election } from './member/machine.ts'
export type { Counting, Keys } from './member/scene.ts'
export type { ElectionState } from './member/state.ts'
export { type ElectionRules, electionRules } from './rules.ts'
export { type Attribute, type ElectionSettings, electionDefaults } from './settings.ts'
export {
  type Approval,
  type Claim,
  type ElectionMessage,
  type ElectionRecord,
  type Electorate,
  electionRecord,
  electionVocabulary,
  type OpenBallot,
  type Row,
  type SignedList,
  type View,
  type VoidedBallots,
  type Voter,
} from './wire.ts'
