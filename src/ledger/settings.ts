// What the servers and clients of ledgers must know. Everything about one ledger is in its genesis.

import type { Millis } from '../core/index.ts'
import type { Signer } from '../crypto/index.ts'
import type { LedgerCrypto } from './genesis.ts'
import { type LedgerRules, ledgerRules } from './rules.ts'

/** What servers and clients of ledgers are given. */
export interface LedgerSettings {
  readonly suite: LedgerCrypto
  readonly rules: LedgerRules
  /** Servers of the group, as far as a client must know before it knows a genesis. */
  readonly liars: number
  readonly crashes: number
  /** How long the first attempt of a height lasts at most (`patienceOf`); each later one twice as long. */
  readonly attemptMax: Millis
  /** How often words are said again until their height is certified. */
  readonly repeatEvery: Millis
  /** How long a leader waits at most for about as many leaves as the last height had. */
  readonly gatherMax: Millis
}

/** What a server has besides. */
export interface LedgerServerSettings extends LedgerSettings {
  /** The voting key for a salt: the same whenever it is asked, also after the store was lost. */
  voter(salt: Uint8Array): Signer
  /** It votes on nothing until it is told that its store is no old copy, or is one. */
  readonly holds?: boolean
}

/** Settings of a group that says nothing else; the suite is the driver's. */
export const ledgerDefaults: Omit<LedgerSettings, 'suite'> = {
  rules: ledgerRules,
  liars: 0,
  crashes: 1,
  attemptMax: 1_000,
  repeatEvery: 250,
  gatherMax: 10,
}
