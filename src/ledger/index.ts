// The door of ledgers: machines, settings, and what checks a receipt, a log and a checkpoint without any of them.

export { fromHex, toHex } from '../core/index.ts'
export { type Audit, type AuditOptions, auditLedger } from './audit.ts'
export { type Book, type LinkBook, openBook, type RegisterBook, supplyOf, whyUnbalanced } from './book.ts'
export {
  base64,
  type Checkpoint,
  type CountedVote,
  checkpointCodec,
  fromBase64,
  type Head,
  noteText,
  signedNote,
  signersOfBoth,
  whyNotCertified,
} from './checkpoint.ts'
export { type LedgerClient, ledgerClient } from './client/machine.ts'
export type { LedgerCommand, LedgerEvent, Offer } from './client/state.ts'
export { ledgerCrypto, soundKeys } from './crypto.ts'
export { execute } from './execute.ts'
export {
  AMOUNT_MAX,
  type Descriptor,
  describeGenesis,
  type Epoch,
  epochAt,
  epochHash,
  FIRST_BALANCES_MAX,
  type FirstBalance,
  type Genesis,
  genesisCodec,
  type Keepers,
  LEDGER_NAME_BYTES_MAX,
  type LedgerCrypto,
  ledgerServersNeeded,
  newestEpoch,
  OPERATORS_MAX,
  REGISTERS_MAX,
  type Voter,
} from './genesis.ts'
export { encodeDescriptor, followEpochs, readDescriptor, stepsOf, takeStep, whyNoStep, withEpoch } from './light.ts'
export {
  extend,
  type Frontier,
  frontierFrom,
  frontierRoot,
  type Hash,
  leafHash,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
export { NOTE_CHARACTERS_MAX, readNote } from './note.ts'
export { decodeReceipt, encodeReceipt, type LedgerReceipt, NotProven, verifyReceipt } from './receipt.ts'
export { execution, isFinal, type Refusal, type RefusalCode, refusalCodes } from './refusal.ts'
export { type LedgerRules, ledgerRules } from './rules.ts'
export { type LedgerServer, ledgerServer } from './server/machine.ts'
export type { LedgerServerEvent, LedgerServerState } from './server/state.ts'
export { type LedgerServerSettings, type LedgerSettings, ledgerDefaults } from './settings.ts'
export {
  type EpochStep,
  type Evidence,
  MEMO_BYTES_MAX,
  PEER_BYTES_MAX,
  readTransaction,
  SEQUENCE_MAX,
  type Spending,
  signingBytes,
  type Transaction,
  writeTransaction,
} from './transactions.ts'
export { type Answer, type LedgerMessage, ledgerVocabulary, type Question } from './wire.ts'
