export {
  type BlockCipher,
  type GroupKeys,
  initialisationVector,
  open,
  type PrintedMessage,
  readVote,
  seal,
  voteMessage,
} from './mechanism.ts'
export {
  ATTRIBUTES,
  type Attribute,
  type Attributes,
  candidateSelection,
  type SrceaSettings,
  srcea,
  srceaDefaults,
} from './srcea.ts'
export { tally } from './tally.ts'
