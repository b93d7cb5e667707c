export {
  type BlockCipher,
  type GroupKeys,
  initialisationVector,
  open,
  readVote,
  seal,
  voteMessage,
} from './mechanism.ts'
export {
  ATTRIBUTES,
  type Attributes,
  type SrceaSettings,
  srcea,
  srceaDefaults,
} from './srcea.ts'
export { tally } from './tally.ts'
